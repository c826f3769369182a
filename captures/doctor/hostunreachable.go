package doctor

var hostUnreachable = rule{
	code: "host-unreachable", severity: Failure,
	cause: "the host's answer got here, but its own port does not take connections: its firewall, its router that does not forward " +
		"TCP 2300-2400, or an address that is not reachable from here.",
	advice: "The host has to forward TCP and UDP 2300-2400 to the machine that hosts, and to allow the game in its firewall.",
	capture: func(c *Case) (list []Finding) {
		for _, d := range c.Dials {
			if !hostSocket(c, d) || d.Taken > 0 || d.Used || c.left(d.Marks[0]) < patience && d.Refused == 0 {
				continue
			}
			list = append(list, noConnection(d, d.From.String()+" found the session at "+d.To.String()+", but cannot connect to it"))
		}
		return list
	},
}

// hostSocket says whether an attempt is a joiner's to connect to a session that it was told of.
func hostSocket(c *Case, d *Dial) bool {
	for _, o := range c.Offers {
		if o.To.Addr() == d.From && o.Host == d.To {
			return true
		}
	}
	return false
}

// noConnection tells of attempts that came to nothing.
func noConnection(d *Dial, text string) Finding {
	ev := dialEvidence(d)
	if d.Refused > 0 {
		text += ": it is refused"
		ev = append(ev, d.No.show("", "refused by "+d.To.String()))
	} else {
		text += ": nothing answers"
	}
	return Finding{Text: text, Evidence: ev, More: d.Syns - len(d.Marks)}
}
