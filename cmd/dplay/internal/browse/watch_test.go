package browse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A madeUp network has hosts that answer each question at once.
type madeUp struct {
	answers func(after time.Duration) []sock.Found // to a question so long after the first one
	asked   []sock.Ask
}

func (m *madeUp) Enumerate(ctx context.Context, ask sock.Ask) iter.Seq2[sock.Found, error] {
	m.asked = append(m.asked, ask)
	return func(yield func(sock.Found, error) bool) {
		began := time.Now()
		for {
			for _, f := range m.answers(time.Since(began)) {
				if !yield(f, nil) {
					return
				}
			}
			if ask.Repeat == 0 {
				<-ctx.Done()
				return
			}
			again := time.NewTimer(ask.Repeat)
			select {
			case <-again.C:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (*madeUp) Close() error { return nil }

// options are those of who asks on that network, with what is printed.
func (m *madeUp) options(out, errs *timedLines) *Options {
	return &Options{Flags: Flags{Timeout: 2 * time.Second}, Std: cli.Streams{Out: out, Err: errs},
		open:   func(sock.Options) (seeker, error) { return m, nil },
		Why:    func(_ context.Context, host string) error { return errors.New(host + " is silent") },
		Bridge: func(context.Context) string { return "" }}
}

// A timedLines is an output that notes when each line came.
type timedLines struct {
	began time.Time
	lines []string
}

func (o *timedLines) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		o.lines = append(o.lines, fmt.Sprint(time.Since(o.began))+" "+strings.TrimSuffix(line, "\n"))
	}
	return len(b), nil
}

// castle is a session of a host.
func castle(host string, players uint32) sock.Found {
	at := netip.MustParseAddrPort(host)
	return sock.Found{Name: "Castle", Host: at, From: at.Addr(),
		Desc: wire.SessionDesc{Instance: wire.GUID{1}, CurrentPlayers: players, MaxPlayers: 4, Flags: wire.SessionKeepAlive}}
}

// TestOnce asks two hosts of which one is silent, and everybody where nobody hosts: for the whole time, and not longer.
func TestOnce(t *testing.T) {
	const one, two = "192.0.2.1", "192.0.2.2"
	answers := func(time.Duration) []sock.Found { return []sock.Found{castle(one+":2300", 2), castle(one+":2300", 2)} }
	nobody := func(time.Duration) []sock.Found { return nil }
	const lookFor = "\"dplay doctor --live\" looks for what stands in the way"
	const row = "2s Castle  2 of 4   {00000000-0000-0000-0000-000000000000}  keepalive  192.0.2.1:2300  {00000001-0000-0000-0000-000000000000}"
	for name, c := range map[string]struct {
		answers   func(time.Duration) []sock.Found
		hosts     []string
		until     string
		ndjson    bool
		out, errs []string // of objects the event
		err       error
	}{
		"both asked, one silent": {answers, []string{one, two}, "", false, []string{"2s NAME    PLAYERS  GAME                                    FLAGS      HOST            SESSION", row},
			[]string{"2s dplay: " + two + " is silent"}, cli.ErrFailed},
		"objects come at once": {answers, []string{one, one}, "", true, []string{"0s session_found"}, nil, nil},
		"nobody hosts":         {nobody, nil, "", false, nil, []string{"2s dplay: no sessions; --all lists those that nobody can join at the moment as well, and " + lookFor}, nil},
		"objects of nobody":    {nobody, nil, "", true, nil, []string{"2s dplay: no sessions; --all lists those that nobody can join at the moment as well, and " + lookFor}, nil},
		"an address of IPv6":   {nobody, []string{"fe80::1"}, "", false, nil, []string{"0s dplay: fe80::1: DirectPlay 4 knows IPv4 addresses only"}, cli.ErrFailed},
		"until one is found":   {answers, []string{one, two}, "session_found", true, []string{"0s session_found"}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out, errs := &timedLines{began: time.Now()}, &timedLines{began: time.Now()}
				m := &madeUp{answers: c.answers}
				o := m.options(out, errs)
				o.Hosts, o.NDJSON, o.Until = c.hosts, c.ndjson, cli.NewUntil(c.until)
				assert.Equal(t, c.err, o.Run(t.Context()))
				if c.ndjson {
					eventsOf(t, out)
				}
				assert.Equal(t, c.out, out.lines)
				assert.Equal(t, c.errs, errs.lines)
			})
		})
	}
}

// TestBarred lists sessions that cannot be joined: that is said beside the list, unless there is one that can.
func TestBarred(t *testing.T) {
	session := func(id byte, players uint32, flags wire.SessionFlags) sock.Found {
		s := castle("192.0.2.1:2300", players)
		s.Desc.Instance, s.Desc.Flags = wire.GUID{id}, flags
		return s
	}
	full, shut := session(1, 4, 0), session(2, 1, wire.SessionJoinDisabled)
	locked, free := session(3, 1, wire.SessionPasswordRequired), session(4, 1, 0)
	const nobody = `none of these takes newcomers at the moment: each is full or closed; "dplay doctor --live HOST" says which`
	const password = `none of these can be joined without a password: "dplay join --password PASSWORD"`
	for name, c := range map[string]struct {
		found    []sock.Found
		all      bool
		password string
		want     string
	}{
		"full and closed":          {[]sock.Found{full, shut}, true, "", nobody},
		"locked":                   {[]sock.Found{locked}, false, "", password},
		"locked and full":          {[]sock.Found{locked, full}, true, "", password},
		"locked, with a password":  {[]sock.Found{locked}, false, "sesame", ""},
		"one is free":              {[]sock.Found{full, locked, free}, true, "", ""},
		"none, and all were asked": {nil, true, "", `no sessions; "dplay doctor --live" looks for what stands in the way`},
	} {
		for _, ndjson := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				out, errs := &timedLines{began: time.Now()}, &timedLines{began: time.Now()}
				m := &madeUp{answers: func(time.Duration) []sock.Found { return c.found }}
				o := m.options(out, errs)
				o.All, o.Password, o.NDJSON = c.all, c.password, ndjson
				require.NoError(t, o.Run(t.Context()))
				want := []string(nil)
				if c.want != "" {
					want = []string{"2s dplay: " + c.want}
				}
				assert.Equal(t, want, errs.lines, name)
				if ndjson {
					assert.Len(t, out.lines, len(c.found), name)
				}
			})
		}
	}
}

// eventsOf leaves of objects their event and where the host is and was.
func eventsOf(t *testing.T, out *timedLines) {
	t.Helper()
	for i, line := range out.lines {
		when, text, _ := strings.Cut(line, " ")
		var e object
		require.NoError(t, json.Unmarshal([]byte(text), &e), text)
		out.lines[i] = when + " " + e["event"].(string)
	}
}

// A session comes, changes, moves to another host and goes.
func changing(after time.Duration) []sock.Found {
	switch {
	case after < 5*time.Second:
		return nil
	case after < 10*time.Second:
		return []sock.Found{castle("192.0.2.1:2300", 2)}
	case after < 20*time.Second:
		return []sock.Found{castle("192.0.2.1:2300", 3)}
	case after < 40*time.Second:
		return []sock.Found{castle("192.0.2.2:2300", 2)}
	}
	return nil
}

// TestWatch watches a session that comes, changes, moves and goes: each is told once, as soon as it is known.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		ndjson bool
		want   []string
	}{
		// The last answer of the first host comes at 19 s, that of the second one at 39 s: three times two seconds later they are gone.
		"objects": {true, []string{"5s session_found", "10s session_found", "25s host_moved", "45s session_gone"}},
		"lines": {false, []string{`5s + "Castle", 2 of 4 players, {00000000-0000-0000-0000-000000000000}, keepalive, at 192.0.2.1:2300, session {00000001-0000-0000-0000-000000000000}`,
			`10s + "Castle", 3 of 4 players, {00000000-0000-0000-0000-000000000000}, keepalive, at 192.0.2.1:2300, session {00000001-0000-0000-0000-000000000000}`,
			`25s > "Castle", 2 of 4 players, {00000000-0000-0000-0000-000000000000}, keepalive, at 192.0.2.2:2300 now, not 192.0.2.1:2300 any more, session {00000001-0000-0000-0000-000000000000}`,
			`45s - "Castle", 2 of 4 players, {00000000-0000-0000-0000-000000000000}, keepalive, at 192.0.2.2:2300, session {00000001-0000-0000-0000-000000000000}`}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out, errs := &timedLines{began: time.Now()}, &timedLines{began: time.Now()}
				m := &madeUp{answers: changing}
				o := m.options(out, errs)
				o.Watch, o.NDJSON, o.Hosts = true, c.ndjson, []string{"192.0.2.1", "192.0.2.2"}
				ctx, interrupt := context.WithTimeout(t.Context(), time.Hour)
				defer interrupt()
				require.NoError(t, o.Run(ctx))
				if c.ndjson {
					eventsOf(t, out)
				}
				assert.Equal(t, c.want, out.lines)
				assert.Empty(t, errs.lines)
				require.Len(t, m.asked, 1)
				assert.Equal(t, rhythm, m.asked[0].Repeat)
				assert.Len(t, m.asked[0].Hosts, 2)
			})
		})
	}
}

// TestNull lists the sessions of games without a GUID of their own only: to a search for GUID_NULL every game answers.
func TestNull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := castle("192.0.2.1:2300", 2)
		other.Desc.Instance, other.Desc.Application = wire.GUID{2}, wire.GUID{5}
		out, errs := &timedLines{began: time.Now()}, &timedLines{began: time.Now()}
		m := &madeUp{answers: func(time.Duration) []sock.Found { return []sock.Found{other, castle("192.0.2.2:2300", 2)} }}
		o := m.options(out, errs)
		o.NDJSON = true
		require.NoError(t, o.App.Set("blitz3d"))
		require.NoError(t, o.Run(t.Context()))
		require.Len(t, out.lines, 1)
		assert.Contains(t, out.lines[0], "192.0.2.2:2300")
		assert.Zero(t, m.asked[0].Application)
	})
}

// TestWatchedPage has the page of the same session: it lists the host that answers, and where it was, and nothing in the end.
func TestWatchedPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		m := &madeUp{answers: changing}
		o := m.options(nil, nil)
		o.hosts = []asked{{"one", netip.MustParseAddr("192.0.2.1")}}
		b := newBoard(o, began)
		ctx, interrupt := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.run(ctx) }()
		h := newSessionsHandler(b, time.Now)
		page := func(after time.Duration) (all []object) {
			later := time.NewTimer(time.Until(began.Add(after)))
			<-later.C
			require.NoError(t, json.Unmarshal(ask(h, "GET", "/sessions.json").Body.Bytes(), &all))
			return all
		}
		assert.Empty(t, page(4*time.Second))
		first := page(6 * time.Second)
		require.Len(t, first, 1)
		assert.Equal(t, []any{"192.0.2.1:2300", nil}, []any{first[0]["addr"], first[0]["old_addr"]})
		assert.Equal(t, "192.0.2.1:2300", page(24 * time.Second)[0]["addr"], "it may come back")
		moved := page(26 * time.Second)
		require.Len(t, moved, 1)
		assert.Equal(t, []any{"192.0.2.2:2300", "192.0.2.1:2300"}, []any{moved[0]["addr"], moved[0]["old_addr"]})
		assert.Empty(t, page(46*time.Second))
		interrupt()
		assert.NoError(t, <-ended)
	})
}
