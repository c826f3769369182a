package admit

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

const never = time.Hour

// askingFrom returns so many newcomers from one address.
func askingFrom(host string, n int) []*Newcomer {
	from := netip.MustParseAddr(host)
	var all []*Newcomer
	for i := range n {
		at := netip.AddrPortFrom(from, uint16(2300+i))
		all = append(all, &Newcomer{ID: wire.PlayerID(i + 1), Listener: at, Deadline: time.Duration(i + 1)})
	}
	return all
}

// One address has its share of the newcomers; when there are too many in all, the oldest one of the address with the most
// goes, unless its asker has as many, or the members know of it already.
func TestAdmissionRoom(t *testing.T) {
	few, many := netip.MustParseAddr("10.0.0.1"), "10.0.0.2"
	a := Reservations{Newcomers: askingFrom(many, MaxNewcomersEach-1)}
	ok, out := a.Room(netip.MustParseAddr(many))
	assert.True(t, ok)
	assert.Nil(t, out)
	a.Newcomers = askingFrom(many, MaxNewcomersEach)
	ok, out = a.Room(netip.MustParseAddr(many))
	assert.False(t, ok)
	assert.Nil(t, out)
	for i := 2; len(a.Newcomers) < MaxNewcomers-1; i++ {
		a.Newcomers = append(a.Newcomers, askingFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(i)}).String(), MaxNewcomersEach-1)...)
	}
	a.Newcomers = a.Newcomers[:MaxNewcomers]
	ok, out = a.Room(few)
	assert.True(t, ok)
	assert.Same(t, a.Newcomers[0], out)
	a.Newcomers[0].Told = true
	_, out = a.Room(few)
	assert.Same(t, a.Newcomers[1], out)
	for _, n := range a.Newcomers {
		n.Told = true
	}
	ok, out = a.Room(few)
	assert.False(t, ok)
	assert.Nil(t, out)
}

// Ids that are promised for players count as players, ids for groups do not; an id that is not used goes back.
func TestPromises(t *testing.T) {
	a := Reservations{IDs: playerlist.NewIDs(1, 2)}
	give := func(to wire.PlayerID, group bool, deadline time.Duration) wire.PlayerID {
		id, err := a.IDs.Reserve()
		require.NoError(t, err)
		a.Promises = append(a.Promises, Promise{id, to, group, deadline})
		return id
	}
	kept, broken, late := give(7, false, 30), give(8, true, 20), give(7, true, 10)
	assert.False(t, a.Full(&wire.SessionDesc{CurrentPlayers: 8, MaxPlayers: 10}))
	assert.True(t, a.Full(&wire.SessionDesc{CurrentPlayers: 9, MaxPlayers: 10}))
	assert.False(t, a.Full(&wire.SessionDesc{CurrentPlayers: 9}), "no limit")
	assert.EqualValues(t, 10, a.Next(never))
	a.Lapse(10)
	assert.False(t, a.IDs.Reserved(late))
	assert.Len(t, a.Lapsed, 1)
	assert.EqualValues(t, 20, a.Next(never))
	a.Depart(8)
	assert.False(t, a.IDs.Reserved(broken))
	a.Keep(kept)
	used, reserved := a.IDs.Len()
	assert.Equal(t, []int{1, 0}, []int{used, reserved})
	assert.Equal(t, never, a.Next(never))
	for range MaxPromisesEach {
		assert.True(t, a.MayPromise(7))
		give(7, false, 0)
	}
	assert.False(t, a.MayPromise(7))
	assert.True(t, a.MayPromise(8))
}

// A correction is sent twice, with time between, one refused meanwhile as often again, and none of what is gone.
func TestCorrections(t *testing.T) {
	var a Reservations
	there := func(id wire.PlayerID) bool { return id != 3 }
	a.Correct(1, true)
	a.Correct(3, true)
	assert.EqualValues(t, 0, a.Next(never))
	assert.Len(t, a.Corrections(0, there), 1)
	assert.Empty(t, a.Corrections(CorrectEvery-1, there), "too early")
	assert.Equal(t, CorrectEvery, a.Next(never))
	a.Correct(2, false)
	a.Correct(1, true)
	for range CorrectTimes {
		var ids []wire.PlayerID
		for _, c := range a.Corrections(a.Next(never), there) {
			ids = append(ids, c.ID)
			assert.Equal(t, c.ID == 1, c.Name)
		}
		assert.Equal(t, []wire.PlayerID{1, 2}, ids)
	}
	assert.Equal(t, never, a.Next(never))
}
