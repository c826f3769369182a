package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/playerlist"
	"dplay4/wire"
)

// TestAuditDue runs the first audit after a period, and one each period from then on.
func TestAuditDue(t *testing.T) {
	a := auditing{at: Never}
	var ran []time.Duration
	for now := 10 * time.Second; now <= 20*time.Second; now += time.Second {
		if a.due(now, 4*time.Second) {
			ran = append(ran, now/time.Second)
		}
	}
	assert.Equal(t, []time.Duration{14, 18}, ran)
	assert.Equal(t, 22*time.Second, a.at)
}

// TestAuditAgain acts on what differs in two audits running, and on nothing else.
func TestAuditAgain(t *testing.T) {
	var a auditing
	again := func(keys ...string) []string {
		var all []difference
		for _, k := range keys {
			all = append(all, difference{key: k})
		}
		var out []string
		for _, d := range a.again(all) {
			out = append(out, d.key)
		}
		return out
	}
	assert.Empty(t, again("c", "a"))
	assert.Equal(t, []string{"c", "a"}, again("c", "b", "a"), "in the order in which they can be put right")
	assert.Equal(t, []string{"b"}, again("b"))
	assert.Empty(t, again())
	assert.Empty(t, again("b"), "it was right in between")
}

// TestLacks compares lists that differ in one thing.
func TestLacks(t *testing.T) {
	base := []playerlist.Op{addMachine(2), addPlayer(10, 2, "a"), addGroup(20, 2)}
	all := func(wire.PlayerID) bool { return true }
	ours := listOf(t, base...)
	assert.False(t, lacks(ours, listOf(t, base...), all))
	assert.False(t, lacks(ours, listOf(t, base[:2]...), all), "more than the replica has is not less")
	for _, op := range []playerlist.Op{
		addPlayer(11, 2, "b"), addGroup(21, 2), playerlist.SetData{ID: 10, Data: []byte{1}},
		playerlist.SetName{ID: 20, ShortName: wire.NewText("g")},
		playerlist.SetName{ID: 10, ShortName: wire.NewText("a"), LongName: wire.NewText("l")},
	} {
		replica := listOf(t, append(base[:3:3], op)...)
		assert.True(t, lacks(ours, replica, all), "%+v", op)
		assert.False(t, lacks(ours, replica, func(id wire.PlayerID) bool { return id == 2 }), "%+v is not asked for", op)
	}
	player := playerlist.AddPlayer{Entry: playerlist.Entry{ID: 20, System: 2}}
	assert.True(t, lacks(listOf(t, addMachine(2), player), listOf(t, addMachine(2), addGroup(20, 2)), all), "a player is no group")
}

// TestTrim takes out of a table what our list has not.
func TestTrim(t *testing.T) {
	ours := []playerlist.Op{addMachine(2), addMachine(3), addPlayer(10, 2, "a"), addGroup(20, 2), addGroup(21, 3),
		playerlist.AddMember{Group: 20, Player: 10}}
	table := listOf(t, append(ours[:len(ours):len(ours)], addMachine(4), addPlayer(30, 4, "c"), addPlayer(11, 3, "b"), addGroup(22, 3),
		playerlist.AddMember{Group: 20, Player: 11}, playerlist.AddMember{Group: 21, Player: 10}, playerlist.AddShortcut{Parent: 20, Child: 21})...)
	want := listOf(t, ours...)
	assert.NotEqual(t, want.Groups(), table.Groups())
	trim(table, want)
	assert.Equal(t, want.Players(), table.Players())
	assert.Equal(t, want.Groups(), table.Groups())
	for _, g := range want.Groups() {
		assert.Equal(t, want.AppendMembers(nil, g.ID), table.AppendMembers(nil, g.ID))
		assert.Empty(t, table.AppendShortcuts(nil, g.ID))
	}
}
