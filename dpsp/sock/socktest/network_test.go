package socktest_test

import (
	"context"
	"io"
	"net"
	"net/netip"
	"os"
	"runtime"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/network"
	"dplay4/dpsp/sock/socktest"
	"dplay4/internal/testkit"
)

// A trial is a network with two addresses on which nothing is open.
type trial struct {
	network.Network
	here, there netip.Addr
}

// onBoth runs a test on the network in memory, in a bubble, and on that of Linux, which it is to be like.
func onBoth(t *testing.T, test func(*testing.T, trial)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			test(t, trial{socktest.New(), netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3")})
		})
	})
	t.Run("system", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("it is to be like Linux")
		}
		at := testkit.Addrs(t, 2)
		test(t, trial{network.System{}, at[0], at[1]})
	})
}

// pair returns the ends of a connection.
func (x trial) pair(t *testing.T) (ours, theirs network.Stream) {
	t.Helper()
	l, err := x.ListenStream(netip.AddrPortFrom(x.there, 0))
	require.NoError(t, err)
	defer l.Close()
	ours, err = x.DialStream(t.Context(), x.here, l.Addr().(*net.TCPAddr).AddrPort())
	require.NoError(t, err)
	c, err := l.Accept()
	require.NoError(t, err)
	theirs = c.(network.Stream)
	t.Cleanup(func() {
		ours.Close()
		theirs.Close()
	})
	assert.Equal(t, ours.LocalAddr().String(), theirs.RemoteAddr().String())
	assert.Equal(t, ours.RemoteAddr().String(), theirs.LocalAddr().String())
	assert.Equal(t, x.here, theirs.RemoteAddr().(*net.TCPAddr).AddrPort().Addr().Unmap())
	return ours, theirs
}

// TestPorts: one socket has a port of an address, or of all.
func TestPorts(t *testing.T) {
	onBoth(t, func(t *testing.T, x trial) {
		stream := func(at netip.Addr, port uint16) (io.Closer, net.Addr, error) {
			l, err := x.ListenStream(netip.AddrPortFrom(at, port))
			if err != nil {
				return nil, nil, err
			}
			return l, l.Addr(), nil
		}
		datagrams := func(at netip.Addr, port uint16) (io.Closer, net.Addr, error) {
			d, err := x.ListenDatagrams(netip.AddrPortFrom(at, port))
			if err != nil {
				return nil, nil, err
			}
			return d, d.LocalAddr(), nil
		}
		for _, open := range []func(netip.Addr, uint16) (io.Closer, net.Addr, error){stream, datagrams} {
			first, at, err := open(x.here, 0)
			require.NoError(t, err)
			port := at.(interface{ AddrPort() netip.AddrPort }).AddrPort().Port()
			assert.NotZero(t, port)
			for _, a := range []netip.Addr{x.here, netip.IPv4Unspecified()} {
				_, _, err = open(a, port)
				assert.ErrorIs(t, err, syscall.EADDRINUSE, a)
			}
			second, _, err := open(x.there, port)
			require.NoError(t, err)
			require.NoError(t, second.Close())
			require.NoError(t, first.Close())
			assert.ErrorIs(t, first.Close(), net.ErrClosed)
			third, _, err := open(x.here, port)
			require.NoError(t, err)
			require.NoError(t, third.Close())
		}
	})
}

// TestRefused: nobody listens.
func TestRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, x trial) {
		_, err := x.DialStream(t.Context(), x.here, netip.AddrPortFrom(x.there, 2300))
		assert.ErrorIs(t, err, syscall.ECONNREFUSED)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = x.DialStream(ctx, x.here, netip.AddrPortFrom(x.there, 2300))
		assert.Error(t, err)
	})
}

// TestListenerCloses: who was not accepted is reset, who accepts is told.
func TestListenerCloses(t *testing.T) {
	onBoth(t, func(t *testing.T, x trial) {
		l, err := x.ListenStream(netip.AddrPortFrom(x.there, 0))
		require.NoError(t, err)
		c, err := x.DialStream(t.Context(), x.here, l.Addr().(*net.TCPAddr).AddrPort())
		require.NoError(t, err)
		defer c.Close()
		require.NoError(t, l.Close())
		_, err = c.Read(make([]byte, 1))
		assert.ErrorIs(t, err, syscall.ECONNRESET)
		_, err = l.Accept()
		assert.ErrorIs(t, err, net.ErrClosed)
	})
}

// TestHalfClose: the end comes after all octets, and the other direction goes on.
func TestHalfClose(t *testing.T) {
	onBoth(t, func(t *testing.T, x trial) {
		ours, theirs := x.pair(t)
		const size = 8 << 20 // more than is kept
		go func() {
			b := make([]byte, size)
			for i := range b {
				b[i] = byte(i % 251)
			}
			ours.Write(b) //nolint:errcheck // what is missing is noticed
			ours.CloseWrite()
		}()
		b, err := io.ReadAll(theirs)
		require.NoError(t, err)
		require.Len(t, b, size)
		for i := range b {
			if b[i] != byte(i%251) {
				t.Fatalf("octet %d is another one", i)
			}
		}
		_, err = ours.Write([]byte("x"))
		assert.ErrorIs(t, err, syscall.EPIPE)
		_, err = theirs.Write([]byte("back"))
		require.NoError(t, err)
		require.NoError(t, theirs.Close())
		b, err = io.ReadAll(ours)
		require.NoError(t, err)
		assert.Equal(t, "back", string(b))
	})
}

// TestReset: closing with something unread, or with a linger of 0, is a reset; what came before it can be read.
func TestReset(t *testing.T) {
	onBoth(t, func(t *testing.T, x trial) {
		for _, unread := range []bool{true, false} {
			ours, theirs := x.pair(t)
			_, err := theirs.Write([]byte("came"))
			require.NoError(t, err)
			if unread {
				_, err = ours.Write([]byte("unread"))
			} else {
				err = theirs.SetLinger(0)
			}
			require.NoError(t, err)
			require.NoError(t, theirs.Close())
			b, err := io.ReadAll(ours)
			assert.ErrorIs(t, err, syscall.ECONNRESET)
			assert.Equal(t, "came", string(b))
			_, err = ours.Write([]byte("x"))
			assert.ErrorIs(t, err, syscall.EPIPE)
		}
	})
}

// TestResetOfMuch: what was written and did not arrive before a reset never does.
func TestResetOfMuch(t *testing.T) {
	onBoth(t, func(t *testing.T, x trial) {
		ours, theirs := x.pair(t)
		ended := make(chan error)
		go func() {
			_, err := theirs.Write(make([]byte, 64<<20))
			ended <- err
		}()
		_, err := ours.Read(make([]byte, 1))
		require.NoError(t, err)
		require.NoError(t, theirs.SetWriteDeadline(time.Unix(1, 0)))
		assert.ErrorIs(t, <-ended, os.ErrDeadlineExceeded)
		require.NoError(t, theirs.CloseWrite())
		require.NoError(t, theirs.SetLinger(0))
		require.NoError(t, theirs.Close())
		_, err = io.Copy(io.Discard, ours)
		assert.ErrorIs(t, err, syscall.ECONNRESET)
	})
}

// TestWriteToClosed: the first write to a peer that closed goes nowhere, later ones fail; reading finds the end.
func TestWriteToClosed(t *testing.T) {
	onBoth(t, func(t *testing.T, x trial) {
		ours, theirs := x.pair(t)
		require.NoError(t, theirs.Close())
		_, err := ours.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		for err = error(nil); err == nil; {
			_, err = ours.Write([]byte("x"))
		}
		assert.ErrorIs(t, err, syscall.EPIPE)
		_, err = ours.Read(make([]byte, 1))
		assert.ErrorIs(t, err, io.EOF)
		require.NoError(t, ours.Close())
		_, err = ours.Read(make([]byte, 1))
		assert.ErrorIs(t, err, net.ErrClosed)
		_, err = ours.Write([]byte("x"))
		assert.ErrorIs(t, err, net.ErrClosed)
	})
}

// TestDeadlines: a time limit ends what waits, also if it is set meanwhile; what came is not read after it.
func TestDeadlines(t *testing.T) {
	onBoth(t, func(t *testing.T, x trial) {
		ours, theirs := x.pair(t)
		ended := make(chan error)
		go func() {
			_, err := ours.Read(make([]byte, 1))
			ended <- err
		}()
		require.NoError(t, ours.SetReadDeadline(time.Unix(1, 0)))
		assert.ErrorIs(t, <-ended, os.ErrDeadlineExceeded)
		_, err := theirs.Write([]byte("x"))
		require.NoError(t, err)
		_, err = ours.Read(make([]byte, 1))
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, ours.SetDeadline(time.Time{}))
		_, err = ours.Read(make([]byte, 1))
		assert.NoError(t, err)
		go func() {
			for {
				if _, err := ours.Write(make([]byte, 1<<20)); err != nil {
					ended <- err
					return
				}
			}
		}()
		require.NoError(t, ours.SetWriteDeadline(time.Unix(1, 0)))
		assert.ErrorIs(t, <-ended, os.ErrDeadlineExceeded)
		go func() {
			_, err := ours.Read(make([]byte, 1))
			ended <- err
		}()
		require.NoError(t, ours.Close())
		assert.ErrorIs(t, <-ended, net.ErrClosed)
	})
}

// TestDatagrams come in order, each from its sender; those to nobody are lost.
func TestDatagrams(t *testing.T) {
	onBoth(t, func(t *testing.T, x trial) {
		here, err := x.ListenDatagrams(netip.AddrPortFrom(x.here, 0))
		require.NoError(t, err)
		defer here.Close()
		all, err := x.ListenDatagrams(netip.AddrPortFrom(netip.IPv4Unspecified(), 0))
		require.NoError(t, err)
		at := func(d network.Datagrams) netip.AddrPort { return d.LocalAddr().(*net.UDPAddr).AddrPort() }
		to := netip.AddrPortFrom(x.there, at(all).Port())
		for _, s := range []string{"one", "", "two"} {
			_, err = here.WriteToUDPAddrPort([]byte(s), to)
			require.NoError(t, err)
		}
		b := make([]byte, 2)
		for _, s := range []string{"on", "", "tw"} {
			n, _, _, from, err := all.ReadMsgUDPAddrPort(b, nil)
			require.NoError(t, err)
			assert.Equal(t, s, string(b[:n]))
			assert.Equal(t, at(here), netip.AddrPortFrom(from.Addr().Unmap(), from.Port()))
		}
		_, err = all.WriteToUDPAddrPort([]byte("x"), at(here))
		require.NoError(t, err)
		_, _, _, from, err := here.ReadMsgUDPAddrPort(b, nil)
		require.NoError(t, err)
		assert.Equal(t, netip.MustParseAddr("127.0.0.1"), from.Addr().Unmap())
		_, err = here.WriteToUDPAddrPort(make([]byte, 65507), netip.AddrPortFrom(x.there, 9))
		assert.NoError(t, err)
		_, err = here.WriteToUDPAddrPort(make([]byte, 65508), to)
		assert.ErrorIs(t, err, syscall.EMSGSIZE)
		_, err = here.WriteToUDPAddrPort(nil, netip.AddrPortFrom(x.there, 0))
		assert.ErrorIs(t, err, syscall.EINVAL)
		ended := make(chan error)
		go func() {
			_, _, _, _, err := all.ReadMsgUDPAddrPort(b, nil)
			ended <- err
		}()
		require.NoError(t, all.Close())
		assert.ErrorIs(t, <-ended, net.ErrClosed)
		_, err = all.WriteToUDPAddrPort(nil, to)
		assert.ErrorIs(t, err, net.ErrClosed)
	})
}

// TestCut: nothing arrives across a cut; then the octets of connections do, unless they were thrown away. Only the network in memory
// can be cut.
func TestCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		x := trial{n, netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3")}
		ours, theirs := x.pair(t)
		lost, _ := x.pair(t)
		n.Cut(x.here, x.there)
		for _, s := range []network.Stream{ours, lost} {
			_, err := s.Write([]byte("later"))
			require.NoError(t, err)
			assert.False(t, s.(network.Looker).Acknowledged())
		}
		require.NoError(t, lost.SetLinger(0))
		require.NoError(t, lost.Close())
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := n.DialStream(ctx, x.here, netip.AddrPortFrom(x.there, 2300))
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, theirs.SetReadDeadline(time.Now().Add(time.Minute)))
		_, err = theirs.Read(make([]byte, 9))
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
		assert.Equal(t, 2*time.Minute, time.Since(began))
		require.NoError(t, theirs.SetReadDeadline(time.Time{}))
		n.Mend()
		assert.True(t, ours.(network.Looker).Acknowledged())
		b := make([]byte, 9)
		k, err := theirs.Read(b)
		require.NoError(t, err)
		assert.Equal(t, "later", string(b[:k]))
	})
}

// TestBounds: neither a connection nor a socket holds more than its share.
func TestBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := trial{socktest.New(), netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3")}
		ours, theirs := x.pair(t)
		require.NoError(t, ours.SetWriteDeadline(time.Now().Add(time.Second)))
		n, err := ours.Write(make([]byte, 1<<20))
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
		assert.Equal(t, 128<<10, n)
		octets, ended := theirs.(network.Looker).Look()
		assert.True(t, octets && !ended)

		to, err := x.ListenDatagrams(netip.AddrPortFrom(x.here, 9))
		require.NoError(t, err)
		defer to.Close()
		other, err := x.ListenDatagrams(netip.AddrPortFrom(x.there, 9))
		require.NoError(t, err)
		defer other.Close()
		for i := range 1000 {
			_, err = other.WriteToUDPAddrPort(make([]byte, 1+i), netip.AddrPortFrom(x.here, 9))
			require.NoError(t, err)
		}
		require.NoError(t, to.(interface{ SetReadDeadline(time.Time) error }).SetReadDeadline(time.Now().Add(time.Second)))
		b := make([]byte, 2000)
		for i := 0; ; i++ {
			n, _, _, _, err := to.ReadMsgUDPAddrPort(b, nil)
			if err != nil {
				assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
				assert.Greater(t, i, 100)
				assert.Less(t, i, 300)
				break
			}
			assert.Equal(t, i+1, n)
		}
		_, err = other.WriteToUDPAddrPort([]byte("all"), netip.MustParseAddrPort("255.255.255.255:9"))
		require.NoError(t, err)
		for _, d := range []network.Datagrams{other} {
			n, _, _, _, err := d.ReadMsgUDPAddrPort(b, nil)
			require.NoError(t, err)
			assert.Equal(t, "all", string(b[:n]))
		}
	})
}
