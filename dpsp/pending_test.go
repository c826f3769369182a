package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

// listOf returns a list that operations made.
func listOf(t *testing.T, ops ...playerlist.Op) *playerlist.List {
	t.Helper()
	l, err := playerlist.New(playerlist.Session{Desc: wire.SessionDesc{Instance: wire.GUID{1}}})
	require.NoError(t, err)
	for _, op := range ops {
		_, err := l.Apply(op)
		require.NoError(t, err, "%+v", op)
	}
	return l
}

func addMachine(id wire.PlayerID) playerlist.Op {
	return playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, Flags: wire.PlayerSystem}}
}

func addPlayer(id, system wire.PlayerID, name string) playerlist.Op {
	return playerlist.AddPlayer{Entry: playerlist.Entry{ID: id, System: system, ShortName: wire.NewText(name)}}
}

func addGroup(id, system wire.PlayerID) playerlist.Op {
	return playerlist.AddGroup{Entry: playerlist.Entry{ID: id, System: system, Flags: wire.PlayerGroup}}
}

// TestPending deletes and unlinks what a replica has and has not.
func TestPending(t *testing.T) {
	link := playerlist.AddMember{Group: 20, Player: 10}
	replica := listOf(t, addMachine(2), addPlayer(10, 2, "a"), addPlayer(11, 2, "b"), addGroup(20, 2), link)
	var p pending
	p.note(playerlist.DeletePlayer{ID: 10}, replica, time.Second)
	p.note(playerlist.DeleteGroup{ID: 20}, replica, 2*time.Second)
	p.note(playerlist.DeletePlayer{ID: 99}, replica, time.Second)
	assert.True(t, p.deleted(10) && p.deleted(20))
	assert.False(t, p.deleted(99), "the replica knows that there is none")

	p.byUs(20)
	assert.True(t, p.deletedByUs(20))
	assert.False(t, p.deletedByUs(10))

	p.note(addPlayer(10, 2, "a"), replica, 0)
	assert.False(t, p.deleted(10), "it is there again")
	p.expire(2*time.Second - 1)
	assert.True(t, p.deleted(20))
	p.expire(2 * time.Second)
	assert.False(t, p.deleted(20), "the host had time")

	p.note(playerlist.RemoveMember{Group: 20, Player: 11}, replica, 0)
	assert.False(t, p.unlinked(playerlist.AddMember{Group: 20, Player: 11}), "it was in no group for the replica")
	p.note(playerlist.RemoveMember(link), replica, 0)
	assert.True(t, p.unlinked(link))
	p.note(link, replica, 0)
	assert.False(t, p.unlinked(link), "it is in it again")
}

// TestPendingIsBounded fills it: what the replica has heard of makes room, nothing else does.
func TestPendingIsBounded(t *testing.T) {
	link := playerlist.AddMember{Group: 20, Player: 10}
	replica := listOf(t, addMachine(2), addPlayer(10, 2, "a"), addPlayer(11, 2, "b"), addGroup(20, 2), link)
	var p pending
	p.note(playerlist.DeletePlayer{ID: 10}, replica, 0)
	for len(p.deletes) < maxPending {
		p.deletes = append(p.deletes, pendingDelete{id: 99})
	}
	p.note(playerlist.DeletePlayer{ID: 11}, replica, 0)
	assert.Equal(t, []pendingDelete{{id: 10}, {id: 11}}, p.deletes)
	for len(p.deletes) < maxPending {
		p.deletes = append(p.deletes, pendingDelete{id: 10})
	}
	p.note(playerlist.DeleteGroup{ID: 20}, replica, 0)
	assert.False(t, p.deleted(20))
	assert.Len(t, p.deletes, maxPending)

	for len(p.unlinks) < maxPending {
		p.unlinks = append(p.unlinks, playerlist.RemoveMember{Group: 20, Player: 11})
	}
	p.note(playerlist.RemoveMember(link), replica, 0)
	assert.Equal(t, []playerlist.RemoveMember{playerlist.RemoveMember(link)}, p.unlinks)
}
