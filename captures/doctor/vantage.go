package doctor

import (
	"net/netip"
	"slices"

	"dplay4/captures"
)

// A vantage is the machine that a capture was made on, as far as that shows: all packets between two machines come from it or go to it.
type vantage struct {
	ends  []netip.Addr // the addresses that it may have; at most two
	known bool         // there was a packet between two machines
}

// see narrows the addresses down by a packet.
func (v *vantage) see(p *captures.Packet) {
	src, dst := p.Src.Addr(), p.Dst.Addr()
	switch {
	case !p.Src.IsValid() || broadcast(dst) || dst.IsMulticast():
	case !v.known:
		v.known, v.ends = true, []netip.Addr{src, dst}
	default:
		n := 0
		for _, a := range v.ends {
			if a == src || a == dst {
				v.ends[n] = a
				n++
			}
		}
		v.ends = v.ends[:n]
	}
}

// unanswerable reports whether the capture could not show the answer to a question that was not answered in it: a machine receives the
// broadcasts of another one, and neither the answer nor the join that follows. Two ends are left where only a host and one guest
// exchanged packets, and either may have made the capture. Then a session that does not show itself still explains the silence.
func (c *facts) unanswerable(a *ask) bool {
	if !a.Broadcast() {
		return false
	}
	for _, x := range c.Addresses {
		if !x.Own && x.Socket == a.Asker && x.N > a.Marks[0].N {
			return true // a member of a session by now
		}
	}
	if slices.Contains(c.vantage.ends, a.Asker.Addr()) || !slices.ContainsFunc(c.vantage.ends, c.guest) {
		return false
	}
	return a.Hidden == nil || !slices.ContainsFunc(c.vantage.ends, func(e netip.Addr) bool { return !c.guest(e) })
}

// guest reports whether a machine joined a session and hosts none: it answers no questions.
func (c *facts) guest(machine netip.Addr) bool {
	for _, r := range c.Reigns {
		if r.Host.Addr() == machine {
			return false
		}
	}
	for _, j := range c.Joins {
		if j.Joiner.Addr() == machine && j.List.Frame > 0 {
			return true
		}
	}
	return false
}
