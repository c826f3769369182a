package sock

import (
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// mailbox opens a socket at an address of its own.
func mailbox(t testing.TB) *net.UDPConn {
	t.Helper()
	c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(testkit.Addr(t), 0)))
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetReadDeadline(testkit.Deadline()))
	return c
}

// TestOutbox sends more datagrams than go in one call, to two sockets in turn, and some in between to where none can be sent:
// all others come, in order and from our socket, whether one or many are there when they are read.
func TestOutbox(t *testing.T) {
	from, to := mailbox(t), []*net.UDPConn{mailbox(t), mailbox(t)}
	o := newOutbox(from)
	for _, count := range []int{1, 2, 150} {
		for i := range count {
			o.add(addrPort(to[i%2].LocalAddr()), fmt.Appendf(nil, "%d of %d", i, count))
			if i == 70 {
				o.add(netip.AddrPortFrom(loopback, 0), []byte("nowhere"))
				o.add(netip.AddrPort{}, []byte("nowhere"))
			}
		}
		o.flush()
		for k, c := range to {
			r, err := newReader(c)
			require.NoError(t, err)
			for i := k; i < count; {
				require.NoError(t, r.read(func(d datagram) {
					assert.Equal(t, fmt.Sprintf("%d of %d", i, count), string(d.data))
					assert.Equal(t, addrPort(from.LocalAddr()), d.from)
					i += 2
				}))
			}
		}
	}
}

// TestLargestDatagram: the largest datagram and an empty one come whole.
func TestLargestDatagram(t *testing.T) {
	from, to := mailbox(t), mailbox(t)
	sizes := []int{largest - 1 - 8 - 20, 0} // less the headers of UDP and IP
	o := newOutbox(from)
	for i, n := range sizes {
		b := make([]byte, n)
		for k := range b {
			b[k] = byte(k % 251)
		}
		o.add(addrPort(to.LocalAddr()), b)
		o.flush()
		r, err := newReader(to)
		require.NoError(t, err)
		require.NoError(t, r.read(func(d datagram) { assert.Equal(t, b, append([]byte{}, d.data...)) }), i)
	}
}

// TestReaderEnds: a socket that is closed ends the wait.
func TestReaderEnds(t *testing.T) {
	c := mailbox(t)
	r, err := newReader(c)
	require.NoError(t, err)
	ended := make(chan error)
	go func() { ended <- r.read(func(datagram) {}) }()
	require.NoError(t, c.Close())
	assert.ErrorIs(t, <-ended, net.ErrClosed)
}

// TestEnlarge: a receive buffer becomes larger, and never smaller.
func TestEnlarge(t *testing.T) {
	t.Parallel()
	c := mailbox(t)
	raw, err := c.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, c.SetReadBuffer(50_000))
	before := receiveBuffer(raw)
	enlarge(c, 20_000)
	assert.Equal(t, before, receiveBuffer(raw))
	enlarge(c, before+1)
	assert.Greater(t, receiveBuffer(raw), before)
}
