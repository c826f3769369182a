package doctor

import (
	"cmp"
	"net/netip"
	"strings"

	"dplay4/captures"
	"dplay4/wire"
)

// A localNet is an address range that is of use on one network only, with the words for its addresses.
type localNet struct {
	net  netip.Prefix
	kind string
}

// nets are the local address ranges: first those of private networks, then link-local addresses and VPNs.
var nets = []localNet{
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address, which a machine gives itself when no router gives it one"},
	{netip.MustParsePrefix("100.64.0.0/10"), "an address behind a provider's NAT, or of the VPN Tailscale"},
	{netip.MustParsePrefix("25.0.0.0/8"), "an address of the VPN Hamachi"},
	{netip.MustParsePrefix("26.0.0.0/8"), "an address of the VPN Radmin"},
	{netip.MustParsePrefix("127.0.0.0/8"), "an address of the machine itself, loopback"},
}

// odd are the ranges of nets by which a question seldom reaches the network that is meant, and vpns those of VPNs.
var odd, vpns = nets[3:7], nets[4:7]

// within returns the range that an address is in, the zero localNet if it is in none.
func within(list []localNet, a netip.Addr) localNet {
	return first(where(list, func(n localNet) bool { return n.net.Contains(a.Unmap()) }))
}

// localKind returns the words for an address that is of use on one network only, "" for an address of the internet.
func localKind(a netip.Addr) string { return within(nets, a).kind }

// global reports whether an address is one of the internet.
func global(a netip.Addr) bool {
	return a.Is4() && a.IsGlobalUnicast() && localKind(a) == "" && !broadcast(a)
}

// broadcast reports whether an address means everybody on a network, as far as that shows: 255.255.255.255, or one that
// ends in 255.
func broadcast(a netip.Addr) bool { return a.Is4() && a.As4()[3] == 255 }

// sameNetwork reports whether two addresses can be on one network. Networks of homes are /24 or smaller.
func sameNetwork(a, b netip.Addr) bool {
	p, _ := a.Prefix(24) // the zero prefix contains no address
	return a.IsLoopback() && b.IsLoopback() || p.Contains(b)
}

// usual reports whether a port is one that people forward to their machine for DirectPlay.
func usual(port uint16) bool { return port >= 2300 && port <= 2400 || port == wire.EnumPort }

// address stores an address in a message. own means that it is the sender's.
func (c *collector) address(m *message, field string, a wire.SockAddr, t captures.Transport, own bool) {
	socket := netip.AddrPortFrom(netip.AddrFrom4(a.Addr), a.Port)
	if socket == netip.AddrPortFrom(netip.IPv4Unspecified(), 0) {
		return
	}
	if t == captures.TCP {
		c.listen(netip.AddrPortFrom(resolve(m, a), a.Port))
	}
	k := addressKey{m.Src.Addr(), m.Dst.Addr(), socket, t, own}
	c.Addresses.at(k, address{m.at, k, field})
}

// own stores the addresses and the name of a player of the message's sender.
func (c *collector) own(m *message, p *wire.PackedPlayer) {
	c.spData(m, p.SPData, "SPData", true)
	c.nameOf(m, p)
	c.name(m.from, p)
}

// spData stores the addresses in service provider data.
func (c *collector) spData(m *message, data []byte, field string, own bool) {
	if d, ok := wire.ParseSPData(data); ok {
		c.address(m, field+".Stream", d.Stream, captures.TCP, own)
		c.address(m, field+".Datagram", d.Datagram, captures.UDP, own)
	}
}

// resolve returns the address that one in a message means: 0.0.0.0 is where the message came from.
func resolve(m *message, a wire.SockAddr) netip.Addr {
	ip := netip.AddrFrom4(a.Addr)
	return pick(ip.IsUnspecified(), m.Src.Addr(), ip)
}

// nameOf stores the name of a player as that of its machine.
func (c *collector) nameOf(m *message, p *wire.PackedPlayer) {
	if x := m.player(p.ID); x.Machine.IsValid() && p.Flags&wire.PlayerSystem == 0 {
		c.name(x.Machine, p)
	}
}

// name stores the name of a machine: that of its first player.
func (c *collector) name(at netip.AddrPort, p *wire.PackedPlayer) {
	x := c.machine(at)
	x.name = cmp.Or(x.name, clip(cmp.Or(p.ShortName.String(), p.LongName.String())))
}

// addressesWhere returns a function for the addresses for which so returns true: the first one with each key.
func addressesWhere(so func(*facts, *address) bool, key func(*address) [2]string) func(*facts) []*address {
	return func(c *facts) []*address {
		return once(where(c.Addresses.list, func(a *address) bool { return so(c, a) }), key)
	}
}

// show makes evidence of an address.
func (a *address) show() Evidence { return a.mark.show(a.Field, a.Socket.String()) }

// addressPrivate is the rule address-private for captures.
var addressPrivate = each(addressesWhere(private, func(a *address) [2]string { return [2]string{a.Socket.Addr().String(), a.Told.String()} }),
	func(_ *facts, a *address) *Finding {
		ip := a.Socket.Addr()
		return found(a.Teller.String()+" tells "+a.Told.String()+" to reach "+pick(a.Own, "it", "another machine")+" at "+ip.String()+", which is "+
			localKind(ip), a.show())
	})

// private reports whether an address is of no use to the machine that was told it: one of a local network or VPN, told to
// somebody on the internet, or on another such network while packets come from elsewhere.
func private(_ *facts, a *address) bool {
	ip := a.Socket.Addr()
	if localKind(ip) == "" || broadcast(a.Told) || sameNetwork(ip, a.Told) {
		return false
	}
	return global(a.Told) || a.Own && global(a.Teller) || localKind(ip) != localKind(a.Told) && ip != a.Teller
}

// addressNAT is the rule address-nat for captures.
var addressNAT = each(addressesWhere(func(c *facts, a *address) bool {
	ip := a.Socket.Addr()
	return a.Own && !ip.IsUnspecified() && ip != a.Teller && !private(c, a)
}, func(a *address) [2]string { return [2]string{a.Socket.Addr().String(), a.Teller.String()} }), func(_ *facts, a *address) *Finding {
	return found("packets of a machine come from "+a.Teller.String()+", but it says that it is at "+a.Socket.Addr().String(), a.show())
})

// twins are two machines of one list with one socket.
type twins struct {
	mark
	Field      string
	One, Other wire.PlayerID
	Socket     netip.AddrPort
}

// samePorts is the rule same-ports for captures.
var samePorts = all(each((*facts).namesakes, func(_ *facts, x [2]*join) *Finding {
	a, b := x[0], x[1]
	return found("two machines behind "+a.Joiner.Addr().String()+" are both to be reached at "+a.Joiner.String(),
		a.Asked.show("SockAddr", a.Joiner.String()+", from "+a.Conn.String()),
		b.Asked.show("SockAddr", b.Joiner.String()+", from "+b.Conn.String()),
		a.LastSeen.show("", "the first one goes on"))
}), each(func(c *facts) []*twins { return c.Twins.list }, func(_ *facts, t *twins) *Finding {
	return found("two machines of the session, "+t.One.String()+" and "+t.Other.String()+", are both to be reached at "+t.Socket.String(),
		t.show(t.Field, t.Socket.String()))
}))

// namesakes returns the pairs of joins at one socket of which the first one goes on after the second one began.
func (c *facts) namesakes() (list [][2]*join) {
	for _, g := range groups(c.Joins, func(j *join) netip.AddrPort { return j.Joiner }) {
		for i, a := range g {
			for _, b := range few(where(g[i+1:], func(b *join) bool { return a.Conn != b.Conn && a.List.Frame > 0 && a.LastSeen.N > b.Asked.N })) {
				list = append(list, [2]*join{a, b})
			}
		}
	}
	return list
}

// listTwins finds the twins of a list of players.
func (c *collector) listTwins(m *message, x *wire.SuperEnumPlayersReply) {
	machines := map[netip.AddrPort]wire.PlayerID{}
	for i := range x.Players {
		p := &x.Players[i]
		d, ok := wire.ParseSPData(p.SPData)
		if p.Flags&wire.PlayerSystem == 0 || !ok || d.Stream.Port == 0 {
			continue
		}
		at := netip.AddrPortFrom(resolve(m, d.Stream), d.Stream.Port)
		if m.To == (captures.Machine{At: m.player(p.ID).Machine, Sure: true}) {
			at = m.to // the addressee knows its own port, and the list can have another one
		}
		if other := cmp.Or(machines[at], p.ID); other != p.ID {
			c.Twins.at([2]wire.PlayerID{min(other, p.ID), max(other, p.ID)}, twins{m.at, "Players[" + itoa(i) + "].SPData", other, p.ID, at})
		}
		machines[at] = p.ID
	}
}

// portsOutside is the rule ports-outside-range for captures.
var portsOutside = each(addressesWhere(func(c *facts, a *address) bool {
	return a.Socket.Port() != 0 && !usual(a.Socket.Port()) && abroad(c, a)
},
	func(a *address) [2]string { return [2]string{a.Teller.String(), itoa(a.Socket.Port())} }),
	func(_ *facts, a *address) *Finding {
		return found(a.Teller.String()+" wants to be reached at "+a.Transport.String()+" port "+itoa(a.Socket.Port())+
			", which is not one of 2300 to 2400", a.show())
	})

// abroad reports whether a port matters to a router or firewall: the two are not on one network, or nobody could
// connect to it.
func abroad(c *facts, a *address) bool {
	if !broadcast(a.Told) && !sameNetwork(a.Teller, a.Told) {
		return true
	}
	ip := a.Socket.Addr()
	to := netip.AddrPortFrom(pick(ip.IsUnspecified(), a.Teller, ip), a.Socket.Port())
	return a.Transport == captures.TCP && exists(c.dialsTo[to], (*dial).failed)
}

// portsTaken is the rule ports-taken for this machine.
var portsTaken = each(func(*Live) []captures.Transport { return []captures.Transport{captures.TCP, captures.UDP} }, (*Live).noneFree)

// gamePorts returns the ports of a transport that games can have.
func (l *Live) gamePorts(t captures.Transport) []Port {
	return where(l.Ports, func(p Port) bool { return p.Number != wire.EnumPort && p.Transport == t })
}

// noneFree judges the ports of a transport that games can have.
func (l *Live) noneFree(t captures.Transport) *Finding {
	ports := l.gamePorts(t)
	if len(ports) == 0 || exists(ports, func(p Port) bool { return p.Err == "" }) {
		return nil
	}
	f := found("no "+t.String()+" port is free for a game on this machine", mapped(ports, Port.show)...)
	if t == captures.TCP && l.unasked() {
		f.as(Failure).Text += ", so " + l.Host.String() + " could not be asked: there is none to wait for the answer at"
	}
	guests := where(ports, func(p Port) bool { return !p.Bridge && p.Holder != "" }) // programs beside the bridge
	if l.Bridge != "" && len(guests) > 0 {
		names := once(mapped(guests, func(p Port) string { return p.Holder }), strings.Clone)
		f.in("bridge", "{bridge}", l.Bridge, "{guests}", strings.Join(names, " and "))
	}
	return f
}

// adapterOdd is the rule adapter-vpn for this machine.
func adapterOdd(l *Live) []*Finding {
	if l.Host.IsValid() && l.Answered() {
		return nil // nothing stands in the way
	}
	return flat(l.playable(), func(a Adapter) []*Finding {
		strange := where(a.Addrs, func(p netip.Prefix) bool { return within(odd, p.Addr()).kind != "" && !l.playsOver(p) })
		return mapped(strange, func(p netip.Prefix) *Finding {
			return found("the adapter "+a.Name+" has "+p.Addr().String()+", which is "+localKind(p.Addr()), a.show())
		})
	})
}

// playsOver reports whether the host that was asked, or one that answered, is in the network or VPN of an address of this
// machine.
func (l *Live) playsOver(p netip.Prefix) bool {
	return sameVPN(p, l.Host) || exists(l.Offers(), func(o LiveOffer) bool {
		return sameVPN(p, o.Host.Addr()) && o.Host.Addr() != p.Addr()
	})
}

// sameVPN reports whether an address is in the network of an adapter's. Some VPNs give each machine a network of its own,
// a /32: then the range that the VPN takes its addresses from counts.
func sameVPN(p netip.Prefix, at netip.Addr) bool {
	return p.Contains(at) || within(vpns, p.Addr()).net.Contains(at.Unmap())
}
