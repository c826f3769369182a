package dpsp

import (
	"net/netip"
	"slices"

	"dplay4/wire"
)

// EnumPort is where hosts are asked for their sessions, by UDP and, as gpgnet4ta and Microsoft's own firewall
// notes have it, by TCP as well (facts, 2.3).
const EnumPort = 47624

// broadcast is where an enumeration goes that names no host (2.1).
var broadcast = netip.AddrPortFrom(netip.AddrFrom4([4]byte{255, 255, 255, 255}), EnumPort)

// enumerate sends a request for sessions.
func (e *Engine) enumerate(c Enumerate) error {
	e.asked = true
	to := c.To
	if len(to) == 0 && len(c.Streams) == 0 {
		to = []netip.AddrPort{broadcast}
	}
	m := &wire.EnumSessions{Application: c.Application, Flags: c.Flags, Password: textOf(c.Password)}
	for _, at := range to {
		e.send(Ask, at, m)
	}
	for _, at := range c.Streams {
		e.send(TCP, at, m)
	}
	return nil
}

// enumSessions answers a request for sessions, over TCP to the port in its header (3.2.5.3).
func (e *Engine) enumSessions(o origin, m *wire.EnumSessions) {
	if !e.hosting() {
		return // a broadcast reaches everybody: nothing is wrong with it
	}
	s := e.list.Session()
	if !listed(&s.Desc, s.Password, m) {
		return
	}
	if s.Name == nil {
		s.Name = wire.NewText("") // Wine drops a reply without a name (facts, 3.2)
	}
	o = o.direct()
	e.sendTCP(o.listener, &wire.EnumSessionsReply{Desc: s.Desc, Name: s.Name})
	e.hangUp(o)
}

// enumSessionsReply tells the program of a session. A host is known by the address in its header, not by the
// connection that its reply came on (facts, 2.8).
func (e *Engine) enumSessionsReply(o origin, m *wire.EnumSessionsReply) {
	if !e.asked {
		e.drop(o, "ENUMSESSIONSREPLY", OutOfTurn, "we did not ask")
		return
	}
	e.event(SessionFound{Host: o.listener, Desc: m.Desc, Name: m.Name.String()})
}

// hangUp closes the connection to somebody who is neither in the session nor on its way in, after what is still
// to be sent. The program behind it may end, and another one take its port, before we would notice.
func (e *Engine) hangUp(o origin) {
	if e.machineOf(o) == nil && !slices.ContainsFunc(e.admits, func(a *admission) bool { return a.listener == o.listener }) {
		e.hangUpAt(o.listener)
	}
}
