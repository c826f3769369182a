package doctor

import (
	"time"

	"dplay4/wire"
)

// forwarded is a session of two, the first of which is told of the second.
func forwarded(n *network) *session {
	s := newSession(n)
	s.join(joinerIP, 0x100)
	s.found(thirdIP)
	s.request(thirdIP, 0x200)
	s.toldBy(joinerIP+":2300", &wire.AddForward{Player: 0x200, Info: wire.PackedPlayer{Flags: wire.PlayerSystem, ID: 0x200, System: 0x200,
		SPData: spData(thirdIP, 2300, 2350)}})
	return s
}

func init() {
	meet := func(answer func(n *network)) func(*network) {
		return func(n *network) {
			s := forwarded(n)
			s.tell(joinerIP, &wire.AddForwardAck{ID: 0x200})
			s.toldBy(thirdIP+":2300", s.list())
			n.ask(joinerIP+":4200", thirdIP+":2300")
			answer(n)
			s.player(thirdIP, 0x200)
		}
	}
	examples["peer-unreachable"] = []example{
		{name: "no answer", want: []string{joinerIP + " cannot connect to " + thirdIP + ` ("player 513"), which is in the same session: nothing answers`},
			capture: meet(func(n *network) {
				n.wait(time.Second)
				n.ask(joinerIP+":4200", thirdIP+":2300")
			})},
		{name: "refused", want: []string{joinerIP + " cannot connect to " + thirdIP + ` ("player 513"), which is in the same session: it is refused`},
			capture: meet(func(n *network) { n.refuse(joinerIP+":4200", thirdIP+":2300") })},
		{name: "taken", capture: meet(func(n *network) { n.conn(joinerIP+":4201", thirdIP+":2300") })},
		{name: "no member", capture: func(n *network) {
			newSession(n).join(joinerIP, 0x100)
			n.ask(joinerIP+":4200", farIP+":2300")
		}},
	}
}
