package dpsp

import (
	"net/netip"

	"dplay4/dpsp/internal/frame"
	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// A framing is how messages travel in a session with DIRECTPLAYPROTOCOL: in frames of the reliable protocol, one a datagram, on links
// between players, once both machines are past the way into the session (facts, reliable 2). What the game says goes between its
// players, system messages between system players; between our own those stay on connections (see [frame.Links.SpeaksFrames]).
type framing struct {
	links  frame.Links
	inside *peer     // who said in a frame what is being handled
	parted []parting // those to whom something is still to be said
}

// maxFrame is the largest frame that we send: it fits into what every way carries in one piece.
const maxFrame = 1400

// frames returns the links, and tells them of the session as it is now. What they want done, carry does.
func (s *sender) frames() *frame.Links {
	on := s.state == member && s.flags()&wire.SessionDirectPlayProtocol != 0
	s.framing.links.Session = frame.Session{Now: s.now, List: s.list, Self: s.self, On: on, Extended: s.extended(), Patient: s.viewing.on()}
	return &s.framing.links
}

// carry does what the links want done. It comes before anything else is sent or told, so that all keeps its order.
func (s *sender) carry() {
	out := s.framing.links.Take()
	for _, m := range out.Sends {
		switch held, ok := m.Held.(Outgoing); {
		case ok:
			s.putRaw(held)
		case m.Ask != 0:
			s.sendRaw(UDP, m.To, &wire.Ping{From: s.self, Tick: m.Ask})
		default:
			s.putRaw(Outgoing{Transport: UDP, To: m.To, Data: m.Data, Priority: true})
		}
	}
	for _, d := range out.Done {
		s.know(d.Token, d.Err)
		if d.Refused != 0 {
			s.drop(origin{from: d.To}, d.Refused.String(), LimitReached, "not sent: "+d.Err.Error())
		}
	}
}

// introduced says that our first player was announced.
func (s *sender) introduced() {
	if fr := s.frames(); fr.On {
		for _, p := range s.peers.all {
			fr.Introduced(&p.frameLinks)
		}
	}
}

// began says that a machine announced a player.
func (s *sender) began(system wire.PlayerID) {
	if p, fr := s.peerByID(system), s.frames(); p != nil && fr.On {
		fr.Began(&p.frameLinks, s.hasPlayers())
	}
}

// hasPlayers reports whether a player of ours is in the session.
func (s *sessionState) hasPlayers() bool { return len(s.players(0)) > 0 }

// restart has the links to a machine begin anew that was away while we were not.
func (s *sender) restart(p *peer) {
	if s.frames().Restart(&p.frameLinks) {
		s.sayHello(p, true)
	}
}

// part parts with everybody. If somebody is still to hear something, it reports true, and gone waits until all have.
func (s *sender) part(x parting) bool {
	if !s.frames().Leave() {
		return false
	}
	s.framing.parted = append(s.framing.parted, x)
	return true
}

// flushFrames does what is due on all links.
func (e *Engine) flushFrames() {
	fr := e.frames()
	if fr.Wake(); len(e.framing.parted) > 0 && !fr.Speaks() {
		all := e.framing.parted
		e.framing.parted = nil
		for _, x := range all {
			e.gone(x)
		}
		fr = e.frames()
	}
	for l, out := fr.Next(); l != nil; l, out = e.frames().Next() {
		e.ran(l, out)
	}
	for _, x := range fr.Known() {
		e.frame(origin{from: x.From, udp: true}, &x.Frame, x.Data)
	}
	if e.framing.links.Awake() {
		e.flushFrames()
	}
}

// ran takes what came of a link that did what was due.
func (e *Engine) ran(l *frame.Link, out *reliable.Output) {
	p := l.Peer.Machine.(*peer)
	defer e.learned(p, out.Learned) // a message can say that the peer is one of ours
	for _, m := range out.Messages {
		if e.state != member || l.Peer == nil || e.peerByID(p.system) != p {
			return
		}
		e.messageOn(l, p, m)
	}
	switch {
	case l.Peer == nil:
	case !out.Lost:
		if e.frames().Unanswered(&p.frameLinks, l.Unanswered(e.now)) {
			e.speakPlainly(p)
		}
	case e.state != member:
	case e.frames().Gone(l):
		e.frames().Drop(l)
	case l.Dead() && e.views.on() && p.modern:
		e.event(ConnectionRenewed{System: p.system, Lost: true})
		e.restart(p)
	default:
		e.unreachable(p, loss{CauseSilent, "it acknowledges nothing any more"})
	}
}

// learned tells the program how a machine that is not ours reads the specification.
func (s *sender) learned(p *peer, all []reliable.Reading) {
	if s.peerByID(p.system) != p {
		return
	}
	for _, r := range p.frameLinks.Learns(all) {
		s.event(PeerReading{System: p.system, Reading: r})
	}
}

// System and the other methods below are what the links know of a peer.
func (m *peer) System() wire.PlayerID { return m.system }

// Socket returns its UDP socket.
func (m *peer) Socket() netip.AddrPort { return m.datagram }

// At is at.
func (m *peer) At(ip netip.Addr) bool { return m.at(ip) }

// Modern reports whether it knows the extension, and said so.
func (m *peer) Modern() bool { return m.modern }

// Marked reports whether its players bear our mark.
func (m *peer) Marked() bool { return m.marked }
