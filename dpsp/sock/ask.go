package sock

import (
	"encoding/binary"
	"net/netip"

	"dplay4/dpsp"
)

// ask sends an enumeration. To 255.255.255.255 it also goes to the broadcast address of every interface: the
// system sends the former out of one interface only, often the wrong one.
func (l *loop) ask(s *dpsp.Outgoing) {
	l.mu.Lock()
	c := l.asker
	if c == nil && l.quit.Err() == nil {
		// A socket of its own: answers come over TCP, so nothing is read from it.
		c, _ = l.opt.Network.ListenDatagrams(netip.AddrPortFrom(l.opt.Bind, 0))
		l.asker = c
	}
	l.mu.Unlock()
	if c == nil {
		return
	}
	say := func(to netip.AddrPort) {
		l.recorded(dpsp.Ask, addrPort(c.LocalAddr()), to, s.Data)
		c.WriteToUDPAddrPort(s.Data, to)
	}
	say(s.To)
	if s.To.Addr() != netip.AddrFrom4([4]byte{255, 255, 255, 255}) || !isSystem(l.opt.Network) {
		return
	}
	for _, n := range networks(l.opt.Bind) {
		say(netip.AddrPortFrom(n.ask, s.To.Port()))
	}
}

// A subnet is a network that everybody on can be asked.
type subnet struct {
	Adapter
	bits int        // of its prefix
	ask  netip.Addr // its broadcast address. Loopback has none; there 127.0.0.1 is asked, because a host may be on the same machine
}

// networks returns those of the interfaces that are up and have IPv4, or the one with the bound address.
func networks(bind netip.Addr) []subnet {
	list, err := Adapters()
	if err != nil { // every machine has this one
		list = []Adapter{{Addrs: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/8")}, Loopback: true}}
	}
	var all []subnet
	for _, a := range list {
		for _, p := range a.Addrs {
			switch {
			case !p.Addr().Is4() || !bind.IsUnspecified() && p.Addr() != bind:
			case a.Loopback:
				all = append(all, subnet{a, p.Bits(), p.Addr()})
			case a.Broadcast:
				all = append(all, subnet{a, p.Bits(), lastOf(p)})
			}
		}
	}
	return all
}

// lastOf gives the last address of a network, its broadcast address.
func lastOf(p netip.Prefix) netip.Addr {
	a := p.Addr().As4()
	binary.BigEndian.PutUint32(a[:], binary.BigEndian.Uint32(a[:])|(1<<(32-p.Bits())-1))
	return netip.AddrFrom4(a)
}
