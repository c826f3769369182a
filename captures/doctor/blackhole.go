package doctor

import (
	"time"

	"dplay4/captures"
)

// A segment is octets of one direction of a TCP connection that were sent again.
type segment struct {
	way
	series        // the times since the newest octets
	next   uint32 // behind the newest octets
	seq    uint32 // of the first octet that was sent again since
	size   int    // how many these are
	heard  int    // between how many of the times the other machine sent something, in whatever way
}

const (
	// largeSegment is more than an ADDFORWARDREQUEST has, and less than a packet of any network does.
	largeSegment = 500
	// largeTries is how often TCP sends a segment before it counts as stuck, and largeTime the time between the first and the last of
	// these. A segment that was lost once arrives sooner.
	largeTries = 3
	largeTime  = time.Second
)

// segmentOf follows octets that TCP sends again. The packet has addresses.
func (c *collector) segmentOf(p *captures.Packet) {
	put(&c.lastFrom, p.Src.Addr(), p.Frame, maxListeners)
	k := way{p.Src, p.Dst}
	if back := c.Segments.get(k.back()); p.Ack != 0 && int32(p.Ack-back.seq) > 0 {
		back.series, back.heard = series{}, 0 // they arrived
	}
	if p.Protocol != "TCP" || len(p.Payload) == 0 || !c.oneOurs(p.Src, p.Dst) {
		return
	}
	if c.Segments.by[k] == nil && len(c.Segments.list) >= maxFacts {
		c.forgetSegments()
	}
	s, end := c.Segments.at(k, segment{way: k, next: p.Seq}), p.Seq+uint32(len(p.Payload))
	switch {
	case int32(end-s.next) > 0: // new octets
		s.next, s.series, s.heard = end, series{}, 0
		return
	case s.Count == 0 || s.seq != p.Seq:
		s.seq, s.size, s.series, s.heard = p.Seq, len(p.Payload), series{}, 0
	case c.lastFrom[p.Dst.Addr()] > s.Final.Frame:
		s.heard++
	}
	s.again(mark{Frame: p.Frame, Time: p.Time, Message: "TCP"})
}

// forgetSegments makes room in the table. It keeps directions with lost octets, at most half of the limit.
func (c *collector) forgetSegments() {
	lost := where(c.Segments.list, (*segment).lost)
	kept := set(lost[:min(len(lost), maxFacts/2)])
	c.Segments.drop(func(s *segment) bool { return !kept[s] })
}

// lost reports whether large octets were sent again and again, while the other machine sends packets.
func (s *segment) lost() bool {
	return s.size >= largeSegment && s.Count >= largeTries && s.heard > 0 && s.Final.Time.Sub(s.Marks[0].Time) >= largeTime
}

// blackHoles is the rule mtu for captures: it finds each connection that ends with a large segment that is never acknowledged.
var blackHoles = each(func(c *facts) []*segment { return where(c.Segments.list, (*segment).lost) }, func(_ *facts, s *segment) *Finding {
	octets := itoa(s.size) + " octets to "
	return s.found(s.from.Addr().String()+" sent "+octets+s.to.Addr().String()+" over TCP again, "+times(s.Count)+
		", and they do not arrive, while small packets do", octets+s.to.String()).with(s.Final.show("", "the last try"))
})
