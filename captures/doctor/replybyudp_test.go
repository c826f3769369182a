package doctor

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

func init() {
	byUDP := func(n *network, s *session) {
		s.seek(joinerIP, thisGame)
		n.udp(hostIP+":47624", joinerIP+":5000", sys(2300, &wire.EnumSessionsReply{Desc: s.desc, Name: wire.NewText("Test")}))
	}
	host := netip.MustParseAddrPort(hostIP + ":2300")
	offer := func(t captures.Transport) *Live {
		return &Live{Host: host.Addr(), Ways: []Way{{Transport: captures.UDP, Offers: []LiveOffer{{Host: host, Transport: t}}}}}
	}
	examples["reply-by-udp"] = []example{
		{name: "UDP only", want: []string{hostIP + " answered the question of " + joinerIP + " by UDP only; games wait for TCP at " + joinerIP + ":2300"},
			capture: func(n *network) { byUDP(n, newSession(n)) }},
		{name: "TCP as well", capture: func(n *network) {
			s := newSession(n)
			byUDP(n, s)
			s.offer(joinerIP + ":2300")
		}},
		{name: "live", live: offer(captures.UDP), want: []string{hostIP + ":2300 answers by UDP only"}, rest: true},
		{name: "live, over TCP", live: offer(captures.TCP)},
	}
}
