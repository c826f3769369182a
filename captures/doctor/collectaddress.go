package doctor

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

// An addressKey tells addresses apart.
type addressKey struct {
	teller, told netip.Addr
	socket       netip.AddrPort
	transport    captures.Transport
	own          bool
}

// header takes the address in a message's SP header.
func (c *collector) header(r *captures.Record, m Mark) {
	a := r.Envelope.SP.SockAddr
	c.address(r, m, "SockAddr", a, captures.TCP, true)
}

// packed takes the addresses of a player. own says that the sender tells of itself.
func (c *collector) packed(r *captures.Record, m Mark, from netip.AddrPort, p *wire.PackedPlayer, own bool) {
	c.spData(r, m, p.SPData, "SPData", own)
	if at, ok := c.stream(r, p.SPData); ok && p.Flags&wire.PlayerSystem == 0 {
		c.name(at, p.ShortName, p.LongName)
	}
	if own {
		c.name(from, p.ShortName, p.LongName)
	}
}

// spData takes the addresses in service provider data.
func (c *collector) spData(r *captures.Record, m Mark, data []byte, field string, own bool) {
	d, ok := wire.ParseSPData(data)
	if !ok {
		return
	}
	c.address(r, m, field+".Stream", d.Stream, captures.TCP, own)
	c.address(r, m, field+".Datagram", d.Datagram, captures.UDP, own)
	udp := netip.AddrPortFrom(c.resolve(r, d.Datagram), d.Datagram.Port)
	if len(c.sockets) < maxListeners {
		c.sockets[udp] = netip.AddrPortFrom(c.resolve(r, d.Stream), d.Stream.Port)
	}
}

// stream gives the listener in service provider data.
func (c *collector) stream(r *captures.Record, data []byte) (netip.AddrPort, bool) {
	d, ok := wire.ParseSPData(data)
	if !ok || d.Stream.Port == 0 {
		return netip.AddrPort{}, false
	}
	return netip.AddrPortFrom(c.resolve(r, d.Stream), d.Stream.Port), true
}

// resolve gives the address that one in a message means: 0.0.0.0 is where the message came from.
func (c *collector) resolve(r *captures.Record, a wire.SockAddr) netip.Addr {
	if ip := netip.AddrFrom4(a.Addr); !ip.IsUnspecified() {
		return ip
	}
	return r.Src.Addr()
}

func (c *collector) address(r *captures.Record, m Mark, field string, a wire.SockAddr, t captures.Transport, own bool) {
	if a.Port == 0 && a.Addr == [4]byte{} {
		return
	}
	at := netip.AddrPortFrom(netip.AddrFrom4(a.Addr), a.Port)
	if t == captures.TCP {
		c.listen(netip.AddrPortFrom(c.resolve(r, a), a.Port))
	}
	k := addressKey{r.Src.Addr(), r.Dst.Addr(), at, t, own}
	if c.addresses[k] || len(c.Addresses) >= maxFacts {
		return
	}
	c.addresses[k] = true
	c.Addresses = append(c.Addresses, &Address{Mark: m, Field: field, Transport: t, Teller: r.Src.Addr(), Own: own,
		Told: r.Dst.Addr(), Socket: at})
}

// name remembers what people call a machine: its first player.
func (c *collector) name(at netip.AddrPort, short, long wire.Text) {
	n := short.String()
	if n == "" {
		n = long.String()
	}
	if n != "" && c.names[at] == "" && len(c.names) < maxNames {
		c.names[at] = clip(n)
	}
}
