package doctor

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/wire"
)

// nets are the address ranges that are of use on one network only, and what people call them.
var nets = []struct {
	net  netip.Prefix
	kind string
}{
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address, which a machine gives itself when no router gives it one"},
	{netip.MustParsePrefix("100.64.0.0/10"), "an address behind a provider's NAT, or of the VPN Tailscale"},
	{netip.MustParsePrefix("25.0.0.0/8"), "an address of the VPN Hamachi"},
	{netip.MustParsePrefix("26.0.0.0/8"), "an address of the VPN Radmin"},
	{netip.MustParsePrefix("127.0.0.0/8"), "an address of the machine itself, loopback"},
}

// localKind returns what an address is that only one network knows; "" for one that the internet knows.
func localKind(a netip.Addr) string {
	for _, n := range nets {
		if n.net.Contains(a.Unmap()) {
			return n.kind
		}
	}
	return ""
}

// linkLocal and VPN addresses are those by which a question seldom reaches the network that is meant.
func oddAdapter(a netip.Addr) bool {
	a = a.Unmap()
	for _, n := range nets[3:7] {
		if n.net.Contains(a) {
			return true
		}
	}
	return false
}

// global reports whether the internet knows an address.
func global(a netip.Addr) bool {
	return a.Is4() && localKind(a) == "" && !broadcast(a) && !a.IsUnspecified() && !a.IsMulticast()
}

// broadcast reports whether an address means everybody on a network, as far as that shows: 255.255.255.255, or one that
// ends in 255.
func broadcast(a netip.Addr) bool { return a.Is4() && a.As4()[3] == 255 }

// sameNetwork reports whether two addresses can be on one network. Networks of homes are /24 or smaller.
func sameNetwork(a, b netip.Addr) bool {
	if a.IsLoopback() && b.IsLoopback() {
		return true
	}
	p, err := a.Prefix(24)
	if err != nil {
		return false
	}
	return p.Contains(b)
}

// usual reports whether a port is one that people forward to their machine for DirectPlay.
func usual(port uint16) bool { return port >= 2300 && port <= 2400 || port == wire.EnumPort }

// address stores an address in a message. own means that it is the sender's.
func (c *collector) address(m *message, field string, a wire.SockAddr, t captures.Transport, own bool) {
	if a.Port == 0 && a.Addr == [4]byte{} {
		return
	}
	if t == captures.TCP {
		c.listen(netip.AddrPortFrom(resolve(m, a), a.Port))
	}
	k := addressKey{m.Src.Addr(), m.Dst.Addr(), netip.AddrPortFrom(netip.AddrFrom4(a.Addr), a.Port), t, own}
	if x := c.Addresses.at(k); x.Frame == 0 {
		*x = address{m.at, k, field}
	}
}

// packed stores the addresses and the name of a player.
func (c *collector) packed(m *message, p *wire.PackedPlayer, own bool) {
	c.spData(m, p.SPData, "SPData", own)
	c.nameOf(m, p.Flags, p.ID, p.ShortName, p.LongName)
	if own {
		c.name(m.from, p.ShortName, p.LongName)
	}
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
func (c *collector) nameOf(m *message, flags wire.PlayerFlags, id wire.PlayerID, short, long wire.Text) {
	if p := m.Session.Player(id); p != nil && p.Machine.IsValid() && flags&wire.PlayerSystem == 0 {
		c.name(p.Machine, short, long)
	}
}

// name stores the name of a machine: that of its first player.
func (c *collector) name(at netip.AddrPort, short, long wire.Text) {
	if n := cmp.Or(short.String(), long.String()); n != "" && c.names[at] == "" {
		put(&c.names, at, clip(n), maxNames)
	}
}

// each calls tell with the addresses for which so is true, and once for each key.
func (c *facts) each(so func(*address) bool, key func(*address) [2]string, tell func(*address)) {
	told := map[[2]string]bool{}
	for _, a := range c.Addresses.list {
		if k := key(a); so(a) && !told[k] {
			told[k] = true
			tell(a)
		}
	}
}

// addressPrivate adds what address-private finds in a capture.
func addressPrivate(c *facts, out *findings) {
	c.each(private, func(a *address) [2]string { return [2]string{a.Socket.Addr().String(), a.Told.String()} }, func(a *address) {
		ip, whom := a.Socket.Addr(), pick(a.Own, "it", "another machine")
		out.add(a.Teller.String()+" tells "+a.Told.String()+" to reach "+whom+" at "+ip.String()+", which is "+localKind(ip),
			a.show(a.Field, a.Socket.String()))
	})
}

// private reports whether an address is one that who was told it cannot use: one of a local network or VPN, told to
// somebody on the internet, or on another such network while packets come from elsewhere.
func private(a *address) bool {
	ip := a.Socket.Addr()
	if ip.IsUnspecified() || localKind(ip) == "" || broadcast(a.Told) || sameNetwork(ip, a.Told) {
		return false
	}
	return global(a.Told) || a.Own && global(a.Teller) || localKind(ip) != localKind(a.Told) && ip != a.Teller
}

// addressNAT adds what address-nat finds in a capture.
func addressNAT(c *facts, out *findings) {
	c.each(func(a *address) bool {
		ip := a.Socket.Addr()
		return a.Own && !ip.IsUnspecified() && ip != a.Teller && !private(a)
	}, func(a *address) [2]string { return [2]string{a.Socket.Addr().String(), a.Teller.String()} }, func(a *address) {
		out.add("packets of a machine come from "+a.Teller.String()+", but it says that it is at "+a.Socket.Addr().String(),
			a.show(a.Field, a.Socket.String()))
	})
}

// twins are two machines of one list with one socket.
type twins struct {
	mark
	Field      string
	One, Other wire.PlayerID
	Socket     netip.AddrPort
}

// samePorts watches the messages for same-ports.
func samePorts(c *facts) (func(*message), func(*findings)) {
	var all table[[2]wire.PlayerID, twins]
	see := func(m *message) {
		if x, ok := m.Envelope.Message.(*wire.SuperEnumPlayersReply); ok {
			listTwins(m, x, &all)
		}
	}
	tell := func(out *findings) {
		for i, a := range c.Joins {
			for _, b := range c.Joins[i+1:] {
				if a.Joiner == b.Joiner && a.Conn != b.Conn && a.List.Frame > 0 && a.LastSeen.N > b.Asked.N {
					out.add("two machines behind "+a.Joiner.Addr().String()+" are both to be reached at "+a.Joiner.String(),
						a.Asked.show("SockAddr", a.Joiner.String()+", from "+a.Conn.String()),
						b.Asked.show("SockAddr", b.Joiner.String()+", from "+b.Conn.String()),
						a.LastSeen.show("", "the first one goes on"))
				}
			}
		}
		for _, t := range all.list {
			out.add("two machines of the session, "+t.One.String()+" and "+t.Other.String()+", are both to be reached at "+t.Socket.String(),
				t.show(t.Field, t.Socket.String()))
		}
	}
	return see, tell
}

// listTwins finds the twins of a list of players.
func listTwins(m *message, x *wire.SuperEnumPlayersReply, all *table[[2]wire.PlayerID, twins]) {
	machines := map[netip.AddrPort]wire.PlayerID{}
	for i := range x.Players {
		p := &x.Players[i]
		d, ok := wire.ParseSPData(p.SPData)
		if p.Flags&wire.PlayerSystem == 0 || !ok || d.Stream.Port == 0 {
			continue
		}
		at := netip.AddrPortFrom(resolve(m, d.Stream), d.Stream.Port)
		if own := m.Session.Player(p.ID); own != nil && own.Machine == m.to && m.To.Sure {
			at = m.to // the addressee knows its own port, and the list can have another one
		}
		if other, twice := machines[at]; twice && other != p.ID {
			if t := all.at([2]wire.PlayerID{min(other, p.ID), max(other, p.ID)}); t.Frame == 0 {
				*t = twins{mark: m.at, Field: "Players[" + itoa(i) + "].SPData", One: other, Other: p.ID, Socket: at}
			}
		}
		machines[at] = p.ID
	}
}

// portsOutside adds what ports-outside-range finds in a capture.
func portsOutside(c *facts, out *findings) {
	c.each(func(a *address) bool { return a.Socket.Port() != 0 && !usual(a.Socket.Port()) && abroad(c, a) },
		func(a *address) [2]string { return [2]string{a.Teller.String(), itoa(int(a.Socket.Port()))} },
		func(a *address) {
			out.add(a.Teller.String()+" wants to be reached at "+a.Transport.String()+" port "+itoa(int(a.Socket.Port()))+
				", which is not one of 2300 to 2400", a.show(a.Field, a.Socket.String()))
		})
}

// abroad reports whether a port matters to a router or firewall: the two are not on one network, or nobody could
// connect to it.
func abroad(c *facts, a *address) bool {
	if !broadcast(a.Told) && !sameNetwork(a.Teller, a.Told) {
		return true
	}
	ip := a.Socket.Addr()
	to := netip.AddrPortFrom(pick(ip.IsUnspecified(), a.Teller, ip), a.Socket.Port())
	return a.Transport == captures.TCP && exists(c.Dials.list, func(d *dial) bool { return d.To == to && d.failed() })
}

// portsTaken adds what ports-taken finds on this machine.
func portsTaken(l *Live, out *findings) {
	for _, t := range []captures.Transport{captures.TCP, captures.UDP} {
		ports := slices.DeleteFunc(slices.Clone(l.Ports), func(p Port) bool { return p.Number == wire.EnumPort || p.Transport != t })
		if len(ports) == 0 || slices.ContainsFunc(ports, func(p Port) bool { return p.Err == "" }) {
			continue // one is free
		}
		f := out.add("no " + t.String() + " port is free for a game on this machine")
		var guests []string // programs beside the bridge
		for _, p := range ports {
			f.Evidence = append(f.Evidence, p.show())
			if !p.Bridge && p.Holder != "" && !slices.Contains(guests, p.Holder) {
				guests = append(guests, p.Holder)
			}
		}
		if t == captures.TCP && l.unasked() {
			f.Severity = Failure
			f.Text += ", so " + l.Host.String() + " could not be asked: there is none to wait for the answer at"
		}
		if l.Bridge != "" && len(guests) > 0 {
			f.in("bridge", "{bridge}", l.Bridge, "{guests}", strings.Join(guests, " and "))
		}
	}
}

// adapterOdd adds what adapter-vpn finds on this machine.
func adapterOdd(l *Live, out *findings) {
	if l.Host.IsValid() && l.answered() {
		return // nothing stands in the way
	}
	for _, a := range l.playable() {
		for _, p := range a.Addrs {
			if p.Addr().Is4() && oddAdapter(p.Addr()) && !l.playsOver(p) {
				out.add("the adapter "+a.Name+" has "+p.Addr().String()+", which is "+localKind(p.Addr()), a.show())
			}
		}
	}
}

// playsOver reports whether the host that was asked, or one that answered, is in the network or VPN of an address of this
// machine.
func (l *Live) playsOver(p netip.Prefix) bool {
	return sameVPN(p, l.Host) || slices.ContainsFunc(l.offers(), func(o *LiveOffer) bool {
		return sameVPN(p, o.Host.Addr()) && o.Host.Addr() != p.Addr()
	})
}

// sameVPN reports whether an address is in the network of an adapter's. Some VPNs give each machine a network of its own,
// a /32: then the range that the VPN takes its addresses from counts.
func sameVPN(p netip.Prefix, at netip.Addr) bool {
	if p.Contains(at) {
		return true
	}
	for _, n := range nets[4:7] {
		if n.net.Contains(p.Addr()) && n.net.Contains(at.Unmap()) {
			return true
		}
	}
	return false
}
