//go:build linux

package nat_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
	"dplay4/internal/testkit"
)

// A field is an internet with a relay.
type field struct {
	*nat.Internet
	relay   *nat.Machine
	program *program
}

// newField makes one.
func newField(t testing.TB) (context.Context, *field) {
	t.Helper()
	takesLong(t)
	ctx, in := newInternet(t)
	m, err := in.Machine(ctx, "relay")
	require.NoError(t, err)
	f := &field{Internet: in, relay: m}
	f.startRelay(ctx, t)
	return ctx, f
}

// startRelay starts the relay, and waits until it listens.
func (f *field) startRelay(ctx context.Context, t testing.TB) {
	t.Helper()
	f.program = start(ctx, t, f.relay, "bridge", "relay", "--public", f.relay.Addr().String(), "--metrics", relayMetrics)
	f.listens(ctx, t)
}

// listens waits until the relay does.
func (f *field) listens(ctx context.Context, t testing.TB) {
	t.Helper()
	testkit.Until(t, func() bool {
		out, err := f.relay.Command(ctx, "sh", "-c", "cat /proc/net/udp /proc/net/udp6").Output()
		require.NoError(t, err)
		return hasPort(string(out), 3478)
	}, "a relay that listens")
}

// relayMetrics is where the relay tells how it is.
const relayMetrics = "127.0.0.1:9478"

// allocations returns how many the relay says that it has.
func (f *field) allocations(ctx context.Context, t testing.TB) (n int) {
	t.Helper()
	for _, line := range strings.Split(string(inside(ctx, t, f.relay, "fetch", "http://"+relayMetrics+"/metrics")), "\n") {
		if labels, value, _ := strings.Cut(line, " "); strings.HasPrefix(labels, "dplay_relay_allocations{") {
			one, err := strconv.Atoi(value)
			require.NoError(t, err)
			n += one
		}
	}
	require.NotZero(t, n)
	return n
}

// hasPort reports whether a table of the kernel has a socket at the port.
func hasPort(table string, port int) bool {
	return strings.Contains(table, fmt.Sprintf(":%04X ", port))
}

// machine adds a machine in a home of its own.
func (f *field) machine(ctx context.Context, t testing.TB, kind nat.Kind, name string) (*nat.Machine, *nat.Home) {
	t.Helper()
	home, err := f.Home(ctx, kind, false)
	require.NoError(t, err)
	m, err := home.Machine(ctx, name)
	require.NoError(t, err)
	return m, home
}

// gameArgs are the game of the tests.
var gameArgs = []string{"--commands", "ndjson"}

// host hosts a session on a machine, and returns its code.
func (f *field) host(ctx context.Context, t testing.TB, m *nat.Machine, more ...string) (*program, string) {
	t.Helper()
	return f.hostAt(ctx, t, m, f.relay.Addr().String(), more...)
}

// hostAt does so by a relay as users write it.
func (f *field) hostAt(ctx context.Context, t testing.TB, m *nat.Machine, relay string, more ...string) (*program, string) {
	t.Helper()
	p := start(ctx, t, m, append(append([]string{"host", "--app", "lotr2", "--name", "Castle", "--player", m.Name(), "--share", "--relay",
		relay}, gameArgs...), more...)...)
	code := p.named(ctx, t, "bridge_opened").Code
	p.named(ctx, t, "session_opened")
	return p, code
}

// join joins it.
func (f *field) join(ctx context.Context, t testing.TB, m *nat.Machine, code string, more ...string) *program {
	t.Helper()
	p := start(ctx, t, m, append(append([]string{"join", code, "--player", m.Name(), "--timeout", "10m"}, gameArgs...), more...)...)
	p.named(ctx, t, "session_opened")
	return p
}

// way waits until the way to a machine is such a one.
func (p *program) way(ctx context.Context, t testing.TB, to, way string) *event {
	t.Helper()
	e, _ := p.find(ctx, t, way+" way to "+to, 0, func(e *event) bool {
		return (e.Event == "machine_joined" || e.Event == "machine_way") && e.Machine.Name == to && e.Machine.Way == way
	})
	return e
}

// says has a program say something, and another one hear it.
func says(ctx context.Context, t testing.TB, from, to *program, text string) {
	t.Helper()
	from.command(t, map[string]any{"command": "say", "text": text})
	to.find(ctx, t, "chat "+text, 0, func(e *event) bool { return e.Event == "chat" && e.Text == text })
}

// TestNATs has a session between every kind of router and every other one: directly where theory allows it. BenchmarkNATs judges
// the time that it takes.
func TestNATs(t *testing.T) {
	t.Parallel()
	for _, a := range nat.Kinds {
		for _, b := range nat.Kinds {
			t.Run(fmt.Sprintf("%s, %s", a, b), func(t *testing.T) {
				t.Parallel()
				ctx, f := newField(t)
				ann, _ := f.machine(ctx, t, a, "ann")
				bob, _ := f.machine(ctx, t, b, "bob")
				host, code := f.host(ctx, t, ann)
				guest := f.join(ctx, t, bob, code)
				took := guest.named(ctx, t, "session_opened").at.Sub(guest.began)
				says(ctx, t, guest, host, "hello")
				says(ctx, t, host, guest, "welcome")
				if nat.Direct(a, b) {
					e := guest.way(ctx, t, "ann", "direct")
					t.Logf("session after %v, direct after %v: %s", took, e.at.Sub(guest.began), e.Machine.Over)
					host.way(ctx, t, "bob", "direct")
				} else {
					t.Logf("session after %v", took)
				}
				hundred(ctx, t, guest, host)
				says(ctx, t, host, guest, "still here")
				if !nat.Direct(a, b) {
					assert.Empty(t, guest.seen(func(e *event) bool { return e.Machine != nil && e.Machine.Way == "direct" }))
				}
				guest.leave(t)
				host.find(ctx, t, "machine_left", 0, oneOf("machine_left"))
				host.leave(t)
			})
		}
	}
}

// hundred sends a hundred guaranteed messages, the last one of 60,000 octets, and has them arrive in their order.
func hundred(ctx context.Context, t testing.TB, from, to *program) {
	t.Helper()
	skip := to.count()
	for i := range 100 {
		payload := fmt.Sprintf("%04x", i)
		if i == 99 {
			for len(payload) < 2*60000 {
				payload += payload
			}
			payload = payload[:2*60000]
		}
		from.command(t, map[string]any{"command": "send", "payload": payload, "guaranteed": true})
	}
	for i := range 100 {
		e, at := to.find(ctx, t, fmt.Sprintf("message %d", i), skip, oneOf("message"))
		require.Equal(t, fmt.Sprintf("%04x", i), e.Payload[:4])
		if i == 99 {
			assert.Len(t, e.Payload, 2*60000)
		}
		skip = at + 1
	}
}
