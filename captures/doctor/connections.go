package doctor

import (
	"cmp"
	"net/netip"
	"strings"

	"dplay4/captures"
)

// listen stores a socket of a DirectPlay program.
func (c *collector) listen(at netip.AddrPort) { put(&c.listeners, at, true, maxListeners) }

// ours reports whether a socket may be DirectPlay's.
func (c *collector) ours(at netip.AddrPort) bool { return usual(at.Port()) || c.listeners[at] }

// oneOurs reports whether one of two sockets may be DirectPlay's.
func (c *collector) oneOurs(a, b netip.AddrPort) bool { return c.ours(a) || c.ours(b) }

// asked counts a SYN. It begins another connection.
func (c *collector) asked(e *captures.Event, m mark) {
	delete(c.flows, way{e.Src, e.Dst})
	if c.ours(e.Dst) {
		k := dialKey{e.Src.Addr(), e.Dst}
		d := c.Dials.at(k, dial{dialKey: k})
		d.again(m)
		put(&c.tuples, way{e.Src, e.Dst}, d, maxTuples)
	}
}

// settled returns the attempt that an answer ends, a new one that no table has if there is none.
func (c *collector) settled(e *captures.Event) *dial {
	t := way{e.Dst, e.Src}
	d := cmp.Or(c.tuples[t], new(dial))
	delete(c.tuples, t)
	return d
}

// blocked counts an ICMP message.
func (c *collector) blocked(e *captures.Event, m mark) {
	if c.oneOurs(e.Dst, e.Src) {
		k := blockKey{e.Transport, e.Src.Addr(), e.Dst, e.Code}
		c.Blocks.at(k, block{blockKey: k, By: e.By}).again(m)
	}
}

// A flow is one direction of a TCP connection, in which messages went.
type flow struct {
	last  mark    // the last message
	of    way     // its machines
	ended [2]mark // the FIN or RST of its sender, and that of the other side
}

// stream records a message over TCP with its connection.
func (c *collector) stream(m *message) {
	c.Dials.get(dialKey{m.Src.Addr(), m.Dst}).Used = true // the attempt was taken, whatever the capture lacks
	c.Streams.at(m.sockets().addrs(), streamed{m.at, m.Src.Addr(), m.Dst.Addr()})
	f := c.flows[m.sockets()]
	f.last, f.of = m.at, m.way
	put(&c.flows, m.sockets(), f, maxTuples)
	cmp.Or(c.conns[m.sockets()], new(join)).LastSeen = m.at
	if j := m.sender.joining(); j.List.Frame > 0 {
		j.After++
	}
	c.overTCP(m)
}

// closed records the end of a connection.
func (c *collector) closed(e *captures.Event, m mark) {
	cmp.Or(c.conns[way{e.Dst, e.Src}], new(join)).Ended = m
	for side, k := range []way{{e.Src, e.Dst}, {e.Dst, e.Src}} {
		c.leaves(k, m)
		if f, ok := c.flows[k]; ok {
			f.ended[side] = cmp.Or(f.ended[side], m)
			c.flows[k] = f
		}
	}
}

// reset stores an RST. One that comes at once answers the last message: its addressee had no such connection any more.
func (c *collector) reset(e *captures.Event, m mark) {
	f, ok := c.flows[way{e.Dst, e.Src}]
	if !ok || f.last.Frame > m.Frame || m.Time.Sub(f.last.Time) > patience {
		return
	}
	if cmp.Or(last(c.Resets), new(reset)).Sent == f.last {
		return // each segment of a message is answered
	}
	x := &reset{mark: m, way: way{e.Dst, e.Src}, Sent: f.last, Sender: f.of.from, Left: c.known(f.of.to).last.Message == goodbye}
	x.Closed = pick(f.ended[1].Frame < f.last.Frame, f.ended[1], mark{})
	add(&c.Resets, x)
}

// hostUnreachable is the rule host-unreachable for captures.
var hostUnreachable = each(func(c *facts) []*dial {
	return where(c.hopeless(), func(d *dial) bool { return c.offerOf(d) != nil })
}, func(c *facts, d *dial) *Finding {
	o := c.offerOf(d)
	blocked := func(b *block) bool { return b.blockKey == blockKey{captures.TCP, d.From, d.To, b.Code} }
	text, section, told := "at "+d.To.String()+", but cannot connect to it", "", Evidence{}
	if o.Host != d.To {
		text, section = "of "+c.who(o.Host)+", which tells joiners to connect to "+d.To.String()+", and cannot", "advertised"
		told = o.show("SockAddr", o.At.String())
	}
	return d.vain(d.From.String() + " found the session " + text).in(section).begins(told).
		with(mapped(where(c.Blocks.list, blocked), func(b *block) Evidence { return b.show(b.Dst.String()) })...)
})

// liveHostUnreachable is the rule host-unreachable for this machine.
var liveHostUnreachable = each(func(l *Live) []Door {
	return where(l.Doors, func(d Door) bool { return d.Offered && d.Err != "" })
}, func(l *Live, d Door) *Finding {
	told := where(l.Offers(), func(o LiveOffer) bool { return o.Host == d.At && o.Name == d.Session })
	told = told[:min(len(told), 1)]
	f := pick(d.elsewhere(l), Door.advertised, Door.closed)(d)
	return f.with(mapped(told, func(o LiveOffer) Evidence { return o.show("SockAddr", d.At.String()) })...).with(d.show())
})

// fates are the cases of the page for the ways in which a port does not take a connection, and the reasons in a few words.
var fates = map[Fault][2]string{Refused: {"refused", "it is refused"}, Unreachable: {"unreachable", "there is no way to it ({error})"}}

// fate returns the case and the reason for which a port does not take the connection.
func (d Door) fate() (section, why string) {
	f := cmp.Or(fates[d.Fault], [2]string{"dropped", "nothing answers"})
	return f[0], strings.ReplaceAll(f[1], "{error}", d.Err)
}

// closed returns the finding for a session with a TCP port that does not take connections.
func (d Door) closed() *Finding {
	at, port := d.At.Addr().String(), itoa(d.At.Port())
	section, why := d.fate()
	return found(named(d.Session)+" of "+at+" is found, but TCP port "+port+" there cannot be connected to: "+why).
		in(section, "{session}", named(d.Session), "{at}", at, "{port}", port, "{error}", d.Err)
}

// elsewhere reports whether a machine joined a session at another address than the one that answered its search.
func (d Door) elsewhere(l *Live) bool {
	return d.From.IsValid() && d.From != d.At.Addr() && l.Host != d.At.Addr()
}

// advertised returns the finding for a session that advertises an address that joiners cannot reach, and answers from another one.
func (d Door) advertised() *Finding {
	kind := localKind(d.At.Addr())
	at := d.At.String() + pick(kind == "", "", ", "+kind)
	_, why := d.fate()
	return found(named(d.Session)+" answers from "+d.From.String()+" but tells joiners to connect to "+at+", and "+why).
		in("advertised-live", "{session}", named(d.Session), "{from}", d.From.String(), "{at}", at, "{fate}", why)
}

// hopeless returns the attempts to connect that came to nothing, as far as the capture shows that.
func (c *facts) hopeless() []*dial {
	return where(c.Dials.list, func(d *dial) bool { return d.failed() && (d.Refused.Count > 0 || !c.late(d.Marks[0])) })
}

// offerOf returns the offer of the session that an attempt of a joiner to connect is for, nil if there is none.
func (c *facts) offerOf(d *dial) *offer {
	return find(c.offersTo[d.From], func(o *offer) bool { return o.Host == d.To || o.At == d.To })
}

// vain returns a finding about attempts that came to nothing.
func (d *dial) vain(text string) *Finding {
	return d.found(text + pick(d.Refused.Count > 0, ": it is refused", ": nothing answers"))
}

// found returns a finding that has the SYNs, and the first RST if there is one, as evidence.
func (d *dial) found(text string) *Finding {
	return d.series.found(text, "to "+d.To.String()).with(d.refusal())
}

// refusal makes evidence of the first RST.
func (d *dial) refusal() Evidence { return d.Refused.show("", "refused by "+d.To.String()) }

// peerUnreachable is the rule peer-unreachable for captures.
var peerUnreachable = each(func(c *facts) []*dial {
	return where(c.hopeless(), func(d *dial) bool { return c.offerOf(d) == nil && member(c, d) })
}, func(c *facts, d *dial) *Finding {
	return d.vain(d.From.String() + " cannot connect to " + c.who(d.To) + ", which is in the same session")
})

// member reports whether a message named the called machine to the caller as a member of its session, or the called machine joined at the
// caller.
func member(c *facts, d *dial) bool {
	return exists(c.Addresses.list, func(a *address) bool { return !a.Own && dialKey{a.Told, a.Socket} == d.dialKey }) ||
		exists(c.Joins, func(j *join) bool {
			return dialKey{j.Host.Addr(), j.Joiner} == d.dialKey && j.ID.Frame == 0 && j.Refused == nil
		})
}

// dataRefused is the rule data-refused for captures. It is not about connections that were about to end, and not about resets that another
// rule reports with their cause.
var dataRefused = each(func(c *facts) [][]*reset {
	odd := where(c.Resets, func(x *reset) bool {
		return !x.Left && x.Sent.Message != goodbye && c.talk(x.to).N >= x.Sent.N && !c.stopped[x.Frame]
	})
	return groups(odd, func(x *reset) way { return way{x.Sender, x.to} })
}, func(c *facts, g []*reset) *Finding {
	x := g[0]
	return found(c.who(x.to)+" answered "+x.Sent.Message+" of "+c.who(x.Sender)+" with RST in frame "+itoa(x.Frame),
		x.Sent.show("", "to "+x.to.String()), x.show("", "from "+x.to.String())).more(2 * (len(g) - 1))
})
