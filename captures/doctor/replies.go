package doctor

import (
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/wire"
)

var replyRefused = rule{
	code: "reply-refused", severity: Failure,
	capture: func(c *facts) (list []Finding) {
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
	live: blamed("reply-refused"),
}

// dialEvidence returns the SYNs of attempts to connect.
func dialEvidence(d *dial) (list []Evidence) {
	for _, m := range d.Marks {
		list = append(list, m.show("", "to "+d.To.String()))
	}
	return list
}

var replyTimedOut = rule{
	code: "reply-timed-out", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, a := range c.asking() {
			for _, d := range c.replies(a) {
				if d.Refused > 0 || d.Taken > 0 || d.Used || c.left(d.Marks[0]) < patience {
					continue
				}
				list = append(list, Finding{
					Text: d.From.String() + " answered, but nothing at " + d.To.String() + ", where " + c.who(a.Asker) +
						" waits for the answer, took its connection",
					Evidence: dialEvidence(d), More: d.Syns - len(d.Marks),
				})
			}
		}
		return list
	},
	live: blamed("reply-timed-out"),
}

var replyNeverTried = rule{
	code: "reply-never-tried", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, a := range c.asking() {
			host, how, ok := reached(c, a)
			if !ok || len(c.replies(a)) > 0 || elsewhere(c, a) || c.ignored(a) != nil || c.byStream(a) != nil {
				continue
			}
			ev, more := c.questions(a.Asker)
			f := Finding{
				Text:     "the question of " + c.who(a.Asker) + " for sessions reached " + host.String() + ", which never tried to answer at " + a.Wants.String(),
				Evidence: append(ev, how), More: more,
			}
			switch no := c.closed(netip.AddrPortFrom(host, wire.EnumPort)); {
			case no != nil:
				f.Evidence = append(f.Evidence, no.show("", no.By.String()+" says that UDP "+no.Dst.String()+" cannot be reached: "+icmpReason(no.Code)))
				f.section = "stranger"
			case !sameNetwork(host, a.Asker.Addr()):
				f.section, f.fill = "far", []string{"{asker}", a.Asker.Addr().String()}
			}
			list = append(list, f)
		}
		return list
	},
	live: blamed("reply-never-tried"),
}

// closed returns what a machine said of a UDP port of its own where nothing listens; nil if it said nothing.
func (c *facts) closed(at netip.AddrPort) *block {
	for _, b := range c.Blocks {
		if b.Transport == captures.UDP && b.Dst == at && b.By == at.Addr() && b.Code == portUnreachable {
			return b
		}
	}
	return nil
}

// portUnreachable is ICMP's code for a port that no program uses (RFC 792).
const portUnreachable = 3

// reached returns a host that a question reached for certain, and how that is known: it took the connection that
// brought it, or it answered the same question of somebody else.
func reached(c *facts, a *ask) (netip.Addr, Evidence, bool) {
	for _, q := range c.Asks {
		same := q.Asker == a.Asker || q.pair() == a.pair() // at another port
		if same && q.Transport == captures.TCP {
			return q.To.Addr(), q.Marks[0].show("", "over a connection that "+q.To.String()+" took"), true
		}
	}
	for _, o := range c.Offers {
		if o.To != a.Asker && o.App == a.App && (a.To.Addr() == o.Host.Addr() || a.Broadcast() && sameNetwork(o.Host.Addr(), a.Asker.Addr())) {
			return o.Host.Addr(), o.show("", "it answered "+o.To.String()), true
		}
	}
	return netip.Addr{}, Evidence{}, false
}

var replyByUDP = rule{
	code: "reply-by-udp", severity: Failure,
	capture: func(c *facts) (list []Finding) {
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
			if len(w.Offers) > 0 && w.Offers[0].Transport == captures.UDP && len(w.heard()) == 0 {
				list = append(list, Finding{
					Text:     w.Offers[0].Host.String() + " answers by UDP only; games wait for TCP",
					Evidence: []Evidence{w.show()},
				})
			}
		}
		return list
	},
}

// onlyUDP returns the answers to an asker that came by UDP.
func onlyUDP(c *facts, a *ask) []*offer {
	return c.offered(a, func(o *offer) bool { return o.Transport == captures.UDP })
}

var replyWrongPort = rule{
	code: "reply-wrong-port", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, a := range c.asking() {
			for _, o := range wrongPort(c, a) {
				if forOwnGame(c, o) {
					continue // there was no answer at all until it was asked for its game
				}
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
	live: blamed("reply-wrong-port"),
}

// forOwnGame reports whether an offer is of a host that answers only who asks for its game.
func forOwnGame(c *facts, o *offer) bool {
	for _, a := range c.asking() {
		if slices.Contains(ownGame(c, a), o) {
			return true
		}
	}
	return false
}

// wrongDials returns the attempts to connect to where a question came from, or to where hosts are asked.
func wrongDials(c *facts, a *ask) (list []*dial) {
	for _, d := range c.Dials {
		wrong := d.To == a.From || d.To == netip.AddrPortFrom(a.Asker.Addr(), wire.EnumPort) && d.From == a.To.Addr()
		if wrong && d.To != a.Asker && d.Taken == 0 && !d.Used {
			list = append(list, d)
		}
	}
	return list
}

// wrongPort returns the answers that went to the asker's machine, but to a port that nobody there gave.
func wrongPort(c *facts, a *ask) []*offer {
	return c.offered(a, func(o *offer) bool {
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
