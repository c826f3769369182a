package sim

import (
	"net/netip"
	"time"

	"dplay4/dpsp"
)

// everybody is the address that an enumeration to all machines goes to.
var everybody = netip.AddrFrom4([4]byte{255, 255, 255, 255})

// laneAt returns the machine with an address, nil for none; of several programs there the first one.
func (w *World) laneAt(a netip.Addr) *lane {
	b := a.As4()
	if i := int(b[3]) - 1; b[0] == 10 && b[1] == 0 && b[2] == 0 && i >= 0 && i < len(w.lanes) && w.lanes[i].addr == a {
		return w.lanes[i]
	}
	return nil
}

// programAt returns the machine at an address whose program has the port; if none has it, the first one there.
func (w *World) programAt(a netip.AddrPort) *lane {
	l := w.laneAt(a.Addr().Unmap())
	if l == nil {
		return nil
	}
	return l.at(a.Port())
}

// reach reports whether a packet of a protocol gets from a machine to another one now.
func (w *World) reach(from, to *lane, by dpsp.Transport) bool {
	return from.on && !from.asleep && to.on && !to.asleep && w.cut[from.i][to.i] == 0 &&
		w.blocked[from.i][to.i][min(by, dpsp.UDP)] == 0
}

// trip is how long a packet takes.
func (w *World) trip() time.Duration { return w.opt.Delay + about(w.net, w.opt.Jitter) + 1 }

// chance draws whether something happens. After the faults nothing does.
func (w *World) chance(f Faults, p float64) bool {
	return w.opt.has(f) && !w.quiet && w.net.Float64() < p
}

// maxToItself bounds how much a program says to what it takes for another one, and is itself.
const maxToItself = 64

// send puts octets on the network.
func (w *World) send(p *process, s *dpsp.Outgoing) {
	w.traceOutput(p.l, s)
	if !s.To.Addr().Unmap().Is4() {
		w.violate(p.l, "address", "it sends to %v", s.To)
		return
	}
	if p.l.older {
		p.marksOlder(s.Data)
	}
	to := w.programAt(s.To)
	if to == p.l {
		// A list may have what it was before its program began anew, until it finds out. It does so soon.
		// By the rule of DirectPlay 4 it may never find out that it has the port of one that is gone.
		own := s.To.Port() == p.streamPort() || s.To.Port() == p.datagramPort() // otherwise it is that of a mate that ended
		if p.toItself++; p.toItself > maxToItself && own && (!w.opt.has(Sharing) || w.extended(p.l)) {
			w.violate(p.l, "address", "it sends to itself, %v", s.To)
		}
		if p.toItself > maxToItself {
			return
		}
	}
	switch {
	case s.Transport == dpsp.TCP:
		w.sendStream(p, s.To, s.Data)
	case s.Transport == dpsp.Ask:
		w.ephemera++
		from := netip.AddrPortFrom(p.l.addr, w.ephemera|0x8000)
		for _, l := range w.lanes {
			if l != p.l && (l.addr == s.To.Addr().Unmap() || s.To.Addr() == everybody) {
				w.datagram(p.l, l, from, s.To.Port(), s.Data)
			}
		}
	case to != nil:
		w.aimAt(p.l, to, s.Data)
		w.datagram(p.l, to, netip.AddrPortFrom(p.l.addr, p.datagramPort()), s.To.Port(), s.Data)
	}
}

// datagram sends one datagram, perhaps never, perhaps twice.
func (w *World) datagram(from, to *lane, source netip.AddrPort, port uint16, data []byte) {
	copies := 1
	if w.chance(Lose, w.opt.Loss) {
		copies = 0
	} else if w.chance(Repeat, w.opt.Duplicate) {
		copies = 2
	}
	if copies == 0 {
		return
	}
	p := w.packet()
	p.from, p.to, p.source, p.port, p.copies = from, to, source, port, copies
	p.data = append(p.data[:0], data...)
	for range copies {
		d := w.trip()
		if w.chance(Overtake, w.opt.Reorder) {
			d += between(w.net, w.opt.Delay, w.opt.held())
		}
		w.flight(1)
		w.after(d, p.land)
	}
}

// A packet is a datagram under way. It is used again when its last copy has arrived.
type packet struct {
	from, to *lane
	source   netip.AddrPort
	port     uint16
	data     []byte
	copies   int
	land     func()
}

// packet returns one that is not under way.
func (w *World) packet() *packet {
	if n := len(w.packets); n > 0 {
		p := w.packets[n-1]
		w.packets = w.packets[:n-1]
		return p
	}
	p := &packet{}
	p.land = func() {
		w.flight(-1)
		w.arrive(p.from, p.to, p.source, p.port, p.data)
		if p.copies--; p.copies == 0 {
			w.packets = append(w.packets, p)
		}
	}
	return p
}

// arrive hands a datagram to the program that has the port.
func (w *World) arrive(from, to *lane, source netip.AddrPort, port uint16, data []byte) {
	if port != dpsp.EnumPort {
		to = to.at(port) // another program may have it by now
	}
	if !w.reach(from, to, dpsp.UDP) || to.proc == nil || !to.proc.listens(port, to.proc.datagramPort()) {
		return
	}
	w.res.Messages++
	w.input(to.proc, dpsp.Input{Kind: dpsp.Datagram, From: source, Data: data})
}

// listens reports whether a program has a port: its own, or the one of enumerations.
func (p *process) listens(port, own uint16) bool {
	return port == own || port == dpsp.EnumPort && p.enlisted
}

// flight counts what is under way.
func (w *World) flight(n int) {
	w.inFlight += n
	if w.inFlight == w.opt.Bounds.InFlight && n > 0 {
		w.violate(nil, "bounds", "%d messages are under way", w.inFlight)
	}
}
