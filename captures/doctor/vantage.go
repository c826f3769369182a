package doctor

import (
	"net/netip"
	"slices"

	"dplay4/captures"
)

// A vantage is the machine that a capture was made on, as far as that shows: all packets between two machines come from it or go to it.
type vantage struct {
	ends []netip.Addr // the addresses that it may have, at most two; nil: there was no packet between two machines
}

// see narrows the addresses down by a packet.
func (v *vantage) see(p *captures.Packet) {
	src, dst := p.Src.Addr(), p.Dst.Addr()
	switch {
	case broadcast(dst) || dst.IsMulticast():
	case v.ends == nil:
		v.ends = []netip.Addr{src, dst}
	default:
		v.ends = slices.DeleteFunc(v.ends, func(a netip.Addr) bool { return !slices.Contains([]netip.Addr{src, dst}, a) })
	}
}

// unanswerable reports whether the capture could not show the answer to a question that was not answered in it: a machine receives the
// broadcasts of another one, and neither the answer nor the join that follows. Two ends are left where only a host and one guest
// exchanged packets, and either may have made the capture. Then a session that does not show itself still explains the silence.
func (c *facts) unanswerable(a *ask) bool {
	if !a.Broadcast() {
		return false
	}
	if exists(c.Addresses.list, func(x *address) bool { return !x.Own && x.Socket == a.Asker && x.N > a.first().N }) {
		return true // a member of a session by now
	}
	ends := c.vantage.ends
	guests := where(ends, c.guest)
	return !slices.Contains(ends, a.Asker.Addr()) && len(guests) > 0 && (a.Hidden == nil || len(guests) == len(ends))
}

// guest reports whether a machine joined a session and hosts none: it answers no questions.
func (c *facts) guest(machine netip.Addr) bool {
	return !exists(c.Reigns, func(r *reign) bool { return r.Host.Addr() == machine }) &&
		exists(c.Joins, func(j *join) bool { return j.Joiner.Addr() == machine && j.List.Frame > 0 })
}
