package dpsp

import (
	"net/netip"

	"dplay4/wire"
)

// extended reports whether this engine uses the extension in this session: not with Config.Legacy, and not where the host passes everything
// on, because there machines do not know each other.
func (s *sessionState) extended() bool {
	const routed = wire.SessionClientServer | wire.SessionMulticastServer | wire.SessionSecureServer
	return !s.cfg.Legacy && s.flags()&routed == 0
}

// sayExtension sends a machine a message of the extension.
func (s *sender) sayExtension(t Transport, p *peer, b wire.ExtensionBody) {
	to := p.stream
	if t == UDP {
		to = p.datagram
	}
	s.send(t, to, wire.NewExtension(s.self, b))
}

// greet says hello to a machine that bears our mark. Others would ignore it.
func (s *sender) greet(p *peer) {
	if p.marked && s.extended() {
		s.sayHello(p, true)
	}
}

// marks notes the mark in the service provider data of a machine's own announcement. A host that passes on only the addresses in them hides
// the mark.
func (s *sender) marks(p *peer, sp []byte) {
	d, ok := wire.ParseSPData(sp)
	if !ok || p == nil || p.marked {
		return
	}
	if p.marked, p.older = d.Marked(), d.MarkedOlder(); p.marked {
		s.greet(p)
	}
}

// sayHello sends a HELLO. If answer, the receiver answers it.
func (s *sender) sayHello(p *peer, answer bool) {
	b := &wire.ExtensionHello{Abilities: wire.HelloViews | wire.HelloObjects, Version: s.LogIndex()}
	if answer {
		b.Answer = 1
	}
	if s.arrivals.incarnation != 0 {
		b.Abilities |= wire.HelloArrived
	}
	if p.link.Counts() {
		b.Abilities |= wire.HelloCounted
	}
	b.SetLinks(p.frameLinks.Begin)
	s.sendRaw(TCP, p.stream, wire.NewExtension(s.self, b)) // it says where frames begin
}

// maxHellos bounds how often a machine is greeted that does not answer.
const maxHellos = 4

// hellosAgain says hello once more to machines that have not answered.
func (s *sender) hellosAgain() {
	for _, p := range s.peers.all {
		if s.viewing.on() && p.modern && !p.greeted { // by its view; objects, links and counts need its HELLO
			s.sayHello(p, true)
		}
		if p.marked && !p.modern && p.hellos < maxHellos && s.reserved.Newcomer(p.system) == nil {
			p.hellos++
			s.greet(p)
		}
	}
}

// hello handles a HELLO. Its sender gets ours if it wants an answer, and the introduction and the objects unless it asks too often.
func (s *sender) hello(o origin, p *peer, b *wire.ExtensionHello) {
	p.greeted = true
	s.views.kept.speaks(o, 0, p.system)
	if !p.link.Counts() || !p.renewing {
		s.liveness.renewed(p)
	}
	s.arrivals.hello(s.now, o, p, b.Abilities)
	if s.frames().Greeted(&p.frameLinks, b.Links(), s.hasPlayers()) {
		if b.Answer == 0 {
			s.sayHello(p, false)
		}
		if s.views.on() && p.modern {
			s.event(ConnectionRenewed{System: p.system, Lost: true})
		}
	}
	if b.Answer != 0 {
		s.sayHello(p, false)
	}
	if b.Abilities&wire.HelloViews == 0 || !p.told.take(maxTold, s.now, s.cfg.Period) {
		return
	}
	p.modern = true
	p.frameLinks.Ours()
	s.views.meets(p)
	if b.Abilities&wire.HelloObjects != 0 {
		s.objects.Join(s.now, p.system)
	}
}

// sockAddr returns an address as it stands in a message.
func sockAddr(a netip.AddrPort) wire.SockAddr {
	s := wire.SockAddr{Family: wire.FamilyINet, Port: a.Port()}
	if ip := a.Addr().Unmap(); ip.Is4() {
		s.Addr = ip.As4()
	}
	return s
}
