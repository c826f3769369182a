package doctor

import "dplay4/wire"

var severalHosts = rule{
	code: "several-hosts", severity: Warning,
	cause: "the machines lost sight of each other for a while: the network was cut, or the host stood still, and the others chose a new one " +
		"while the old one was alive. Windows leaves it at two sessions; this project's programs make one of them again.",
	advice: "Look at the player lists of all sides. If they differ, let everybody leave, and host again where the network is best.",
	capture: func(c *Case) (list []Finding) {
		told := map[wire.GUID]bool{}
		for i, old := range c.Reigns {
			next := successor(c, i)
			if next == nil || told[old.What] || c.lives[old.Host].talk.N <= next.N {
				continue
			}
			told[old.What] = true
			ev, more := rivals(c, i)
			list = append(list, Finding{
				Text:     c.who(old.Host) + " and " + c.who(next.Host) + " were host of " + named(old.Name) + " at the same time",
				Evidence: ev, More: more,
			})
		}
		return list
	},
}

// rivals gives the reigns of a session from one on, where the first one began and how long it went on, and that the
// first host lived on.
func rivals(c *Case, from int) (list []Evidence, more int) {
	old := c.Reigns[from]
	list = append(list, old.show("", c.who(old.Host)+" is host"))
	if old.Until != old.Mark {
		list = append(list, old.Until.show("", c.who(old.Host)+" acts as host"))
	}
	for _, r := range c.Reigns[from+1:] {
		if r.What == old.What {
			list = append(list, r.show("", c.who(r.Host)+" acts as host"))
		}
	}
	n := min(len(list), maxEvidence-1)
	return append(list[:n:n], c.lives[old.Host].talk.show("", c.who(old.Host)+" is still there")), len(list) - n
}

// successor gives the reign after one.
func successor(c *Case, i int) *Reign {
	for _, n := range c.Reigns[i+1:] {
		if n.What == c.Reigns[i].What {
			return n
		}
	}
	return nil
}
