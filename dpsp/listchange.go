package dpsp

import (
	"dplay4/playerlist"
	"dplay4/wire"
)

// apply changes the list and tells the program. What goes with something else goes before it, in operations of its own.
func (e *Engine) apply(op playerlist.Op) error {
	var before playerlist.Entry
	switch op := op.(type) {
	case playerlist.DeletePlayer:
		before, _ = e.list.Get(op.ID)
	case playerlist.DeleteGroup:
		for _, id := range e.list.Subtree(op.ID) {
			if id != op.ID {
				e.apply(playerlist.DeleteGroup{ID: id})
			}
		}
	}
	past := e.reached(op)
	if _, err := e.list.Apply(op); err != nil {
		return err
	}
	for _, id := range past {
		e.past.add(id, e.self, e.now)
	}
	e.changed(op, &before)
	e.views.did(op)
	return nil
}

// reached returns the ids under which messages may reach a player of ours until an operation takes it away.
func (s *sessionState) reached(op playerlist.Op) (ids []wire.PlayerID) {
	switch op := op.(type) {
	case playerlist.DeletePlayer:
		if !s.ours(op.ID) {
			return nil
		}
		ids = append(ids, op.ID)
		for g := range s.list.EachGroup() {
			if s.list.IsMember(g.ID, op.ID) {
				ids = append(ids, g.ID)
			}
		}
	case playerlist.DeleteGroup:
		ids = append(ids, op.ID)
	case playerlist.RemoveMember:
		if s.ours(op.Player) {
			ids = append(ids, op.Group)
		}
	}
	return ids
}

// changed makes the event of an operation. System players are the machines', and not announced.
func (e *Engine) changed(op playerlist.Op, before *playerlist.Entry) {
	switch op := op.(type) {
	case playerlist.AddPlayer:
		if p, ok := e.list.Get(op.Entry.ID); ok && p.Flags&wire.PlayerSystem == 0 {
			created := e.playerCreated(&p)
			created.Instead = e.requests.was
			e.event(created)
		}
	case playerlist.DeletePlayer:
		if before.Flags&wire.PlayerSystem == 0 {
			e.event(PlayerDeleted{ID: op.ID, Name: e.read(before.ShortName)})
		}
	case playerlist.AddGroup:
		g, _ := e.list.Get(op.Entry.ID)
		created := e.groupCreated(&g)
		created.Instead = e.requests.was
		e.event(created)
		if !e.views.adopting {
			e.views.recall(g.ID)
		}
	case playerlist.DeleteGroup:
		e.event(GroupDeleted{ID: op.ID})
	case playerlist.SetName:
		e.entryChanged(op.ID, true)
	case playerlist.SetData:
		e.entryChanged(op.ID, false)
	case playerlist.SetInfo:
		e.entryChanged(op.ID, true)
		e.entryChanged(op.ID, false)
	case playerlist.AddMember:
		if isPlayer(e.list, op.Player) {
			e.event(MemberAdded{Player: op.Player, Group: op.Group})
		}
	case playerlist.RemoveMember:
		if isPlayer(e.list, op.Player) {
			e.event(MemberRemoved{Player: op.Player, Group: op.Group})
		}
	case playerlist.AddShortcut:
		e.event(ShortcutAdded{Child: op.Child, Parent: op.Parent})
	case playerlist.RemoveShortcut:
		e.event(ShortcutRemoved{Child: op.Child, Parent: op.Parent})
	case playerlist.SetDesc:
		e.liveness.rewatch()
		e.sessionChanged()
	}
}

func (s *sender) sessionChanged() {
	has := s.list.Session()
	s.event(SessionChanged{Desc: has.Desc, Name: s.read(has.Name)})
}

func (s *sessionState) playerCreated(p *playerlist.Entry) PlayerCreated {
	return s.playerAs(p, s.encoding())
}

func (s *sessionState) playerAs(p *playerlist.Entry, enc wire.Encoding) PlayerCreated {
	return PlayerCreated{ID: p.ID, System: p.System, Flags: p.Flags, ShortName: p.ShortName.As(enc),
		LongName: p.LongName.As(enc), Data: p.Data, Local: p.System == s.self}
}

func (s *sessionState) groupCreated(g *playerlist.Entry) GroupCreated {
	return GroupCreated{ID: g.ID, System: g.System, Flags: g.Flags, Parent: g.Parent, ShortName: s.read(g.ShortName),
		LongName: s.read(g.LongName), Data: g.Data, Local: g.System == s.self}
}

func (s *sender) entryChanged(id wire.PlayerID, renamed bool) {
	p, _ := s.list.Get(id)
	if p.Flags&wire.PlayerSystem != 0 {
		return
	}
	if p.Group {
		s.event(GroupChanged{ID: id, ShortName: s.read(p.ShortName), LongName: s.read(p.LongName), Data: p.Data, Renamed: renamed})
		return
	}
	s.event(PlayerChanged{ID: id, ShortName: s.read(p.ShortName), LongName: s.read(p.LongName), Data: p.Data, Renamed: renamed})
}

// flags returns the session's flags.
func (s *sessionState) flags() wire.SessionFlags {
	if s.list == nil {
		return 0
	}
	return s.list.SessionFlags()
}

// remote applies what another machine did.
func (e *Engine) remote(o origin, m wire.Message, op playerlist.Op) bool {
	name := m.Command().String()
	if e.twice(o, op) || e.views.covers(op) {
		return false
	}
	if err := e.share(op); err != nil {
		e.drop(o, name, LimitReached, err.Error())
		if err != ErrShare { // which all refuse alike
			e.admission.correct(op)
		}
		return false
	}
	if err := e.apply(op); err != nil {
		e.drop(o, name, Conflict, err.Error())
		return false
	}
	return true
}

// repeated reports whether a new host tells us of what the old one had: we know as a rule, and may have seen it first.
func (s *sessionState) repeated(o origin) bool {
	p := s.peerOf(o)
	return s.migrates() && p != nil && p.system == s.host
}

// twice reports whether a modern machine puts a player into a group that has the player already. Before the first view the
// host's list can have the membership before the machine's message comes.
func (s *sessionState) twice(o origin, op playerlist.Op) bool {
	p := s.peerOf(o)
	m, ok := op.(playerlist.AddMember)
	return ok && p != nil && p.modern && s.list.IsMember(m.Group, m.Player)
}

// knows drops the announcement of a player or group that is in the list, or was deleted since.
func (e *Engine) knows(o origin, m wire.Message) bool {
	info, group := announced(m)
	owner, there := e.list.System(info.ID)
	late := e.tombstones.outdate(info, e.now)
	switch {
	case e.views.on() && there && owner == info.System:
		e.views.core.Covers(announces(info, group))
		return true
	case group && there && owner == info.System && (e.holdback.replaying || e.migrates()): // its owner tells of it again
		return true
	case group && late:
		return true
	case group:
		return e.tombstones.has(info.Parent, e.now) // it went with the group that it was made in
	case there && m.Command() == wire.CmdCreatePlayer && !(e.holdback.replaying && owner == info.System): // VERIFY names known players
		e.drop(o, "CREATEPLAYER", Conflict, info.ID.String()+" is in the session already")
	}
	return there || late
}

// announces returns the operation that an announcement is.
func announces(info *wire.PackedPlayer, group bool) playerlist.Op {
	if group {
		return playerlist.AddGroup{Entry: playerlist.EntryOf(info)}
	}
	return playerlist.AddPlayer{Entry: playerlist.EntryOf(info)}
}

// createdPlayer takes a CREATEPLAYER or CREATEPLAYERVERIFY. version is 0 for the latter, which is not answered.
func (e *Engine) createdPlayer(o origin, version wire.Dialect, info *wire.PackedPlayer, m wire.Message) {
	name := m.Command().String()
	add := playerlist.AddPlayer{Entry: entryOf(info, e.peerByID(info.System))}
	if err := e.share(add); err != nil {
		e.refuseShare(o, name, &wire.DeletePlayer{Player: info.ID}, info.System, err)
		return
	}
	if err := e.apply(add); err != nil {
		e.drop(o, name, Conflict, err.Error())
		return
	}
	if p := e.peerOf(o); p.system == info.System {
		e.marks(p, info.SPData)
	}
	e.began(info.System)
	if e.hosting() {
		e.admission.Keep(info.ID)
	} else if version >= wire.DX8 {
		e.verifyPlayers(info.System)
	}
}

// entryOf returns what another machine announced as an entry of the list.
func entryOf(info *wire.PackedPlayer, p *peer) playerlist.Entry {
	entry := playerlist.EntryOf(info)
	entry.SPData = p.located(info.SPData)
	return entry
}

// located returns service provider data with the machine's address where it says 0.0.0.0: those who get the list from us
// would take that for ours. Wine 10 sends to every player by that player's own data.
func (p *peer) located(data []byte) []byte {
	d, ok := wire.ParseSPData(data)
	if p == nil || !ok {
		return data
	}
	if a := p.stream.Addr().Unmap(); d.Stream.Addr == [4]byte{} && a.Is4() {
		d.Stream.Addr = a.As4()
	}
	if a := p.datagram.Addr().Unmap(); d.Datagram.Addr == [4]byte{} && a.Is4() {
		d.Datagram.Addr = a.As4()
	}
	return d.Append(nil)
}

// deletedPlayer takes a DELETEPLAYER. That of a system player says that its machine leaves, with all it owned; of ours the host tells
// us to leave (3.1.5.14).
func (e *Engine) deletedPlayer(o origin, id wire.PlayerID) {
	system, _ := e.list.System(id)
	switch {
	case id == e.self:
		e.toldToLeave(loss{CauseRemoved, "the host removed us"})
	case id == system:
		p := e.peerOf(o)
		if p != nil && p.system == id && e.views.leaves(p) {
			return
		}
		e.departed(id, itLeft, p == nil || p.system != id)
	case e.remote(o, &wire.DeletePlayer{}, playerlist.DeletePlayer{ID: id}):
		e.tombstones.add(id, system, e.now)
		if e.hosting() {
			e.admission.IDs.Free(id)
		}
	}
}

// descChanged takes a new description of the session, which only the host may send.
func (e *Engine) descChanged(o origin, m *wire.SessionDescChanged) {
	desc := m.Desc
	desc.Flags = desc.Flags&^fixedFlags | e.flags()&fixedFlags
	if err := e.apply(playerlist.SetDesc{Session: playerlist.Session{Desc: desc, Name: m.Name, Password: m.Password}}); err != nil {
		e.drop(o, "SESSIONDESCCHANGED", Conflict, err.Error())
		return
	}
	e.text.session.hear(m.Name)
}

// addForward takes a newcomer into the list and tells the host so.
func (e *Engine) addForward(o origin, m *wire.AddForward) {
	if _, there := e.list.System(m.Info.ID); !there {
		entry := playerlist.EntryOf(&m.Info)
		entry.Flags |= wire.PlayerSystem
		if err := e.apply(playerlist.AddPlayer{Entry: entry}); err != nil {
			e.drop(o, "ADDFORWARD", Conflict, err.Error())
			return
		}
		if e.replaced(&entry, o); e.state != member {
			return // it has the address of our host, and nobody is the next one
		}
		p := e.addPeer(entry.ID, entry.SPData, wire.Dialect(entry.Dialect), o.from.Addr().Unmap())
		e.event(PeerJoined{System: p.system, Addr: p.stream})
	} else if p := e.peerByID(m.Info.ID); p != nil && !e.views.on() {
		e.restart(p) // it was away, and the host took it back before we lost it
	}
	// Acknowledged even if it was known: the host waits.
	if h := e.peerByID(e.host); h != nil {
		e.sendTCP(h.stream, &wire.AddForwardAck{ID: m.Player})
	}
}
