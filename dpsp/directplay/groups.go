package directplay

import (
	"slices"

	"dplay4/dpsp"
	"dplay4/wire"
)

// CreateGroup makes a group of this machine.
func (o *Object) CreateGroup(id *wire.PlayerID, m Making) wire.HResult { return o.newGroup(0, id, m) }

// CreateGroupInGroup makes a group in another one, which need not be ours.
func (o *Object) CreateGroupInGroup(parent wire.PlayerID, id *wire.PlayerID, m Making) wire.HResult {
	if r := o.with(parent, true, anybody); r != wire.OK {
		return r
	}
	return o.newGroup(parent, id, m)
}

// anybody allows players and groups of all machines.
func anybody(*entry) wire.HResult { return wire.OK }

func (o *Object) newGroup(parent wire.PlayerID, id *wire.PlayerID, m Making) wire.HResult {
	return o.create(id, true, &m, wire.ErrCantCreateGroup, func(short, long dpsp.Text) dpsp.Command {
		return dpsp.CreateGroup{ShortName: short, LongName: long, Data: m.Data, Flags: toWire(m.Flags & (FlagHidden | FlagStagingArea)),
			Parent: parent}
	})
}

// DestroyGroup removes a group, whosever it is, with the groups that were made in it (facts, 10.5).
func (o *Object) DestroyGroup(id wire.PlayerID) wire.HResult {
	return o.changeOf(id, true, anybody, dpsp.DeleteGroup{ID: id}, dpsp.GroupDeleted{ID: id})
}

// AddPlayerToGroup puts a player into a group. One that is in it already stays there.
func (o *Object) AddPlayerToGroup(group, player wire.PlayerID) wire.HResult {
	return o.grouped(group, wire.ErrInvalidPlayer, func() bool { return o.roster.get(player, false) != nil },
		dpsp.AddToGroup{Player: player, Group: group}, dpsp.MemberAdded{Player: player, Group: group})
}

// DeletePlayerFromGroup takes a player out of a group.
func (o *Object) DeletePlayerFromGroup(group, player wire.PlayerID) wire.HResult {
	return o.grouped(group, wire.ErrInvalidPlayer, func() bool { return o.roster.IsMember(group, player) },
		dpsp.RemoveFromGroup{Player: player, Group: group}, dpsp.MemberRemoved{Player: player, Group: group})
}

// grouped changes what is in a group. there tells, with the object locked, whether what is put in or taken out is there; absent is
// returned if it is not.
func (o *Object) grouped(group wire.PlayerID, absent wire.HResult, there func() bool, c dpsp.Command, alone dpsp.Event) wire.HResult {
	return o.changeOf(group, true, func(*entry) wire.HResult {
		if !there() {
			return absent
		}
		return wire.OK
	}, c, alone)
}

// AddGroupToGroup makes a group visible in another one. What is in it already stays as it is.
func (o *Object) AddGroupToGroup(parent, group wire.PlayerID) wire.HResult {
	in := false
	r := o.with(parent, true, func(*entry) wire.HResult {
		in = slices.Contains(o.roster.below(parent), group)
		_, r := o.find(group, true)
		return r
	})
	if r != wire.OK || in {
		return r
	}
	return o.change(dpsp.AddShortcut{Child: group, Parent: parent}, dpsp.ShortcutAdded{Child: group, Parent: parent})
}

// DeleteGroupFromGroup takes a group out of another one that AddGroupToGroup made it visible in.
func (o *Object) DeleteGroupFromGroup(parent, group wire.PlayerID) wire.HResult {
	return o.grouped(parent, wire.ErrInvalidGroup, func() bool { return slices.Contains(o.roster.below(parent), group) },
		dpsp.RemoveShortcut{Child: group, Parent: parent}, dpsp.ShortcutRemoved{Child: group, Parent: parent})
}

// GetGroupParent tells in which group a group was made, 0 if in none.
func (o *Object) GetGroupParent(group wire.PlayerID, parent *wire.PlayerID) wire.HResult {
	return o.with(group, true, func(g *entry) wire.HResult { return store(parent, o.roster.subject(g).Parent) })
}

// OfLobby answers what works in lobby sessions alone, which there are not: GetGroupOwner, SetGroupOwner, GetGroupConnectionSettings,
// SetGroupConnectionSettings and StartSession.
func (o *Object) OfLobby(group wire.PlayerID) wire.HResult {
	return o.with(group, true, func(*entry) wire.HResult { return wire.ErrUnsupported })
}
