package doctor

var memberSilent = rule{
	code: "member-silent", severity: Warning,
	cause:  "the machine crashed, stood still or was turned off, or the network between the two was away.",
	advice: "Look at that machine and its network at that time. The others give a silent member up after some pings.",
	capture: func(c *Case) (list []Finding) {
		for _, q := range c.quiets(func(s *Silence) bool { return s.Between == 0 }) {
			s := q.list[0]
			ev, more := q.evidence()
			text := c.who(q.machine) + " did not answer " + itoa(q.pings) + " pings"
			if s.Before.N > 0 {
				text += ", the last that was heard of it came at " + seconds(s.Before.Time.Sub(c.Begin))
				ev = append([]Evidence{s.Before.show("", "the last sign of life")}, ev...)
			}
			if s.Back.N > 0 {
				text += ", the next at " + seconds(s.Back.Time.Sub(c.Begin))
				n := min(len(ev), maxEvidence-1)
				ev, more = append(ev[:n:n], s.Back.show("", "heard again")), more+len(ev)-n
			} else {
				text += ", and nothing after that"
			}
			list = append(list, Finding{Text: text, Evidence: ev, More: more})
		}
		return list
	},
}
