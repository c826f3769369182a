package sock

import (
	"context"
	"io"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/network"
	"dplay4/dpsp/sock/socktest"
	"dplay4/internal/testkit"
)

// A mute is a peer that has a connection of ours and reads nothing of its own accord.
type mute struct {
	ln net.Listener
	at netip.AddrPort // of ln
	in network.Stream
}

// newMute has a session send something to a new peer.
func newMute(t *testing.T, h *Session, said []byte) *mute {
	t.Helper()
	ln := listens(t, h.loop.opt.Network, h.loop.opt.Bind)
	m := &mute{ln: ln, at: addrPort(ln.Addr())}
	h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(m.at, said, dpsp.NoList) })
	m.in = accepts(t, ln)
	return m
}

// reads gives what comes over a connection at once.
func (m *mute) reads(t *testing.T, c network.Stream) string {
	t.Helper()
	b := make([]byte, 100)
	n, err := c.Read(b)
	require.NoError(t, err)
	return string(b[:n])
}

// outboundTo gives our connection to a peer.
func (s *Session) outboundTo(to netip.AddrPort) *outbound {
	s.loop.mu.Lock()
	defer s.loop.mu.Unlock()
	return s.loop.outbound[to]
}

// connTo gives the connection of an outbound, once there is one.
func (s *Session) connTo(t *testing.T, o *outbound) (c net.Conn) {
	t.Helper()
	testkit.Until(t, func() bool {
		s.loop.mu.Lock()
		defer s.loop.mu.Unlock()
		c = o.conn
		return c != nil
	}, "a connection to %s", o.to)
	return c
}

// onBoth runs a test on a made-up network, in a bubble, and on the system's. size is more octets than the network keeps for a
// connection that is not read, and few of which it keeps.
func onBoth(t *testing.T, test func(t *testing.T, opt Options, few, size int)) {
	t.Helper()
	t.Run("bubble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, on(socktest.New()), 100<<10, 7<<20) })
	})
	t.Run("system", func(t *testing.T) { test(t, Options{Bind: testkit.Addr(t), Network: system{}}, 192<<10, 7<<20) })
}

// hostWith is host with options.
func hostWith(t *testing.T, opt Options, change func(*limits)) *Session {
	t.Helper()
	opt.limits = defaults
	change(&opt.limits)
	s, err := hosted(context.Background(), opt, dpsp.Host{Application: testGame, Name: "Limits"})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// TestNothingLater closes connections to peers that take nothing for a while, as behind a network that is cut: what waits
// for them is thrown away in time, whether the system has all of it or not, and never comes.
func TestNothingLater(t *testing.T) {
	onBoth(t, func(t *testing.T, opt Options, few, size int) {
		for _, n := range []int{few, size} {
			h := hostWith(t, opt, func(l *limits) { l.linger = 50 * time.Millisecond })
			m := newMute(t, h, []byte("first"))
			o := h.outboundTo(m.at)
			if c, ok := h.connTo(t, o).(*net.TCPConn); ok {
				require.NoError(t, c.SetWriteBuffer(1<<20)) // for few; not for size, where systems give so much
			}
			h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(m.at, make([]byte, n), dpsp.NoList) })
			if n == few {
				testkit.Until(t, o.idle, "all is with the system")
			}
			began := time.Now()
			h.loop.closeStream(m.at)
			h.loop.writers.Wait()
			if !isSystem(opt.Network) {
				assert.InDelta(t, h.loop.limits.linger, time.Since(began), float64(lookAgain))
			}
			came, err := io.Copy(io.Discard, m.in)
			assert.Less(t, came, int64(n))
			require.Error(t, err, "an end in good order after %d octets", came)
			require.NoError(t, h.Close())
		}
	})
}

// TestLastWords closes a connection to a peer that reads late, but in time: it gets all, and an end in good order. A peer
// that keeps its end open has nobody wait for it.
func TestLastWords(t *testing.T) {
	onBoth(t, func(t *testing.T, opt Options, _, size int) {
		h := hostWith(t, opt, func(l *limits) { l.linger = time.Hour })
		m := newMute(t, h, make([]byte, size))
		h.loop.closeStream(m.at)
		require.Nil(t, h.outboundTo(m.at), "the next message goes over a new connection")
		began := time.Now()
		n, err := io.Copy(io.Discard, m.in)
		require.NoError(t, err)
		assert.EqualValues(t, size, n)
		if !isSystem(opt.Network) || runtime.GOOS == "linux" { // others do not tell what a peer has
			h.loop.writers.Wait() // otherwise for an hour
		}
		if !isSystem(opt.Network) {
			assert.LessOrEqual(t, time.Since(began), lookAgain)
		} else {
			m.in.Close() // so that others end as well
		}
	})
}

// TestNoCallLater closes a connection that did not come about yet: the peer is not called any more when linger is over.
func TestNoCallLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		h := host(t, n, func(l *limits) { l.dial = time.Hour })
		there := netip.AddrPortFrom(outsider, 2300)
		n.Cut(loopback, outsider)
		h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(there, []byte("stale"), dpsp.NoList) })
		synctest.Wait()
		began := time.Now()
		h.loop.closeStream(there)
		h.loop.writers.Wait()
		assert.Equal(t, defaults.linger, time.Since(began))
	})
}

// TestNothingComesLate cuts the network, writes to a peer, gives it up and mends the network: what was written does not come, a new
// connection works.
func TestNothingComesLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		h := host(t, n, func(*limits) {})
		ln := listens(t, n, outsider)
		at := addrPort(ln.Addr())
		say := func(text string) { h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(at, []byte(text), dpsp.NoList) }) }
		say("first")
		m := &mute{ln: ln, at: at, in: accepts(t, ln)}
		assert.Equal(t, "first", m.reads(t, m.in))
		n.Cut(loopback, outsider)
		say("stale")
		synctest.Wait()
		began := time.Now()
		h.loop.closeStream(at)
		h.loop.writers.Wait()
		assert.InDelta(t, defaults.linger, time.Since(began), float64(lookAgain))
		n.Mend()
		say("new")
		assert.Equal(t, "new", m.reads(t, accepts(t, ln)))
		stays(t, m.in, time.Hour) // the reset got lost, too
	})
}
