package dpsp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/playerlist"
	"dplay4/wire"
)

// TestBySeniority puts machines into the order of a replica that knows others, and not all.
func TestBySeniority(t *testing.T) {
	list := listOf(t, addMachine(5), addMachine(9), addMachine(7), addMachine(3), addPlayer(20, 5, "no machine"))
	replica := listOf(t, addMachine(7), addMachine(4), addMachine(5))
	assert.Equal(t, []wire.PlayerID{7, 5, 3, 9}, bySeniority(list, replica))
	assert.Equal(t, []wire.PlayerID{3, 5, 7, 9}, bySeniority(list, nil))
	assert.Equal(t, []wire.PlayerID{5, 9, 7, 3}, bySeniority(list, list))
	assert.Empty(t, bySeniority(listOf(t), replica))
	_, err := replica.Apply(playerlist.DeletePlayer{ID: 7})
	assert.NoError(t, err)
	assert.Equal(t, []wire.PlayerID{5, 3, 7, 9}, bySeniority(list, replica), "one that was removed and is here has joined last")
}

// TestWhoIsInTheRoster asks who knows the extension, and who was passed over.
func TestWhoIsInTheRoster(t *testing.T) {
	var r roster
	assert.Empty(t, r.moderns())
	assert.Empty(t, r.passed())
	all := []peer{{system: 7, modern: true}, {system: 3, passed: true}, {system: 5, modern: true, passed: true}, {system: 4}}
	for i, p := range all {
		p.stream = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 2300)
		r.add(&p)
	}
	assert.Equal(t, []wire.PlayerID{7, 5}, r.moderns(), "in order of joining")
	assert.Equal(t, []wire.PlayerID{3, 5}, r.passed())
}
