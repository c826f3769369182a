package doctor

import "dplay4/wire"

func init() {
	say := func(from, to wire.PlayerID) func(*network) {
		return func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			n.conn(joinerIP+":4100", hostIP+":2300").send(game(2300, from, to, "hello"))
		}
	}
	examples["game-ids-unknown"] = []example{
		{name: "a header over them", want: []string{joinerIP + ` ("player 257") sent game messages between players that do not exist, once`},
			shows: []string{"PLAYERMESSAGE From=0x42424242", "PLAYERMESSAGE To=0x696f6a42"}, capture: say(0x42424242, 0x696f6a42)},
		{name: "one is known", capture: say(0x101, 0x696f6a42)},
		{name: "to everybody", capture: say(0x999, wire.IDAll)},
		{name: "in the middle of a session", capture: func(n *network) {
			n.midway(joinerIP+":4100", hostIP+":2300").send(game(2300, 0x111, 0x222, "hello"))
			n.midway(joinerIP+":4101", thirdIP+":2300").send(sys(2300, &wire.DeletePlayer{Player: 0x333}))
			n.midway(joinerIP+":4101", thirdIP+":2300").send(game(2300, 0x111, 0x222, "hello"))
		}},
	}
}
