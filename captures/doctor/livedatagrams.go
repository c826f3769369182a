package doctor

import (
	"strings"

	"dplay4/captures"
)

// largePing is more octets than a ping that is the message alone has.
const largePing = 256

// show makes evidence of a ping.
func (p Ping) show() Evidence {
	v := pick(p.Answered, "answered by ", "no answer by ") + p.By.String()
	return Evidence{Message: "PING of " + itoa(p.Size) + " octets", Field: p.Transport.String() + " " + p.To.String(), Value: v}
}

// ping returns a ping that was tried, the zero Ping if there is none.
func (l *Live) ping(t, by captures.Transport, large bool) Ping {
	type kind struct {
		transport, by captures.Transport
		large         bool
	}
	return first(where(l.Pings, func(p Ping) bool { return kind{p.Transport, p.By, p.Size > largePing} == kind{t, by, large} }))
}

// A passage is whether datagrams get to a host, and back. Pings that were not tried are zero.
type passage struct{ there, back, largeThere, largeBack, largeOver Ping }

// datagrams returns the results of pings to a host.
func (l *Live) datagrams() passage {
	return passage{l.ping(captures.UDP, captures.TCP, false), l.ping(captures.TCP, captures.UDP, false),
		l.ping(captures.UDP, captures.TCP, true), l.ping(captures.TCP, captures.UDP, true), l.ping(captures.TCP, captures.TCP, true)}
}

// tried reports whether a ping was sent.
func (p Ping) tried() bool { return p.To.IsValid() }

// lost reports whether a ping was sent, and no answer came.
func (p Ping) lost() bool { return p.tried() && !p.Answered }

// oneWays are the cases of the page of udp-one-way with their texts, by whether pings to the host and back were lost.
var oneWays = map[[2]bool]struct{ section, text string }{
	{true, true}:  {"both", "datagrams get neither from this machine to {to} nor back, while TCP works"},
	{true, false}: {"there", "datagrams of this machine do not get to {to}, while those of the host get here"},
	{false, true}: {"back", "datagrams of {from} do not get to this machine, while those of this machine get there"},
}

// liveOneWay is the rule udp-one-way for this machine: datagrams get through in one direction only, or in none, to a host that answers a ping
// over TCP.
var liveOneWay = one(func(l *Live) *Finding {
	d := l.datagrams()
	way, lost := oneWays[[2]bool{d.there.lost(), d.back.lost()}]
	words := strings.NewReplacer("{to}", d.there.To.String(), "{from}", d.back.To.Addr().String())
	return pick(lost, found(words.Replace(way.text), mapped(l.Pings, Ping.show)...).in(way.section), nil)
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
