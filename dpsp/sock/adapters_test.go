package sock

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAdapters finds loopback among the adapters of this machine, as every machine has it.
func TestAdapters(t *testing.T) {
	t.Parallel()
	list, err := Adapters()
	require.NoError(t, err)
	lo := slices.IndexFunc(list, func(a Adapter) bool { return a.Loopback })
	require.GreaterOrEqual(t, lo, 0, "%+v", list)
	assert.Contains(t, list[lo].Addrs, netip.MustParsePrefix("127.0.0.1/8"))
	assert.NotEmpty(t, list[lo].Name)
	assert.False(t, list[lo].Broadcast)
	for _, a := range list {
		for _, p := range a.Addrs {
			assert.True(t, p.IsValid(), a.Name)
			assert.Contains(t, Addresses(), p.Addr())
		}
	}
}
