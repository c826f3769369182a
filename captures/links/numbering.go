package links

import "dplay4/wire/reliable"

// half is half of the numbers that 8 bits tell apart: a number is that far behind the newest one, or less far ahead.
const half = 128

// A counter follows messageids that one counter of the sender gives.
type counter struct {
	started bool
	newest  int32 // continued beyond 8 bits
	missing int
	open    [4]uint64 // ids that were left out and did not come yet, a bit each
	came    [4]uint64 // ids that came
}

// number continues an id, and returns how far it is after the newest one.
func (c *counter) number(id uint8) (n int32, ahead int) {
	if !c.started {
		return 2*half + int32(id), 0
	}
	ahead = int(int8(id - uint8(c.newest)))
	return c.newest + int32(ahead), ahead
}

// next reports whether an id is the one after the newest, or, where all is the counter of the messages that this one may
// be part of, the first one of a counter that begins: all has given that id to another message.
func (c *counter) next(id uint8, all *counter) bool {
	if !c.started {
		return id <= reliable.FirstMessageID && (all.seen(id) || !all.started)
	}
	return id == uint8(c.newest)+1
}

// late reports whether an id may be of a message that came late: it is behind the newest one, and did not come yet.
func (c *counter) late(id uint8) bool {
	_, ahead := c.number(id)
	return c.started && ahead <= 0 && ahead > -reliable.Window && !c.seen(id)
}

// seen reports whether an id came, of those up to half of the numbers behind the newest one.
func (c *counter) seen(id uint8) bool { return c.came[id/64]>>(id%64)&1 != 0 }

// see takes the id of a message that was not seen before.
func (c *counter) see(id uint8) {
	n, ahead := c.number(id)
	for old := c.newest + 1; c.started && old <= n; old++ {
		far := uint8(old + half) // it is no longer one of those behind
		c.came[far/64] &^= 1 << (far % 64)
		c.open[far/64] &^= 1 << (far % 64) // it never came
	}
	c.came[id/64] |= 1 << (id % 64)
	if !c.started {
		c.started, c.newest = true, n
		return
	}
	if ahead > 1 && ahead <= reliable.Window {
		for i := 1; i < ahead; i++ {
			c.mark(id-uint8(i), true)
		}
	}
	c.mark(id, false)
	c.newest = max(c.newest, n)
}

// mark notes whether an id is missing.
func (c *counter) mark(id uint8, missing bool) {
	word, bit := &c.open[id/64], uint64(1)<<(id%64)
	switch was := *word&bit != 0; {
	case missing:
		c.missing++
		*word |= bit
	case was:
		c.missing--
		*word &^= bit
	}
}

// A numbering follows messageids by both readings of the specification.
type numbering struct {
	any  counter    // one counter for all messages (2.2.2)
	kind [2]counter // one for unreliable and one for reliable messages (3.1.1)
}

func kindOf(reliably bool) int {
	if reliably {
		return 1
	}
	return 0
}

// see takes the id of a new message.
func (n *numbering) see(id uint8, reliably bool) {
	n.any.see(id)
	n.kind[kindOf(reliably)].see(id)
}

// missing returns how many ids are missing by the reading of a peer.
func (n *numbering) missing(p *Peer) int {
	if p.Reading(Spaces) == 1 {
		return n.kind[0].missing + n.kind[1].missing
	}
	return n.any.missing
}

// vote notes what a new messageid says about the readings: whether it goes on where one counter was and the others were not.
// One that came late says nothing.
func vote(p *Peer, pair, machines *numbering, id uint8, reliably bool, at Place) {
	k := kindOf(reliably)
	both := &pair.any // what gives ids to both kinds
	if !both.started {
		both = &machines.any
	}
	pairAny, pairKind := pair.any.next(id, &machines.any), pair.kind[k].next(id, both)
	allAny, allKind := machines.any.next(id, &machines.any), machines.kind[k].next(id, &machines.any)
	if one, two := pairAny || allAny, pairKind || allKind; one != two && !pair.any.late(id) {
		p.see(Spaces, kindOf(two), at)
	}
	if of, per := allAny || allKind, pairAny || pairKind; of != per && !machines.any.late(id) {
		p.see(LinkPer, kindOf(per), at)
	}
}

// sequences follow how the reliable messages of a link begin.
type sequences struct {
	known bool
	first uint8 // sequence of a first frame, that of the first message that has it in the capture
	last  uint8 // of the frame that ended the message before
	id    uint8 // of that message
	ended bool
}

// see takes a frame of a reliable message that was not sent before. Only messages that follow each other say anything.
func (s *sequences) see(p *Peer, f *Frame) {
	follows := s.known && s.ended && f.Flags&reliable.STA != 0 && f.MessageID == s.id+1
	if next := s.last + 1; follows && (f.Sequence == next) != (f.Sequence == s.first) {
		p.see(Sequences, kindOf(f.Sequence == next), f.Place)
	}
	if !s.known && f.Flags&reliable.STA != 0 {
		s.known, s.first = true, f.Sequence
	}
	s.last, s.id, s.ended = f.Sequence, f.MessageID, f.Flags&reliable.EOM != 0
}
