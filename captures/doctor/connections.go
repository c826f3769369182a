package doctor

import (
	"cmp"
	"net/netip"

	"dplay4/captures"
)

// listen stores a socket of a DirectPlay program.
func (c *collector) listen(at netip.AddrPort) { put(&c.listeners, at, true, maxListeners) }

// ours reports whether a socket may be DirectPlay's.
func (c *collector) ours(at netip.AddrPort) bool { return usual(at.Port()) || c.listeners[at] }

// asked counts a SYN.
func (c *collector) asked(e *captures.Event, m mark) {
	if c.ours(e.Dst) {
		k := dialKey{e.Src.Addr(), e.Dst}
		d := c.Dials.at(k)
		d.dialKey = k
		d.again(m)
		put(&c.tuples, way{e.Src, e.Dst}, d, maxTuples)
	}
}

// settled returns the attempt that an answer ends, nil if there is none.
func (c *collector) settled(e *captures.Event) *dial {
	t := way{e.Dst, e.Src}
	d := c.tuples[t]
	delete(c.tuples, t)
	return d
}

// blocked counts an ICMP message.
func (c *collector) blocked(e *captures.Event, m mark) {
	if !c.ours(e.Dst) && !c.ours(e.Src) {
		return
	}
	b := find(c.Blocks, func(b *block) bool {
		return b.Src.Addr() == e.Src.Addr() && b.Dst == e.Dst && b.Transport == e.Transport && b.Code == e.Code
	})
	if b == nil {
		b = &block{Transport: e.Transport, Src: e.Src, Dst: e.Dst, By: e.By, Code: e.Code}
		if len(c.Blocks) < maxFacts/16 { // they are compared one by one
			add(&c.Blocks, b)
		}
	}
	b.again(m)
}

// A flow is one direction of a TCP connection, in which messages went.
type flow struct {
	last  mark    // the last message
	of    way     // its machines
	ended [2]mark // the FIN or RST of its sender, and that of the other side
}

// stream records a message over TCP with its connection.
func (c *collector) stream(m *message) {
	if d := c.Dials.by[dialKey{m.Src.Addr(), m.Dst}]; d != nil {
		d.Used = true // the attempt was taken, whatever the capture lacks
	}
	if s := c.Streams.at([2]netip.Addr{m.Src.Addr(), m.Dst.Addr()}); s.N == 0 {
		*s = streamed{m.at, m.Src.Addr(), m.Dst.Addr()}
	}
	f := c.flows[m.way()]
	f.last, f.of = m.at, m.machines()
	put(&c.flows, m.way(), f, maxTuples)
	if j := c.conns[m.Src]; j != nil {
		j.LastSeen = m.at
	}
	if j := c.joining[m.from]; j != nil && j.List.Frame > 0 {
		j.After++
	}
}

// closed records the end of a connection.
func (c *collector) closed(e *captures.Event, m mark) {
	if j := c.conns[e.Dst]; j != nil && j.Door == e.Src {
		j.Ended = m
	}
	for side, k := range []way{{e.Src, e.Dst}, {e.Dst, e.Src}} {
		c.leaves(k, m)
		if f, ok := c.flows[k]; ok && f.ended[side].Frame == 0 {
			f.ended[side] = m
			c.flows[k] = f
		}
	}
}

// reset stores an RST. One that comes at once answers the last message: whoever it was for had no such connection any more.
func (c *collector) reset(e *captures.Event, m mark) {
	f, ok := c.flows[way{e.Dst, e.Src}]
	if !ok || f.last.Frame > m.Frame || m.Time.Sub(f.last.Time) > patience {
		return
	}
	if n := len(c.Resets); n > 0 && c.Resets[n-1].Sent == f.last {
		return // each segment of a message is answered
	}
	x := &reset{mark: m, Sent: f.last, From: e.Dst, To: e.Src, Sender: f.of.from}
	if end := f.ended[1]; end.Frame > 0 && end.Frame < f.last.Frame {
		x.Closed = end
	}
	if l := c.lives[f.of.to]; l != nil {
		x.Left = l.last.Message == goodbye
	}
	add(&c.Resets, x)
}

// hostUnreachable adds what host-unreachable finds in a capture.
func hostUnreachable(c *facts, out *findings) {
	for _, d := range c.Dials.list {
		o := offerOf(c, d)
		if o == nil || !c.hopeless(d) {
			continue
		}
		f := noConnection(out, d, d.From.String()+" found the session "+pick(o.Host == d.To, "at "+d.To.String()+", but cannot connect to it",
			"of "+c.who(o.Host)+", which tells joiners to connect to "+d.To.String()+", and cannot"))
		for _, b := range c.Blocks {
			if b.Transport == captures.TCP && b.Src.Addr() == d.From && b.Dst == d.To {
				f.Evidence = append(f.Evidence, b.show(b.Dst.String()))
			}
		}
		if o.Host != d.To {
			f.Evidence = append([]Evidence{o.show("SockAddr", o.At.String())}, f.Evidence...)
			f.section = "advertised"
		}
	}
}

// liveHostUnreachable adds what host-unreachable finds on this machine.
func liveHostUnreachable(l *Live, out *findings) {
	for i := range l.Doors {
		d := &l.Doors[i]
		if !d.Offered || d.Err == "" {
			continue
		}
		tell := pick(d.elsewhere(l), d.advertised, d.closed)
		tell(out).Evidence = append(l.told(d), d.show())
	}
}

// closed returns the finding for a session whose TCP port does not take connections.
func (d *Door) closed(out *findings) *Finding {
	at, port := d.At.Addr().String(), itoa(int(d.At.Port()))
	section := map[Fault]string{Refused: "refused", Unreachable: "unreachable"}[d.Fault]
	return out.add(named(d.Session)+" of "+at+" is found, but TCP port "+port+" there cannot be connected to: "+d.fate()).
		in(cmp.Or(section, "dropped"), "{session}", named(d.Session), "{at}", at, "{port}", port, "{error}", d.Err)
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
func (d *Door) advertised(out *findings) *Finding {
	kind := localKind(d.At.Addr())
	at := d.At.String() + pick(kind == "", "", ", "+kind)
	return out.add(named(d.Session)+" answers from "+d.From.String()+" but tells joiners to connect to "+at+", and "+d.fate()).
		in("advertised-live", "{session}", named(d.Session), "{from}", d.From.String(), "{at}", at, "{fate}", d.fate())
}

// told returns the offer of the session that a door is of, as evidence.
func (l *Live) told(d *Door) []Evidence {
	for _, o := range l.offers() {
		if o.Host == d.At && o.Name == d.Session {
			return []Evidence{o.show("SockAddr", d.At.String())}
		}
	}
	return nil
}

// hopeless reports whether attempts to connect came to nothing, as far as the capture shows that.
func (c *facts) hopeless(d *dial) bool {
	return d.failed() && (d.Refused > 0 || !c.late(d.Marks[0]))
}

// offerOf returns the offer of the session that an attempt of a joiner to connect is for, nil if there is none.
func offerOf(c *facts, d *dial) *offer {
	return find(c.Offers.list, func(o *offer) bool { return o.To.Addr() == d.From && (o.Host == d.To || o.At == d.To) })
}

// noConnection adds a finding about attempts that came to nothing.
func noConnection(out *findings, d *dial, text string) *Finding {
	return out.add(text+pick(d.Refused > 0, ": it is refused", ": nothing answers"), d.evidence()...).more(d.more())
}

// evidence returns the SYNs, and the first RST if there is one.
func (d *dial) evidence() []Evidence {
	list := d.show("to " + d.To.String())
	if d.Refused > 0 {
		list = append(list, d.refusal())
	}
	return list
}

// refusal makes evidence of the first RST.
func (d *dial) refusal() Evidence { return d.No.show("", "refused by "+d.To.String()) }

// peerUnreachable adds what peer-unreachable finds in a capture.
func peerUnreachable(c *facts, out *findings) {
	for _, d := range c.Dials.list {
		if offerOf(c, d) == nil && member(c, d) && c.hopeless(d) {
			noConnection(out, d, d.From.String()+" cannot connect to "+c.who(d.To)+", which is in the same session")
		}
	}
}

// member reports whether the one who is called was named to the caller as a member of its session, or joined at the caller.
func member(c *facts, d *dial) bool {
	return exists(c.Addresses.list, func(a *address) bool { return !a.Own && a.Told == d.From && a.Socket == d.To }) ||
		find(c.Joins, func(j *join) bool {
			return j.Joiner == d.To && j.Host.Addr() == d.From && j.ID.Frame == 0 && j.Refused == nil
		}) != nil
}

// dataRefused adds what data-refused finds in a capture.
func dataRefused(c *facts, out *findings) {
	byPair := map[way]*Finding{}
	for _, x := range c.Resets {
		if x.Left || x.Sent.Message == goodbye || c.lives[x.To] == nil || c.talk(x.To).N < x.Sent.N || c.allStops().frames[x.Frame] {
			continue // the connection was about to end, or another rule reports the reset with its cause
		}
		ev := []Evidence{x.Sent.show("", "to "+x.To.String()), x.show("", "from "+x.To.String())}
		if f := byPair[way{x.Sender, x.To}]; f != nil {
			f.more(len(ev))
			continue
		}
		byPair[way{x.Sender, x.To}] = out.add(c.who(x.To)+" answered "+x.Sent.Message+" of "+c.who(x.Sender)+" with RST in frame "+itoa(x.Frame), ev...)
	}
}
