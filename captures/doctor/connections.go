package doctor

var hostUnreachable = rule{
	code: "host-unreachable", severity: Failure,
	cause: "the host's answer got here, but its own port does not take connections: its firewall, its router that does not " +
		"forward " +
		"TCP 2300-2400, or an address that is not reachable from here.",
	advice: "The host has to forward TCP and UDP 2300-2400 to the machine that hosts, and to allow the game in its firewall.",
	capture: func(c *facts) (list []Finding) {
		for _, d := range c.Dials {
			if !hostSocket(c, d) || d.Taken > 0 || d.Used || c.left(d.Marks[0]) < patience && d.Refused == 0 {
				continue
			}
			list = append(list, noConnection(d, d.From.String()+" found the session at "+d.To.String()+", but cannot "+
				"connect to it"))
		}
		return list
	},
	live: func(l *Live) (list []Finding) {
		for i := range l.Doors {
			d := &l.Doors[i]
			if !d.Offered || d.Err == "" {
				continue
			}
			f := Finding{
				Text: named(d.Session) + " of " + d.At.Addr().String() + " is found, but TCP port " +
					"" + itoa(int(d.At.Port())) + " there cannot be connected to",
				Evidence: append(l.told(d), d.show()),
				Cause: "the host's answer got here, so it can reach this machine; but nothing lets this machine in at the " +
					"host: its firewall drops the connection, " +
					"or its router does not forward that port.",
				Advice: "At the host forward TCP and UDP 2300-2400 to the machine that hosts, and allow the game in its " +
					"firewall. Nothing has to change here.",
				brief: named(d.Session) + " is found, but the host's TCP port " + itoa(int(d.At.Port())) + " is closed: " +
					"it has to be opened there, in firewall and router",
			}
			switch d.Fault {
			case Refused:
				f.Text += ": it is refused"
				f.Cause = "the host's answer got here, so it can reach this machine; but that port refuses: a firewall at " +
					"the host, or a router there that forwards it to " +
					"another machine. It may also be that the session has just ended."
			case Unreachable:
				f.Text += ": there is no way to it"
				f.Cause = "the session says that it is at that address, and there is no way from here to it: it is of " +
					"another network than the one that the answer came by."
				f.Advice = "Play over one network or VPN that both are in; at the host turn off the adapters that are not needed."
			default:
				f.Text += ": nothing answers"
			}
			list = append(list, f)
		}
		return list
	},
}

// told returns the offer of the session that a door is of, as evidence.
func (l *Live) told(d *Door) []Evidence {
	for i := range l.Ways {
		for _, o := range l.Ways[i].Offers {
			if o.Host == d.At && o.Name == d.Session {
				return []Evidence{o.show("SockAddr", d.At.String())}
			}
		}
	}
	return nil
}

// hostSocket reports whether an attempt is a joiner's to connect to a session that it was told of.
func hostSocket(c *facts, d *dial) bool {
	for _, o := range c.Offers {
		if o.To.Addr() == d.From && o.Host == d.To {
			return true
		}
	}
	return false
}

// noConnection tells of attempts that came to nothing.
func noConnection(d *dial, text string) Finding {
	ev := dialEvidence(d)
	if d.Refused > 0 {
		text += ": it is refused"
		ev = append(ev, d.No.show("", "refused by "+d.To.String()))
	} else {
		text += ": nothing answers"
	}
	return Finding{Text: text, Evidence: ev, More: d.Syns - len(d.Marks)}
}

var peerUnreachable = rule{
	code: "peer-unreachable", severity: Failure,
	cause: "in a DirectPlay session every machine connects to every other one, not only to the host. The firewall or " +
		"router of the machine " +
		"that is called does not let the others in.",
	advice: "Every player, not only the host, has to forward TCP and UDP 2300-2400 to his machine and to allow the game in " +
		"his firewall.",
	capture: func(c *facts) (list []Finding) {
		for _, d := range c.Dials {
			if hostSocket(c, d) || !member(c, d) || d.Taken > 0 || d.Used || c.left(d.Marks[0]) < patience && d.Refused == 0 {
				continue
			}
			list = append(list, noConnection(d, d.From.String()+" cannot connect to "+c.who(d.To)+", which is in the same "+
				"session"))
		}
		return list
	},
}

// member reports whether the one who is called was named to the caller as a member of its session, or joined at the caller.
func member(c *facts, d *dial) bool {
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

var dataRefused = rule{
	code: "data-refused", severity: Warning,
	cause: "the program that was sent to had closed that connection, while it went on otherwise. In DirectPlay a " +
		"connection lives as long as the session: who " +
		"closes one does not hear what is sent on it.",
	advice: "Update that program. What was in the messages did not arrive: compare the player lists of both sides.",
	capture: func(c *facts) (list []Finding) {
		byPair := map[[2]string]int{}
		for _, x := range c.Resets {
			l := c.lives[x.To]
			if x.Left || x.Sent.Message == goodbye || l == nil || l.talk.N < x.Sent.N || c.allStops().frames[x.Frame] {
				continue // it was about to end, or ended, or another rule says more
			}
			ev := []Evidence{x.Sent.show("", "to "+x.To.String()), x.show("", "from "+x.To.String())}
			k := [2]string{x.Sender.String(), x.To.String()}
			if i, again := byPair[k]; again {
				list[i].More += len(ev)
				continue
			}
			byPair[k] = len(list)
			list = append(list, Finding{
				Text: c.who(x.To) + " answered " + x.Sent.Message + " of " + c.who(x.Sender) + " with RST in frame " +
					"" + itoa(x.Frame),
				Evidence: ev,
			})
		}
		return list
	},
}
