package natkind

import (
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/relay"
	"dplay4/internal/testkit"
)

// TestLook asks relays of this machine. What it says behind routers is held against them by compat/nat.
func TestLook(t *testing.T) {
	t.Parallel()
	asks(t, testkit.Addr(t), relay.DefaultPort, relay.DefaultPort+1)
}

// TestLookSix does so by IPv6, where there is one address for all tests.
func TestLookSix(t *testing.T) {
	t.Parallel()
	var ports [2]uint16
	var held []*net.UDPConn // both at a time, so that they differ
	for range ports {
		c, err := net.ListenUDP("udp6", &net.UDPAddr{IP: net.IPv6loopback})
		if err != nil {
			t.Skip("here is no IPv6: ", err)
		}
		held = append(held, c)
	}
	for i, c := range held {
		ports[i] = c.LocalAddr().(*net.UDPAddr).AddrPort().Port()
		require.NoError(t, c.Close())
	}
	asks(t, netip.IPv6Loopback(), ports[0], ports[1])
}

// asks has a relay at an address, and looks at it.
func asks(t *testing.T, here netip.Addr, port, alternate uint16) {
	const long = 1000 * usual
	s, err := relay.Open(relay.Config{Public: []netip.Addr{here}, Listen: []netip.Addr{here}, Port: port, AlternatePort: alternate,
		Secret: "dplay", Limits: relay.DefaultLimits()})
	require.NoError(t, err)
	defer s.Close()
	f := long.look(t.Context(), here, Ports{UDP: port, TCP: port, TLS: 9})
	require.NoError(t, f.UDP.Err)
	assert.True(t, f.UDP.Seen.Addr().IsLoopback())
	assert.Equal(t, here.Is6(), f.UDP.Seen.Addr().Is6())
	require.NoError(t, f.TCP.Err)
	require.Error(t, f.TLS.Err)
	assert.NotErrorIs(t, f.TLS.Err, ErrNotAsked)
	assert.Equal(t, Open, f.Kind)

	f = long.look(t.Context(), here, Ports{TCP: port})
	require.NoError(t, f.TCP.Err)
	require.ErrorIs(t, f.UDP.Err, ErrNotAsked)
	require.ErrorIs(t, f.TLS.Err, ErrNotAsked)
}

// TestLookAtNobody asks where nobody is.
func TestLookAtNobody(t *testing.T) {
	t.Parallel()
	f := (usual / 100).look(t.Context(), testkit.Addr(t), Ports{UDP: 9, TCP: 9, TLS: 10})
	assert.Error(t, f.UDP.Err)
	assert.Error(t, f.TCP.Err)
	assert.Error(t, f.TLS.Err)
	assert.Equal(t, Unknown, f.Kind)
}
