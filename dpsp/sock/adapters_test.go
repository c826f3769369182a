package sock

import (
	"errors"
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

// TestUnreachable tells machines that others can reach from those that nobody can.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	card := func(loopback bool, addrs ...string) (a Adapter) {
		a.Loopback = loopback
		for _, s := range addrs {
			a.Addrs = append(a.Addrs, netip.MustParsePrefix(s))
		}
		return a
	}
	lo, all := card(true, "127.0.0.1/8", "::1/128"), netip.IPv4Unspecified()
	const none = "no network with IPv4 is up: only programs of this machine find the session and can join it"
	assert.Equal(t, none, Unreachable(all, nil, nil))
	assert.Equal(t, none, Unreachable(netip.Addr{}, []Adapter{lo, card(false, "fe80::1/64")}, nil), "DirectPlay 4 needs IPv4")
	assert.Empty(t, Unreachable(all, []Adapter{lo, card(false, "192.0.2.7/24")}, nil))
	assert.Empty(t, Unreachable(netip.MustParseAddr("127.0.0.1"), []Adapter{lo}, nil), "it was chosen")
	assert.Contains(t, Unreachable(all, nil, errors.New("no table")), "is whether others can reach it: no table")
}
