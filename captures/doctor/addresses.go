package doctor

import (
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

var addressPrivate = rule{
	code: "address-private", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		told := map[string]bool{}
		for _, a := range c.Addresses {
			ip := a.Socket.Addr()
			if !private(a) || told[ip.String()+a.Told.String()] {
				continue
			}
			told[ip.String()+a.Told.String()] = true
			text := a.Teller.String() + " tells " + a.Told.String() + " to reach it at " + ip.String()
			if !a.Own {
				text = a.Teller.String() + " tells " + a.Told.String() + " to reach another machine at " + ip.String()
			}
			list = append(list, Finding{
				Text:     text + ", which is " + localKind(ip),
				Evidence: []Evidence{a.show(a.Field, a.Socket.String())},
			})
		}
		return list
	},
}

// private reports whether an address is one that who was told it cannot use: one of a local network or VPN, told to
// somebody on the internet, or on another such network while packets come from elsewhere.
func private(a *address) bool {
	ip := a.Socket.Addr()
	if ip.IsUnspecified() || localKind(ip) == "" || broadcast(a.Told) || sameNetwork(ip, a.Told) {
		return false
	}
	if global(a.Told) || a.Own && global(a.Teller) {
		return true
	}
	return localKind(ip) != localKind(a.Told) && ip != a.Teller
}

var addressNAT = rule{
	code: "address-nat", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		told := map[string]bool{}
		for _, a := range c.Addresses {
			ip := a.Socket.Addr()
			if !a.Own || ip.IsUnspecified() || ip == a.Teller || private(a) || told[ip.String()+a.Teller.String()] {
				continue
			}
			told[ip.String()+a.Teller.String()] = true
			list = append(list, Finding{
				Text:     "packets of a machine come from " + a.Teller.String() + ", but it says that it is at " + ip.String(),
				Evidence: []Evidence{a.show(a.Field, a.Socket.String())},
			})
		}
		return list
	},
}

var samePorts = rule{
	code: "same-ports", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for i, a := range c.Joins {
			for _, b := range c.Joins[i+1:] {
				if a.Joiner == b.Joiner && a.Conn != b.Conn && a.List.Frame > 0 && a.LastSeen.N > b.Asked.N {
					list = append(list, Finding{
						Text: "two machines behind " + a.Joiner.Addr().String() + " are both to be reached at " + a.Joiner.String(),
						Evidence: []Evidence{
							a.Asked.show("SockAddr", a.Joiner.String()+", from "+a.Conn.String()),
							b.Asked.show("SockAddr", b.Joiner.String()+", from "+b.Conn.String()),
							a.LastSeen.show("", "the first one goes on"),
						},
					})
				}
			}
		}
		told := map[[2]wire.PlayerID]bool{}
		for _, t := range c.Twins {
			k := [2]wire.PlayerID{min(t.One, t.Other), max(t.One, t.Other)}
			if told[k] {
				continue
			}
			told[k] = true
			list = append(list, Finding{
				Text: "two machines of the session, " + t.One.String() + " and " + t.Other.String() + ", are both to be reached at " +
					t.Socket.String(),
				Evidence: []Evidence{t.show(t.Field, t.Socket.String())},
			})
		}
		return list
	},
}

var portsOutside = rule{
	code: "ports-outside-range", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		type key struct {
			teller netip.Addr
			port   uint16
		}
		told := map[key]bool{}
		for _, a := range c.Addresses {
			k := key{a.Teller, a.Socket.Port()}
			if a.Socket.Port() == 0 || usual(a.Socket.Port()) || told[k] || !abroad(c, a) {
				continue
			}
			told[k] = true
			list = append(list, Finding{
				Text: a.Teller.String() + " wants to be reached at " + a.Transport.String() + " port " + itoa(int(a.Socket.Port())) +
					", which is not one of 2300 to 2400",
				Evidence: []Evidence{a.show(a.Field, a.Socket.String())},
			})
		}
		return list
	},
}

// abroad reports whether a port matters to a router or firewall: the two are not on one network, or nobody could
// connect to it.
func abroad(c *facts, a *address) bool {
	if !broadcast(a.Told) && !sameNetwork(a.Teller, a.Told) {
		return true
	}
	if a.Transport == captures.UDP {
		return false
	}
	ip := a.Socket.Addr()
	if ip.IsUnspecified() {
		ip = a.Teller
	}
	for _, d := range c.dialled(netip.AddrPortFrom(ip, a.Socket.Port())) {
		if d.Taken == 0 && !d.Used {
			return true
		}
	}
	return false
}

var portsTaken = rule{
	code: "ports-taken", severity: Warning,
	live: func(l *Live) (list []Finding) {
		for _, t := range []captures.Transport{captures.TCP, captures.UDP} {
			f := Finding{Text: "no " + t.String() + " port is free for a game on this machine"}
			free := false
			var guests []string // programs beside the bridge
			for i := range l.Ports {
				p := &l.Ports[i]
				if p.Number == wire.EnumPort || p.Transport != t {
					continue
				}
				free = free || p.Err == ""
				if l.Bridge != "" && !p.Bridge && p.Holder != "" && !slices.Contains(guests, p.Holder) {
					guests = append(guests, p.Holder)
				}
				f.Evidence = append(f.Evidence, p.show())
			}
			if free || len(f.Evidence) == 0 {
				continue
			}
			if t == captures.TCP && l.unasked() {
				f.Severity = Failure
				f.Text += ", so " + l.Host.String() + " could not be asked: there is none to wait for the answer at"
			}
			if len(guests) > 0 {
				f.section, f.fill = "bridge", []string{"{bridge}", l.Bridge, "{guests}", strings.Join(guests, " and ")}
			}
			list = append(list, f)
		}
		return list
	},
}

var adapterOdd = rule{
	code: "adapter-vpn", severity: Warning,
	live: func(l *Live) (list []Finding) {
		if l.Host.IsValid() && l.answered() {
			return nil // nothing stands in the way
		}
		for _, a := range l.playable() {
			for _, p := range a.Addrs {
				if p.Addr().Is4() && oddAdapter(p.Addr()) && !l.playsOver(p) {
					list = append(list, Finding{
						Text:     "the adapter " + a.Name + " has " + p.Addr().String() + ", which is " + localKind(p.Addr()),
						Evidence: []Evidence{a.show()},
					})
				}
			}
		}
		return list
	},
}

// playsOver reports whether the host that was asked, or one that answered, is in the network or VPN of an address of this
// machine.
func (l *Live) playsOver(p netip.Prefix) bool {
	if sameVPN(p, l.Host) {
		return true
	}
	for i := range l.Ways {
		for _, o := range l.Ways[i].Offers {
			if sameVPN(p, o.Host.Addr()) && o.Host.Addr() != p.Addr() {
				return true
			}
		}
	}
	return false
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
