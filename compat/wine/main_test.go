//go:build linux

package wine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/compat/wine"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

func TestMain(m *testing.M) {
	wine.RunInside(map[string]func([]string) error{
		"scripted-host": runScriptedHost,
		"our-machine":   runOurMachine,
		"speak":         runSpeak,
		"doomed-lab":    runDoomedLab,
		"hold":          runHold,
	})
	status := m.Run()
	removeBuilds()
	os.Exit(status)
}

// wineTest skips a test that takes half a minute unless it is asked for, by DPLAY_REQUIRE_WINE as "make interop" does. Beside
// others with the race detector Wine's client is too slow for what it is asked.
func wineTest(t testing.TB) {
	t.Helper()
	if os.Getenv("DPLAY_REQUIRE_WINE") == "" {
		t.Skip("it takes half a minute: make interop runs it")
	}
}

// missing skips the test where there can be no lab, or fails it where there has to be one.
func missing(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, wine.ErrMissing) {
		if os.Getenv("DPLAY_REQUIRE_WINE") != "" {
			t.Fatalf("DPLAY_REQUIRE_WINE is set: %v", err)
		}
		t.Skip(err)
	}
	require.NoError(t, err)
}

// newLab returns a lab for a test.
func newLab(t testing.TB) (context.Context, *wine.Lab) {
	t.Helper()
	ctx := testkit.Context(t)
	lab, err := wine.NewLab(ctx)
	missing(t, err)
	t.Cleanup(func() { assert.NoError(t, lab.Close()) })
	return ctx, lab
}

// newClient starts a client on a machine with Wine, and opens its provider.
func newClient(ctx context.Context, t *testing.T, m *wine.Machine) *wine.Client {
	t.Helper()
	c, err := m.Start(ctx)
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("client on %s:\n%s", m.Name(), c.Log())
		}
		assert.NoError(t, c.Kill())
	})
	do(ctx, t, c, wine.Cmd("open-provider", "tcpip").With("address", "192.0.2.1"))
	return c
}

// newHost plugs in a machine that a scripted host runs on until the test's end.
func newHost(ctx context.Context, t *testing.T, lab *wine.Lab, s script) (*wine.Machine, *hostProcess) {
	t.Helper()
	m, err := lab.Machine(ctx, "host")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.Close()) })
	return m, startHost(ctx, t, m, s)
}

// find looks for sessions until there are some, and gives them.
func find(ctx context.Context, t *testing.T, c *wine.Client, host *hostProcess) []wine.Session {
	t.Helper()
	for {
		r := do(ctx, t, c, wine.Cmd("enum", application).With("flags", uint32(wire.EnumPasswordRequired)).With("timeout", 500))
		host.next(ctx, t, "ENUMSESSIONS")
		if len(r.Sessions) > 0 {
			return r.Sessions
		}
	}
}

// do returns a command that has to succeed.
func do(ctx context.Context, t *testing.T, c *wine.Client, command wine.Command) *wine.Result {
	t.Helper()
	r, err := c.Do(ctx, command)
	require.NoError(t, err)
	require.NoError(t, r.Err(), command)
	return r
}

// refused gives a command that has to fail with that result.
func refused(ctx context.Context, t *testing.T, c *wine.Client, hr string, command wine.Command) {
	t.Helper()
	r, err := c.Do(ctx, command)
	require.NoError(t, err)
	require.False(t, r.OK, command)
	require.Equal(t, hr, r.HR, command)
}

// await waits for an event.
func await(ctx context.Context, t *testing.T, c *wine.Client, fits func(*wine.Event) bool) *wine.Event {
	t.Helper()
	e, err := c.Wait(ctx, fits)
	require.NoError(t, err)
	return e
}

// A hostProcess is a scripted host at work in a machine.
type hostProcess struct{ *process[heard] }

// startHost runs a scripted host in the machine until the test's end.
func startHost(ctx context.Context, t *testing.T, m *wine.Machine, s script) *hostProcess {
	t.Helper()
	arg, err := json.Marshal(s)
	require.NoError(t, err)
	h := &hostProcess{start[heard](t, m.Inside(ctx, "scripted-host", string(arg)))}
	h.next(ctx, t, "ready")
	return h
}

// next returns what the host heard next, which has to be that. Connections that ended do not count.
func (h *hostProcess) next(ctx context.Context, t *testing.T, command string) heard {
	t.Helper()
	for {
		s := h.line(ctx, t, command)
		if s.Command != closed {
			require.Equal(t, command, s.Command, "from %s", s.Source)
			return s
		}
	}
}

// end waits for the end of the connection from there.
func (h *hostProcess) end(ctx context.Context, t *testing.T, source string) {
	t.Helper()
	for {
		if s := h.line(ctx, t, closed); s.Command == closed && s.Source == source {
			return
		}
	}
}

// record records the lab's traffic. The function that it gives ends that and gives the pcap file. Where the environment
// variable DPLAY_WINE_KEEP names a folder, the file is kept there, too, under the test's name.
func record(ctx context.Context, t *testing.T, lab *wine.Lab) (stop func() *bytes.Buffer) {
	t.Helper()
	var pcap bytes.Buffer
	recording, err := lab.Record(ctx, &pcap)
	require.NoError(t, err)
	return func() *bytes.Buffer {
		t.Helper()
		require.NoError(t, recording.Stop(ctx))
		if dir := os.Getenv("DPLAY_WINE_KEEP"); dir != "" {
			name := strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()) + ".pcap"
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), pcap.Bytes(), 0o644))
		}
		return &pcap
	}
}

// decode reads a recording of a lab with package captures, and gives the names of its messages in their order.
func decode(ctx context.Context, t *testing.T, pcap *bytes.Buffer) (*captures.Summary, []string) {
	t.Helper()
	var commands []string
	sum, err := captures.Read(ctx, pcap, captures.Options{Name: t.Name()}, func(r *captures.Record) error {
		commands = append(commands, r.Command())
		return nil
	}, func(f *captures.Finding) { t.Logf("finding: %s", f) })
	require.NoError(t, err)
	return sum, commands
}

// encode returns a message as a host sends it.
func encode(t *testing.T, m wire.Message) []byte {
	t.Helper()
	b, err := envelope(m)
	require.NoError(t, err)
	return b
}
