package doctor

import "dplay4/wire"

func init() {
	examples["reply-never-tried"] = []example{
		{name: "asked over TCP", want: []string{"the question of " + joinerIP + " for sessions reached " + hostIP + ", which never tried to answer at " + joinerIP + ":2300"},
			capture: func(n *network) {
				n.conn(joinerIP+":4100", hostIP+":47624").send(sys(2300, &wire.EnumSessions{Application: thisGame}))
			}},
		{name: "others were answered", want: []string{"the question of " + thirdIP + " for sessions reached " + hostIP}, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			s.seek(thirdIP, thisGame)
		}},
		{name: "others were answered about another game", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			s.seek(thirdIP, otherGame)
		}},
		{name: "it tried", rest: true, capture: func(n *network) {
			n.conn(joinerIP+":4100", hostIP+":47624").send(sys(2300, &wire.EnumSessions{Application: thisGame}))
			n.ask(hostIP+":4000", joinerIP+":2300")
		}},
	}
}
