package dpsp

import (
	"net/netip"

	"dplay4/wire"
)

// extended says whether we use the extension in this session: not where we are to behave like a legacy machine, and
// not where the host passes everything on, for there machines do not know each other.
func (e *Engine) extended() bool {
	const routed = wire.SessionClientServer | wire.SessionMulticastServer | wire.SessionSecureServer
	return !e.cfg.Legacy && e.flags()&routed == 0
}

// sayExtension sends a machine what is our own peers'. TCP keeps the order, UDP does not.
func (e *Engine) sayExtension(t Transport, p *machine, b wire.ExtensionBody) {
	to := p.stream
	if t == UDP {
		to = p.datagram
	}
	e.send(t, to, wire.NewExtension(e.self, b))
}

// sayHello tells a machine that we know the extension. Who does not know it ignores the message.
func (e *Engine) sayHello(p *machine, answer bool) {
	b := &wire.ExtensionHello{Abilities: wire.HelloTable | wire.HelloObjects, Version: e.TableVersion()}
	if answer {
		b.Answer = 1
	}
	e.sayExtension(TCP, p, b)
}

// extension takes a message of the extension.
func (e *Engine) extension(o origin, m *wire.Extension) {
	name := m.Command().String() + " " + m.Kind.String()
	if !e.extended() {
		e.drop(o, name, Unknown, "the specification does not assign this command")
		return
	}
	if o.udp && !byDatagram(m.Kind) {
		e.drop(o, name, NotAllowed, "it does not come in a datagram")
		return
	}
	if !e.migrates() && (m.Kind == wire.KindClaim || m.Kind == wire.KindRejoin || m.Kind == wire.KindRejoinAt || m.Kind == wire.KindFormers) {
		e.drop(o, name, OutOfTurn, "the session does not outlive its host")
		return
	}
	switch b := m.Body.(type) {
	case *wire.ExtensionClaim:
		e.claim(o, m.From, b)
		return
	case *wire.ExtensionRejoin:
		e.rejoinRequest(o, m.From, b)
		return
	case *wire.ExtensionRejoinAt:
		e.rejoinAt(o, m.From, b)
		return
	}
	p := e.machineByID(m.From)
	switch {
	case p == nil:
		if m.Kind == wire.KindHello {
			e.sayWhoWeAre(o)
		}
		e.drop(o, name, NotMember, m.From.String()+" is not in the session")
		return
	case e.cfg.Strict && e.machineOf(o) != p:
		e.drop(o, name, NotAllowed, "its sender is not "+m.From.String())
		return
	}
	switch b := m.Body.(type) {
	case *wire.ExtensionHello:
		e.hello(p, b)
	case *wire.ExtensionFormers:
		e.takeFormers(o, p, b)
	case *wire.ExtensionTable:
		e.tableMessage(o, p, b)
	case *wire.ExtensionObject:
		e.objectMessage(o, p, b)
	default:
		e.drop(o, name, Unknown, "a later release may know it")
	}
}

// byDatagram says whether a kind is ever sent in a datagram.
func byDatagram(k wire.ExtensionKind) bool {
	switch k {
	case wire.KindHello, wire.KindTable, wire.KindFormers, wire.KindRejoin:
		return false
	}
	return true
}

// hello notes that a machine knows the extension.
func (e *Engine) hello(p *machine, b *wire.ExtensionHello) {
	if p.modern && b.Answer == 0 && b.Version == e.TableVersion() && e.table != nil && e.table.Told(p.system) {
		return // it has all that we said
	}
	if b.Answer != 0 {
		e.sayHello(p, false)
	}
	if b.Abilities&wire.HelloTable == 0 || !e.mayTell(p) {
		return
	}
	p.modern = true
	e.modernJoined(p)
	if e.objects != nil && b.Abilities&wire.HelloObjects != 0 {
		e.objects.Join(e.now, p.system)
	}
}

// maxTold bounds how often in one period a machine is told all that there is, which it asks for by saying hello.
const maxTold = 4

// mayTell says whether a machine is told once more.
func (e *Engine) mayTell(p *machine) bool {
	if e.now >= p.toldFrom+e.cfg.Period {
		p.told, p.toldFrom = 0, e.now
	}
	p.told++
	return p.told <= maxTold
}

// sockAddr gives an address as it stands in a message.
func sockAddr(a netip.AddrPort) wire.SockAddr {
	s := wire.SockAddr{Family: wire.FamilyINet, Port: a.Port()}
	if ip := a.Addr().Unmap(); ip.Is4() {
		s.Addr = ip.As4()
	}
	return s
}
