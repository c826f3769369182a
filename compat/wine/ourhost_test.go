//go:build linux

package wine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// ourSession is what a host of this project's is told to open.
type ourSession struct {
	Name, Password string
	MaxPlayers     uint32
	Flags          wire.SessionFlags
}

// A fact is what happened at our host, a line each on its standard output.
type fact struct {
	Event      string // the type of the event
	ID, From   wire.PlayerID
	Name       string
	Data       []byte
	Size       int
	Guaranteed bool
	Text       string
}

// ourSeed makes ids and GUIDs the same in every run, so that recordings can be replayed.
var ourSeed = [32]byte{1}

// runOurHost hosts a session in a machine until its standard input ends: every game message goes back to its sender,
// in the way it came.
func runOurHost(args []string) error {
	var want ourSession
	if err := json.Unmarshal([]byte(args[0]), &want); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { io.Copy(io.Discard, os.Stdin); cancel() }()
	app, err := wire.ParseGUID(application)
	if err != nil {
		return err
	}
	s, err := sock.Host(ctx, sock.Options{Config: dpsp.Config{Strict: true, Seed: ourSeed}}, dpsp.Host{
		Application: app, Name: want.Name, Password: want.Password, MaxPlayers: want.MaxPlayers, Flags: want.Flags,
	})
	if err != nil {
		return err
	}
	defer s.Close()
	me, err := s.Do(ctx, dpsp.CreatePlayer{ShortName: wire.NewText("Host"), LongName: wire.NewText("of ours"), Data: []byte("ours")})
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-s.Events():
			if m, ok := e.(dpsp.Message); ok {
				if err := s.Send(ctx, me, m.From, m.Payload, m.Guaranteed); err != nil {
					return err
				}
			}
			if err := out.Encode(factOf(e)); err != nil {
				return err
			}
		}
	}
}

func factOf(e dpsp.Event) fact {
	f := fact{Event: fmt.Sprintf("%T", e)[len("dpsp."):]}
	switch e := e.(type) {
	case dpsp.PlayerCreated:
		f.ID, f.Name, f.Data = e.ID, e.ShortName, e.Data
	case dpsp.PlayerDeleted:
		f.ID, f.Name = e.ID, e.Name
	case dpsp.Message:
		f.From, f.Size, f.Guaranteed = e.From, len(e.Payload), e.Guaranteed
	case dpsp.PeerLost:
		f.ID, f.Text = e.System, e.Reason
	case dpsp.PeerJoined:
		f.ID = e.System
	case dpsp.Dropped:
		f.Name, f.Text = e.Command, string(e.Reason)+": "+e.Text
	}
	return f
}

// ourHost is a host of this project's at work in a machine.
type ourHost struct{ facts chan fact }

func startOurs(ctx context.Context, t *testing.T, m *wine.Machine, want ourSession) *ourHost {
	t.Helper()
	arg, err := json.Marshal(want)
	require.NoError(t, err)
	cmd := m.Inside(ctx, "our-host", string(arg))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	h := &ourHost{facts: make(chan fact, 10000)}
	go func() {
		defer close(h.facts)
		for in := bufio.NewScanner(stdout); in.Scan(); {
			var f fact
			if json.Unmarshal(in.Bytes(), &f) != nil {
				return
			}
			h.facts <- f
		}
	}()
	t.Cleanup(func() {
		stdin.Close()
		assert.NoError(t, cmd.Wait())
	})
	return h
}

// next gives the next fact of a kind. What our host dropped on the way is a failure: Wine sends nothing that it
// should drop.
func (h *ourHost) next(ctx context.Context, t *testing.T, event string) fact {
	t.Helper()
	for {
		select {
		case f, ok := <-h.facts:
			require.True(t, ok, "the host ended before %s", event)
			if f.Event == "Dropped" {
				t.Errorf("the host dropped %s: %s", f.Name, f.Text)
			}
			if f.Event == event {
				return f
			}
		case <-ctx.Done():
			require.Failf(t, "no "+event, "%v", ctx.Err())
		}
	}
}

// TestOurHost has Wine's own dplayx join sessions that this project hosts.
func TestOurHost(t *testing.T) {
	ctx, lab := newLab(t)
	hm, err := lab.Machine(ctx, "host")
	require.NoError(t, err)
	one, err := lab.Wine(ctx, "one")
	missing(t, err)
	two, err := lab.Wine(ctx, "two")
	require.NoError(t, err)

	for _, c := range []struct {
		name string
		run  func(ctx context.Context, t *testing.T, host, one, two *wine.Machine)
	}{{"two-clients", ourTwo}, {"full", ourFull}} {
		t.Run(c.name, func(t *testing.T) {
			stop := record(ctx, t, lab)
			c.run(ctx, t, hm, one, two)
			sum, commands := decode(ctx, t, stop())
			assert.True(t, sum.TCP.Balanced() && sum.UDP.Balanced(), "%+v", sum)
			assert.Zero(t, sum.Findings, sum.ByCode)
			assert.Contains(t, commands, "SUPERENUMPLAYERSREPLY")
		})
	}
}

// look enumerates until a session is found.
func look(ctx context.Context, t *testing.T, c *wine.Client) wine.Session {
	t.Helper()
	for {
		r := do(ctx, t, c, wine.Cmd("enum", application).With("flags", uint32(wire.EnumPasswordRequired)).With("timeout", 500))
		if len(r.Sessions) > 0 {
			return r.Sessions[0]
		}
		require.NoError(t, ctx.Err())
	}
}

func ourTwo(ctx context.Context, t *testing.T, hm, one, two *wine.Machine) {
	h := startOurs(ctx, t, hm, ourSession{Name: "ours", Password: "sesame", MaxPlayers: 8, Flags: wire.SessionKeepAlive})
	hostPlayer := h.next(ctx, t, "PlayerCreated").ID
	a, b := newClient(ctx, t, one), newClient(ctx, t, two)

	look(ctx, t, a)
	refused(ctx, t, a, "DPERR_INVALIDPASSWORD", wine.Cmd("join", "ours").With("password", "wrong"))
	do(ctx, t, a, wine.Cmd("join", "ours").With("password", "sesame"))
	h.next(ctx, t, "PeerJoined")
	pa := do(ctx, t, a, wine.Cmd("create-player", "a", "first").With("data", "a1")).ID
	f := h.next(ctx, t, "PlayerCreated")
	assert.Equal(t, fact{Event: "PlayerCreated", ID: wire.PlayerID(pa), Name: "a", Data: []byte{0xa1}}, f)
	assert.Contains(t, names(do(ctx, t, a, wine.Cmd("players")).Players), "Host/of ours")

	look(ctx, t, b)
	do(ctx, t, b, wine.Cmd("join", "ours").With("password", "sesame"))
	pb := do(ctx, t, b, wine.Cmd("create-player", "b", "second").With("data", "b2")).ID
	e := await(ctx, t, a, wine.About("player_created", pb))
	assert.Equal(t, []string{"b", "second", "\xb2"}, []string{*e.Short, *e.Long, string(e.Data.Data)})
	list := names(do(ctx, t, b, wine.Cmd("players")).Players)
	assert.Contains(t, list, "a/first")
	assert.Contains(t, list, "Host/of ours")
	lost := h.next(ctx, t, "PeerJoined").ID
	assert.Equal(t, "b", h.next(ctx, t, "PlayerCreated").Name)

	talk(ctx, t, a, b, pa, pb)
	talk(ctx, t, b, a, pb, pa)
	echo(ctx, t, h, a, wine.Word(hostPlayer))
	echo(ctx, t, h, b, wine.Word(hostPlayer))

	require.NoError(t, b.Kill())
	f = h.next(ctx, t, "PeerLost")
	assert.Equal(t, lost, f.ID, f.Text)
	assert.Equal(t, wire.PlayerID(pb), h.next(ctx, t, "PlayerDeleted").ID)
	echo(ctx, t, h, a, wine.Word(hostPlayer)) // the others go on
	require.NoError(t, a.Quit(ctx))
	assert.Equal(t, wire.PlayerID(pa), h.next(ctx, t, "PlayerDeleted").ID)
}

// echo sends messages of all kinds to our player, and wants them back unchanged.
func echo(ctx context.Context, t *testing.T, h *ourHost, c *wine.Client, to wine.Word) {
	t.Helper()
	for _, command := range []wine.Command{
		wine.Cmd("send-size", to.String(), "8", "1").Flag("guaranteed"),
		wine.Cmd("send-size", to.String(), "8", "2"),
		wine.Cmd("send-size", to.String(), "60000", "3").Flag("guaranteed"),
		wine.Cmd("send-size", to.String(), "60000", "4"),
	} {
		sent := do(ctx, t, c, command)
		f := h.next(ctx, t, "Message")
		assert.EqualValues(t, sent.Size, f.Size, command)
		e := await(ctx, t, c, wine.Named("message"))
		assert.Equal(t, []wine.Word{to, sent.CRC32}, []wine.Word{e.From, e.CRC32}, command)
		assert.Equal(t, sent.Size, e.Size, command)
	}
}

func ourFull(ctx context.Context, t *testing.T, hm, one, two *wine.Machine) {
	h := startOurs(ctx, t, hm, ourSession{Name: "small", MaxPlayers: 2})
	a, b := newClient(ctx, t, one), newClient(ctx, t, two)
	look(ctx, t, a)
	look(ctx, t, b)
	do(ctx, t, a, wine.Cmd("join", "small"))
	do(ctx, t, a, wine.Cmd("create-player", "a", "first"))
	h.next(ctx, t, "PeerJoined")
	refused(ctx, t, a, "DPERR_NONEWPLAYERS", wine.Cmd("create-player", "x", "one too many"))
	refused(ctx, t, b, "DPERR_NONEWPLAYERS", wine.Cmd("join", "small"))
	require.NoError(t, a.Quit(ctx))
	h.next(ctx, t, "PlayerDeleted")
	look(ctx, t, b)
	do(ctx, t, b, wine.Cmd("join", "small"))
	require.NoError(t, b.Quit(ctx))
}
