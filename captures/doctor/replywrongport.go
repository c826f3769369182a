package doctor

import (
	"net/netip"

	"dplay4/captures"
)

var replyWrongPort = rule{
	code: "reply-wrong-port", severity: Failure,
	cause: "the program that hosts, or a router on the way, takes the port that the question came from for the one that the answer goes to. " +
		"The right one stands in the header of the question.",
	advice: "Update the program that hosts, or host with another one. If there is a router in between, turn its rewriting of DirectPlay or games off.",
	capture: func(c *Case) (list []Finding) {
		for _, a := range c.asking() {
			for _, o := range wrongPort(c, a) {
				list = append(list, Finding{
					Text: c.who(o.Host) + " answered " + c.who(a.Asker) + " at port " + itoa(int(o.To.Port())) +
						", but it waits at port " + itoa(int(a.Asker.Port())),
					Evidence: []Evidence{a.Marks[0].show("SockAddr", a.Asker.String()), o.show("", "to "+o.To.String())},
					More:     o.Count - 1,
				})
			}
			for _, d := range wrongDials(c, a) {
				list = append(list, noConnection(d, d.From.String()+" wants to answer "+c.who(a.Asker)+" at port "+itoa(int(d.To.Port()))+
					", but it waits at port "+itoa(int(a.Asker.Port()))))
			}
		}
		return list
	},
}

// wrongDials gives the attempts to connect to where a question came from, or to where hosts are asked.
func wrongDials(c *Case, a *Ask) (list []*Dial) {
	for _, d := range c.Dials {
		wrong := d.To == a.From || d.To == netip.AddrPortFrom(a.Asker.Addr(), enumPort) && d.From == a.To.Addr()
		if wrong && d.To != a.Asker && d.Taken == 0 && !d.Used {
			list = append(list, d)
		}
	}
	return list
}

// wrongPort gives the answers that went to the asker's machine, but to a port that nobody there gave.
func wrongPort(c *Case, a *Ask) []*Offer {
	return c.offered(a, func(o *Offer) bool {
		if o.Transport != captures.TCP {
			return false
		}
		for _, q := range c.Asks {
			if q.Asker == o.To {
				return false // another program on the same machine
			}
		}
		return true
	})
}
