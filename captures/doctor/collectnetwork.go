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
	m := Mark{Frame: e.Frame, Time: e.Time, Message: e.Kind.String()}
	switch e.Kind {
	case captures.AddressMet:
		if len(c.Sources) < maxFacts {
			c.Sources = append(c.Sources, &Source{Interface: e.Interface, Addr: e.Src.Addr()})
		}
	case captures.ConnectionAsked:
		c.asked(e, m)
	case captures.ConnectionTaken:
		if d := c.settled(e); d != nil {
			d.Taken++
		}
	case captures.ConnectionBroken:
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

// ours says whether a socket may be DirectPlay's.
func (c *collector) ours(at netip.AddrPort) bool { return usual(at.Port()) || c.listeners[at] }

// asked takes a SYN.
func (c *collector) asked(e *captures.Event, m Mark) {
	if !c.ours(e.Dst) {
		return
	}
	k := dialKey{e.Src.Addr(), e.Dst}
	d := c.dials[k]
	if d == nil {
		if len(c.Dials) >= maxFacts {
			return
		}
		d = &Dial{From: k.from, To: k.to}
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

// settled gives the attempt that an answer ends, nil if there is none.
func (c *collector) settled(e *captures.Event) *Dial {
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
func (c *collector) blocked(e *captures.Event, m Mark) {
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
		c.Blocks = append(c.Blocks, &Block{Mark: m, Transport: e.Transport, Src: e.Src, Dst: e.Dst, By: e.By, Code: e.Code, Count: 1})
	}
}
