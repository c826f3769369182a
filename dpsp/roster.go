package dpsp

import (
	"cmp"
	"net/netip"
	"slices"

	"dplay4/wire"
)

// A roster is the machines of a session, found by their ids and listeners: a session may have thousands, and each packet
// asks who sent it.
type roster struct {
	all        []*peer // in order of joining
	byID       map[wire.PlayerID]*peer
	byListener map[netip.AddrPort][]*peer // by stream and alias, in order of joining
	byDatagram map[netip.AddrPort]*peer   // the first one that named it: another may name it as well, to have what is for it
	joined     uint64                     // how many ever were in it
}

// add adds a machine. Its id is nobody else's; its listener may be another one's, whose program ended unnoticed.
func (r *roster) add(m *peer) {
	if r.byID == nil {
		r.byID, r.byListener, r.byDatagram = map[wire.PlayerID]*peer{}, map[netip.AddrPort][]*peer{}, map[netip.AddrPort]*peer{}
	}
	r.joined++
	m.nth = r.joined
	r.all = append(r.all, m)
	r.byID[m.system] = m
	r.index(m)
}

func (r *roster) index(m *peer) {
	if r.byDatagram[m.datagram] == nil {
		r.byDatagram[m.datagram] = m
	}
	for _, at := range []netip.AddrPort{m.stream, m.alias} {
		if there := r.byListener[at]; at.IsValid() && !slices.Contains(there, m) {
			there = append(there, m)
			slices.SortFunc(there, func(a, b *peer) int { return cmp.Compare(a.nth, b.nth) })
			r.byListener[at] = there
		}
	}
}

func (r *roster) unindex(m *peer) {
	if r.byDatagram[m.datagram] == m {
		delete(r.byDatagram, m.datagram)
		for _, x := range r.all {
			if x != m && x.datagram == m.datagram && r.byDatagram[x.datagram] == nil {
				r.byDatagram[x.datagram] = x
			}
		}
	}
	for _, at := range []netip.AddrPort{m.stream, m.alias} {
		there := slices.DeleteFunc(r.byListener[at], func(x *peer) bool { return x == m })
		if len(there) == 0 {
			delete(r.byListener, at)
			continue
		}
		r.byListener[at] = there
	}
}

// remove removes a machine.
func (r *roster) remove(m *peer) {
	if r.byID[m.system] != m {
		return
	}
	delete(r.byID, m.system)
	r.unindex(m)
	r.all = slices.DeleteFunc(r.all, func(x *peer) bool { return x == m })
}

// move notes that a machine is reached at a listener, and names another one in its headers.
func (r *roster) move(m *peer, stream, alias netip.AddrPort) {
	r.unindex(m)
	m.stream, m.alias = stream, alias
	r.index(m)
}

// moveDatagram notes that a machine has another UDP socket.
func (r *roster) moveDatagram(m *peer, to netip.AddrPort) {
	r.unindex(m)
	m.datagram = to
	r.index(m)
}

// at returns the first machine that is reached at a listener, nil if there is none.
func (r *roster) at(listener netip.AddrPort) *peer {
	for _, m := range r.byListener[listener] {
		if m.stream == listener {
			return m
		}
	}
	return nil
}

// newest returns the last one: the programs of others have ended.
func (r *roster) newest(listener netip.AddrPort) (p *peer) {
	for _, m := range r.byListener[listener] {
		if m.stream == listener {
			p = m
		}
	}
	return p
}

// uncounted notes that a program that is no peer of ours speaks over a connection, and names a listener.
func (r *roster) uncounted(o origin) {
	for _, m := range r.byListener[o.listener] {
		if !o.udp {
			m.link.Uncounted(o.from)
		}
	}
}

// from returns the first machine that is reached at a listener, or names it, and whose packets may come from an address.
func (r *roster) from(listener netip.AddrPort, ip netip.Addr) *peer {
	for _, m := range r.byListener[listener] {
		if m.at(ip) {
			return m
		}
	}
	return nil
}

// passed returns the machines that are passed over when the next host is looked for.
func (r *roster) passed() (all []wire.PlayerID) {
	for _, p := range r.all {
		if p.passed {
			all = append(all, p.system)
		}
	}
	return all
}

// mayBe reports whether a message can be from a machine: by its header, or by its source where it has none.
func (r *roster) mayBe(o origin, p *peer) bool {
	if p == nil || o.listener.IsValid() {
		return p != nil && r.from(o.listener, o.from.Addr()) == p
	}
	return p.at(o.from.Addr())
}

// hasSender reports whether a message can be from a machine of the session: by its header, or by its source where it has
// none.
func (r *roster) hasSender(o origin) bool {
	if o.listener.IsValid() {
		return r.from(o.listener, o.from.Addr()) != nil
	}
	return slices.ContainsFunc(r.all, func(p *peer) bool { return p.at(o.from.Addr()) })
}
