package doctor

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
)

// A segment is octets of one direction of a TCP connection that were sent again.
type segment struct {
	from, to netip.AddrPort
	next     uint32 // behind the newest octets
	seq      uint32 // of the first octet that was sent again since
	size     int    // how many these are
	marks    []mark // the first times
	last     mark   // the last time
	tries    int    // how often
	heard    int    // between how many of them the other machine sent something, in whatever way
}

const (
	// largeSegment is more than an ADDFORWARDREQUEST has, and less than a packet of any network does.
	largeSegment = 500
	// largeTries is how often TCP sends a segment before it counts as stuck, and largeTime the time between the first and the last of
	// these. A segment that was lost once arrives sooner.
	largeTries = 3
	largeTime  = time.Second
)

// A streamKey is one direction of a TCP connection.
type streamKey [2]netip.AddrPort

// segmentOf follows octets that TCP sends again.
func (c *collector) segmentOf(p *captures.Packet) {
	if !p.Src.IsValid() {
		return
	}
	if _, known := c.lastFrom[p.Src.Addr()]; known || len(c.lastFrom) < maxListeners {
		c.lastFrom[p.Src.Addr()] = p.Frame
	}
	if back := c.segments[streamKey{p.Dst, p.Src}]; back != nil && p.Ack != 0 && int32(p.Ack-back.seq) > 0 {
		back.marks, back.tries, back.heard = nil, 0, 0 // they arrived
	}
	if p.Protocol != "TCP" || len(p.Payload) == 0 || !c.ours(p.Src) && !c.ours(p.Dst) {
		return
	}
	k := streamKey{p.Src, p.Dst}
	m := mark{Frame: p.Frame, Time: p.Time, Message: "TCP"}
	s := c.segments[k]
	if s == nil {
		if len(c.segments) >= maxFacts {
			c.forgetSegments()
		}
		s = &segment{from: p.Src, to: p.Dst, next: p.Seq}
		c.segments[k] = s
		c.Segments = append(c.Segments, s)
	}
	if int32(p.Seq+uint32(len(p.Payload))-s.next) > 0 { // new octets
		s.next, s.marks, s.tries, s.heard = p.Seq+uint32(len(p.Payload)), nil, 0, 0
		return
	}
	if s.tries == 0 || s.seq != p.Seq {
		s.seq, s.size, s.marks, s.tries, s.heard = p.Seq, len(p.Payload), nil, 0, 0
	} else if c.lastFrom[p.Dst.Addr()] > s.last.Frame {
		s.heard++
	}
	if s.tries++; s.tries <= maxPieces {
		s.marks = append(s.marks, m)
	}
	s.last = m
}

// forgetSegments makes room: it keeps directions whose octets get lost, and at most half of the limit.
func (c *collector) forgetSegments() {
	kept := 0
	c.Segments = slices.DeleteFunc(c.Segments, func(s *segment) bool {
		if s.lost() && kept < maxFacts/2 {
			kept++
			return false
		}
		delete(c.segments, streamKey{s.from, s.to})
		return true
	})
}

// lost reports whether large octets were sent again and again, while the other machine sends packets.
func (s *segment) lost() bool {
	return s.size >= largeSegment && s.tries >= largeTries && s.heard > 0 && s.last.Time.Sub(s.marks[0].Time) >= largeTime
}

// blackHoles returns findings for connections that end with a large segment that is never acknowledged.
func (c *facts) blackHoles() (list []Finding) {
	for _, s := range c.Segments {
		if !s.lost() {
			continue
		}
		f := Finding{
			Text: s.from.Addr().String() + " sent " + itoa(s.size) + " octets to " + s.to.Addr().String() + " over TCP again, " + times(s.tries) +
				", and they do not arrive, while small packets do",
			More: s.tries - len(s.marks),
		}
		for _, m := range s.marks {
			f.Evidence = append(f.Evidence, m.show("", itoa(s.size)+" octets to "+s.to.String()))
		}
		f.Evidence = append(f.Evidence, s.last.show("", "the last try"))
		list = append(list, f)
	}
	return list
}
