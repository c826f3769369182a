package dpsp

import (
	"net/netip"
	"slices"

	"dplay4/dpsp/internal/frame"
	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// A framing is how messages travel in a session with DIRECTPLAYPROTOCOL: in frames of the reliable protocol, one a datagram, on links
// between players, once both machines are past the way into the session (facts, reliable 2). What the game says goes between its
// players, system messages between system players; between our own those stay on connections (see [frame.Links.SpeaksFrames]).
type framing struct {
	links  frame.Links
	inside *peer    // who said in a frame what is being handled
	parted []func() // what is to be done when all has been said in parting
}

// maxFrame is the largest frame that we send: it fits into what every way carries in one piece.
const maxFrame = 1400

// frames returns the links, and tells them of the session as it is now. What they want done, carry does.
func (e *Engine) frames() *frame.Links {
	on := e.state == member && e.flags()&wire.SessionDirectPlayProtocol != 0
	e.framing.links.Session = frame.Session{Now: e.now, List: e.list, Self: e.self, On: on, Extended: e.extended(), Patient: e.views.on()}
	return &e.framing.links
}

// carry does what the links want done. It comes before anything else is sent or told, so that all keeps its order.
func (e *Engine) carry() {
	out := e.framing.links.Take()
	for _, s := range out.Sends {
		switch held, ok := s.Held.(Outgoing); {
		case ok:
			e.putRaw(held)
		case s.Ask != 0:
			e.sendRaw(UDP, s.To, &wire.Ping{From: e.self, Tick: s.Ask})
		default:
			e.putRaw(Outgoing{Transport: UDP, To: s.To, Data: s.Data, Priority: true})
		}
	}
	for _, d := range out.Done {
		e.know(d.Token, d.Err)
		if d.Refused != 0 {
			e.drop(origin{from: d.To}, d.Refused.String(), LimitReached, "not sent: "+d.Err.Error())
		}
	}
}

// introduced says that our first player was announced.
func (e *Engine) introduced() {
	if fr := e.frames(); fr.On {
		for _, p := range e.peers.all {
			fr.Introduced(&p.frameLinks)
		}
	}
}

// began says that a machine announced a player.
func (e *Engine) began(system wire.PlayerID) {
	if p, fr := e.peerByID(system), e.frames(); p != nil && fr.On {
		fr.Began(&p.frameLinks, e.hasPlayers())
	}
}

// hasPlayers reports whether a player of ours is in the session.
func (e *Engine) hasPlayers() bool { return len(e.play.players(0)) > 0 }

// restart has the links to a machine begin anew that was away while we were not.
func (e *Engine) restart(p *peer) {
	if e.frames().Restart(&p.frameLinks) {
		e.sayHello(p, true)
	}
}

// beginsAnew reports whether a machine that was away and is not lost yet has to be lost before it is back: its links begin anew, and
// there are machines that know no greetings, to which theirs go on.
func (e *Engine) beginsAnew(back *peer) bool {
	return e.frames().On && slices.ContainsFunc(e.peers.all, func(p *peer) bool { return p != back && !p.modern })
}

// part parts with everybody, and reports whether somebody is still to hear something: then does what is to be done when all have.
func (e *Engine) part(then func()) bool {
	if !e.frames().Leave() {
		return false
	}
	e.framing.parted = append(e.framing.parted, then)
	return true
}

// flushFrames does what is due on all links.
func (e *Engine) flushFrames() {
	fr := e.frames()
	if fr.Wake(); len(e.framing.parted) > 0 && !fr.Speaks() {
		all := e.framing.parted
		e.framing.parted = nil
		for _, then := range all {
			then()
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
		e.liveness.unreachable(p, loss{CauseSilent, "it acknowledges nothing any more"})
	}
}

// learned tells the program how a machine that is not ours reads the specification.
func (e *Engine) learned(p *peer, all []reliable.Reading) {
	if e.peerByID(p.system) != p {
		return
	}
	for _, r := range p.frameLinks.Learns(all) {
		e.event(PeerReading{System: p.system, Reading: r})
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
