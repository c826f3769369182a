package doctor

var peerUnreachable = rule{
	code: "peer-unreachable", severity: Failure,
	cause: "in a DirectPlay session every machine connects to every other one, not only to the host. The firewall or router of the machine " +
		"that is called does not let the others in.",
	advice: "Every player, not only the host, has to forward TCP and UDP 2300-2400 to his machine and to allow the game in his firewall.",
	capture: func(c *Case) (list []Finding) {
		for _, d := range c.Dials {
			if hostSocket(c, d) || !member(c, d) || d.Taken > 0 || d.Used || c.left(d.Marks[0]) < patience && d.Refused == 0 {
				continue
			}
			list = append(list, noConnection(d, d.From.String()+" cannot connect to "+c.who(d.To)+", which is in the same session"))
		}
		return list
	},
}

// member says whether the one who is called was named to the caller as a member of its session, or joined at the caller.
func member(c *Case, d *Dial) bool {
	for _, a := range c.Addresses {
		if !a.Own && a.Told == d.From && a.Socket == d.To {
			return true
		}
	}
	for _, j := range c.Joins {
		if j.Joiner == d.To && j.Host.Addr() == d.From && j.ID.Frame == 0 && j.Refused == nil {
			return true
		}
	}
	return false
}
