package sock

import (
	"net"
	"net/netip"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"dplay4/dpsp"
)

// TestNoCallLater closes a connection that did not come about yet: the peer is not called any more when linger is over.
// Its system has no room for a connection, and drops the call.
func TestNoCallLater(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	require.NoError(t, err)
	defer unix.Close(fd)
	require.NoError(t, unix.Bind(fd, &unix.SockaddrInet4{Addr: loopback.As4()}))
	require.NoError(t, unix.Listen(fd, 0))
	name, err := unix.Getsockname(fd)
	require.NoError(t, err)
	at := netip.AddrPortFrom(loopback, uint16(name.(*unix.SockaddrInet4).Port))
	for full := false; !full; {
		c, err := net.DialTimeout("tcp4", at.String(), 100*time.Millisecond)
		if full = err != nil; full {
			require.True(t, isTimeout(err), "%v", err)
		} else {
			defer c.Close()
		}
	}
	h := host(t, func(l *limits) { l.linger, l.dial = 50*time.Millisecond, time.Hour })
	h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(at, []byte("stale")) })
	h.loop.closeStream(at)
	h.loop.writers.Wait()
}

// TestNothingStale cuts the network, writes to a peer, gives it up and mends the network: what was written does not
// come, a new connection works. It runs itself once more in a network of its own.
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
	h := host(t, func(l *limits) { l.linger = 50 * time.Millisecond })
	m := newMute(t, h, []byte("first"))
	heard := func(c net.Conn) string {
		t.Helper()
		b := make([]byte, 100)
		n, err := c.Read(b)
		require.NoError(t, err)
		return string(b[:n])
	}
	assert.Equal(t, "first", heard(m.in))
	ip("link", "set", "lo", "down")
	o := h.outboundTo(m.at)
	h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(m.at, []byte("stale")) })
	eventually(t, "it is written", o.idle)
	h.loop.closeStream(m.at)
	h.loop.writers.Wait()
	ip("link", "set", "lo", "up")
	h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(m.at, []byte("new")) })
	assert.Equal(t, "new", heard(m.accept(t)))
	m.in.SetReadDeadline(time.Now().Add(3 * time.Second)) // the system repeats what it has at least that often
	n, err := m.in.Read(make([]byte, 100))
	assert.Zero(t, n, "what was said in vain came after all")
	assert.True(t, isTimeout(err), "nothing is left of the old connection on our side: %v", err)
}
