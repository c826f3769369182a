package doctor

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

func init() {
	offers := func(app wire.GUID) *Live {
		host := netip.MustParseAddrPort(hostIP + ":2300")
		return &Live{App: thisGame, Host: host.Addr(), Ways: []Way{{Transport: captures.UDP, Offers: []LiveOffer{{Host: host, App: app}}}}}
	}
	const this = "{00000001-0000-0000-0000-000000000000}"
	const other = "{00000002-0000-0000-0000-000000000000}"
	examples["app-mismatch"] = []example{
		{name: "answered all the same", want: []string{joinerIP + " looks for " + other + ", but " + hostIP + " hosts This Game " + this},
			shows: []string{"ENUMSESSIONS ApplicationGuid=" + other, "ENUMSESSIONSREPLY ApplicationGUID=This Game " + this}, capture: func(n *network) {
				s := newSession(n)
				s.seek(joinerIP, otherGame)
				s.offer(joinerIP + ":2300")
			}},
		{name: "others were answered", want: []string{thirdIP + " looks for " + other}, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			s.seek(thirdIP, otherGame)
		}},
		{name: "two games that are known", want: []string{joinerIP + " looks for Third Game "}, why: []string{"these are two games", "Let somebody host Third Game"}, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thirdGame)
			s.offer(joinerIP + ":2300")
		}},
		{name: "two editions of one game", want: []string{joinerIP + " looks for This Game: Gold "}, why: []string{"different versions of one", "install the same version"}, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, goldGame)
			s.offer(joinerIP + ":2300")
		}},
		{name: "answers only for its own", rest: true, want: []string{hostIP + " hosts This Game " + thisGame.String() + ", and answers only who asks for that game"}, capture: func(n *network) {
			n.UDP(joinerIP+":5000", hostIP+":47624", sys(2300, &wire.EnumSessions{}))
			n.UDP(joinerIP+":5000", hostIP+":47624", sys(2301, &wire.EnumSessions{Application: thisGame}))
			newSession(n).offer(joinerIP + ":2301")
		}},
		{name: "any game", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, wire.GUID{})
			s.offer(joinerIP + ":2300")
		}},
		{name: "asks for both", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, otherGame)
			s.seek(joinerIP, thisGame)
			s.offer(joinerIP + ":2300")
		}},
		{name: "live, two games that are known", live: &Live{App: thirdGame, Game: gameName, Ways: offers(thisGame).Ways}, want: []string{hostIP + ":2300 hosts This Game "},
			why: []string{"these are two games", "If This Game is to be played"}},
		{name: "live", why: []string{"different versions of one", "let somebody host it"}, live: offers(otherGame), want: []string{hostIP + ":2300 hosts " + other + ", which is not " + this}},
		{name: "live, the same", live: offers(thisGame)},
	}
}

func init() {
	asks := func(v wire.Dialect) func(*network) {
		return func(n *network) {
			n.UDP(joinerIP+":5000", everyone, sysOf(v, "0.0.0.0", 2300, &wire.EnumSessions{Application: thisGame}))
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
