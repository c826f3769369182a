package relaying

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/relay"
	"dplay4/internal/testkit"
)

const ourSecret = "0123456789abcdef"

// closed is a relay at a loopback address of its own for who has a credential.
func closed(t *testing.T) relay.Config {
	at := []netip.Addr{testkit.Addr(t)}
	return relay.Config{Public: at, Listen: at, Port: relay.DefaultPort, AlternatePort: relay.DefaultPort + 1, Secret: ourSecret,
		Limits: relay.DefaultLimits()}
}

// try gets an address at the relay and gives it back.
func try(t *testing.T, at relay.Config, c code.Credential) error {
	t.Helper()
	r := code.Relay{Host: at.Listen[0].String(), Port: at.Port, User: c.User, Password: c.Password}
	return link.Try(t.Context(), nil, r, link.Site{Host: r.Host, UDP: r.Port, TCP: r.Port})
}

// club is who has a credential, for so many days.
func club(days int) code.Credential {
	return code.NewCredential(ourSecret, "club", time.Now().AddDate(0, 0, days))
}

// An object is an event in JSON.
type object struct {
	Event, Client, Transport, Relayed, Reason string
	Open                                      *bool
	Allocations                               *int
}

// TestEvents tells programs who gets an address of the relay, who gives it back, and who gets none.
func TestEvents(t *testing.T) {
	t.Parallel()
	c := closed(t)
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(ourSecret), 0o600))
	out, in := io.Pipe()
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, cli.Streams{Out: in, Err: io.Discard}, Options{Config: c, SecretFile: file, NDJSON: true})
		in.Close()
	}()
	events := bufio.NewScanner(out)
	next := func(name string) (o object) {
		for events.Scan() {
			if require.NoError(t, json.Unmarshal(events.Bytes(), &o)); o.Event == name {
				return o
			}
			o = object{}
		}
		require.Fail(t, "the relay has ended", "before %s", name)
		return o
	}
	assert.False(t, *next("relay_opened").Open)

	require.Error(t, try(t, c, code.Credential{}))
	o := next("allocation_refused")
	assert.Equal(t, "credentials", o.Reason)
	assert.Equal(t, "udp", o.Transport)
	assert.True(t, strings.HasPrefix(o.Client, "127."), o.Client)
	assert.Empty(t, o.Relayed)

	require.NoError(t, try(t, c, club(1)))
	got := next("allocation_allocated")
	relayed, err := netip.ParseAddrPort(got.Relayed)
	require.NoError(t, err)
	assert.Equal(t, c.Public[0], relayed.Addr())
	back := next("allocation_released")
	assert.Equal(t, []string{got.Client, got.Relayed, got.Transport}, []string{back.Client, back.Relayed, back.Transport})

	require.Error(t, try(t, c, club(-1)))
	assert.Equal(t, "expired", next("allocation_refused").Reason)
	end()
	assert.Zero(t, *next("relay_closed").Allocations)
	require.NoError(t, <-done)
}

// TestUntilDropped: an event that is dropped since nobody reads ends the relay as well, if it is the one of --until.
func TestUntilDropped(t *testing.T) {
	t.Parallel()
	o := Options{Until: cli.NewUntil("allocation_released")}
	happened := make(chan relay.Event, 1)
	for range 2 {
		o.tell(happened, relay.Event{What: relay.Allocated})
	}
	o.tell(happened, relay.Event{What: relay.Released})
	assert.True(t, o.Until.Came())
	r := &running{Options: &o, out: cli.NewOutput(io.Discard), happened: happened}
	r.watch(t.Context()) // it returns

	o = Options{Until: cli.NewUntil("allocation_released")}
	o.tell(make(chan relay.Event, 1), relay.Event{What: relay.Released})
	assert.False(t, o.Until.Came(), "it is printed first")
}

// TestRefusals says once a minute what was refused, and nothing where nothing was.
func TestRefusals(t *testing.T) {
	t.Parallel()
	c := closed(t)
	s, err := relay.Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	var out bytes.Buffer
	r := &running{Options: &Options{Config: c}, server: s, out: cli.NewOutput(&out)}
	r.refusals()
	assert.Empty(t, out.String())
	require.Error(t, try(t, c, code.Credential{}))
	require.Error(t, try(t, c, club(-1)))
	r.refusals()
	assert.Regexp(t, `^refused in the last minute: \d+ for expired credentials, \d+ for wrong credentials\n$`, out.String())
	out.Reset()
	r.refusals()
	assert.Empty(t, out.String())
	for why := range s.Refusals() {
		assert.True(t, slices.ContainsFunc(reasons, func(r reasonText) bool { return r.why == why }), why)
	}
	assert.True(t, slices.IsSortedFunc(reasons, func(a, b reasonText) int { return strings.Compare(a.text, b.text) }))
}

// TestLoaded says once a minute who is there, where that has changed.
func TestLoaded(t *testing.T) {
	t.Parallel()
	c := closed(t)
	s, err := relay.Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	var out bytes.Buffer
	r := &running{Options: &Options{Config: c}, server: s, out: cli.NewOutput(&out)}
	said := func() string {
		out.Reset()
		r.loaded()
		return out.String()
	}
	assert.Empty(t, said())
	member := club(1)
	with := code.Code{Secret: [16]byte{1}, Relays: []code.Relay{{Host: c.Listen[0].String(), Port: c.Port, User: member.User, Password: member.Password}}}
	m, err := link.New(t.Context(), link.Config{Code: with})
	require.NoError(t, err)
	require.NoError(t, m.Ready(t.Context()))
	assert.Regexp(t, `^1 machine of 1 address in 0 sessions, \d kB/s\n$`, said())
	assert.Empty(t, said())
	m.Meet(true)
	testkit.Until(t, func() bool { return s.Load().Sessions == 1 }, "a session")
	// A mesh that is closed before the answer to Allocate does not give the address back.
	testkit.Until(t, func() bool { return slices.ContainsFunc(m.Meeting(), netip.AddrPort.IsValid) }, "an address to meet at")
	assert.Regexp(t, `^1 machine of 1 address in 1 session, \d kB/s\n$`, said())
	require.NoError(t, m.Close())
	testkit.Until(t, func() bool { return s.Allocations() == 0 }, "the address to be given back")
	assert.Equal(t, "nobody is here any more\n", said())
	assert.Equal(t, "2 addresses", cli.Numbered(2, "address"))
	assert.Equal(t, "1.5 MB/s", rate(90<<20, time.Minute))
	assert.Equal(t, "300 kB/s", rate(300<<10, time.Second))
}

// TestExposed warns where others can read the metrics.
func TestExposed(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]bool{"": false, "127.0.0.1:9478": false, "0.0.0.0:9478": true, "192.0.2.7:9478": true} {
		notes, err := (&Options{Config: closed(t), Metrics: at}).prepare()
		require.NoError(t, err)
		warns := slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, "--metrics at ") })
		assert.Equal(t, want, warns, "%s: %q", at, notes)
	}
}

// TestPages: who looks at where the metrics are is told where to look.
func TestPages(t *testing.T) {
	t.Parallel()
	c := closed(t)
	s, err := relay.Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	w, err := (&Options{Metrics: "127.0.0.1:0"}).serveMetrics(s)
	require.NoError(t, err)
	defer w.Close()
	for page, want := range map[string]string{"/": "/metrics is for Prometheus", "/healthz": "ok\n", "/metrics": "dplay_relay_allocations", "/x": "404"} {
		answer, err := http.Get("http://" + w.at.String() + page)
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Contains(t, string(text), want)
	}
}
