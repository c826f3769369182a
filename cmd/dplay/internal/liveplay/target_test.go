package liveplay

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The broadcast address of a network is known by the machine's own addresses.
func TestRefuseTarget(t *testing.T) {
	home := []net.Addr{&net.IPNet{IP: net.IPv4(192, 0, 2, 9).To4(), Mask: net.CIDRMask(25, 32)},
		&net.IPNet{IP: net.IPv4(198, 51, 100, 1).To4(), Mask: net.CIDRMask(32, 32)}}
	for at, refused := range map[string]bool{
		"192.0.2.127:2300": true, "192.0.2.126:2300": false, "192.0.2.255:2300": false, "198.51.100.1:2300": false,
		"239.1.2.3:2300": true,
	} {
		assert.Equal(t, refused, refuseTarget(netip.MustParseAddrPort(at), home) != "", at)
	}
}
