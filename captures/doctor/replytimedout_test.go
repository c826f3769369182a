package doctor

import "time"

func init() {
	examples["reply-timed-out"] = []example{
		{name: "no answer", want: []string{hostIP + " answered, but nothing at " + joinerIP + ":2300, where " + joinerIP + " waits for the answer, took its connection"}, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			for range 3 {
				n.ask(hostIP+":4000", joinerIP+":2300")
				n.wait(time.Second)
			}
		}},
		{name: "refused", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.ask(hostIP+":4000", joinerIP+":2300")
			n.refuse(hostIP+":4000", joinerIP+":2300")
		}},
		{name: "a capture without answers to anything", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.ask(hostIP+":4000", joinerIP+":2300")
			n.known[hostIP+":4000"+joinerIP+":2300"] = n.midway(hostIP+":4000", joinerIP+":2300")
			s.offer(joinerIP + ":2300")
		}},
	}
}
