package sock

import (
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// Who has a port at one address does not keep it from others at another one, and is not named for it.
func TestHolders(t *testing.T) {
	own := testkit.Addrs(t, 2)
	c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(own[0], 0)))
	require.NoError(t, err)
	defer c.Close()
	at := c.LocalAddr().(*net.UDPAddr).AddrPort()
	one := wire.Ports{First: at.Port(), Last: at.Port()}
	us := "(process " + strconv.Itoa(os.Getpid()) + ")"
	require.Len(t, Holders("UDP", at.Addr(), one), 1)
	assert.Contains(t, Holders("UDP", at.Addr(), one)[0], us)
	assert.NotEmpty(t, Holders("UDP", netip.IPv4Unspecified(), one))
	assert.Empty(t, Holders("UDP", own[1], one))
	assert.Empty(t, Holders("UDP", at.Addr(), wire.Ports{First: at.Port() + 1, Last: at.Port() + 1}))
	assert.Len(t, Holders("UDP", at.Addr(), wire.Ports{First: at.Port() - 1, Last: at.Port() + 1}), 1)
	six, err := net.Listen("tcp", ":0") // of IPv6, where there is IPv6
	require.NoError(t, err)
	defer six.Close()
	at = six.Addr().(*net.TCPAddr).AddrPort()
	require.Len(t, Holders("TCP", netip.MustParseAddr("127.0.0.1"), wire.Ports{First: at.Port(), Last: at.Port()}), 1)
	for _, c := range []struct {
		local, at string
		port      uint16
		held      bool
	}{
		{"00000000:BA07", "127.0.0.1", 47623, true},
		{"0200007F:BA08", "0.0.0.0", 47624, true},
		{"nonsense", "127.0.0.1", 0, false},
		{"00000000:1BA07", "127.0.0.1", 0, false},
	} {
		port, held := holds(c.local, netip.MustParseAddr(c.at))
		assert.Equal(t, c.port, port, c.local)
		assert.Equal(t, c.held, held, c.local)
	}
}

// TestCanHost finds out without opening a port what Host fails with.
func TestCanHost(t *testing.T) {
	for _, network := range []string{"UDP", "TCP"} {
		at := testkit.Addr(t)
		require.NoError(t, CanHost(at))
		port := netip.AddrPortFrom(at, wire.EnumPort)
		var c io.Closer
		var err error
		if network == "UDP" {
			c, err = system{}.ListenDatagrams(port)
		} else {
			c, err = system{}.ListenStream(port)
		}
		require.NoError(t, err)
		defer c.Close()
		s, err := Open(Options{Bind: at})
		require.NoError(t, err)
		defer s.Close()
		err = s.Host(t.Context(), dpsp.Host{})
		require.ErrorContains(t, err, network+" port 47624 is taken by ")
		require.ErrorContains(t, err, "(process "+strconv.Itoa(os.Getpid())+")")
		assert.EqualError(t, CanHost(at), err.Error())
		var held *TakenError
		require.ErrorAs(t, CanHost(at), &held)
		assert.Len(t, held.By, 1)
		assert.Error(t, CanHost(netip.Addr{}), "at no address in particular")
	}
}
