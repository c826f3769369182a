package captures

import (
	"cmp"

	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// extension learns from a message of the extension, but for its operations, and gives the session that it names; s if it names none.
func (l *learner) extension(p peerPair, s *Session, m *wire.Extension) *Session {
	switch b := m.Body.(type) {
	case *wire.ExtensionClaim:
		s = l.instance(p, s, b.Instance)
		l.socket(p, s, b.Stream)
		if s != nil && s.Host == 0 { // otherwise it may be one of two, and which one stays is still to come
			l.hosted(s, m.From)
		}
	case *wire.ExtensionRejoin:
		s = l.instance(p, s, b.Instance)
		if machine, own := l.sockets(p, s, b.SPData); machine.IsValid() {
			l.player(s, Player{ID: m.From, Flags: wire.PlayerSystem, Machine: machine, own: own}, 0)
		}
	case *wire.ExtensionRejoinAt:
		l.socket(p, s, b.Stream)
	case *wire.ExtensionTable:
		if t, err := dpl8.Decode(b.Message); err == nil && s != nil {
			if info, ok := t.(*dpl8.SendConnectInfo); ok {
				s = l.instance(p, s, info.Instance)
				s.Name = cmp.Or(s.Name, clip(info.SessionName))
			}
		}
	case *wire.ExtensionView:
		l.view(p, s, b)
	}
	return s
}

// view stores the host and the machines in a message about views. A capture that begins late has them nowhere else.
func (l *learner) view(p peerPair, s *Session, b *wire.ExtensionView) {
	if s == nil {
		return
	}
	for _, m := range append(b.Members, b.From) {
		if at := l.machines.listener(p.resolve(m.Stream)); m.Incarnation != 0 && at.Port() != 0 && s.Player(m.System) == nil {
			l.bind(l.streams, at, s)
			l.player(s, Player{ID: m.System, Flags: wire.PlayerSystem, Machine: at, own: at == p.src}, 0)
		}
	}
	if b.Step == wire.ViewClaim && s.Host == 0 && len(b.Members) > 0 && b.Members[0].Incarnation != 0 { // no legacy host
		l.hosted(s, b.View.Leader)
	}
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
