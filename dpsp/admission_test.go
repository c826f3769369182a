package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

// asking returns so many newcomers from one address.
func askingFrom(host string, n int) []*newcomer {
	from := netip.MustParseAddr(host)
	var all []*newcomer
	for i := range n {
		o := origin{from: netip.AddrPortFrom(from, uint16(1000+i)), listener: netip.AddrPortFrom(from, uint16(2300+i))}
		all = append(all, newNewcomer(wire.PlayerID(i+1), o, time.Duration(i+1)))
	}
	return all
}

// One address has its share of the newcomers; when there are too many in all, the oldest one of the address with the most
// goes, unless its asker has as many, or the members know of it already.
func TestAdmissionRoom(t *testing.T) {
	few, many := netip.MustParseAddr("10.0.0.1"), "10.0.0.2"
	a := reservations{newcomers: askingFrom(many, maxAdmissionsEach-1)}
	ok, out := a.room(netip.MustParseAddr(many))
	assert.True(t, ok)
	assert.Nil(t, out)
	a.newcomers = askingFrom(many, maxAdmissionsEach)
	ok, out = a.room(netip.MustParseAddr(many))
	assert.False(t, ok)
	assert.Nil(t, out)
	for i := 2; len(a.newcomers) < maxAdmissions-1; i++ {
		a.newcomers = append(a.newcomers, askingFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(i)}).String(), maxAdmissionsEach-1)...)
	}
	a.newcomers = a.newcomers[:maxAdmissions]
	ok, out = a.room(few)
	assert.True(t, ok)
	assert.Same(t, a.newcomers[0], out)
	a.newcomers[0].told = true
	_, out = a.room(few)
	assert.Same(t, a.newcomers[1], out)
	for _, n := range a.newcomers {
		n.told = true
	}
	ok, out = a.room(few)
	assert.False(t, ok)
	assert.Nil(t, out)
}

// Ids that are promised for players count as players, ids for groups do not; an id that is not used goes back.
func TestPromises(t *testing.T) {
	a := reservations{ids: playerlist.NewIDs(1, 2)}
	give := func(to wire.PlayerID, group bool, deadline time.Duration) wire.PlayerID {
		id, err := a.ids.Reserve()
		require.NoError(t, err)
		a.promises = append(a.promises, promise{id, to, group, deadline})
		return id
	}
	kept, broken, late := give(7, false, 30), give(8, true, 20), give(7, true, 10)
	assert.False(t, a.full(&wire.SessionDesc{CurrentPlayers: 8, MaxPlayers: 10}))
	assert.True(t, a.full(&wire.SessionDesc{CurrentPlayers: 9, MaxPlayers: 10}))
	assert.False(t, a.full(&wire.SessionDesc{CurrentPlayers: 9}), "no limit")
	assert.EqualValues(t, 10, a.next())
	a.lapse(10)
	assert.False(t, a.ids.Reserved(late))
	assert.Len(t, a.lapsed, 1)
	assert.EqualValues(t, 20, a.next())
	a.breakPromises(func(p promise) bool { return p.to == 8 })
	assert.False(t, a.ids.Reserved(broken))
	a.keepPromise(kept)
	used, reserved := a.ids.Len()
	assert.Equal(t, []int{1, 0}, []int{used, reserved})
	assert.Equal(t, Never, a.next())
	for range maxPromisesEach {
		assert.True(t, a.mayPromise(7))
		give(7, false, 0)
	}
	assert.False(t, a.mayPromise(7))
	assert.True(t, a.mayPromise(8))
}
