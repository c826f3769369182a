package captures

import (
	"cmp"
	"net/netip"

	"dplay4/wire"
)

// A Machine is one end of a message, by the socket where it listens for TCP: the address that its packets come from,
// and the port in its headers. What messages say of its address may be another one, behind a router that rewrites
// addresses or where it has several adapters.
type Machine struct {
	At   netip.AddrPort
	Sure bool // otherwise At is the packet's own socket, and which machine it is of is not known
}

// machines knows which socket is which machine.
type machines struct {
	datagrams map[netip.AddrPort]netip.AddrPort // from a UDP socket to the TCP socket of the same machine
	aliases   map[netip.AddrPort]netip.AddrPort // from a TCP socket that messages tell of; invalid: they tell it of two machines
	spoke     map[netip.Addr]bool               // addresses that messages with headers came from
}

func newMachines() machines {
	return machines{datagrams: map[netip.AddrPort]netip.AddrPort{}, aliases: map[netip.AddrPort]netip.AddrPort{},
		spoke: map[netip.Addr]bool{}}
}

// heard learns from the header of a message, and returns where its sender listens; invalid if the header has no port.
func (m *machines) heard(src netip.AddrPort, a wire.SockAddr) netip.AddrPort {
	if a.Port == 0 {
		return netip.AddrPort{}
	}
	if !m.spoke[src.Addr()] && len(m.spoke) < maxSockets {
		m.spoke[src.Addr()] = true
	}
	at := netip.AddrPortFrom(src.Addr(), a.Port)
	if ip := netip.AddrFrom4(a.Addr); !ip.IsUnspecified() {
		m.alias(netip.AddrPortFrom(ip, a.Port), at)
	}
	return at
}

// alias notes that messages call the machine at a socket by another one.
func (m *machines) alias(told, at netip.AddrPort) {
	if told == at {
		return
	}
	old, known := m.aliases[told]
	switch {
	case !known && len(m.aliases) < maxSockets:
		m.aliases[told] = at
	case known && old != at:
		m.aliases[told] = netip.AddrPort{}
	}
}

// bind notes that a UDP socket is of the machine at a TCP socket.
func (m *machines) bind(datagram, stream netip.AddrPort) {
	if p := datagram.Port(); p == 0 || p == wire.EnumPort || stream.Port() == 0 {
		return // 47624 may be of any machine there
	}
	if _, known := m.datagrams[datagram]; known || len(m.datagrams) < maxSockets {
		m.datagrams[datagram] = stream
	}
}

// listener returns the TCP socket of the machine that a TCP socket is of. Where messages come from the socket's own
// address, that is itself, whatever they tell.
func (m *machines) listener(at netip.AddrPort) netip.AddrPort {
	if to := m.aliases[at]; to.IsValid() && !m.spoke[at.Addr()] {
		return to
	}
	return at
}

// datagram returns the TCP socket of the machine that a UDP socket is of; invalid: not known.
func (m *machines) datagram(at netip.AddrPort) netip.AddrPort {
	return m.listener(m.datagrams[at])
}

// from returns the machine that sent a message. src is what its header says; invalid: it has none.
func (m *machines) from(r *Record, src netip.AddrPort) Machine {
	var socket netip.AddrPort
	if r.Transport == UDP {
		socket = m.datagram(r.Src)
	}
	id, _ := r.Sender()
	if at := cmp.Or(src, socket, r.Session.machine(id)); at.IsValid() {
		return Machine{at, true}
	}
	return Machine{r.Src, false}
}

// to returns the machine that a message was sent to.
func (m *machines) to(r *Record) Machine {
	switch {
	case r.Dst.Port() == wire.EnumPort:
		return Machine{r.Dst, false}
	case r.Transport == TCP: // connections go one way: the addressee listens on this socket
		return Machine{m.listener(r.Dst), true}
	}
	_, id, _ := r.FromTo()
	if at := cmp.Or(m.datagram(r.Dst), r.Session.machine(id)); at.IsValid() {
		return Machine{at, true}
	}
	return Machine{r.Dst, false}
}
