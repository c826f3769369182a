package sock

import (
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
)

// A mute is a peer that has a connection of ours and reads nothing of its own accord.
type mute struct {
	ln net.Listener
	at netip.AddrPort // of ln
	in net.Conn
}

// newMute has a session send something to a new peer.
func newMute(t *testing.T, h *Session, said []byte) *mute {
	t.Helper()
	ln, err := net.Listen("tcp4", netip.AddrPortFrom(loopback, 0).String())
	require.NoError(t, err)
	t.Cleanup(func() { ln.Close() })
	m := &mute{ln: ln, at: addrPort(ln.Addr())}
	h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(m.at, said) })
	m.in = m.accept(t)
	return m
}

// accept takes the next connection to the peer.
func (m *mute) accept(t *testing.T) net.Conn {
	t.Helper()
	c, err := m.ln.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// outboundTo gives our connection to a peer.
func (s *Session) outboundTo(to netip.AddrPort) *outbound {
	s.loop.mu.Lock()
	defer s.loop.mu.Unlock()
	return s.loop.outbound[to]
}

// TestNothingLater closes connections to peers that take nothing for a while, as behind a network that is cut: what waits
// for them is thrown away in time, whether the system has all of it or not, and never comes.
func TestNothingLater(t *testing.T) {
	for name, size := range map[string]int{"with the system": 1 << 20, "in our queue": 7 << 20} {
		t.Run(name, func(t *testing.T) {
			h := host(t, func(l *limits) { l.linger = 50 * time.Millisecond })
			m := newMute(t, h, make([]byte, size))
			o := h.outboundTo(m.at)
			if name == "with the system" {
				eventually(t, "all is written", o.idle)
			}
			h.loop.closeStream(m.at)
			h.loop.writers.Wait()
			m.in.SetReadDeadline(time.Now().Add(10 * time.Second))
			n, err := io.Copy(io.Discard, m.in)
			assert.Less(t, n, int64(size))
			require.Error(t, err, "an end in good order after %d octets", n)
			assert.False(t, isTimeout(err), "nobody said that the connection is over")
		})
	}
}

// TestLastWords closes a connection to a peer that reads late, but in time: it gets all, and an end in good order. A peer
// that keeps its end open has nobody wait for it.
func TestLastWords(t *testing.T) {
	h := host(t, func(l *limits) { l.linger = time.Minute })
	const size = 7 << 20
	m := newMute(t, h, make([]byte, size))
	h.loop.closeStream(m.at)
	require.Nil(t, h.outboundTo(m.at), "the next message goes over a new connection")
	n, err := io.Copy(io.Discard, m.in)
	require.NoError(t, err)
	assert.EqualValues(t, size, n)
	if acknowledges(t) {
		h.loop.writers.Wait() // otherwise for a minute
	}
}

// acknowledges says whether this system tells what a peer has.
func acknowledges(t *testing.T) bool {
	t.Helper()
	ln, err := net.Listen("tcp4", netip.AddrPortFrom(loopback, 0).String())
	require.NoError(t, err)
	defer ln.Close()
	c, err := net.Dial("tcp4", ln.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	return acknowledged(c.(*net.TCPConn))
}
