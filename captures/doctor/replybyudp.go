package doctor

import "dplay4/captures"

var replyByUDP = rule{
	code: "reply-by-udp", severity: Failure,
	cause:  "the program that hosts answers by UDP. DirectPlay 4 wants the answer over a TCP connection, and drops any other.",
	advice: "Update the program that hosts, or host with another one: this project's \"dplay host\", or Windows.",
	capture: func(c *Case) (list []Finding) {
		for _, a := range c.asking() {
			for _, o := range onlyUDP(c, a) {
				list = append(list, Finding{
					Text:     c.who(o.Host) + " answered the question of " + c.who(a.Asker) + " by UDP only; games wait for TCP at " + a.Wants.String(),
					Evidence: []Evidence{a.Marks[0].show("SockAddr", a.Asker.String()), o.show("", "by UDP to "+o.To.String())},
					More:     o.Count - 1,
				})
			}
		}
		return list
	},
	live: func(l *Live) (list []Finding) {
		for i := range l.Ways {
			w := &l.Ways[i]
			if len(w.Offers) > 0 && len(w.heard()) == 0 {
				list = append(list, Finding{
					Text:     w.Offers[0].Host.String() + " answers by UDP only; games wait for TCP",
					Evidence: []Evidence{w.show()},
				})
			}
		}
		return list
	},
}

// onlyUDP gives the answers to an asker that came by UDP.
func onlyUDP(c *Case, a *Ask) []*Offer {
	return c.offered(a, func(o *Offer) bool { return o.Transport == captures.UDP })
}
