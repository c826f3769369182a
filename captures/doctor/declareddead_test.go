package doctor

import "dplay4/wire"

func init() {
	examples["declared-dead"] = []example{
		{name: "told", want: []string{hostIP + " told " + joinerIP + ` ("player 257") that it is not in the session any more`}, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			n.ping(joinerIP, hostIP, 0x100, 1)
			s.toldBy(joinerIP+":2300", &wire.YouAreDead{})
			s.toldBy(joinerIP+":2300", &wire.YouAreDead{})
		}},
		{name: "answered", capture: healthy},
	}
}
