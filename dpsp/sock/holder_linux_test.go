package sock

import (
	"net"
	"net/netip"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Who has a port at one address does not keep it from others at another one, and is not named for it.
func TestHolder(t *testing.T) {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 4)})
	require.NoError(t, err)
	defer c.Close()
	at := c.LocalAddr().(*net.UDPAddr).AddrPort()
	assert.Contains(t, holder("udp", at), "process "+strconv.Itoa(os.Getpid()))
	assert.NotEmpty(t, holder("udp", netip.AddrPortFrom(netip.IPv4Unspecified(), at.Port())))
	assert.Empty(t, holder("udp", netip.AddrPortFrom(netip.MustParseAddr("127.0.0.6"), at.Port())))
	assert.Empty(t, holder("udp", netip.AddrPortFrom(at.Addr(), at.Port()+1)))
	for _, c := range []struct {
		local, at string
		held      bool
	}{
		{"00000000:BA07", "127.0.0.1:47623", true},
		{"00000000:BA07", "127.0.0.1:47624", false},
		{"nonsense", "127.0.0.1:47623", false},
	} {
		assert.Equal(t, c.held, holds(c.local, netip.MustParseAddrPort(c.at)), c.local)
	}
}
