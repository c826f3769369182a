package captures

import (
	"cmp"
	"net/netip"

	"dplay4/wire"
)

// A learner remembers which sockets speak DirectPlay, in which session, and who is in it.
type learner struct {
	streams   map[netip.AddrPort]*Session // TCP sockets that listen for DirectPlay; nil session: none known
	datagrams map[netip.AddrPort]*Session // UDP sockets, likewise
	machines  machines
	sessions  map[wire.GUID]*Session
	players   int
	known     map[wire.PlayerID]*Session // in which a player of an id was announced; nil: in several
	full      func(what string)
	now       Moment // when the record in work came
}

func newLearner(full func(string)) *learner {
	return &learner{
		streams: map[netip.AddrPort]*Session{}, datagrams: map[netip.AddrPort]*Session{},
		machines: newMachines(), sessions: map[wire.GUID]*Session{},
		known: map[wire.PlayerID]*Session{}, full: full,
	}
}

// usual reports whether a port is one where implementations listen by default: a hint, never proof.
func usual(port uint16) bool { return port >= 2300 && port <= 2400 || port == wire.EnumPort }

// bind notes that a socket speaks DirectPlay, and in which session if s is not nil.
func (l *learner) bind(sockets map[netip.AddrPort]*Session, at netip.AddrPort, s *Session) {
	if at.Port() == 0 || at.Port() == wire.EnumPort {
		return // 47624 belongs to a machine, not to a session
	}
	_, ok := sockets[at]
	if !ok && len(sockets) >= maxSockets {
		l.full("sockets")
		return
	}
	if !ok || s != nil {
		sockets[at] = s
	}
}

// A peerPair is where a message came from and went, by the TCP sockets of the two machines. Those that are not
// known are invalid.
type peerPair struct {
	src      netip.AddrPort // the sender's listener, from the SP header
	dst      netip.AddrPort
	from, to netip.AddrPort // the UDP sockets, if it came by UDP
	ip       netip.Addr     // whence the frame came
}

// sender returns the session that a message's sender is in, as far as its sockets tell.
func (l *learner) sender(p peerPair) *Session {
	return cmp.Or(l.streams[p.src], l.datagrams[p.from])
}

// addressee does so for the addressee.
func (l *learner) addressee(p peerPair) *Session {
	return cmp.Or(l.streams[p.dst], l.datagrams[p.to])
}

// sessionOf returns the session that a message between two machines belongs to, by the sockets alone. Where
// they disagree, the addressee's counts, unless only the sender's was ever described.
func (l *learner) sessionOf(p peerPair) *Session {
	dst, src := l.addressee(p), l.sender(p)
	if dst == nil || src.described() && !dst.Described {
		return src
	}
	return dst
}

// message learns from a system message and gives the session it belongs to, nil if none is known.
func (l *learner) message(p peerPair, m wire.Message) (s *Session) {
	switch m := m.(type) {
	case *wire.EnumSessions:
		l.bind(l.streams, p.src, nil)
		return nil
	case *wire.EnumSessionsReply:
		if s = l.described(&m.Desc, m.Name, l.sender(p)); s != nil {
			l.bind(l.streams, p.src, s)
		}
		return s
	case *wire.SuperEnumPlayersReply:
		s = l.list(p, &m.Desc, m.Name)
	case *wire.EnumPlayersReply:
		s = l.list(p, &m.Desc, m.Name)
	case *wire.SessionDescChanged:
		s = l.list(p, &m.Desc, m.Name)
	case *wire.AddForwardRequest:
		if s = l.member(p, m); s != nil && !s.Described {
			s.Reserved1 = cmp.Or(s.Reserved1, m.Reserved1) // what Windows and Wine put there
		}
	case *wire.Extension:
		s = l.extension(p, l.member(p, m), m)
	default:
		s = l.member(p, m)
	}
	ops, from := operations(m)
	for _, op := range ops {
		l.apply(p, s, op, from)
	}
	switch in := Inside(m).(type) {
	case nil, *wire.PlayerMessage:
	default:
		s = cmp.Or(l.message(p, in), s)
	}
	if s != nil { // what is bound is left: a datagram may be late
		l.meet(p.from, s)
		l.meet(p.to, s)
	}
	return s
}

// meet binds a UDP socket that is in no session yet.
func (l *learner) meet(at netip.AddrPort, s *Session) {
	if l.datagrams[at] == nil {
		l.bind(l.datagrams, at, s)
	}
}

// described returns the session of a description, made if need be; nil if there are too many. A session that was
// met before its description becomes the described one.
func (l *learner) described(d *wire.SessionDesc, name wire.Text, met *Session) *Session {
	s := l.sessions[d.Instance]
	switch {
	case d.Instance.IsZero(): // it does not say whose it is
		if s = met; s == nil {
			s = newSession()
		}
	case s == nil && len(l.sessions) >= maxSessions:
		l.full("sessions")
		return nil
	case s == nil:
		if s = met; s == nil || s.Described {
			s = newSession()
		}
		l.sessions[d.Instance] = s
	}
	s.describe(d, clip(name))
	return s
}

// list learns the description in a message that goes to members.
func (l *learner) list(p peerPair, d *wire.SessionDesc, name wire.Text) *Session {
	s := l.described(d, name, l.sessionOf(p))
	if s != nil {
		l.bind(l.streams, p.src, s)
		l.bind(l.streams, p.dst, s)
	}
	return s
}

// member returns the session of a message that only members of one session, or a newcomer and its host,
// exchange, and binds both machines. Where they were in two sessions, the messages of a join tell which of them
// has moved; any other message may be late, and moves nobody out of a session that was described.
func (l *learner) member(p peerPair, m wire.Message) *Session {
	src, dst := l.sender(p), l.addressee(p)
	s := l.sessionOf(p)
	switch m := m.(type) {
	case *wire.RequestPlayerID:
		if m.Flags&wire.PlayerSystem != 0 {
			s, src = dst, nil
		}
	case *wire.AddForwardRequest:
		s, src = dst, nil
	case *wire.RequestPlayerReply, *wire.AddForwardReply:
		if src != nil {
			s, dst = src, nil
		}
	}
	if s == nil {
		if len(l.streams) >= maxSockets {
			return nil
		}
		s = newSession()
	}
	if !src.described() {
		l.bind(l.streams, p.src, s)
	}
	if !dst.described() {
		l.bind(l.streams, p.dst, s)
	}
	return s
}

// sockets learns the sockets in a player's service provider data, and returns the TCP one. own says that it is told by
// its machine itself.
func (l *learner) sockets(p peerPair, s *Session, data []byte) (at netip.AddrPort, own bool) {
	sp, ok := wire.ParseSPData(data)
	if !ok || s == nil {
		return netip.AddrPort{}, false
	}
	stream, datagram := l.machines.listener(p.resolve(sp.Stream)), p.resolve(sp.Datagram)
	l.bind(l.streams, stream, s)
	l.bind(l.datagrams, datagram, s)
	if stream.Port() == 0 {
		return netip.AddrPort{}, false
	}
	l.machines.bind(datagram, stream)
	return stream, stream == p.src
}

// resolve returns the socket that an address in a message means: 0.0.0.0 is where the message came from.
func (p peerPair) resolve(a wire.SockAddr) netip.AddrPort {
	ip := netip.AddrFrom4(a.Addr)
	if ip.IsUnspecified() {
		ip = p.ip
	}
	return netip.AddrPortFrom(ip, a.Port)
}
