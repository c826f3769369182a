package dpsp

import (
	"dplay4/playerlist"
	"dplay4/wire"
)

// bring makes the host's list agree with the one that we had about all that is ours, and tells the others: it deletes the players
// and groups that we had deleted before, announces those that the host lacks, and restores memberships in which the player or the
// group is ours. A player or group whose id is another machine's by now is requested anew, and so are all if our own id changed.
func (b *rejoining) bring() {
	e := b.e
	if b.new {
		for _, p := range append(b.list.Players(), b.list.Groups()...) {
			if p.System == b.self && p.ID != b.self {
				p = e.rooted(playerlist.AddGroup{Entry: p}).Entry
				e.requests.recreate(&p)
			}
		}
		return
	}
	for _, op := range playerlist.Diff(e.list, b.list) {
		switch op := op.(type) {
		case playerlist.DeletePlayer:
			b.drop(op, op.ID)
		case playerlist.DeleteGroup:
			b.drop(op, op.ID)
		case playerlist.AddPlayer:
			b.bringPlayer(op.Entry)
		case playerlist.AddGroup:
			b.bringGroup(e.rooted(op).Entry)
		case playerlist.AddMember:
			b.bringLink(op, op.Group, op.Player, &wire.AddPlayerToGroup{Player: op.Player, Group: op.Group})
		case playerlist.AddShortcut:
			b.bringLink(op, op.Parent, op.Child, &wire.AddShortcutToGroup{Child: op.Child, Parent: op.Parent})
		}
	}
}

// drop deletes a player or group of ours that we had deleted before we were away.
func (b *rejoining) drop(op playerlist.Op, id wire.PlayerID) {
	e := b.e
	if b.is(id) || !e.ours(id) {
		return
	}
	if _, err := e.list.Apply(op); err == nil {
		e.announce(deletion(op))
	}
}

// bringPlayer announces a player of ours in the session that we came back to, with its id if that is free.
func (b *rejoining) bringPlayer(p playerlist.Entry) {
	e := b.e
	owner, taken := e.list.System(p.ID)
	if p.System != e.self || p.ID == e.self || owner == e.self {
		return // the host had not lost us
	}
	if p.SPData = e.cfg.spData(); !taken {
		if _, err := e.list.Apply(playerlist.AddPlayer{Entry: p}); err == nil {
			info, _ := e.list.Packed(p.ID, e.self)
			e.announce(&wire.CreatePlayer{Player: p.ID, Info: info})
			e.verify.made(p.ID, e.now)
			return
		}
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
	owner, taken := e.list.System(g.ID)
	if g.System != e.self || owner == e.self {
		return
	}
	if g.SPData = nil; !taken {
		if _, err := e.list.Apply(playerlist.AddGroup{Entry: g}); err == nil {
			info, _ := e.list.Packed(g.ID, e.self)
			e.announce(&wire.CreateGroup{Player: g.ID, Info: info})
			return
		}
	}
	e.requests.recreate(&g)
}

// bringLink puts a player or group into a group, if one of them is ours, and both are what they were.
func (b *rejoining) bringLink(op playerlist.Op, group, id wire.PlayerID, m wire.Message) {
	e := b.e
	if !e.ours(group) && !e.ours(id) || !b.is(group) || !b.is(id) {
		return
	}
	if _, err := e.list.Apply(op); err == nil {
		e.announce(m)
	}
}

// is reports whether an id names the same player or group as in the list that we had.
func (b *rejoining) is(id wire.PlayerID) bool {
	p, there := b.list.Look(id)
	q, _ := b.e.list.Look(id)
	return there && same(p, q)
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
