package doctor

import "dplay4/captures"

// largePing is more octets than a ping that is the message alone has.
const largePing = 256

// show makes evidence of a ping.
func (p *Ping) show() Evidence {
	v := pick(p.Answered, "answered by ", "no answer by ") + p.By.String()
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
func liveOneWay(l *Live, out *findings) {
	d := l.datagrams()
	switch {
	case d.there.lost() && d.back.lost():
		out.add("datagrams get neither from this machine to "+d.there.To.String()+" nor back, while TCP works", l.showAll()...).in("both")
	case d.there.lost():
		out.add("datagrams of this machine do not get to "+d.there.To.String()+", while those of the host get here", l.showAll()...).in("there")
	case d.back.lost():
		out.add("datagrams of "+d.back.To.Addr().String()+" do not get to this machine, while those of this machine get there", l.showAll()...).in("back")
	}
}

// liveMtu adds what mtu finds on this machine.
func liveMtu(l *Live, out *findings) {
	d := l.datagrams()
	if d.there.lost() || d.back.lost() {
		return
	}
	for _, x := range []struct {
		ping *Ping
		way  string
	}{{d.largeThere, "to"}, {d.largeBack, "from"}, {d.largeOver, "to"}} {
		if x.ping.lost() {
			out.add("packets of "+itoa(x.ping.Size)+" octets do not get "+x.way+" "+x.ping.To.Addr().String()+", while small ones do", l.showAll()...).in("live")
			return
		}
	}
}
