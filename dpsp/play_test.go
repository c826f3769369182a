package dpsp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

// TestOwnPlayers looks for the players of a machine in lists that change, and asks for all but one.
func TestOwnPlayers(t *testing.T) {
	list := listOf(t, addMachine(2), addMachine(3), addPlayer(10, 2, "a"), addPlayer(20, 3, "b"), addPlayer(11, 2, "c"), addGroup(30, 2))
	var o ownPlayers
	assert.Equal(t, []wire.PlayerID{10, 11}, o.but(list, 2, 0))
	assert.Equal(t, []wire.PlayerID{10}, o.but(list, 2, 11))
	assert.Equal(t, []wire.PlayerID{10, 11}, o.but(list, 2, 20), "that is another machine's")
	_, err := list.Apply(playerlist.DeletePlayer{ID: 10})
	require.NoError(t, err)
	assert.Equal(t, []wire.PlayerID{11}, o.but(list, 2, 0))

	other := listOf(t, addMachine(2), addMachine(4), addPlayer(12, 2, "d"), addPlayer(13, 4, "e"), addGroup(30, 2), addGroup(31, 2),
		playerlist.DeleteGroup{ID: 31})
	require.Equal(t, list.Version(), other.Version())
	assert.Equal(t, []wire.PlayerID{12}, o.but(other, 2, 0), "another list with the same number")
	assert.Zero(t, testing.AllocsPerRun(10, func() { o.but(other, 2, 12) }))
}

// TestWhatIsAPlayer tells players from machines, groups and nothing.
func TestWhatIsAPlayer(t *testing.T) {
	list := listOf(t, addMachine(2), addPlayer(10, 2, "a"), addGroup(30, 2))
	for id, yes := range map[wire.PlayerID]bool{2: false, 10: true, 30: false, 99: false} {
		assert.Equal(t, yes, isPlayer(list, id), id)
		assert.Equal(t, yes, isOwnPlayer(list, 2, id), id)
		assert.False(t, isOwnPlayer(list, 3, id), id)
	}
}

// TestWhoMayBeTheSender holds origins against peers: with a header both listener and address count, without one the address.
func TestWhoMayBeTheSender(t *testing.T) {
	at := netip.MustParseAddrPort
	var r roster
	one, two := &peer{system: 2, stream: at("10.0.0.1:2300")}, &peer{system: 3, stream: at("10.0.0.2:2300")}
	r.add(one)
	r.add(two)
	header := origin{from: at("10.0.0.1:1024"), listener: at("10.0.0.1:2300")}
	assert.True(t, r.mayBe(header, one))
	assert.False(t, r.mayBe(header, two))
	assert.True(t, r.hasSender(header))
	forged := origin{from: at("10.0.0.9:1024"), listener: at("10.0.0.1:2300")}
	assert.False(t, r.mayBe(forged, one))
	assert.False(t, r.hasSender(forged))
	bare := origin{from: at("10.0.0.2:2350")}
	assert.True(t, r.mayBe(bare, two))
	assert.False(t, r.mayBe(bare, one))
	assert.False(t, r.mayBe(bare, nil))
	assert.True(t, r.hasSender(bare))
	assert.False(t, r.hasSender(origin{from: at("10.0.0.9:2350")}))
}
