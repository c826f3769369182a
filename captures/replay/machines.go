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
	modern   bool                    // it sent a message of the extension
	traffic  []*message              // that it sent or was sent
	says     []*message              // that it sent
	seed     *[32]byte               // as a host; see likeMask
	met      map[netip.AddrPort]bool // listeners of the machines that the capture shows it with
}

// assign finds out who sent what to whom. A datagram can come before it is known whose it is: this takes two passes.
func (c *Capture) assign() error {
	c.listeners, c.datagrams, c.at = map[netip.AddrPort]*machine{}, map[netip.AddrPort]*machine{}, map[netip.Addr][]*machine{}
	for _, m := range c.messages {
		c.learn(m)
		if len(c.machines) > MaxMachines {
			return fmt.Errorf("%w: more than %d machines", ErrTooLarge, MaxMachines)
		}
	}
	for _, m := range c.messages {
		m.from, m.to = c.end(m.between[0], m.src), c.addressees(m)
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

func (c *Capture) machine(listener netip.AddrPort) *machine {
	m := c.listeners[listener]
	if m == nil {
		m = &machine{listener: listener, met: map[netip.AddrPort]bool{}}
		c.listeners[listener] = m
		c.at[listener.Addr()] = append(c.at[listener.Addr()], m)
		c.machines = append(c.machines, m)
	}
	return m
}

// learn learns from a message where its sender and its addressee listen.
func (c *Capture) learn(m *message) {
	if m.between[1].Sure && m.transport == captures.TCP {
		c.machine(m.between[1].At)
	}
	if !m.env.HasSP || !m.between[0].Sure {
		return
	}
	from := c.machine(m.between[0].At)
	if from.header.Family == 0 {
		from.header = m.env.SP.SockAddr
	}
	if m.env.System() && from.dialect == 0 {
		from.dialect = m.env.Version
	}
	if m.transport == captures.UDP && m.dst.Port() != dpsp.EnumPort {
		c.datagram(from, m.src)
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
		c.datagram(from, netip.AddrPortFrom(from.listener.Addr(), sp.Datagram.Port))
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

func (c *Capture) datagram(m *machine, at netip.AddrPort) {
	if at.Port() != 0 && !m.datagram.IsValid() && c.datagrams[at] == nil {
		m.datagram, c.datagrams[at] = at, m
	}
}

// meet notes that two machines exchange something. What asks for sessions reaches everybody and says nothing.
func (m *message) meet() {
	if to := m.addressee(); m.from != nil && to != nil && m.dst.Port() != dpsp.EnumPort {
		m.from.met[to.listener], to.met[m.from.listener] = true, true
	}
}

// end returns the machine at an end of a message: the one that the capture's reader named, or that of the packet's UDP socket.
func (c *Capture) end(e captures.Machine, socket netip.AddrPort) *machine {
	if m := c.listeners[e.At]; m != nil && e.Sure {
		return m
	}
	return c.machineAt(socket)
}

// machineAt returns the machine that has a UDP socket, or the only one at its address.
func (c *Capture) machineAt(socket netip.AddrPort) *machine {
	if there := c.at[socket.Addr()]; len(there) == 1 && c.datagrams[socket] == nil {
		return there[0]
	}
	return c.datagrams[socket]
}

func (c *Capture) addressees(m *message) []*machine {
	switch {
	case m.dst.Port() == dpsp.EnumPort && broadcast(m.dst.Addr()):
		return c.machines
	case m.dst.Port() == dpsp.EnumPort:
		return c.at[m.dst.Addr()]
	}
	if to := c.end(m.between[1], m.dst); to != nil {
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
	return ip.IsMulticast() || ip.Is4() && ip.As4()[3] == 255
}
