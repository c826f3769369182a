package doctor

import "dplay4/wire"

func init() {
	nothing := func(*network, *session) {}
	const silent = joinerIP + ` ("player 257") did not answer `
	examples["member-silent"] = []example{
		{name: "for good", want: []string{silent + "5 pings, the last that was heard of it came at 0.0"}, shows: []string{"CREATEPLAYER =the last sign of life"}, capture: pinging(5, nothing)},
		{name: "and came back", want: []string{silent + "3 pings, the last that was heard of it came at 0.0"}, shows: []string{"PING =heard again"}, capture: func(n *network) {
			pinging(3, nothing)(n)
			n.ping(joinerIP, hostIP, 0x100, 1)
			n.pong(hostIP, joinerIP, 1, 1)
			n.ping(hostIP, joinerIP, 1, 9)
			n.pong(joinerIP, hostIP, 0x100, 9)
		}},
		{name: "two lost pings", capture: func(n *network) {
			pinging(2, nothing)(n)
			n.ping(hostIP, joinerIP, 1, 9)
			n.pong(joinerIP, hostIP, 0x100, 9)
		}},
		{name: "TCP goes on", rest: true, capture: pinging(4, func(_ *network, s *session) { s.tell(joinerIP, &wire.PlayerDataChanged{Player: 0x101}) })},
	}
}
