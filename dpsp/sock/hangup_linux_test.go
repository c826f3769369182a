package sock

import (
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/internal/testkit"
)

// TestNothingStale cuts the network of a Linux system, writes to a peer, gives it up and mends the network: a new connection works, and
// the system has nothing left of the old one that it could repeat. It runs itself once more in a network of its own.
func TestNothingStale(t *testing.T) {
	if !ownNetwork(t) {
		return
	}
	ip := func(args ...string) {
		t.Helper()
		out, err := exec.Command("ip", args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	ip("link", "set", "lo", "up")
	h := hostWith(t, Options{Bind: testkit.Addr(t)}, func(l *limits) { l.linger = lookAgain })
	m := newMute(t, h, []byte("first"))
	assert.Equal(t, "first", m.reads(t, m.in))
	old := h.outboundTo(m.at)
	own := addrPort(old.conn.LocalAddr())
	require.Contains(t, connections(t), [2]uint16{own.Port(), m.at.Port()})
	ip("link", "set", "lo", "down")
	h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(m.at, []byte("stale"), dpsp.NoList) })
	testkit.Until(t, old.idle, "the write")
	h.loop.closeStream(m.at)
	h.loop.writers.Wait()
	assert.NotContains(t, connections(t), [2]uint16{own.Port(), m.at.Port()})
	ip("link", "set", "lo", "up")
	h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(m.at, []byte("new"), dpsp.NoList) })
	assert.Equal(t, "new", m.reads(t, accepts(t, m.ln)))
}

// connections returns the local and the remote port of all TCP connections that the system has.
func connections(t *testing.T) (all [][2]uint16) {
	t.Helper()
	b, err := os.ReadFile("/proc/thread-self/net/tcp")
	require.NoError(t, err)
	for line := range strings.Lines(string(b)) {
		var row, local, remote int
		var c [2]uint16
		if n, _ := fmt.Sscanf(line, "%d: %X:%X %X:%X", &row, &local, &c[0], &remote, &c[1]); n == 5 && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// TestAcknowledgedAfterReset: the system tells of a connection that was reset whether the peer's system had all of it.
func TestAcknowledgedAfterReset(t *testing.T) {
	for _, all := range []bool{true, false} {
		ln := listens(t, system{}, testkit.Addr(t))
		c, err := system{}.DialStream(testkit.Context(t), netip.Addr{}, addrPort(ln.Addr()))
		require.NoError(t, err)
		defer c.Close()
		in := accepts(t, ln)
		if all {
			_, err = c.Write([]byte("all"))
			require.NoError(t, err)
			_, err = io.ReadFull(in, make([]byte, 3))
			require.NoError(t, err)
		} else {
			written := make(chan error)
			go func() {
				_, err := c.Write(make([]byte, 64<<20)) // more than a system keeps
				written <- err
			}()
			_, err = io.ReadFull(in, make([]byte, 3))
			require.NoError(t, err)
			defer func() { require.Error(t, <-written) }()
		}
		in.SetLinger(0)
		in.Close()
		_, err = c.Read(make([]byte, 1))
		require.Error(t, err)
		assert.Equal(t, all, acknowledged(c))
	}
}
