package dpsp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestWhoIsInTheRoster asks who was passed over.
func TestWhoIsInTheRoster(t *testing.T) {
	var r roster
	assert.Empty(t, r.passed())
	all := []peer{{system: 7, modern: true}, {system: 3, passed: true}, {system: 5, modern: true, passed: true}, {system: 4}}
	for i, p := range all {
		p.stream = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 2300)
		r.add(&p)
	}
	assert.Equal(t, []wire.PlayerID{3, 5}, r.passed())
}
