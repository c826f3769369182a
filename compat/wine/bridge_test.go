//go:build linux

package wine_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
	"dplay4/compat/wine"
)

// A bridged is machines that reach each other over an internet with a relay alone.
type bridged struct {
	in      *nat.Internet
	relay   *nat.Machine
	program string // dplay
}

// newBridged makes an internet with a relay.
func newBridged(ctx context.Context, t *testing.T) *bridged {
	t.Helper()
	in, err := nat.New(ctx)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, in.Close()) })
	b := &bridged{in: in, program: buildDplay(t)}
	b.relay, err = in.Machine(ctx, "relay")
	require.NoError(t, err)
	cmd := b.relay.Command(ctx, b.program, "bridge", "relay", "--public", b.relay.Addr().String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Cancel(); _ = cmd.Wait() })
	said := bufio.NewReader(out)
	line, err := said.ReadString('\n') // when it listens
	require.NoError(t, err)
	require.Contains(t, line, "relay at ")
	go func() { _, _ = said.WriteTo(io.Discard) }()
	return b
}

// hosts runs "dplay host --share" behind a router, and returns its code.
func (b *bridged) hosts(ctx context.Context, t *testing.T, kind nat.Kind, more ...string) (*ours, string) {
	t.Helper()
	home, err := b.in.Home(ctx, kind, false)
	require.NoError(t, err)
	m, err := home.Machine(ctx, "host")
	require.NoError(t, err)
	args := []string{"host", "--app", application, "--name", "ours", "--password", "sesame", "--flags", "keepalive", "--player", "Host",
		"--share", "--relay", b.relay.Addr().String(), "--echo", "--commands", "ndjson"}
	cmd := m.Command(ctx, b.program, append(args, more...)...)
	cmd.Env = append(cmd.Env, "HOME="+t.TempDir())
	o := begun(ctx, t, cmd)
	o.echoes = true
	return o, o.next(ctx, t, "bridge_opened").Code
}

// A bridgeProcess is a "dplay bridge" at work.
type bridgeProcess struct {
	*process[fact]
	code string
}

// bridges runs a "dplay bridge" until the test ends.
func (b *bridged) bridges(ctx context.Context, t *testing.T, cmd *exec.Cmd) *bridgeProcess {
	t.Helper()
	cmd.Env = append(cmd.Env, "HOME="+t.TempDir())
	p := start[fact](t, cmd)
	t.Cleanup(func() {
		for t.Failed() && len(p.said) > 0 {
			p.kept = append(p.kept, <-p.said)
		}
		if t.Failed() {
			t.Logf("the bridge said %+v", p.kept)
		}
	})
	return &bridgeProcess{p, p.find(ctx, t, "bridge_opened", func(f fact) bool { return f.Event == "bridge_opened" }).Code}
}

// rehome has a machine of the laboratory be behind a router of a kind.
func (b *bridged) rehome(ctx context.Context, t *testing.T, m *wine.Machine, kind nat.Kind) {
	t.Helper()
	home, err := b.in.Home(ctx, kind, false)
	require.NoError(t, err)
	require.NoError(t, m.Rehome(ctx, home.Adopt))
}

// TestBridgeWine has Wine's own dplayx behind each kind of router join a session of "dplay host --share" behind another one.
func TestBridgeWine(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	ctx, lab := newLab(t)
	pc, err := lab.Wine(ctx, "pc")
	missing(t, err)
	b := newBridged(ctx, t)
	host, code := b.hosts(ctx, t, nat.PortRestricted)
	for _, kind := range nat.Kinds {
		t.Run(kind.String(), func(t *testing.T) {
			b.rehome(ctx, t, pc, kind)
			bridge := b.bridges(ctx, t, pc.Here(ctx, b.program, "bridge", "join", code, "--commands", "ndjson"))
			b.plays(ctx, t, newClient(ctx, t, pc), host)
			if kind == nat.Kinds[0] { // the game is started again: its place is free at once
				b.plays(ctx, t, newClient(ctx, t, pc), host)
			}
			if nat.Direct(kind, nat.PortRestricted) {
				bridge.find(ctx, t, "a direct way", func(f fact) bool { return f.Machine != nil && f.Machine.Way == "direct" })
			}
		})
	}
}

// plays has a client of Wine's find our host, be refused with a wrong password, join with the right one, and talk.
func (b *bridged) plays(ctx context.Context, t *testing.T, c *wine.Client, host *ours) {
	t.Helper()
	began := time.Now()
	s := look(ctx, t, c)
	t.Logf("found after %v", time.Since(began))
	assert.Equal(t, "ours", *s.Name)
	r, err := c.Do(ctx, wine.Cmd("join", "ours").With("password", "wrong"))
	require.NoError(t, err)
	assert.Equal(t, wine.Word(0x88770154), r.HRHex)
	began = time.Now()
	me := enters(ctx, t, c, "ours", "a", "first", "a1", host)
	t.Logf("in the session after %v", time.Since(began))
	echo(ctx, t, host, c, me)

	const many = 100
	for i := range uint32(many) {
		do(ctx, t, c, sendSize(host.player, 64, i, true))
	}
	for i := range uint32(many) {
		host.message(ctx, t, me, host.player, true, wine.Octets(64, i))
		e := await(ctx, t, c, wine.Named("message"))
		require.Equal(t, wine.Octets(64, i), []byte(e.Data.Data), "message %d", i)
	}
	got := 0
	for i := range uint32(many) {
		do(ctx, t, c, sendSize(host.player, 64, i, false))
		do(ctx, t, c, sendSize(host.player, 65, i, true)) // it comes back in any case
		for await(ctx, t, c, wine.Named("message")).Size < 65 {
			got++
		}
	}
	t.Logf("of %d messages that were not guaranteed %d came back", many, got)
	assert.GreaterOrEqual(t, got, many*95/100)
	require.NoError(t, c.Quit(ctx))
	host.about(ctx, t, "player_deleted", me.String())
	host.kept = nil
}

// TestBridgeWindows has dplay.exe bridge for Wine's own dplayx, in a session that a dplay on Linux hosts.
func TestBridgeWindows(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	ctx, lab := newLab(t)
	b := newBridged(ctx, t)
	w := &windowsBuild{program: b.program}
	w.boot(ctx, t, lab, "386")
	w.put(t, buildWindows(t, "386"), exePath)
	host, code := b.hosts(ctx, t, nat.PortRestricted)
	b.rehome(ctx, t, w.windows, nat.PortRestricted)
	bridge := b.bridges(ctx, t, w.command(ctx, exePath, "bridge", "join", code, "--commands", "ndjson"))
	b.plays(ctx, t, newClient(ctx, t, w.windows), host)
	bridge.find(ctx, t, "a direct way", func(f fact) bool { return f.Machine != nil && f.Machine.Way == "direct" })
	bridge.kill(t) // on a busy machine Wine's own end of a program with many threads may stand still, in a lock of a thread that it ended
}

// TestBridgeDLL plays the game of TestDLLGame over a bridge: our DLL hosts behind one router, and from behind others our DLL and
// Wine's own dplayx join, that one from behind each kind.
func TestBridgeDLL(t *testing.T) {
	wineTest(t)
	for name, players := range map[string]struct {
		joiners []string
		kinds   []nat.Kind
		group   bool
	}{
		"DLL and Wine":        {[]string{"amd64", builtin}, []nat.Kind{nat.Symmetric, nat.FullCone}, true},
		"Wine from each kind": {[]string{builtin, builtin, builtin, builtin}, nat.Kinds, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of the time it waits
			ctx, lab := newLab(t)
			b := newBridged(ctx, t)
			kinds, code := append([]nat.Kind{nat.PortRestricted}, players.kinds...), ""
			s := &gameSession{lab: lab, password: "sesame", group: players.group, large: []int{9000, 60000}}
			s.plugged = func(m *wine.Machine) {
				b.rehome(ctx, t, m, kinds[0])
				kinds = kinds[1:]
				args := []string{"bridge", "join", code, "--commands", "ndjson"}
				if code == "" {
					args = []string{"bridge", "share", "--relay", b.relay.Addr().String(), "--commands", "ndjson"}
				}
				code = b.bridges(ctx, t, m.Here(ctx, b.program, args...)).code
			}
			s.plays(ctx, t, "386", players.joiners...)
		})
	}
}
