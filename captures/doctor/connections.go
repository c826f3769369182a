package doctor

import "dplay4/captures"

var hostUnreachable = rule{
	code: "host-unreachable", severity: Failure,
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
				f.section = "advertised"
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
	at, port := d.At.Addr().String(), itoa(int(d.At.Port()))
	section := "dropped"
	switch d.Fault {
	case Refused:
		section = "refused"
	case Unreachable:
		section = "unreachable"
	}
	return Finding{
		Text:    named(d.Session) + " of " + at + " is found, but TCP port " + port + " there cannot be connected to: " + d.fate(),
		section: section, fill: []string{"{session}", named(d.Session), "{at}", at, "{port}", port, "{error}", d.Err},
	}
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
	at := d.At.String()
	if kind := localKind(d.At.Addr()); kind != "" {
		at += ", " + kind
	}
	return Finding{
		Text:    named(d.Session) + " answers from " + d.From.String() + " but tells joiners to connect to " + at + ", and " + d.fate(),
		section: "advertised-live", fill: []string{"{session}", named(d.Session), "{from}", d.From.String(), "{at}", at, "{fate}", d.fate()},
	}
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
