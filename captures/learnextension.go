package captures

import (
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// extension learns from a message of the extension, and gives the session that it names; s if it names none.
func (l *learner) extension(p peerPair, s *Session, m *wire.Extension) *Session {
	switch b := m.Body.(type) {
	case *wire.ExtensionClaim:
		s = l.instance(p, s, b.Instance)
		l.socket(p, s, b.Stream)
		if s != nil && s.Host == 0 { // otherwise it may be one of two, and which one stays is still to come
			s.hosted(m.From)
		}
	case *wire.ExtensionRejoin:
		s = l.instance(p, s, b.Instance)
		if machine, own := l.sockets(p, s, b.SPData); machine.IsValid() {
			l.player(s, Player{ID: m.From, Flags: wire.PlayerSystem, Machine: machine, own: own})
		}
	case *wire.ExtensionRejoinAt:
		l.socket(p, s, b.Stream)
		s.hosted(b.Host)
	case *wire.ExtensionTable:
		return l.table(p, s, b.Message)
	case *wire.ExtensionView:
		l.view(p, s, b)
	}
	return s
}

// view stores the host, machines and names in a message about views. A capture that begins late has them nowhere else.
func (l *learner) view(p peerPair, s *Session, b *wire.ExtensionView) {
	if s == nil {
		return
	}
	for _, m := range append(b.Members, b.From) {
		if at := l.machines.listener(p.resolve(m.Stream)); m.Incarnation != 0 && at.Port() != 0 && s.Player(m.System) == nil {
			l.bind(l.streams, at, s)
			l.player(s, Player{ID: m.System, Flags: wire.PlayerSystem, Machine: at, own: at == p.src})
		}
	}
	led := b.Step == wire.ViewLog || b.Step == wire.ViewInstall
	if b.Step == wire.ViewClaim && s.Host == 0 && len(b.Members) > 0 && b.Members[0].Incarnation != 0 { // no legacy host
		s.hosted(b.View.Leader)
	}
	for _, o := range b.Ops {
		n, err := ViewOperation(o)
		if err != nil {
			continue
		}
		switch o := n.Op.(type) {
		case playerlist.AddPlayer:
			l.named(s, &o.Entry)
			if led && o.Entry.Flags&wire.PlayerNameServer != 0 {
				s.hosted(o.Entry.ID)
			}
		case playerlist.AddGroup:
			l.named(s, &o.Entry)
		case playerlist.SetName:
			s.rename(o.ID, firstName(o.ShortName, o.LongName))
		case playerlist.SetInfo:
			s.rename(o.ID, firstName(o.ShortName, o.LongName))
		case playerlist.SetHost:
			if led {
				s.hosted(o.ID)
			}
		}
	}
}

// named learns the name of a player or group in a list.
func (l *learner) named(s *Session, e *playerlist.Entry) {
	l.entry(s, e.ID, firstName(e.ShortName, e.LongName), e.Group)
}

// instance returns the session of an instance that a message names. If none is known of that instance, it is the one
// that the sockets tell, provided that nothing says otherwise.
func (l *learner) instance(p peerPair, s *Session, g wire.GUID) *Session {
	if known := l.sessions[g]; known != nil {
		l.bind(l.streams, p.src, known)
		l.bind(l.streams, p.dst, known)
		return known
	}
	if s != nil && s.Instance.IsZero() && !g.IsZero() && len(l.sessions) < maxSessions {
		s.Instance = g
		l.sessions[g] = s
	}
	return s
}

// socket learns where a machine listens.
func (l *learner) socket(p peerPair, s *Session, a wire.SockAddr) {
	if at := l.machines.listener(p.resolve(a)); s != nil && at.Port() != 0 {
		l.bind(l.streams, at, s)
	}
}

// table learns the names in a message of the name table. What it says about machines and groups comes in messages of
// DirectPlay 4 as well; a capture that begins late may have the names here alone.
func (l *learner) table(p peerPair, s *Session, octets []byte) *Session {
	m, err := dpl8.Decode(octets)
	if err != nil || s == nil {
		return s
	}
	switch m := m.(type) {
	case *dpl8.SendConnectInfo:
		s = l.instance(p, s, m.Instance)
		if s.Name == "" {
			s.Name = clip(m.SessionName)
		}
		for i := range m.Table.Entries {
			l.tableEntry(s, &m.Table.Entries[i])
		}
	case *dpl8.AddPlayer:
		l.tableEntry(s, &m.Entry)
	case *dpl8.AckNameTableOp:
		for i := range m.Operations {
			if a, ok := m.Operations[i].Message.(*dpl8.AddPlayer); ok {
				l.tableEntry(s, &a.Entry)
			}
		}
	}
	return s
}

func (l *learner) tableEntry(s *Session, e *dpl8.Entry) {
	l.entry(s, wire.PlayerID(e.ID), clip(e.Name), e.Flags&dpl8.EntryGroup != 0)
}

// entry learns the name of a player or group. It leaves all else that is known as it is.
func (l *learner) entry(s *Session, id wire.PlayerID, name string, group bool) {
	if old := s.players[id]; old != nil {
		if name != "" && old.Name == "" {
			old.Name = name
		}
		return
	}
	l.player(s, Player{ID: id, Name: name, Group: group})
}
