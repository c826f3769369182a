package dpsp

import (
	"slices"

	"dplay4/playerlist"
	"dplay4/wire"
)

// keeps reports whether a player or group of ours keeps its id: nobody else has it.
func (b *rejoining) keeps(id wire.PlayerID) bool {
	owner, taken := b.e.list.System(id)
	return !b.new && (!taken || owner == b.e.self)
}

// bringPlayer announces a player of ours in the session that we came back to, with its id if that is free.
func (b *rejoining) bringPlayer(p playerlist.Entry) {
	e := b.e
	switch _, taken := e.list.System(p.ID); {
	case b.keeps(p.ID) && taken:
		return // the host had not lost us
	case b.keeps(p.ID):
		p.System, p.SPData = e.self, e.cfg.spData()
		if _, err := e.list.Apply(playerlist.AddPlayer{Entry: p}); err == nil {
			info, _ := e.list.Packed(p.ID, e.self)
			e.announce(&wire.CreatePlayer{Player: p.ID, Info: info})
			e.verify.made(p.ID)
			return
		}
		e.event(PlayerDeleted{ID: p.ID, Name: e.text.read(p.ShortName)})
	}
	e.requests.recreate(&p)
}

// recreatePlayer asks for a player like one that lost its id.
func recreatePlayer(p *playerlist.Entry) Command {
	return CreatePlayer{ShortName: Octets(p.ShortName), LongName: Octets(p.LongName), Data: p.Data,
		Flags: p.Flags & (wire.PlayerSpectator | wire.PlayerServerPlayer)}
}

// recreateGroup asks for a group like one that lost its id.
func recreateGroup(g *playerlist.Entry) Command {
	return CreateGroup{ShortName: Octets(g.ShortName), LongName: Octets(g.LongName), Data: g.Data, Parent: g.Parent,
		Flags: g.Flags & (wire.PlayerHiddenGroup | wire.PlayerStagingArea)}
}

// bringGroup announces a group of ours.
func (b *rejoining) bringGroup(g playerlist.Entry) {
	e := b.e
	if _, group := e.list.Kind(g.Parent); !group {
		g.Parent = 0
	}
	switch _, taken := e.list.System(g.ID); {
	case b.keeps(g.ID) && taken:
		return
	case b.keeps(g.ID):
		g.System, g.SPData = e.self, nil
		if _, err := e.list.Apply(playerlist.AddGroup{Entry: g}); err == nil {
			info, _ := e.list.Packed(g.ID, e.self)
			e.announce(&wire.CreateGroup{Player: g.ID, Info: info})
			return
		}
		e.event(GroupDeleted{ID: g.ID})
	}
	e.requests.recreate(&g)
}

// bringLinks says who is in which group: what is new to the program, and what we have to tell the others, because
// the player or the group is ours.
func (b *rejoining) bringLinks() {
	for _, g := range b.e.list.Groups() {
		var members, shortcuts []wire.PlayerID
		if _, ok := b.had(&g); ok {
			members, shortcuts = b.stay(b.list.AppendMembers(nil, g.ID)), b.stay(b.list.AppendShortcuts(nil, g.ID))
		}
		b.bringInto(g.ID, members, b.e.list.AppendMembers(nil, g.ID), link{
			op:      func(id wire.PlayerID) playerlist.Op { return playerlist.AddMember{Group: g.ID, Player: id} },
			message: func(id wire.PlayerID) wire.Message { return &wire.AddPlayerToGroup{Player: id, Group: g.ID} },
			added:   func(id wire.PlayerID) Event { return MemberAdded{Player: id, Group: g.ID} },
			removed: func(id wire.PlayerID) Event { return MemberRemoved{Player: id, Group: g.ID} },
		})
		b.bringInto(g.ID, shortcuts, b.e.list.AppendShortcuts(nil, g.ID), link{
			op:      func(id wire.PlayerID) playerlist.Op { return playerlist.AddShortcut{Parent: g.ID, Child: id} },
			message: func(id wire.PlayerID) wire.Message { return &wire.AddShortcutToGroup{Child: id, Parent: g.ID} },
			added:   func(id wire.PlayerID) Event { return ShortcutAdded{Child: id, Parent: g.ID} },
			removed: func(id wire.PlayerID) Event { return ShortcutRemoved{Child: id, Parent: g.ID} },
		})
	}
}

// stay takes the ids that are another player's or group's by now out of those of what was in a group: the program was told
// that the one it knew is deleted, and so in no group. Ids that nobody has any more stay; bringInto passes over them.
func (b *rejoining) stay(ids []wire.PlayerID) []wire.PlayerID {
	return slices.DeleteFunc(ids, func(id wire.PlayerID) bool {
		q, ok := b.e.list.Get(id)
		if !ok {
			return false
		}
		_, same := b.had(&q)
		return !same
	})
}

// bringLate puts players of ours into a group that its owner brought after us: each was in it, as we remember.
func (pt *partition) bringLate(group wire.PlayerID) {
	e := pt.e
	b := pt.back
	if b == nil || b.late <= e.now {
		pt.back = nil
		return
	}
	for _, id := range b.list.AppendMembers(nil, group) {
		if e.ours(id) && !e.list.IsMember(group, id) {
			if e.apply(playerlist.AddMember{Group: group, Player: id}) == nil {
				e.announce(&wire.AddPlayerToGroup{Player: id, Group: group})
			}
		}
	}
}

// A link is what there is to do about a player in a group, or about a group in one.
type link struct {
	op             func(wire.PlayerID) playerlist.Op
	message        func(wire.PlayerID) wire.Message
	added, removed func(wire.PlayerID) Event
}

func (b *rejoining) bringInto(group wire.PlayerID, was, is []wire.PlayerID, k link) {
	e := b.e
	for _, id := range is {
		if !slices.Contains(was, id) {
			e.event(k.added(id))
		}
	}
	for _, id := range was {
		if _, there := e.list.System(id); !there || slices.Contains(is, id) {
			continue
		}
		if !e.ours(id) && !e.ours(group) {
			e.event(k.removed(id))
		} else if _, err := e.list.Apply(k.op(id)); err == nil {
			e.announce(k.message(id))
		}
	}
}
