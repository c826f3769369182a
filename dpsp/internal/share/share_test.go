package share

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

func listOf(t *testing.T, ops ...playerlist.Op) *playerlist.List {
	t.Helper()
	l, err := playerlist.New(playerlist.Session{})
	require.NoError(t, err)
	for _, op := range ops {
		_, err := l.Apply(op)
		require.NoError(t, err)
	}
	return l
}

func machine(id wire.PlayerID) playerlist.Op {
	return playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, Flags: wire.PlayerSystem}}
}

// TestOwn asks for changes of a list in which one machine has nearly all of its share, and another one nothing.
func TestOwn(t *testing.T) {
	const left = 100
	full := playerlist.AddPlayer{Entry: playerlist.Entry{ID: 10, System: 2, Data: make([]byte, MaxOctets-EntryOctets-left)}}
	list := listOf(t, machine(2), machine(3), full, playerlist.AddGroup{Entry: playerlist.Entry{ID: 30, System: 3, Flags: wire.PlayerGroup}})
	data := func(id, system wire.PlayerID, n int) playerlist.Op {
		return playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, System: system, Data: make([]byte, n)}}
	}
	assert.NoError(t, Own(list, data(11, 2, left-EntryOctets)))
	assert.ErrorIs(t, Own(list, data(11, 2, left-EntryOctets+1)), Err)
	assert.NoError(t, Own(list, data(11, 3, left)), "what others have does not count")
	assert.NoError(t, Own(list, playerlist.SetData{ID: 10, Data: make([]byte, len(full.Entry.Data)+left)}))
	assert.ErrorIs(t, Own(list, playerlist.SetData{ID: 10, Data: make([]byte, len(full.Entry.Data)+left+1)}), Err)
	assert.NoError(t, Own(list, playerlist.SetName{ID: 10, ShortName: make(wire.Text, left)}))
	assert.ErrorIs(t, Own(list, playerlist.SetName{ID: 10, ShortName: make(wire.Text, left), LongName: make(wire.Text, 1)}), Err)
	assert.NoError(t, Own(list, playerlist.AddMember{Group: 30, Player: 10}), "a link is its group's")
}

// TestJudge asks for the changes of eight machines of one address, of ours, and of newcomers.
func TestJudge(t *testing.T) {
	var ops []playerlist.Op
	for id := range wire.PlayerID(8) {
		ops = append(ops, machine(id+2))
	}
	crowd := netip.MustParseAddr("10.0.0.1")
	for _, at := range []netip.Addr{crowd, Bridge} {
		list := listOf(t, ops...)
		judge := Judge(list, 9, func(wire.PlayerID, []byte) netip.Addr { return at })
		made := 0
		for id := range wire.PlayerID(7) {
			full := playerlist.AddPlayer{Entry: playerlist.Entry{ID: 100 + id, System: id + 2, Data: make([]byte, MaxOctets-EntryOctets)}}
			if from, err := judge(full); err == nil {
				made++
			} else {
				assert.Equal(t, at, from)
				assert.ErrorIs(t, err, Err)
			}
		}
		if at == Bridge {
			assert.Equal(t, MaxAll/MaxOctets-1, made, "the machines themselves take the rest of the last share")
			continue
		}
		assert.Equal(t, MaxAddress/MaxOctets-1, made)
		_, err := judge(playerlist.AddPlayer{Entry: playerlist.Entry{ID: 200, System: 9, Data: make([]byte, MaxOctets-EntryOctets)}})
		assert.NoError(t, err, "what is ours counts for no address")
		_, err = judge(machine(10))
		assert.NoError(t, err, "a newcomer may go on until its address has one share more")
		_, err = judge(playerlist.DeletePlayer{ID: 2})
		assert.NoError(t, err)
	}
}
