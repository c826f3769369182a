package dpsp

import (
	"net/netip"

	"dplay4/wire"
)

// extended reports whether we use the extension in this session: not where we are to behave like a legacy machine, and
// not where the host passes everything on, for there machines do not know each other.
func (e *Engine) extended() bool {
	const routed = wire.SessionClientServer | wire.SessionMulticastServer | wire.SessionSecureServer
	return !e.cfg.Legacy && e.flags()&routed == 0
}

// sayExtension sends a machine what is our own peers'. TCP keeps the order, UDP does not.
func (e *Engine) sayExtension(t Transport, p *peer, b wire.ExtensionBody) {
	to := p.stream
	if t == UDP {
		to = p.datagram
	}
	e.send(t, to, wire.NewExtension(e.self, b))
}

// greet says hello to a machine that bears our mark. Others are told nothing that they would have to ignore.
func (e *Engine) greet(p *peer) {
	if p.marked && e.extended() {
		e.sayHello(p, true)
	}
}

// marks takes the mark from what a machine itself says of its player: a host that passes on no more of service provider data
// than addresses has hidden it from us.
func (e *Engine) marks(p *peer, sp []byte) {
	d, ok := wire.ParseSPData(sp)
	if !ok || p == nil || p.marked {
		return
	}
	if p.marked, p.older = e.cfg.marked(d); p.marked {
		e.greet(p)
	}
}

// sayHello tells a machine that we know the extension.
func (e *Engine) sayHello(p *peer, answer bool) {
	b := &wire.ExtensionHello{Abilities: wire.HelloTable | wire.HelloObjects, Version: e.TableVersion()}
	if e.views.on() {
		b.Abilities = wire.HelloViews | wire.HelloObjects
	}
	if answer {
		b.Answer = 1
	}
	if e.arrivals.incarnation != 0 {
		b.Abilities |= wire.HelloArrived
	}
	if p.link.Counts() {
		b.Abilities |= wire.HelloCounted
	}
	b.SetLinks(p.frameLinks.Begin)
	e.sendRaw(TCP, p.stream, wire.NewExtension(e.self, b)) // it says where frames begin
}

// hello takes a HELLO: its sender knows the extension, gets our own if it wants an answer, and is told of the name table and
// the objects, unless it has all that or asks too often. What comes over this connection from now on is not late.
func (e *Engine) hello(o origin, p *peer, b *wire.ExtensionHello) {
	p.stale.remove(o.from)
	p.greeted = true
	e.views.kept.speaks(o, 0, p.system)
	if !p.link.Counts() {
		e.liveness.renewed(p)
	}
	e.arrivals.hello(e.now, o, p, b.Abilities)
	if e.frames().Greeted(&p.frameLinks, b.Links(), e.hasPlayers()) {
		if b.Answer == 0 {
			e.sayHello(p, false)
		}
		if e.views.on() && p.modern {
			e.event(ConnectionRenewed{System: p.system, Lost: true})
		}
	}
	if p.modern && b.Answer == 0 && b.Version == e.TableVersion() && e.reconcile.table != nil && e.reconcile.table.Told(p.system) {
		return // it has all that we said
	}
	if b.Answer != 0 {
		e.sayHello(p, false)
	}
	speaks := wire.HelloTable
	if e.views.on() {
		speaks = wire.HelloViews
	}
	if b.Abilities&speaks == 0 || !p.told.take(maxTold, e.now, e.cfg.Period) {
		return
	}
	known := p.modern
	p.modern = true
	p.frameLinks.Ours()
	e.reconcile.meet(p)
	e.views.meets(p)
	if !known {
		e.migration.knownModern()
	}
	if b.Abilities&wire.HelloObjects != 0 {
		e.objects.Join(e.now, p.system)
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
