package captures

import (
	"dplay4/wire"
)

// change learns from the messages that change the list of players. It gives the session of a message inside
// the message, nil if there is none. The session s may be nil.
func (l *learner) change(p peerPair, s *Session, m wire.Message) *Session {
	switch m := m.(type) {
	case *wire.AddForwardRequest:
		l.packed(p, s, &m.Info, false)
		if s != nil && !s.Described && s.Reserved1 == 0 {
			s.Reserved1 = m.Reserved1 // what Windows and Wine put there
		}
	case *wire.AddForward:
		l.packed(p, s, &m.Info, false)
	case *wire.CreatePlayer:
		l.packed(p, s, &m.Info, false)
	case *wire.CreatePlayerVerify:
		l.packed(p, s, &m.Info, false)
	case *wire.CreateGroup:
		l.packed(p, s, &m.Info, true)
	case *wire.PlayerNameChanged:
		s.rename(m.Player, firstName(m.ShortName, m.LongName))
	case *wire.GroupNameChanged:
		s.rename(m.Group, firstName(m.ShortName, m.LongName))
	case *wire.IAmNameServer:
		l.sockets(p, s, m.SPData)
		s.hosted(m.Host)
	case *wire.Extension:
		return l.extension(p, s, m)
	case *wire.Ask4Multicast:
		return l.inner(p, &m.Inner)
	case *wire.Ask4MulticastGuaranteed:
		return l.inner(p, &m.Inner)
	case *wire.MulticastDelivery:
		return l.inner(p, &m.Inner)
	case *wire.Signed:
		return l.inner(p, &m.Inner)
	case *wire.Packet:
		return l.inner(p, &m.Data)
	case *wire.Packet2Data:
		return l.inner(p, &m.Data)
	}
	return nil
}

func (l *learner) inner(p peerPair, in *wire.Inner) *Session {
	switch in.Message.(type) {
	case nil, *wire.PlayerMessage:
		return nil
	}
	return l.message(p, in.Message)
}

func (l *learner) packed(p peerPair, s *Session, info *wire.PackedPlayer, group bool) {
	l.announced(p, s, Player{ID: info.ID, Name: firstName(info.ShortName, info.LongName), Flags: info.Flags, Group: group},
		info.SPData)
}

func (l *learner) superPacked(p peerPair, s *Session, info *wire.SuperPackedPlayer, group bool) {
	l.announced(p, s, Player{ID: info.ID, Name: firstName(info.ShortName, info.LongName), Flags: info.Flags, Group: group},
		info.SPData)
}

// announced learns a player and where its machine listens. What the machine said itself counts: where others tell of
// an address that nobody speaks from, that is what a router makes of the machine's own.
func (l *learner) announced(p peerPair, s *Session, who Player, data []byte) {
	who.Machine, who.own = l.sockets(p, s, data)
	old := s.Player(who.ID)
	if old != nil && old.own && old.Machine == p.dst {
		who.Machine, who.own = old.Machine, true // nobody has to tell a machine where it is, and some hosts tell it wrong
	}
	if old != nil && old.own && !who.own && who.Machine.IsValid() && !l.machines.spoke[who.Machine.Addr()] {
		l.machines.alias(who.Machine, old.Machine)
		who.Machine, who.own = old.Machine, true
	}
	l.player(s, who)
}

// firstName returns the short name, or the long one where that is missing or empty.
func firstName(short, long wire.Text) string {
	if n := clip(short); n != "" {
		return n
	}
	return clip(long)
}

// clip returns a name, or the first maxName octets of one that nobody would give.
func clip(t wire.Text) string {
	if len(t) <= maxName {
		return t.String()
	}
	return t[:maxName].String() + "…"
}

// player adds a player to a session, or renews it. A name or machine that is known is not forgotten.
func (l *learner) player(s *Session, p Player) {
	if s == nil || p.ID == wire.IDAll || p.ID == wire.IDUnknown {
		return // ids of nobody in particular
	}
	old := s.players[p.ID]
	switch {
	case old == nil && l.players >= maxPlayers:
		l.full("players")
		return
	case old == nil:
		l.players++
		old = new(Player)
		s.players[p.ID] = old
		if n := l.known[p.ID].sessions; n == 0 {
			l.known[p.ID] = sighting{1, s}
		} else {
			l.known[p.ID] = sighting{n + 1, nil}
		}
	}
	if p.Name == "" {
		p.Name = old.Name
	}
	if !p.Machine.IsValid() {
		p.Machine, p.own = old.Machine, old.own
	}
	*old = p
	s.byIndex[uint16(p.ID)] = p.ID
	if p.Flags&wire.PlayerNameServer != 0 {
		s.hosted(p.ID)
	}
}

// A sighting counts the sessions that know an id.
type sighting struct {
	sessions int
	in       *Session // if it is one only
}

// between reports whether a game message with these ids is one between players that are known, and gives their
// session if it is clear.
func (l *learner) between(from, to wire.PlayerID) (*Session, bool) {
	f, ok := l.known[from]
	switch {
	case !ok:
		return nil, false
	case to == wire.IDAll:
		return f.in, true
	case f.in != nil:
		return f.in, f.in.players[to] != nil
	}
	t, ok := l.known[to]
	return t.in, ok
}
