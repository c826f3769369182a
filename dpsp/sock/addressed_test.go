package sock

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
)

// ends keeps the ends of what it is told.
type ends [][2]string

func (r *ends) Packet(_ time.Time, _ dpsp.Transport, from, to netip.AddrPort, _ []byte) {
	*r = append(*r, [2]string{from.String(), to.String()})
}

// TestAddressed fills in the address of ours that has none, in either direction, and no other.
func TestAddressed(t *testing.T) {
	var got ends
	r := Addressed(&got)
	peer, none, other := netip.MustParseAddrPort("127.0.0.1:9"), netip.MustParseAddrPort("0.0.0.0:2350"), netip.MustParseAddrPort("127.0.0.9:7")
	for _, p := range [][2]netip.AddrPort{{none, peer}, {peer, none}, {other, peer}, {peer, other}} {
		r.Packet(time.Time{}, dpsp.UDP, p[0], p[1], nil)
	}
	assert.Equal(t, ends{{"127.0.0.1:2350", "127.0.0.1:9"}, {"127.0.0.1:9", "127.0.0.1:2350"}, {"127.0.0.9:7", "127.0.0.1:9"},
		{"127.0.0.1:9", "127.0.0.9:7"}}, got)
}
