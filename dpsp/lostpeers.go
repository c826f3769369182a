package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// A lostPeer was lost, not left, and knows the extension. It may live on in a part of the session that has a
// host of its own, if it was the network that broke.
type lostPeer struct {
	system   wire.PlayerID
	stream   netip.AddrPort
	datagram netip.AddrPort
	due      time.Duration // when it is told next that we are host, if we are
	wait     time.Duration // and how long after that it is told again
	doubt    bool          // it never said hello
}

// A machine remembers so many that it lost; a host tells each of them that it is host, first after one period of the
// ping timer, and ever more rarely, down to every claimPeriods: a network may be mended after hours.
const (
	maxLostPeers = 256
	claimPeriods = 8
)

func newLostPeer(system wire.PlayerID, stream, datagram netip.AddrPort, now, period time.Duration, doubt bool) lostPeer {
	return lostPeer{system, stream, datagram, now + period, period, doubt}
}

// claimDue reports whether it is to be told now that we are host, which makes the next time due.
func (f *lostPeer) claimDue(now, period time.Duration) bool {
	if f.due > now {
		return false
	}
	f.due, f.wait = now+f.wait, min(2*f.wait, claimPeriods*period)
	return true
}

// lostPeers are those that were lost and did not come back, in order.
type lostPeers []lostPeer

// remember notes one, instead of what was known of it. The oldest makes room.
func (l *lostPeers) remember(p lostPeer) {
	l.forget(p.system)
	if len(*l) >= maxLostPeers {
		*l = (*l)[1:]
	}
	*l = append(*l, p)
}

// forget forgets one that is back.
func (l *lostPeers) forget(system wire.PlayerID) {
	*l = slices.DeleteFunc(*l, func(f lostPeer) bool { return f.system == system })
}

// found forgets one that is in the session again, and who was at its listener.
func (l *lostPeers) found(system wire.PlayerID, stream netip.AddrPort) {
	*l = slices.DeleteFunc(*l, func(f lostPeer) bool { return f.system == system || f.stream == stream })
}

// next returns when the first of them is to be told that we are host.
func (l lostPeers) next() time.Duration {
	next := Never
	for i := range l {
		next = min(next, l[i].due)
	}
	return next
}

// listensAt reports whether one of them had a listener.
func (l lostPeers) listensAt(stream netip.AddrPort) bool {
	return slices.ContainsFunc(l, func(f lostPeer) bool { return f.stream == stream })
}

// was reports whether one of them had an id or a listener, and the address. It may have another id by now.
func (l lostPeers) was(system wire.PlayerID, listener netip.AddrPort, ip netip.Addr) bool {
	return slices.ContainsFunc(l, func(f lostPeer) bool {
		return (f.system == system || f.stream == listener) && (f.stream.Addr().Unmap() == ip || f.datagram.Addr().Unmap() == ip)
	})
}

// silent reports whether one of them never said hello.
func (l lostPeers) silent(system wire.PlayerID) bool {
	return slices.ContainsFunc(l, func(f lostPeer) bool { return f.system == system && f.doubt })
}
