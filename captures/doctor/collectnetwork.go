package doctor

import (
	"net/netip"

	"dplay4/captures"
)

// A dialKey tells attempts apart.
type dialKey struct {
	from netip.Addr
	to   netip.AddrPort
}

// event takes what happened below the messages.
func (c *collector) event(e *captures.Event) {
	m := mark{Frame: e.Frame, Time: e.Time, Message: e.Kind.String()}
	switch e.Kind {
	case captures.AddressMet:
		if len(c.Sources) < maxFacts {
			c.Sources = append(c.Sources, &source{Interface: e.Interface, Addr: e.Src.Addr()})
		}
	case captures.ConnectionAsked:
		delete(c.flows, [2]netip.AddrPort{e.Src, e.Dst}) // another connection
		c.asked(e, m)
	case captures.ConnectionTaken:
		if d := c.settled(e); d != nil {
			d.Taken++
		}
	case captures.ConnectionEnded:
		c.closed(e, m)
	case captures.ConnectionBroken:
		c.reset(e, m)
		c.closed(e, m)
		if d := c.settled(e); d != nil {
			if d.Refused++; d.Refused == 1 {
				d.No = m
			}
		}
	case captures.Unreachable:
		c.blocked(e, m)
	case captures.CaptureEnded:
		c.End, c.Last = e.Time, e.Frame
	}
}

// ours reports whether a socket may be DirectPlay's.
func (c *collector) ours(at netip.AddrPort) bool { return usual(at.Port()) || c.listeners[at] }

// asked takes a SYN.
func (c *collector) asked(e *captures.Event, m mark) {
	if !c.ours(e.Dst) {
		return
	}
	k := dialKey{e.Src.Addr(), e.Dst}
	d := c.dials[k]
	if d == nil {
		if len(c.Dials) >= maxFacts {
			return
		}
		d = &dial{From: k.from, To: k.to}
		c.dials[k] = d
		c.Dials = append(c.Dials, d)
	}
	d.Final = m
	if d.Syns++; d.Syns <= maxPieces {
		d.Marks = append(d.Marks, m)
	}
	t := [2]netip.AddrPort{e.Src, e.Dst}
	if c.tuples[t] == nil && len(c.tuples) < maxTuples {
		d.Tries++
		c.tuples[t] = d
	}
}

// settled returns the attempt that an answer ends, nil if there is none.
func (c *collector) settled(e *captures.Event) *dial {
	t := [2]netip.AddrPort{e.Dst, e.Src}
	d := c.tuples[t]
	delete(c.tuples, t)
	return d
}

// used notes that messages go the way of an attempt: then it was taken, whatever the capture lacks.
func (c *collector) used(r *captures.Record) {
	if d := c.dials[dialKey{r.Src.Addr(), r.Dst}]; d != nil {
		d.Used = true
	}
}

// blocked takes what ICMP says.
func (c *collector) blocked(e *captures.Event, m mark) {
	if !c.ours(e.Dst) && !c.ours(e.Src) {
		return
	}
	for _, b := range c.Blocks {
		if b.Src.Addr() == e.Src.Addr() && b.Dst == e.Dst && b.Transport == e.Transport && b.Code == e.Code {
			b.Count++
			return
		}
	}
	if len(c.Blocks) < maxFacts/16 { // they are compared one by one
		c.Blocks = append(c.Blocks, &block{mark: m, Transport: e.Transport, Src: e.Src, Dst: e.Dst, By: e.By, Code: e.Code, Count: 1})
	}
}

// A flow is one direction of a TCP connection, in which messages went.
type flow struct {
	last     mark           // the last message
	from, to netip.AddrPort // its machines
	ended    [2]mark        // the FIN or RST of its sender, and that of the other side
}

// flow notes a message of a connection.
func (c *collector) flow(r *captures.Record, m mark) {
	if way := [2]netip.Addr{r.Src.Addr(), r.Dst.Addr()}; !c.streamed[way] && len(c.Streams) < maxFacts {
		c.streamed[way] = true
		c.Streams = append(c.Streams, &streamed{m, r.Src.Addr(), r.Dst.Addr()})
	}
	k := [2]netip.AddrPort{r.Src, r.Dst}
	f := c.flows[k]
	if f == nil {
		if len(c.flows) >= maxTuples {
			return
		}
		f = new(flow)
		c.flows[k] = f
	}
	f.last, f.from, f.to = m, r.From.At, r.To.At
}

// closed takes the end of a connection.
func (c *collector) closed(e *captures.Event, m mark) {
	if j := c.conns[e.Dst]; j != nil && j.Door == e.Src {
		j.Ended = m
	}
	for side, k := range [2][2]netip.AddrPort{{e.Src, e.Dst}, {e.Dst, e.Src}} {
		c.leaves(k, m)
		if f := c.flows[k]; f != nil && f.ended[side].Frame == 0 {
			f.ended[side] = m
		}
	}
}

// reset takes an RST. One that comes at once answers the last message: whoever it was for had no such connection any more.
func (c *collector) reset(e *captures.Event, m mark) {
	f := c.flows[[2]netip.AddrPort{e.Dst, e.Src}]
	if f == nil || f.last.Frame > m.Frame || m.Time.Sub(f.last.Time) > patience || len(c.Resets) >= maxFacts {
		return
	}
	if n := len(c.Resets); n > 0 && c.Resets[n-1].Sent == f.last {
		return // each segment of a message is answered
	}
	x := &reset{mark: m, Sent: f.last, From: e.Dst, To: e.Src, Sender: f.from}
	if end := f.ended[1]; end.Frame > 0 && end.Frame < f.last.Frame {
		x.Closed = end
	}
	if l := c.lives[f.to]; l != nil {
		x.Left = l.last.Message == goodbye
	}
	c.Resets = append(c.Resets, x)
}
