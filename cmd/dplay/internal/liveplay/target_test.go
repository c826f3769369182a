package liveplay

import (
	"errors"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp/sock"
)

// The broadcast address of a network is known by the machine's own addresses.
func TestRefuseTarget(t *testing.T) {
	home := []netip.Prefix{netip.MustParsePrefix("192.0.2.9/25"), netip.MustParsePrefix("198.51.100.1/32"),
		netip.MustParsePrefix("fe80::1/64")}
	for at, refused := range map[string]bool{
		"192.0.2.127:2300": true, "192.0.2.126:2300": false, "192.0.2.255:2300": false, "198.51.100.1:2300": false,
		"239.1.2.3:2300": true,
	} {
		assert.Equal(t, refused, refuseTarget(netip.MustParseAddrPort(at), home) != nil, at)
	}
}

// Where the networks cannot be listed, what may be a broadcast address is taken for one.
func TestNetworksAt(t *testing.T) {
	unlisted := func() ([]sock.Adapter, error) { return nil, errors.New("invalid data") }
	for at, refused := range map[string]bool{"192.0.2.255:2300": true, "192.0.2.127:2300": false} {
		to := netip.MustParseAddrPort(at)
		assert.Equal(t, refused, refuseTarget(to, networksAt(to.Addr(), unlisted)) != nil, at)
	}
}
