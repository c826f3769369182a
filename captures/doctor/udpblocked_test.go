package doctor

import (
	"net/netip"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// pinging is a session in which a member is pinged without an answer, and something happens after each ping.
func pinging(times int, after func(n *network, s *session)) func(*network) {
	return func(n *network) {
		s := newSession(n)
		s.join(joinerIP, 0x100)
		for tick := range times {
			n.wait(time.Second)
			n.ping(hostIP, joinerIP, 1, uint32(tick))
			after(n, s)
		}
	}
}

func init() {
	speaks := func(_ *network, s *session) { s.tell(joinerIP, &wire.PlayerDataChanged{Player: 0x101}) }
	host := netip.MustParseAddrPort(hostIP + ":2300")
	offers := []LiveOffer{{Host: host}}
	ways := func(udp, tcp []LiveOffer) *Live {
		return &Live{Host: host.Addr(), Ways: []Way{{Transport: captures.UDP, Offers: udp}, {Transport: captures.TCP, Offers: tcp}}}
	}
	examples["udp-blocked"] = []example{
		{name: "TCP goes on", want: []string{joinerIP + ` ("player 257") got or answered no ping by UDP, of 4, while it went on to speak over TCP`}, capture: pinging(4, speaks)},
		{name: "UDP as well", capture: pinging(4, func(n *network, s *session) {
			speaks(n, s)
			n.ping(joinerIP, hostIP, 0x100, 9)
			n.pong(hostIP, joinerIP, 1, 9)
		})},
		{name: "all silent", rest: true, capture: pinging(4, func(*network, *session) {})},
		{name: "answered", capture: pinging(4, func(n *network, s *session) {
			speaks(n, s)
			n.pong(joinerIP, hostIP, 0x100, 1)
		})},
		{name: "live", live: ways(nil, offers), want: []string{hostIP + " answers questions over TCP, but not those by UDP"}},
		{name: "live, both", live: ways(offers, offers)},
		{name: "live, neither", live: ways(nil, nil), rest: true},
	}
}
