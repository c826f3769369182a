package doctor

import "dplay4/captures"

// largePing is more octets than a ping that is the message alone has.
const largePing = 256

// show makes evidence of a ping.
func (p *Ping) show() Evidence {
	v := "no answer by " + p.By.String()
	if p.Answered {
		v = "answered by " + p.By.String()
	}
	return Evidence{Message: "PING of " + itoa(p.Size) + " octets", Field: p.Transport.String() + " " + p.To.String(), Value: v}
}

// ping returns a ping that was tried, nil if there is none.
func (l *Live) ping(t, by captures.Transport, large bool) *Ping {
	for i := range l.Pings {
		if p := &l.Pings[i]; p.Transport == t && p.By == by && p.Size > largePing == large {
			return p
		}
	}
	return nil
}

// A passage is whether datagrams get to a host, and back. What was not tried is nil.
type passage struct{ there, back, largeThere, largeBack, largeOver *Ping }

// datagrams returns what is known of the way of datagrams.
func (l *Live) datagrams() passage {
	return passage{l.ping(captures.UDP, captures.TCP, false), l.ping(captures.TCP, captures.UDP, false),
		l.ping(captures.UDP, captures.TCP, true), l.ping(captures.TCP, captures.UDP, true), l.ping(captures.TCP, captures.TCP, true)}
}

// lost reports whether a ping was tried, and came to nothing.
func (p *Ping) lost() bool { return p != nil && !p.Answered }

// showAll makes evidence of all pings.
func (l *Live) showAll() (list []Evidence) {
	for i := range l.Pings {
		list = append(list, l.Pings[i].show())
	}
	return list
}

// liveOneWay judges datagrams that get through in one direction only, or in none, to a host that answers a ping over TCP.
func liveOneWay(l *Live) []Finding {
	d := l.datagrams()
	f := Finding{Evidence: l.showAll()}
	switch {
	case d.there.lost() && d.back.lost():
		f.Text = "datagrams get neither from this machine to " + d.there.To.String() + " nor back, while TCP works"
		f.Cause = "firewalls or routers on both sides let TCP through and drop UDP."
		f.Advice = "Forward UDP 2300-2400 as well as TCP, on both sides, and allow UDP for the game in the firewall."
		f.brief = "UDP is blocked both ways: forward UDP 2300-2400 as well as TCP, here and there"
	case d.there.lost():
		f.Text = "datagrams of this machine do not get to " + d.there.To.String() + ", while those of the host get here"
		f.Cause = "a firewall or router at the host drops UDP 2350-2399, or a firewall of this machine keeps them in. The session can be " +
			"joined, and then the host removes the player, whose answers to its pings do not arrive."
		f.Advice = "At the host forward UDP 2300-2400 as well as TCP, and allow UDP for the game in its firewall. Then look whether a firewall " +
			"of this machine keeps UDP in."
		f.brief = "UDP gets from the host here, and not there: open UDP 2350-2399 at the host"
	case d.back.lost():
		f.Text = "datagrams of " + d.back.To.Addr().String() + " do not get to this machine, while those of this machine get there"
		f.Cause = "a firewall of this machine, or the router before it, drops UDP 2350-2399 that comes in, or a firewall at the host keeps it in."
		f.Advice = allowHere
		f.brief = "UDP gets from here to the host, and not back: allow UDP 2350-2399 in this machine's firewall"
	default:
		return nil
	}
	return []Finding{f}
}

var mtu = rule{
	code: "mtu", severity: Failure,
	cause: "a part of the way, a VPN as a rule, carries smaller packets than the two ends send, and the message that would say so (ICMP, " +
		"\"fragmentation needed\") is dropped. A session is found, and hangs as soon as something large is sent: the list of players, a map.",
	advice:  "Lower the MTU of the network adapter or VPN on both machines, to 1280 or less; or let ICMP through in firewalls and routers on the way.",
	capture: func(c *facts) []Finding { return c.blackHoles() },
	live: func(l *Live) []Finding {
		d := l.datagrams()
		if d.there.lost() || d.back.lost() || !d.largeThere.lost() && !d.largeBack.lost() && !d.largeOver.lost() {
			return nil
		}
		x, to := d.largeThere, "to"
		if !x.lost() {
			if x = d.largeBack; !x.lost() {
				x = d.largeOver
			} else {
				to = "from"
			}
		}
		return []Finding{{
			Text:     "packets of " + itoa(x.Size) + " octets do not get " + to + " " + x.To.Addr().String() + ", while small ones do",
			Evidence: l.showAll(),
			brief:    "large packets get lost on the way: lower the MTU of the adapter or VPN on both machines, to 1280 or less",
		}}
	},
}
