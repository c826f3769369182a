package doctor

import "dplay4/wire"

func init() {
	examples["capture-incomplete"] = []example{
		{name: "a gap", want: []string{"the capture lacks 48 octets of messages that were sent"}, rest: true, capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			c := n.conn(joinerIP+":4100", hostIP+":2300")
			lost := newNetwork(n.t) // the segment goes into another capture
			there := *c
			there.n = &network{t: n.t, w: lost.w, now: n.now, seq: n.seq}
			there.send(sys(2300, &wire.DeletePlayer{Player: 0x101}))
			c.send(sys(2300, &wire.DeletePlayer{Player: 0x100}))
		}},
		{name: "no gap", capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			c := n.conn(joinerIP+":4100", hostIP+":2300")
			c.send(sys(2300, &wire.DeletePlayer{Player: 0x101}))
			c.send(sys(2300, &wire.DeletePlayer{Player: 0x100}))
		}},
		{name: "the beginning is missing", capture: func(n *network) {
			n.midway(joinerIP+":4100", hostIP+":2300").send(sys(2300, &wire.DeletePlayer{Player: 0x101}))
		}},
	}
}
