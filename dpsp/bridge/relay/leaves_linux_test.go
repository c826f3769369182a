package relay

import (
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inNetwork says that this test program runs in a network of its own, with a card to anywhere.
const inNetwork = "DPLAY_TEST_IN_NETWORK"

// TestNothingLeaves aims a relay with a public address at others, in a network whose only way out is a card that counts what
// leaves by it. Nothing does.
func TestNothingLeaves(t *testing.T) {
	if os.Getenv(inNetwork) != "" {
		nothingLeaves(t)
		return
	}
	if os.Getuid() != 0 {
		t.Skip("a network of its own takes root")
	}
	t.Parallel()
	const script = `ip link set lo up && sysctl -qw net.ipv6.conf.default.disable_ipv6=1 &&
		ip link add out type veth peer name far &&
		ip addr add 203.0.113.5/24 dev out && ip link set out up && ip link set far up && ip route add default dev out || exit 9
		exec "$0" -test.run '^TestNothingLeaves$' -test.count 1`
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command("unshare", "--net", "--", "sh", "-c", script, self)
	cmd.Env = append(os.Environ(), inNetwork+"=1")
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

func nothingLeaves(t *testing.T) {
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
