package replay

import (
	"fmt"
	"net/netip"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

// A machine is what listens at one TCP socket, as the others reach it.
type machine struct {
	listener netip.AddrPort
	datagram netip.AddrPort // its UDP socket; invalid: not known
	header   wire.SockAddr  // what its own messages say of its listener
	dialect  wire.Dialect
	modern   bool            // it sent a message of the extension
	traffic  []*message      // that it sent or was sent
	says     []*message      // that it sent
	seed     *[32]byte       // as a host; see likeMask
	met      map[string]bool // listeners of the machines that the capture shows it with
}

// An addressBook finds machines.
type addressBook struct {
	c         *Capture
	listeners map[netip.AddrPort]*machine
	datagrams map[netip.AddrPort]*machine
	at        map[netip.Addr][]*machine
}

// assign finds out who sent what to whom. A datagram can come before it is known whose it is: this takes two passes.
func (c *Capture) assign() error {
	b := &addressBook{c: c, listeners: map[netip.AddrPort]*machine{}, datagrams: map[netip.AddrPort]*machine{},
		at: map[netip.Addr][]*machine{}}
	for _, m := range c.messages {
		b.learn(m)
		if len(c.machines) > MaxMachines {
			return fmt.Errorf("%w: more than %d machines", ErrTooLarge, MaxMachines)
		}
	}
	for _, m := range c.messages {
		m.from, m.to = b.end(m.between[0], m.src), b.addressees(m)
		m.meet()
		if m.from != nil {
			m.from.traffic = append(m.from.traffic, m)
			m.from.says = append(m.from.says, m)
		}
		for _, to := range m.to {
			if to != m.from {
				to.traffic = append(to.traffic, m)
			}
		}
	}
	return nil
}

func (b *addressBook) machine(listener netip.AddrPort) *machine {
	listener = unmapped(listener)
	m := b.listeners[listener]
	if m == nil {
		m = &machine{listener: listener, met: map[string]bool{}}
		b.listeners[listener] = m
		b.at[listener.Addr()] = append(b.at[listener.Addr()], m)
		b.c.machines = append(b.c.machines, m)
	}
	return m
}

// learn learns from a message where its sender and its addressee listen.
func (b *addressBook) learn(m *message) {
	if m.between[1].Sure && m.transport == captures.TCP {
		b.machine(m.between[1].At)
	}
	if !m.env.HasSP || !m.between[0].Sure {
		return
	}
	from := b.machine(m.between[0].At)
	if from.header.Family == 0 {
		from.header = m.env.SP.SockAddr
	}
	if m.env.System() && from.dialect == 0 {
		from.dialect = m.env.Version
	}
	if m.transport == captures.UDP && m.dst.Port() != dpsp.EnumPort {
		b.datagram(from, m.src)
	}
	own := []byte(nil) // service provider data of the sender's own player
	switch body := m.env.Message.(type) {
	case *wire.Extension:
		from.modern = true
	case *wire.AddForwardRequest:
		own = body.Info.SPData
	case *wire.CreatePlayer:
		own = body.Info.SPData
	case *wire.CreatePlayerVerify:
		own = body.Info.SPData
	case *wire.SuperEnumPlayersReply:
		own = hostIn(body).SPData
	}
	if sp, ok := wire.ParseSPData(own); ok {
		b.datagram(from, netip.AddrPortFrom(from.listener.Addr(), sp.Datagram.Port))
	}
}

// hostIn returns the host's entry in its list, a zero one if there is none.
func hostIn(b *wire.SuperEnumPlayersReply) (host wire.SuperPackedPlayer) {
	for _, p := range b.Players {
		if p.Flags&wire.PlayerNameServer != 0 {
			host = p
		}
	}
	return host
}

func (b *addressBook) datagram(m *machine, at netip.AddrPort) {
	if at.Port() != 0 && !m.datagram.IsValid() && b.datagrams[at] == nil {
		m.datagram, b.datagrams[at] = at, m
	}
}

// meet notes that two machines exchange something. What asks for sessions reaches everybody and says nothing.
func (m *message) meet() {
	to := m.addressee()
	if m.from == nil || to == nil || m.dst.Port() == dpsp.EnumPort {
		return
	}
	m.from.met[to.listener.String()] = true
	to.met[m.from.listener.String()] = true
}

// end returns the machine at an end of a message. Where nothing told it at the time, it is the one that has the packet's UDP
// socket, or the only one at its address.
func (b *addressBook) end(e captures.Machine, socket netip.AddrPort) *machine {
	if m := b.listeners[unmapped(e.At)]; m != nil && e.Sure {
		return m
	}
	there := b.at[socket.Addr().Unmap()]
	if m := b.datagrams[socket]; m != nil || len(there) != 1 {
		return m
	}
	return there[0]
}

func (b *addressBook) addressees(m *message) []*machine {
	switch {
	case m.dst.Port() == dpsp.EnumPort && broadcast(m.dst.Addr()):
		return b.c.machines
	case m.dst.Port() == dpsp.EnumPort:
		return b.at[m.dst.Addr().Unmap()]
	}
	if to := b.end(m.between[1], m.dst); to != nil {
		return []*machine{to}
	}
	return nil
}

func unmapped(at netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// broadcast reports whether an enumeration to an address reaches everybody. What a network's own broadcast address is,
// a capture does not say; .255 is the rule.
func broadcast(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsMulticast() || ip.Is4() && ip.As4()[3] == 255
}
