package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

// Each operation has the message of what it is about: a player, a group or a machine.
func TestMessageOf(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{})
	e := n[0]
	w.must(e, CreateGroup{ShortName: "g"})
	group := e.list.AppendGroups(nil)[0]
	entry := func(id wire.PlayerID) playerlist.Entry {
		p, ok := e.list.Get(id)
		require.True(t, ok)
		return p
	}
	for _, c := range []struct {
		op   playerlist.Op
		want wire.Command
	}{
		{playerlist.AddPlayer{Entry: entry(ids[1])}, wire.CmdCreatePlayer},
		{playerlist.AddPlayer{Entry: entry(n[1].self)}, wire.CmdAddForward},
		{playerlist.AddGroup{Entry: entry(group)}, wire.CmdCreateGroup},
		{playerlist.DeletePlayer{ID: ids[1]}, wire.CmdDeletePlayer},
		{playerlist.DeleteGroup{ID: group}, wire.CmdDeleteGroup},
		{playerlist.AddMember{Group: group, Player: ids[1]}, wire.CmdAddPlayerToGroup},
		{playerlist.RemoveMember{Group: group, Player: ids[1]}, wire.CmdDeletePlayerFromGroup},
		{playerlist.AddShortcut{Parent: group, Child: group}, wire.CmdAddShortcutToGroup},
		{playerlist.RemoveShortcut{Parent: group, Child: group}, wire.CmdDeleteGroupFromGroup},
		{playerlist.SetName{ID: ids[1]}, wire.CmdPlayerNameChanged},
		{playerlist.SetName{ID: group}, wire.CmdGroupNameChanged},
		{playerlist.SetData{ID: ids[1]}, wire.CmdPlayerDataChanged},
		{playerlist.SetData{ID: group}, wire.CmdGroupDataChanged},
	} {
		m := e.messageOf(c.op)
		require.NotNil(t, m, "%T", c.op)
		assert.Equal(t, c.want, m.Command(), "%T", c.op)
	}
	assert.Nil(t, e.messageOf(playerlist.SetHost{ID: e.self}), "the host says IAMNAMESERVER")
	assert.Nil(t, e.messageOf(playerlist.AddPlayer{Entry: playerlist.Entry{ID: 0x7777}}), "nobody has it")
}
