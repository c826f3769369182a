package hostmigrate_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAnswersOfAnotherRound checks that the leader takes no answer to what it asked before, and none of the lost.
func TestAnswersOfAnotherRound(t *testing.T) {
	all, _ := hosted(t)
	all[4].Begin(0, 3, 4, []wire.PlayerID{5, 6})
	for _, round := range []uint32{0, 2} {
		m := encode(t, &dpl8.NameTableVersion{Version: 3, VersionNotUsed: round})
		assert.ErrorIs(t, all[4].Receive(0, 5, m), hostmigrate.ErrUnexpected)
	}
	m := encode(t, &dpl8.NameTableVersion{Version: 3, VersionNotUsed: 1})
	all[4].Lost(0, 6)
	assert.ErrorIs(t, all[4].Receive(0, 6, m), hostmigrate.ErrGone)
	require.NoError(t, all[4].Receive(0, 5, m))
	assert.False(t, all[4].Migrating())
}

// TestAskedTwice checks that a peer which answers again while it is asked is asked again: it may have followed somebody
// else when the request came.
func TestAskedTwice(t *testing.T) {
	all, _ := hosted(t)
	all[4].Begin(0, 3, 4, []wire.PlayerID{5})
	all[4].Take()
	m := encode(t, &dpl8.NameTableVersion{Version: 9, VersionNotUsed: 1})
	for range 2 {
		require.NoError(t, all[4].Receive(0, 5, m))
		assert.Equal(t, []string{"REQ_NAMETABLE_OP 0x00000005"}, types(t, all[4].Take()))
	}
}

// TestThirdCandidate checks that a member which noticed nothing yet follows a candidate whose host before was a
// candidate itself, but nobody better who speaks of a session that it knows nothing of.
func TestThirdCandidate(t *testing.T) {
	all, _ := hosted(t)
	x := table(6)
	x.Begin(0, 3, 4, nil)
	x.Take()
	x.Begin(0, 4, 6, []wire.PlayerID{5})
	o := x.Take()
	require.Equal(t, []string{"HOST_MIGRATE 0x00000005"}, types(t, o))
	require.NoError(t, all[5].Receive(0, 6, o.Sends[0].Message))
	assert.Equal(t, []hostmigrate.Event{hostmigrate.LeaderKnown{ID: 6, Old: 4}}, all[5].Take().Events)

	y := table(7)
	y.Follow(0, 5)
	assert.ErrorIs(t, y.Receive(0, 4, encode(t, &dpl8.HostMigrate{OldHost: 77, NewHost: 4})), hostmigrate.ErrCandidate)
}

// TestManyThatWent checks that a member remembers the last 64 hosts and candidates that a leader says went before it,
// also if the leader says so again and again, and among them the one that went last.
func TestManyThatWent(t *testing.T) {
	all, _ := hosted(t)
	const named = 64
	next := wire.PlayerID(100)
	for range 10 {
		last := next
		word := binary.LittleEndian.AppendUint32(encode(t, &dpl8.HostMigrate{OldHost: dpl8.DPNID(last), NewHost: 3}), 1)
		for range named {
			next++
			word = binary.LittleEndian.AppendUint32(word, uint32(next))
		}
		require.NoError(t, all[4].Receive(0, 3, word))
		all[4].Take()
		var remembered []wire.PlayerID
		for id := wire.PlayerID(100); id <= next; id++ {
			if errors.Is(all[4].Receive(0, id, encode(t, &dpl8.ResyncVersion{})), hostmigrate.ErrGone) {
				remembered = append(remembered, id)
			}
		}
		assert.Len(t, remembered, named)
		assert.Equal(t, last, remembered[0])
		assert.Equal(t, next, remembered[named-1])
		next++
	}
}

// TestBackAgain checks that an old host which the new one has added again is heard.
func TestBackAgain(t *testing.T) {
	all, _ := hosted(t)
	old := all[3]
	delete(all, 3)
	all[4].Begin(0, 3, 4, []wire.PlayerID{5})
	exchange(t, all)
	word := encode(t, &dpl8.ResyncVersion{})
	assert.ErrorIs(t, all[5].Receive(0, 3, word), hostmigrate.ErrGone)
	apply(t, all[4].Replica(), playerlist.DeletePlayer{ID: 3}, playerlist.AddPlayer{Entry: system(3)})
	all[4].Admit(0, 3)
	old.Follow(0, 4)
	all[3] = old
	exchange(t, all)
	assert.True(t, playerlist.Equal(all[4].Replica(), old.Replica()))
	assert.ErrorIs(t, all[5].Receive(0, 3, word), hostmigrate.ErrNotHost)
	delete(all, 4)
	all[5].Begin(0, 4, 5, []wire.PlayerID{3})
	exchange(t, all)
	assert.EqualValues(t, 5, old.Host())
	assert.True(t, playerlist.Equal(all[5].Replica(), old.Replica()))
}
