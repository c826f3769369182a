package doctor

import (
	"net/netip"

	"dplay4/wire"
)

func init() {
	asks := func(v wire.Dialect) func(*network) {
		return func(n *network) {
			n.udp(joinerIP+":5000", everyone, sysOf(v, "0.0.0.0", 2300, &wire.EnumSessions{Application: thisGame}))
			newSession(n).offer(joinerIP + ":2300")
		}
	}
	joins := func(v wire.Dialect, list bool) func(*network) {
		return func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			c := n.conn(joinerIP+":4100", hostIP+":2300")
			c.send(sysOf(v, "0.0.0.0", 2300, &wire.RequestPlayerID{Flags: wire.PlayerSystem}))
			s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{ID: 0x100})
			c.send(sysOf(v, "0.0.0.0", 2300, s.newcomer(0x100)))
			if list {
				s.toldBy(joinerIP+":2300", s.list())
			}
		}
	}
	examples["dialect-mismatch"] = []example{
		{name: "unknown", want: []string{joinerIP + " speaks version 21, which no DirectPlay 4 knows"}, capture: asks(21)},
		{name: "live", live: &Live{Ways: []Way{{Offers: []LiveOffer{{Host: netip.MustParseAddrPort(hostIP + ":2300"), Version: 21}}}}},
			want: []string{hostIP + " speaks version 21, which no DirectPlay 4 knows"}, shows: []string{"ENUMSESSIONSREPLY Version=21"}},
		{name: "live, known", live: offering(LiveOffer{})},
		{name: "live, not told", live: &Live{Ways: []Way{{Offers: []LiveOffer{{}}}}}},
		{name: "known", capture: asks(wire.DX6)},
		{name: "different, and no list", want: []string{joinerIP + " speaks version 9 (DX6) and " + hostIP + " version 14 (DX9), and the join came to nothing"}, rest: true,
			capture: joins(wire.DX6, false)},
		{name: "different, and a list", capture: joins(wire.DX6, true)},
		{name: "the same, and no list", rest: true, capture: joins(wire.DX9, false)},
	}
}
