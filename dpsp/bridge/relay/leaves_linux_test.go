package relay

import (
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNothingLeaves aims a relay with a public address at others, in a network whose only way out is a card that counts what
// leaves by it. Nothing does.
func TestNothingLeaves(t *testing.T) {
	if !ownNetwork(t) {
		return
	}
	public := netip.MustParseAddr("203.0.113.5")
	s := begin(t, func(c *Config) { c.Public, c.Listen = []netip.Addr{public}, []netip.Addr{public} })
	before := left(t)
	for _, transport := range transports {
		s.target().aimAtOthers(t, transport)
	}
	assert.Equal(t, before, left(t))

	c, err := net.Dial("udp4", "198.51.100.1:9") // which is what would have been counted
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Write([]byte("boo!"))
	require.NoError(t, err)
	eventually(t, "it is counted", func() bool { return left(t) > before })
}

// left returns how many packets left by the card.
func left(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/net/dev")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(b), "out:")
	require.True(t, found)
	n, err := strconv.Atoi(strings.Fields(after)[9])
	require.NoError(t, err)
	return n
}
