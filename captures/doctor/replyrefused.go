package doctor

var replyRefused = rule{
	code: "reply-refused", severity: Failure,
	cause: "nothing takes connections at that port of the joiner: a firewall that refuses, the game was closed, or the " +
		"router forwards the port to another machine.",
	advice: "On the joiner's machine allow the game in the firewall, in both directions, and forward TCP and UDP 2300-2400 to it.",
	capture: func(c *Case) (list []Finding) {
		for _, a := range c.asking() {
			for _, d := range c.replies(a) {
				if d.Refused == 0 || d.Taken > 0 || d.Used {
					continue
				}
				ev := append(dialEvidence(d), d.No.show("", "refused"))
				list = append(list, Finding{
					Text: d.From.String() + " answered, but its connection to " + d.To.String() + ", where " + c.who(a.Asker) +
						" waits for the answer, was refused",
					Evidence: ev, More: d.Syns - len(d.Marks),
				})
			}
		}
		return list
	},
}

// dialEvidence gives the SYNs of attempts to connect.
func dialEvidence(d *Dial) (list []Evidence) {
	for _, m := range d.Marks {
		list = append(list, m.show("", "to "+d.To.String()))
	}
	return list
}
