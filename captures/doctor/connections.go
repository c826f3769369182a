package doctor

import "dplay4/captures"

var hostUnreachable = rule{
	code: "host-unreachable", severity: Failure,
	cause: "the host's answer got here, but its own port does not take connections: its firewall, its router that does not " +
		"forward " +
		"TCP 2300-2400, or an address that is not reachable from here.",
	advice: "The host has to forward TCP and UDP 2300-2400 to the machine that hosts, and to allow the game in its firewall.",
	capture: func(c *facts) (list []Finding) {
		for _, d := range c.Dials {
			o := offerOf(c, d)
			if o == nil || d.Taken > 0 || d.Used || c.left(d.Marks[0]) < patience && d.Refused == 0 {
				continue
			}
			text := d.From.String() + " found the session at " + d.To.String() + ", but cannot connect to it"
			if o.Host != d.To {
				text = d.From.String() + " found the session of " + c.who(o.Host) + ", which tells joiners to connect to " + d.To.String() + ", and cannot"
			}
			f := noConnection(d, text)
			for _, b := range c.Blocks {
				if b.Transport == captures.TCP && b.Src.Addr() == d.From && b.Dst == d.To {
					f.Evidence = append(f.Evidence, b.show("", b.By.String()+" says that "+b.Dst.String()+" cannot be reached: "+icmpReason(b.Code)))
				}
			}
			if o.Host != d.To {
				f.Evidence = append([]Evidence{o.show("SockAddr", o.At.String())}, f.Evidence...)
				f.Cause = advertisedCause
				f.Advice = "At the host name the address that others reach it at (\"dplay host --advertise\"), and forward TCP and UDP 2300-2400 to it " +
					"in its router; or play over the bridge (\"dplay help internet\"), or in one VPN."
			}
			list = append(list, f)
		}
		return list
	},
	live: func(l *Live) (list []Finding) {
		for i := range l.Doors {
			d := &l.Doors[i]
			if !d.Offered || d.Err == "" {
				continue
			}
			f := d.closed()
			if d.elsewhere(l) {
				f = d.advertised()
			}
			f.Evidence = append(l.told(d), d.show())
			list = append(list, f)
		}
		return list
	},
}

// closed returns the finding for a session whose TCP port does not take connections.
func (d *Door) closed() Finding {
	at, port := d.At.Addr().String(), "TCP port "+itoa(int(d.At.Port()))
	f := Finding{
		Text: named(d.Session) + " of " + at + " is found, but " + port + " there cannot be connected to: " + d.fate(),
		Cause: "the host's answer got here, so it can reach this machine; but nothing lets this machine in at the " +
			"host: its firewall drops the connection, or its router does not forward that port.",
		Advice: "At the host forward TCP and UDP 2300-2400 to the machine that hosts, and allow the game in its " +
			"firewall. Nothing has to change here.",
		brief: named(d.Session) + " is found, but the host's " + port + " is closed: it has to be opened there, in firewall and router",
	}
	switch d.Fault {
	case Refused:
		f.Cause = "the host's answer got here, so it can reach this machine; but that port refuses: a firewall at " +
			"the host, or a router there that forwards it to another machine. It may also be that the session has just ended."
	case Unreachable:
		f.Cause = "the session says that it is at that address, and there is no way from here to it: it is of " +
			"another network than the one that the answer came by."
		f.Advice = "Play over one network or VPN that both are in; at the host turn off the adapters that are not needed."
		f.brief = named(d.Session) + " is found, but there is no way from here to " + at + " (" + d.Err + "): play over one network or VPN " +
			"that both are in"
	}
	return f
}

// fate returns the reason, in a few words, why a port does not take the connection.
func (d *Door) fate() string {
	switch d.Fault {
	case Refused:
		return "it is refused"
	case Unreachable:
		return "there is no way to it (" + d.Err + ")"
	}
	return "nothing answers"
}

// elsewhere reports whether a machine joined a session at another address than the one that answered its search.
func (d *Door) elsewhere(l *Live) bool {
	return d.From.IsValid() && d.From != d.At.Addr() && l.Host != d.At.Addr()
}

// advertised returns the finding for a session that advertises an address that joiners cannot reach, and answers from another one.
func (d *Door) advertised() Finding {
	from, at, what := d.From.String(), d.At.String(), ""
	if kind := localKind(d.At.Addr()); kind != "" {
		what = ", " + kind
	}
	return Finding{
		Text:  named(d.Session) + " answers from " + from + " but tells joiners to connect to " + at + what + ", and " + d.fate(),
		Cause: advertisedCause,
		Advice: "Let the host tell the address that others reach it at: \"dplay host --advertise " + from + "\". Its router has to forward " +
			"TCP and UDP 47624 and 2300-2400 to it. Games have no such option: play over the bridge (\"dplay help internet\"), or " +
			"in one VPN.",
		brief: named(d.Session) + " tells joiners to connect to " + at + what + ", and " + d.fate() + ": host with --advertise " + from +
			", or play over the bridge (\"dplay help internet\")",
	}
}

// advertisedCause is the cause of a finding about an advertised address that joiners cannot reach.
const advertisedCause = "the host tells joiners an address of its own network, as the machine behind a router knows it. A joiner outside of " +
	"that network cannot reach it there, or reaches another machine that has the same address at home."

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

// offerOf returns the offer of the session that an attempt of a joiner to connect is for, nil if there is none.
func offerOf(c *facts, d *dial) *offer {
	for _, o := range c.Offers {
		if o.To.Addr() == d.From && (o.Host == d.To || o.At == d.To) {
			return o
		}
	}
	return nil
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
			if offerOf(c, d) != nil || !member(c, d) || d.Taken > 0 || d.Used || c.left(d.Marks[0]) < patience && d.Refused == 0 {
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
