package doctor

import "time"

func init() {
	dial := func(answer func(n *network)) func(*network) {
		return func(n *network) {
			newSession(n).found(joinerIP)
			n.ask(joinerIP+":4100", hostIP+":2300")
			answer(n)
		}
	}
	examples["host-unreachable"] = []example{
		{name: "no answer", want: []string{joinerIP + " found the session at " + hostIP + ":2300, but cannot connect to it: nothing answers"},
			capture: dial(func(n *network) {
				n.wait(time.Second)
				n.ask(joinerIP+":4100", hostIP+":2300")
			})},
		{name: "refused", want: []string{joinerIP + " found the session at " + hostIP + ":2300, but cannot connect to it: it is refused"},
			capture: dial(func(n *network) { n.refuse(joinerIP+":4100", hostIP+":2300") })},
		{name: "the second time", capture: dial(func(n *network) {
			n.refuse(joinerIP+":4100", hostIP+":2300")
			newSession(n).join(joinerIP, 0x100)
		})},
		{name: "nobody tries", capture: func(n *network) { newSession(n).found(joinerIP) }},
	}
}
