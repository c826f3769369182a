package doctor

import "dplay4/captures"

// largePing is more octets than a ping that is the message alone has.
const largePing = 256

// show makes evidence of a ping.
func (p Ping) show() Evidence {
	v := pick(p.Answered, "answered by ", "no answer by ") + p.By.String()
	return Evidence{Message: "PING of " + itoa(p.Size) + " octets", Field: p.Transport.String() + " " + p.To.String(), Value: v}
}

// ping returns a ping that was tried, the zero Ping if there is none.
func (l *Live) ping(t, by captures.Transport, large bool) Ping {
	list := where(l.Pings, func(p Ping) bool { return p.Transport == t && p.By == by && p.Size > largePing == large })
	return append(list, Ping{})[0]
}

// A passage is whether datagrams get to a host, and back. Pings that were not tried are zero.
type passage struct{ there, back, largeThere, largeBack, largeOver Ping }

// datagrams returns what is known of the way of datagrams.
func (l *Live) datagrams() passage {
	return passage{l.ping(captures.UDP, captures.TCP, false), l.ping(captures.TCP, captures.UDP, false),
		l.ping(captures.UDP, captures.TCP, true), l.ping(captures.TCP, captures.UDP, true), l.ping(captures.TCP, captures.TCP, true)}
}

// tried reports whether a ping was sent.
func (p Ping) tried() bool { return p.To.IsValid() }

// lost reports whether a ping was sent, and no answer came.
func (p Ping) lost() bool { return p.tried() && !p.Answered }

// liveOneWay is the rule udp-one-way for this machine: datagrams get through in one direction only, or in none, to a host that answers a ping
// over TCP.
var liveOneWay = one(func(l *Live) *Finding {
	d := l.datagrams()
	f := found("", mapped(l.Pings, Ping.show)...)
	switch [2]bool{d.there.lost(), d.back.lost()} {
	case [2]bool{true, true}:
		f.in("both").Text = "datagrams get neither from this machine to " + d.there.To.String() + " nor back, while TCP works"
	case [2]bool{true, false}:
		f.in("there").Text = "datagrams of this machine do not get to " + d.there.To.String() + ", while those of the host get here"
	case [2]bool{false, true}:
		f.in("back").Text = "datagrams of " + d.back.To.Addr().String() + " do not get to this machine, while those of this machine get there"
	default:
		return nil
	}
	return f
})

// liveMtu is the rule mtu for this machine.
var liveMtu = one(func(l *Live) *Finding {
	type trial struct {
		Ping
		way string
	}
	d := l.datagrams()
	lost := where([]trial{{d.largeThere, "to"}, {d.largeBack, "from"}, {d.largeOver, "to"}}, func(t trial) bool { return t.lost() })
	if d.there.lost() || d.back.lost() || len(lost) == 0 {
		return nil
	}
	x := lost[0]
	return found("packets of "+itoa(x.Size)+" octets do not get "+x.way+" "+x.To.Addr().String()+", while small ones do",
		mapped(l.Pings, Ping.show)...).in("live")
})
