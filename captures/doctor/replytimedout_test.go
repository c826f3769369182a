package doctor

import (
	"time"

	"dplay4/wire"
)

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
		{name: "behind a NAT, to the address in the header", rest: true, shows: []string{"SYN =to 192.168.1.5:2300"},
			want: []string{hostIP + " answered, but nothing at 192.168.1.5:2300, where " + farIP + " waits for the answer, took its connection"}, capture: func(n *network) {
				n.udp(farIP+":5000", hostIP+":47624", sysFrom("192.168.1.5", 2300, &wire.EnumSessions{Application: thisGame}))
				n.ask(hostIP+":4000", "192.168.1.5:2300")
				n.wait(time.Second)
				n.ask(hostIP+":4000", "192.168.1.5:2300")
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
