package natkind

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/relay"
)

// TestLook asks a relay of this machine. What it says behind routers is held against them by compat/nat.
func TestLook(t *testing.T) {
	t.Parallel()
	here := netip.MustParseAddr("127.0.0.1")
	const port = 34781
	for _, alternate := range []uint16{port + 1, 0} {
		s, err := relay.Open(relay.Config{Public: []netip.Addr{here}, Listen: []netip.Addr{here}, Port: port, AlternatePort: alternate,
			Secret: "dplay", Limits: relay.DefaultLimits()})
		require.NoError(t, err)
		f := Look(t.Context(), netip.AddrPortFrom(here, port), port+2)
		assert.NoError(t, f.UDP.Err)
		assert.Equal(t, here, f.UDP.Seen.Addr())
		assert.NoError(t, f.TCP.Err)
		assert.Equal(t, here, f.TCP.Seen.Addr())
		assert.Error(t, f.TLS.Err)
		want := Open
		if alternate == 0 {
			want = OnePort
		}
		assert.Equal(t, want, f.Kind)
		require.NoError(t, s.Close())
	}
}

// TestLookAtNobody asks where nobody is.
func TestLookAtNobody(t *testing.T) {
	t.Parallel()
	f := Look(t.Context(), netip.MustParseAddrPort("127.0.0.1:34791"), 34792)
	assert.Error(t, f.UDP.Err)
	assert.Error(t, f.TCP.Err)
	assert.Error(t, f.TLS.Err)
	assert.Equal(t, Unknown, f.Kind)
}
