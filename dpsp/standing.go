package dpsp

import (
	"net/netip"
	"slices"

	"dplay4/dpsp/internal/admit"
	"dplay4/wire"
)

// A Standing says how close somebody is to us. Package sock shares what it has, such as connections and memory, by it.
type Standing uint8

// The standings, in order.
const (
	// Stranger is anybody.
	Stranger Standing = iota
	// Newcomer is who was given an id and is on its way into our session. While we are on our own way into one it is
	// everybody: its members may have heard of us before we hear of them.
	Newcomer
	// Member is a peer in our session, or the host that we asked to let us in or to tell us who is in its session.
	Member
)

// Standing returns the standing of who sends from an address and says that it listens at another one, as in the header
// of a message. As long as it has said nothing, which is Port 0, the address that it sends from decides.
func (s *sessionState) Standing(from netip.AddrPort, listens wire.SockAddr) Standing {
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	silent := listens.Port == 0
	o := origin{from: from, listener: resolve(listens, from.Addr())}
	asked := func(host netip.AddrPort, answers netip.Addr) bool {
		o := o
		if silent {
			o.listener = netip.AddrPortFrom(from.Addr(), host.Port())
		}
		return isHost(host, answers, o)
	}
	switch {
	case s.searching.asking != nil && asked(s.searching.asking.host, s.searching.asking.from):
		return Member
	case s.state == joinState && asked(s.way.want.Host, s.way.want.From):
		return Member
	case s.state == joinState:
		return Newcomer
	case s.peerOf(o) != nil:
		return Member
	case silent && slices.ContainsFunc(s.peers.all, func(p *peer) bool { return p.at(from.Addr()) }):
		return Member
	case slices.ContainsFunc(s.reserved.Newcomers, func(n *admit.Newcomer) bool {
		return n.Listener == o.direct().listener || silent && n.Listener.Addr() == from.Addr()
	}):
		return Newcomer
	}
	return Stranger
}
