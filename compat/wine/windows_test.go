//go:build linux

package wine_test

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
)

// TestWineRunsOurWindowsBuild has dplay.exe, under Wine, and dplay on Linux play in one session with the reliable protocol, over
// a relay that loses 5 % of the datagrams: one hosts and is killed, the other one becomes host and lets a third one in.
func TestWineRunsOurWindowsBuild(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	for _, c := range []struct{ arch, host string }{{"386", "linux"}, {"386", "windows"}, {"amd64", "windows"}} {
		t.Run(c.arch+", "+c.host+" hosts", func(t *testing.T) {
			ctx, lab := newLab(t)
			linux, err := lab.Machine(ctx, "linux")
			require.NoError(t, err)
			windows, err := lab.Wine(ctx, "windows")
			missing(t, err)
			exe, err := os.ReadFile(buildWindows(t, c.arch))
			require.NoError(t, err)
			require.NoError(t, windows.WriteFile(exePath, exe))
			r := &relayed{lab: lab, program: buildDplay(t), environment: wine.WineEnvironment, loss: 5}
			if c.arch == "amd64" {
				r.environment = boot64(ctx, t, windows)
			}
			if c.host == "linux" {
				r.play(ctx, t, linux, windows)
			} else {
				r.play(ctx, t, windows, linux)
			}
		})
	}
}

// TestOurHostRelayed is the same between two machines of Linux, over a relay that loses 20 %: it needs no Wine.
func TestOurHostRelayed(t *testing.T) {
	wineTest(t)
	t.Parallel()
	ctx, lab := newLab(t)
	one, err := lab.Machine(ctx, "one")
	require.NoError(t, err)
	two, err := lab.Machine(ctx, "two")
	require.NoError(t, err)
	r := &relayed{lab: lab, program: buildDplay(t), loss: 20}
	r.play(ctx, t, one, two)
}

// exePath is where dplay.exe is in a Wine machine.
const exePath = "/opt/dplay/dplay.exe"

// boot64 readies a machine for programs of 64 bits, and returns what they get.
func boot64(ctx context.Context, t *testing.T, m *wine.Machine) []string {
	t.Helper()
	require.NoError(t, m.Boot(ctx, wine.WineEnvironment64))
	return slices.Clone(wine.WineEnvironment64)
}

// buildWindows builds the program for Windows, once for all tests. Releases are built with -trimpath as well: what they compiled is
// used here.
func buildWindows(t *testing.T, arch string) string {
	t.Helper()
	return filepath.Join(buildOnce(t, "dplay-"+arch, func(dir string) *exec.Cmd {
		cmd := exec.Command("go", "build", "-trimpath", "-o", filepath.Join(dir, "dplay.exe"), "dplay4/cmd/dplay")
		cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOOS=windows", "GOARCH="+arch)
		return cmd
	}), "dplay.exe")
}

// A relayed is a session of two machines with a relay between them.
type relayed struct {
	lab         *wine.Lab
	program     string   // for Linux
	environment []string // of Wine
	loss        int      // of a hundred datagrams
}

// starts runs "dplay host" or "dplay join" on a machine until it is killed, at the test's end at the latest. Every line of its
// standard input is chat.
func (r *relayed) starts(ctx context.Context, t *testing.T, m *wine.Machine, args ...string) *ours {
	t.Helper()
	args = append(args, "--events", "ndjson", "--period", "10s", "--probes", "6")
	cmd := m.Command(ctx, r.program, args...)
	if m.Name() == "windows" {
		cmd = m.Command(ctx, "wine", append([]string{exePath}, args...)...)
		cmd.Env = append(cmd.Env, r.environment...)
	}
	o := begun(ctx, t, cmd)
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			o.kill(t)
		}
	})
	return o
}

// each is how many messages each side sends, chat and others.
const each = 60

// play has the first machine host and the second one join, both talk, and the second one outlive the first one.
func (r *relayed) play(ctx context.Context, t *testing.T, first, second *wine.Machine) {
	stop := record(ctx, t, r.lab)
	relay, err := r.lab.Relay(ctx, first, second, r.loss, 11)
	require.NoError(t, err)
	host := r.starts(ctx, t, first, "host", "--app", application, "--name", "lossy", "--player", "Host", "--echo",
		"--flags", "directplayprotocol,keepalive,migratehost,optimizelatency")
	args := []string{"join", first.Addr().String(), "--player", "Ann", "--timeout", "10m"}
	var payloads []string
	for i := range each {
		payloads = append(payloads, fmt.Sprintf("%02x0102", i))
		args = append(args, "--send-hex", payloads[i])
	}
	joiner := r.starts(ctx, t, second, args...)
	assert.Equal(t, payloads, texts(ctx, t, host, "message", joiner.player), "the joiner's messages")
	assert.Equal(t, payloads, texts(ctx, t, joiner, "message", host.player), "and the host's echo of them")
	chat(ctx, t, host, joiner)
	chat(ctx, t, joiner, host)

	host.kill(t)
	joiner.next(ctx, t, "host_lost")
	changed := joiner.next(ctx, t, "host_changed")
	assert.True(t, changed.Hosting)
	third := r.starts(ctx, t, first, "join", second.Addr().String(), "--player", "Bob", "--timeout", "10m",
		"--tcp", "2301", "--udp", "2351") // another machine than the killed one, for what was on its way and for the recording
	chat(ctx, t, third, joiner)
	chat(ctx, t, joiner, third)
	joiner.none(t, "message", "chat", "session_lost")
	third.none(t, "message", "chat", "session_lost")

	did, err := relay.Stop()
	require.NoError(t, err)
	pcap := stop()
	assert.InDelta(t, r.loss, float64(did.Lost)*100/float64(did.Datagrams), 4, "%+v", did)
	r.framed(ctx, t, pcap)
}

// framed reads a recording of what came to the relay: what was said went in frames, and some had to be sent again.
func (r *relayed) framed(ctx context.Context, t *testing.T, pcap *bytes.Buffer) {
	t.Helper()
	sum, _ := decode(ctx, t, pcap)
	assert.Zero(t, sum.Findings, sum.ByCode)
	said, repeated := map[netip.Addr]int{}, 0
	for _, l := range sum.Links {
		said[l.From.Addr()] += l.Reliable - l.Repeated.Count
		repeated += l.Repeated.Count
	}
	require.Len(t, said, 2)
	for from, n := range said {
		assert.GreaterOrEqual(t, n, each, "frames of %s: what the game says; chat between our own stays on connections", from)
	}
	assert.Positive(t, repeated)
	t.Logf("reliable frames of each: %v, sent again: %d", said, repeated)
}

// chat has one machine say each lines: the other one hears them in order, each once.
func chat(ctx context.Context, t *testing.T, from, to *ours) {
	t.Helper()
	var lines []string
	for i := range each {
		lines = append(lines, fmt.Sprintf("line %d of %s to %s", i, from.player, to.player))
		_, err := fmt.Fprintln(from.stdin, lines[i])
		require.NoError(t, err)
	}
	assert.Equal(t, lines, texts(ctx, t, to, "chat", from.player))
}

// texts returns the next each messages or lines of chat from a player, which all have to be guaranteed.
func texts(ctx context.Context, t *testing.T, o *ours, event, from string) (all []string) {
	t.Helper()
	for range each {
		f := o.wait(ctx, t, fmt.Sprintf("a %s of %s after %q", event, from, all),
			func(f fact) bool { return f.Event == event && f.From == from })
		assert.True(t, f.Guaranteed)
		all = append(all, f.Payload+f.Text)
	}
	return all
}
