package captures

import (
	"cmp"
	"errors"

	"dplay4/playerlist"
	"dplay4/wire"
)

// apply learns from an operation. The session s may be nil.
func (l *learner) apply(p peerPair, s *Session, op playerlist.Op, from source) {
	switch o := op.(type) {
	case playerlist.AddPlayer:
		l.added(p, s, &o.Entry, false, from)
		if o.Entry.Flags&wire.PlayerNameServer != 0 && from != repeated {
			l.hosted(s, o.Entry.ID)
		}
	case playerlist.AddGroup:
		l.added(p, s, &o.Entry, true, from)
	case playerlist.SetName:
		l.renamed(s, o.ID, firstName(o.ShortName, o.LongName), from)
	case playerlist.SetInfo:
		l.renamed(s, o.ID, firstName(o.ShortName, o.LongName), from)
	case playerlist.SetSPData:
		if from == announced {
			l.sockets(p, s, o.SPData)
		}
	case playerlist.SetHost:
		if from != repeated {
			l.hosted(s, o.ID)
		}
	case playerlist.DeletePlayer:
		l.left(s, o.ID, op, from)
	case playerlist.DeleteGroup:
		l.left(s, o.ID, op, from)
	}
}

// added learns a player or group, and where its machine listens. The address that the machine told itself counts: an address that
// others tell, and that nobody speaks from, is what a router makes of it. An operation of the extension teaches only what no message
// of DirectPlay 4 has told, because its addresses are as another machine sees them.
func (l *learner) added(p peerPair, s *Session, e *playerlist.Entry, group bool, from source) {
	who := Player{ID: e.ID, Name: firstName(e.ShortName, e.LongName), Flags: e.Flags &^ wire.PlayerNameServer, Group: group}
	old := l.met(s, who.ID)
	if from == announced {
		who.Machine, who.own = l.sockets(p, s, e.SPData)
	}
	switch {
	case old == nil:
		return
	case old.Until.N > 0 && from == repeated, old.Until.N == 0 && old.announced && from != announced:
		old.rename(cmp.Or(old.Name, who.Name), l.now)
		return
	case old.own && old.Machine == p.dst:
		who.Machine, who.own = old.Machine, true // nobody has to tell a machine where it is, and some hosts tell it wrong
	case old.own && !who.own && who.Machine.IsValid() && !l.machines.spoke[who.Machine.Addr()]:
		l.machines.alias(who.Machine, old.Machine)
		who.Machine, who.own = old.Machine, true
	}
	if old.Until.N > 0 {
		l.stay(s, who.ID) // it comes back
	}
	l.player(s, who, e.System)
}

// firstName returns the short name, or the long one where that is missing or empty.
func firstName(short, long wire.Text) string { return cmp.Or(clip(short), clip(long)) }

// clip returns a name, or the first maxName octets of one that nobody would give.
func clip(t wire.Text) string {
	if len(t) <= maxName {
		return t.String()
	}
	return t[:maxName].String() + "…"
}

// player stores a player that a message announced, and the system player of its machine, 0 where that is not known. A name or machine that
// is known is not forgotten.
func (l *learner) player(s *Session, p Player, system wire.PlayerID) {
	who := l.met(s, p.ID)
	if who == nil {
		return
	}
	if !who.announced {
		who.announced = true
		in := s
		if _, elsewhere := l.known[p.ID]; elsewhere {
			in = nil
		}
		l.known[p.ID] = in
	}
	who.Flags, who.Group = p.Flags, p.Group
	if p.Machine.IsValid() {
		who.Machine, who.own = p.Machine, p.own
	}
	who.rename(cmp.Or(p.Name, who.Name), l.now)
	s.byIndex[uint16(p.ID)] = p.ID
	s.enter(who, system)
}

// nobody reports whether an id is one of nobody in particular.
func nobody(id wire.PlayerID) bool { return id == wire.IDAll || id == wire.IDUnknown }

// met returns the player of an id that a message names, which may be unannounced so far. It is nil for the ids of nobody, and if there are
// too many players.
func (l *learner) met(s *Session, id wire.PlayerID) *Player {
	if s == nil || nobody(id) {
		return nil
	}
	if p := s.players[id]; p != nil {
		return p
	}
	return l.stay(s, id)
}

// stay begins a stay of a player. What is known of an earlier stay is known of this one.
func (l *learner) stay(s *Session, id wire.PlayerID) *Player {
	if l.players >= maxPlayers {
		l.full("players")
		return nil
	}
	l.players++
	p := &Player{ID: id, From: l.now}
	if old := s.players[id]; old != nil {
		p.Name, p.Machine, p.own, p.announced = old.Name, old.Machine, old.own, old.announced
	}
	s.players[id] = p
	s.stays = append(s.stays, p)
	return p
}

// renamed gives a player or group another name, if it was announced.
func (l *learner) renamed(s *Session, id wire.PlayerID, name string, from source) {
	if from != repeated {
		l.met(s, id)
	}
	if p := s.Player(id); p != nil {
		p.rename(name, l.now)
	}
}

// hosted notes that a machine is host.
func (l *learner) hosted(s *Session, id wire.PlayerID) {
	if s == nil || nobody(id) {
		return
	}
	if old := s.players[s.Host]; old != nil {
		old.Flags &^= wire.PlayerNameServer
	}
	s.Host = id
	if p := l.met(s, id); p != nil {
		p.Flags |= wire.PlayerSystem | wire.PlayerNameServer
		p.Hosted = true
		s.enter(p, id)
	}
	s.list.Apply(playerlist.SetHost{ID: id}) //nolint:errcheck // it is not in the list if there are too many players
}

// left applies the operation by which a player or group leaves. The first message of several counts: each machine may tell the others.
func (l *learner) left(s *Session, id wire.PlayerID, op playerlist.Op, from source) {
	if from == repeated {
		return
	}
	p := l.met(s, id)
	if p == nil {
		return
	}
	if _, err := s.list.Apply(op); errors.Is(err, playerlist.ErrOwns) {
		for _, op := range s.list.Departed(id) { // the last one is op
			l.apply(peerPair{}, s, op, from)
		}
		return
	}
	if p.Until.N == 0 {
		p.Until = l.now
	}
}

// between reports whether a game message with these ids is one between players that are known, and gives their
// session if it is clear.
func (l *learner) between(from, to wire.PlayerID) (*Session, bool) {
	in, ok := l.known[from]
	switch {
	case !ok, to == wire.IDAll:
		return in, ok
	case in != nil:
		return in, in.Player(to) != nil
	}
	in, ok = l.known[to]
	return in, ok
}
