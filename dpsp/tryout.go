package dpsp

import (
	"net/netip"

	"dplay4/wire"
)

// tryOut answers a ping from nobody (IDFrom 0) at the host of a session, and reports whether it is one. A machine that is in no session
// finds out so whether datagrams get here and back, as "dplay doctor --live" does. Machines with Windows or Wine send no such ping.
//
//   - A ping in a datagram is answered over TCP, at the listener that its header names, with its own tick.
//   - A ping over TCP is answered over TCP: the tick has the port of our UDP socket in its upper half, and the lower half of the ping's.
//   - It is answered by UDP as well, at the port that the lower half of its tick names, in as many octets as it has.
//
// A datagram goes only to the address of a connection, which cannot be forged, and is no larger than the ping.
func (lv *liveness) tryOut(o origin, m *wire.Ping) bool {
	e := lv.e
	if m.From != wire.IDAll || o.framed || !e.hosting() || !o.listener.IsValid() || e.peerOf(o) != nil {
		return false
	}
	at, reply := o.direct(), wire.PingReply{From: e.self, Tick: m.Tick}
	if !o.udp {
		same := reply
		same.Layout = m.Layout
		e.sendRaw(UDP, netip.AddrPortFrom(o.from.Addr(), uint16(m.Tick)), &same)
		reply.Tick = uint32(e.cfg.Datagram.Port())<<16 | m.Tick&0xffff
	}
	e.sendTCP(at.listener, &reply)
	e.hangUp(at)
	return true
}
