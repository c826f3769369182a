package doctor

import "dplay4/wire"

func init() {
	examples["reply-wrong-port"] = []example{
		{name: "where the question came from", want: []string{hostIP + " answered " + joinerIP + " at port 5000, but it waits at port 2300"}, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			s.offer(joinerIP + ":5000")
		}},
		{name: "another program of the same machine", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.udp(joinerIP+":5001", everyone, sys(2301, &wire.EnumSessions{Application: thisGame}))
			s.offer(joinerIP + ":2301")
		}},
		{name: "refused there", want: []string{hostIP + " wants to answer " + joinerIP + " at port 5000, but it waits at port 2300: it is refused"}, capture: func(n *network) {
			newSession(n).seek(joinerIP, thisGame)
			n.ask(hostIP+":4000", joinerIP+":5000")
			n.refuse(hostIP+":4000", joinerIP+":5000")
		}},
		{name: "both", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			s.offer(joinerIP + ":5000")
			s.offer(joinerIP + ":2300")
		}},
	}
}
