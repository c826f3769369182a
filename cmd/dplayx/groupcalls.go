//go:build windows && cgo

package main

import (
	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

func createGroup(o *directplay.Object, c *call) wire.HResult {
	m, id := c.making()
	return c.made(id, o.CreateGroup(id, m))
}

func createGroupInGroup(o *directplay.Object, c *call) wire.HResult {
	m, id := c.making()
	return c.made(id, o.CreateGroupInGroup(c.id(0), id, m))
}

func destroyGroup(o *directplay.Object, c *call) wire.HResult { return o.DestroyGroup(c.id(0)) }

func addPlayerToGroup(o *directplay.Object, c *call) wire.HResult {
	return o.AddPlayerToGroup(c.id(0), c.id(1))
}

func deletePlayerFromGroup(o *directplay.Object, c *call) wire.HResult {
	return o.DeletePlayerFromGroup(c.id(0), c.id(1))
}

func addGroupToGroup(o *directplay.Object, c *call) wire.HResult {
	return o.AddGroupToGroup(c.id(0), c.id(1))
}

func deleteGroupFromGroup(o *directplay.Object, c *call) wire.HResult {
	return o.DeleteGroupFromGroup(c.id(0), c.id(1))
}

func enumGroups(o *directplay.Object, c *call) wire.HResult {
	return o.EnumGroups(c.guid(0), c.each(), c.number(1))
}

func enumGroupPlayers(o *directplay.Object, c *call) wire.HResult {
	return o.EnumGroupPlayers(c.id(0), c.guid(0), c.each(), c.number(1))
}

func enumGroupsInGroup(o *directplay.Object, c *call) wire.HResult {
	return o.EnumGroupsInGroup(c.id(0), c.guid(0), c.each(), c.number(1))
}

func getGroupData(o *directplay.Object, c *call) wire.HResult {
	return c.fill(2, func(b *directplay.Buffer) wire.HResult { return o.GetGroupData(c.id(0), b, c.number(1)) })
}

func getGroupName(o *directplay.Object, c *call) wire.HResult {
	return c.fill(2, func(b *directplay.Buffer) wire.HResult { return o.GetGroupName(c.id(0), b, c.face()) })
}

func getGroupFlags(o *directplay.Object, c *call) wire.HResult {
	return c.tell(func(flags *uint32) wire.HResult { return o.GetGroupFlags(c.id(0), flags) })
}

func getGroupParent(o *directplay.Object, c *call) wire.HResult {
	if !c.is(1) {
		return o.GetGroupParent(c.id(0), nil)
	}
	var parent wire.PlayerID
	r := o.GetGroupParent(c.id(0), &parent)
	c.answer(0, uint32(parent))
	return r
}

func setGroupData(o *directplay.Object, c *call) wire.HResult {
	return o.SetGroupData(c.id(0), c.block(0), c.number(1), c.number(2))
}

func setGroupName(o *directplay.Object, c *call) wire.HResult {
	return o.SetGroupName(c.id(0), c.name(), c.nameFlags())
}

func getGroupOwner(o *directplay.Object, c *call) wire.HResult { return o.GetGroupOwner(c.id(0)) }

func setGroupOwner(o *directplay.Object, c *call) wire.HResult { return o.SetGroupOwner(c.id(0)) }

func getGroupConnectionSettings(o *directplay.Object, c *call) wire.HResult {
	return o.GetGroupConnectionSettings(c.id(0))
}

func setGroupConnectionSettings(o *directplay.Object, c *call) wire.HResult {
	return o.SetGroupConnectionSettings(c.id(0))
}

func startSession(o *directplay.Object, c *call) wire.HResult { return o.StartSession(c.id(0)) }
