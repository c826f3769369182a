package doctor

import "dplay4/captures"

var enumUnanswered = rule{
	code: "enum-unanswered", severity: Failure,
	cause: "no game is hosted there, the question does not get there (a firewall, a port 47624 that is not forwarded, another network), or " +
		"the host cannot connect back to the joiner.",
	advice: "Look whether the host has opened its session and which address it has; on the host forward UDP and TCP 47624 and 2300-2400, and " +
		"allow the game in the firewall. A search without an address does not leave the local network.",
	capture: func(c *Case) (list []Finding) {
		for _, a := range c.asking() {
			if explained(c, a) {
				continue
			}
			ev, more := c.questions(a.Asker)
			f := Finding{Text: c.who(a.Asker) + " asked " + whom(a) + " for sessions, and nobody answered", Evidence: ev, More: more}
			for _, b := range c.Blocks {
				if b.Src.Addr() == a.Asker.Addr() && b.Dst == a.To {
					f.Evidence = append(f.Evidence, b.show("", b.By.String()+" says that "+b.Dst.String()+" cannot be reached: "+icmpReason(b.Code)))
					f.Cause = "the machine or a router on the way says so itself: " + icmpReason(b.Code) + "."
				}
			}
			if d := c.dial(a.Asker.Addr(), a.To); d != nil && d.Refused > 0 {
				f.Evidence = append(f.Evidence, d.No.show("", "refused by "+a.To.String()))
			}
			list = append(list, f)
		}
		return append(list, enumDials(c)...)
	},
	live: liveUnanswered,
}

// enumDials tells of those who wanted to ask over TCP, and got no connection to ask over. Who asks by UDP as well is told of
// above.
func enumDials(c *Case) (list []Finding) {
	for _, d := range c.Dials {
		if d.To.Port() != enumPort || d.Taken > 0 || d.Used || asked(c, d) {
			continue
		}
		text := d.From.String() + " wanted to ask " + d.To.Addr().String() + " for sessions over TCP, and got no connection"
		ev := dialEvidence(d)
		if d.Refused > 0 {
			text += ": it was refused"
			ev = append(ev, d.No.show("", "refused by "+d.To.String()))
		}
		list = append(list, Finding{Text: text, Evidence: ev, More: d.Syns - len(d.Marks)})
	}
	return list
}

// asked says whether the machine of an attempt has asked for sessions in another way.
func asked(c *Case, d *Dial) bool {
	for _, a := range c.Asks {
		if a.Asker.Addr() == d.From {
			return true
		}
	}
	return false
}

// explained says whether another rule says more about a question without an answer.
func explained(c *Case, a *Ask) bool {
	if _, _, ok := reached(c, a); ok {
		return true
	}
	return len(c.replies(a)) > 0 || elsewhere(c, a)
}

// elsewhere says whether an answer was on its way that went wrong, or was about another game.
func elsewhere(c *Case, a *Ask) bool {
	return len(onlyUDP(c, a)) > 0 || len(wrongPort(c, a)) > 0 || len(wrongDials(c, a)) > 0 || len(otherApp(c, a)) > 0
}

// whom names whom a question went to.
func whom(a *Ask) string {
	if a.Broadcast() {
		return "everybody on its network"
	}
	if a.Transport == captures.TCP {
		return a.To.Addr().String() + " over TCP"
	}
	return a.To.Addr().String()
}

// icmpReason gives what an ICMP code for what cannot be reached means (RFC 792, RFC 1812).
func icmpReason(code uint8) string {
	switch code {
	case 0, 6:
		return "no way to that network"
	case 1, 7:
		return "no such machine there"
	case 2:
		return "it does not know the protocol"
	case 3:
		return "no program there uses that port"
	case 4:
		return "the packet is too large"
	case 9, 10, 13:
		return "a firewall forbids it"
	}
	return "code " + itoa(int(code))
}
