package natkind

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/relay"
)

// TestLook asks relays of this machine, by IPv4 and IPv6. What it says behind routers is held against them by compat/nat.
func TestLook(t *testing.T) {
	t.Parallel()
	const port = 34781
	for _, here := range []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()} {
		s, err := relay.Open(relay.Config{Public: []netip.Addr{here}, Listen: []netip.Addr{here}, Port: port, AlternatePort: port + 1,
			Secret: "dplay", Limits: relay.DefaultLimits()})
		require.NoError(t, err)
		f := Look(t.Context(), here, Ports{UDP: port, TCP: port, TLS: port + 2})
		require.NoError(t, f.UDP.Err)
		assert.Equal(t, here, f.UDP.Seen.Addr())
		require.NoError(t, f.TCP.Err)
		assert.Equal(t, here, f.TCP.Seen.Addr())
		require.Error(t, f.TLS.Err)
		assert.NotErrorIs(t, f.TLS.Err, ErrNotAsked)
		assert.Equal(t, Open, f.Kind)

		f = Look(t.Context(), here, Ports{TCP: port})
		require.NoError(t, f.TCP.Err)
		require.ErrorIs(t, f.UDP.Err, ErrNotAsked)
		require.ErrorIs(t, f.TLS.Err, ErrNotAsked)
		require.NoError(t, s.Close())
	}
}

// TestLookAtNobody asks where nobody is.
func TestLookAtNobody(t *testing.T) {
	t.Parallel()
	f := Look(t.Context(), netip.MustParseAddr("127.0.0.1"), Ports{34791, 34791, 34792})
	assert.Error(t, f.UDP.Err)
	assert.Error(t, f.TCP.Err)
	assert.Error(t, f.TLS.Err)
	assert.Equal(t, Unknown, f.Kind)
}
