package doctor

import "dplay4/wire"

var samePorts = rule{
	code: "same-ports", severity: Failure,
	cause: "two machines behind one router give the same address and port: the others can tell them apart by nothing, and what is for one " +
		"arrives at the other. A machine that crashed and came back looks the same until it is given up.",
	advice: "Let the second machine use other ports, and forward each range to its machine; or play through a VPN, where each has an address of its own.",
	capture: func(c *Case) (list []Finding) {
		for i, a := range c.Joins {
			for _, b := range c.Joins[i+1:] {
				if a.Joiner == b.Joiner && a.Conn != b.Conn && a.List.Frame > 0 && a.LastSeen.N > b.Asked.N {
					list = append(list, Finding{
						Text: "two machines behind " + a.Joiner.Addr().String() + " are both to be reached at " + a.Joiner.String(),
						Evidence: []Evidence{
							a.Asked.show("SockAddr", a.Joiner.String()+", from "+a.Conn.String()),
							b.Asked.show("SockAddr", b.Joiner.String()+", from "+b.Conn.String()),
							a.LastSeen.show("", "the first one goes on"),
						},
					})
				}
			}
		}
		told := map[[2]wire.PlayerID]bool{}
		for _, t := range c.Twins {
			k := [2]wire.PlayerID{min(t.One, t.Other), max(t.One, t.Other)}
			if told[k] {
				continue
			}
			told[k] = true
			list = append(list, Finding{
				Text: "two machines of the session, " + t.One.String() + " and " + t.Other.String() + ", are both to be reached at " +
					t.Socket.String(),
				Evidence: []Evidence{t.show(t.Field, t.Socket.String())},
			})
		}
		return list
	},
}
