package directplay

import (
	"errors"
	"slices"

	"dplay4/dpsp"
	"dplay4/playerlist"
	"dplay4/wire"
)

// CreateGroup makes a group of this machine.
func (o *Object) CreateGroup(id *wire.PlayerID, m Making) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	in := o.state
	o.mu.Unlock()
	if in == outside {
		return wire.ErrInvalidParams
	}
	return o.newGroup(0, id, m)
}

// CreateGroupInGroup makes a group in another one, which need not be ours.
func (o *Object) CreateGroupInGroup(parent wire.PlayerID, id *wire.PlayerID, m Making) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	_, r := o.find(parent, true)
	o.mu.Unlock()
	if r != wire.OK {
		return r
	}
	return o.newGroup(parent, id, m)
}

func (o *Object) newGroup(parent wire.PlayerID, id *wire.PlayerID, m Making) wire.HResult {
	if id == nil || m.bad() {
		return wire.ErrInvalidParams
	}
	n := m.named()
	got, err := o.make(&maker{group: true, name: n}, dpsp.CreateGroup{ShortName: text(n.Short), LongName: text(n.Long), Data: m.Data,
		Flags: toWire(m.Flags & (FlagHidden | FlagStagingArea)), Parent: parent})
	if err == nil {
		*id = got
	}
	r := o.result(err)
	if r == wire.ErrGeneric || r == wire.ErrOutOfMemory || r == wire.ErrCantCreatePlayer {
		return wire.ErrCantCreateGroup
	}
	return r
}

// DestroyGroup removes a group, whosever it is, with the groups that were made in it (facts, 10.5).
func (o *Object) DestroyGroup(id wire.PlayerID) wire.HResult {
	return o.grouped(id, 0, dpsp.DeleteGroup{ID: id}, dpsp.GroupDeleted{ID: id})
}

// AddPlayerToGroup puts a player into a group. One that is in it already stays there.
func (o *Object) AddPlayerToGroup(group, player wire.PlayerID) wire.HResult {
	return o.grouped(group, player, dpsp.AddToGroup{Player: player, Group: group},
		dpsp.MemberAdded{Player: player, Group: group})
}

// DeletePlayerFromGroup takes a player out of a group.
func (o *Object) DeletePlayerFromGroup(group, player wire.PlayerID) wire.HResult {
	return o.grouped(group, player, dpsp.RemoveFromGroup{Player: player, Group: group},
		dpsp.MemberRemoved{Player: player, Group: group})
}

// grouped does what changes a group, and maybe a player's place in it.
func (o *Object) grouped(group, player wire.PlayerID, c dpsp.Command, alone dpsp.Event) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	_, r := o.find(group, true)
	if r == wire.OK && player != 0 {
		_, r = o.find(player, false)
	} else if _, removes := c.(dpsp.DeleteGroup); r == wire.OK && !removes {
		r = wire.ErrInvalidPlayer
	}
	if _, removes := c.(dpsp.RemoveFromGroup); r == wire.OK && removes && !o.roster.IsMember(group, player) {
		r = wire.ErrInvalidPlayer
	}
	o.mu.Unlock()
	if r != wire.OK || o.alone(alone) {
		return r
	}
	_, err := o.do(c)
	if errors.Is(err, playerlist.ErrMember) {
		return wire.OK
	}
	return o.result(err)
}

// AddGroupToGroup makes a group visible in another one. What is in it already stays as it is.
func (o *Object) AddGroupToGroup(parent, group wire.PlayerID) wire.HResult {
	r, in := o.shortcut(parent, group)
	if r != wire.OK || in || o.alone(dpsp.ShortcutAdded{Child: group, Parent: parent}) {
		return r
	}
	_, err := o.do(dpsp.AddShortcut{Child: group, Parent: parent})
	return o.result(err)
}

// DeleteGroupFromGroup takes a group out of another one that AddGroupToGroup made it visible in.
func (o *Object) DeleteGroupFromGroup(parent, group wire.PlayerID) wire.HResult {
	r, in := o.shortcut(parent, group)
	switch {
	case r != wire.OK:
		return r
	case !in:
		return wire.ErrInvalidGroup
	case o.alone(dpsp.ShortcutRemoved{Child: group, Parent: parent}):
		return wire.OK
	}
	_, err := o.do(dpsp.RemoveShortcut{Child: group, Parent: parent})
	return o.result(err)
}

// shortcut makes the checks for two groups, and reports whether one is in the other.
func (o *Object) shortcut(parent, group wire.PlayerID) (r wire.HResult, in bool) {
	if r = o.ready(); r != wire.OK {
		return r, false
	}
	defer o.mu.Unlock()
	_, r = o.find(parent, true)
	if r == wire.OK {
		_, r = o.find(group, true)
	}
	return r, r == wire.OK && slices.Contains(o.roster.below(parent), group)
}

// GetGroupParent tells in which group a group was made, 0 if in none.
func (o *Object) GetGroupParent(group wire.PlayerID, parent *wire.PlayerID) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	defer o.mu.Unlock()
	g, r := o.find(group, true)
	switch {
	case r != wire.OK:
		return r
	case parent == nil:
		return wire.ErrInvalidParams
	}
	*parent = o.roster.subject(g).Parent
	return wire.OK
}

// ofLobby answers what works in lobby sessions alone, which there are not: the owner of a group, its connection settings, and
// to start a session from it.
func (o *Object) ofLobby(group wire.PlayerID) wire.HResult {
	if r := o.ready(); r != wire.OK {
		return r
	}
	defer o.mu.Unlock()
	if _, r := o.find(group, true); r != wire.OK {
		return r
	}
	return wire.ErrUnsupported
}

// GetGroupOwner is for lobby sessions.
func (o *Object) GetGroupOwner(group wire.PlayerID) wire.HResult { return o.ofLobby(group) }

// SetGroupOwner is for lobby sessions.
func (o *Object) SetGroupOwner(group wire.PlayerID) wire.HResult { return o.ofLobby(group) }

// GetGroupConnectionSettings is for lobby sessions.
func (o *Object) GetGroupConnectionSettings(group wire.PlayerID) wire.HResult {
	return o.ofLobby(group)
}

// SetGroupConnectionSettings is for lobby sessions.
func (o *Object) SetGroupConnectionSettings(group wire.PlayerID) wire.HResult {
	return o.ofLobby(group)
}

// StartSession is for lobby sessions.
func (o *Object) StartSession(group wire.PlayerID) wire.HResult { return o.ofLobby(group) }
