package links

import "dplay4/wire/reliable"

// half is half of the numbers that 8 bits tell apart: a number is that far behind the newest one, or less far ahead.
const half = 128

// inWindow reports whether a number is so far ahead of another one that a sender may send both at once.
func inWindow(ahead int32) bool { return ahead > 0 && ahead < reliable.Window }

// An arrival is what is known of a messageid.
type arrival uint8

const (
	unknown arrival = iota
	missing         // it was left out, and did not come yet
	came
)

// A counter follows messageids that one counter of the sender gives.
type counter struct {
	newest  int32 // continued beyond 8 bits, at least 2*half; 0: none came yet
	missing int
	ids     [2 * half]arrival // of the newest half
}

// number continues an id, and returns how far it is after the newest one.
func (c *counter) number(id uint8) (n int32, ahead int) {
	if c.newest == 0 {
		return 2*half + int32(id), 0
	}
	ahead = int(int8(id - uint8(c.newest)))
	return c.newest + int32(ahead), ahead
}

// next reports whether an id is the one after the newest, or, where all is the counter of the messages that this one may
// be part of, the first one of a counter that begins: all has given that id to another message.
func (c *counter) next(id uint8, all *counter) bool {
	if c.newest == 0 {
		return id <= reliable.FirstMessageID && (all.ids[id] == came || all.newest == 0)
	}
	return id == uint8(c.newest)+1
}

// late reports whether an id may be of a message that came late: it is behind the newest one, and did not come yet.
func (c *counter) late(id uint8) bool {
	_, ahead := c.number(id)
	return inWindow(int32(-ahead)) && c.ids[id] != came
}

// see takes the id of a message that was not seen before.
func (c *counter) see(id uint8) {
	n, ahead := c.number(id)
	for i := range ahead {
		c.ids[uint8(c.newest+int32(i)+1+half)] = unknown // it is no longer one of the newest half
	}
	if ahead <= reliable.Window {
		for i := 1; i < ahead; i++ {
			c.ids[id-uint8(i)] = missing
			c.missing++
		}
	}
	c.missing -= bit(c.ids[id] == missing)
	c.ids[id] = came
	c.newest = max(c.newest, n)
}

// A numbering follows messageids by both readings of the specification.
type numbering struct {
	any  counter    // one counter for all messages (2.2.2)
	kind [2]counter // one for unreliable and one for reliable messages (3.1.1)
}

// bit returns 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// see takes the id of a new message.
func (n *numbering) see(id uint8, reliably bool) {
	n.any.see(id)
	n.kind[bit(reliably)].see(id)
}

// missing returns how many ids are missing by the reading of a peer.
func (n *numbering) missing(p *Peer) int {
	if p.Reading(Spaces) == 1 {
		return n.kind[0].missing + n.kind[1].missing
	}
	return n.any.missing
}

// vote notes what a new messageid shows about the readings: whether it goes on where one counter was and the others were not.
// One that came late shows nothing.
func vote(p *Peer, pair, machines *numbering, id uint8, reliably bool, at Place) {
	k := bit(reliably)
	both := &pair.any // what gives ids to both kinds
	if both.newest == 0 {
		both = &machines.any
	}
	pairAny, pairKind := pair.any.next(id, &machines.any), pair.kind[k].next(id, both)
	allAny, allKind := machines.any.next(id, &machines.any), machines.kind[k].next(id, &machines.any)
	if !pair.any.late(id) {
		p.see(Spaces, pairAny || allAny, pairKind || allKind, at)
	}
	if !machines.any.late(id) {
		p.see(LinkPer, allAny || allKind, pairAny || pairKind, at)
	}
}

// sequences follow how the reliable messages of a link begin.
type sequences struct {
	known bool
	first uint8 // sequence of a first frame, that of the first message that has it in the capture
	last  uint8 // of the frame that ended the message before
	id    uint8 // of that message
	ended bool  // it ended, and first is known
}

// see takes a frame of a reliable message that was not sent before. Only messages that follow each other show anything.
func (s *sequences) see(p *Peer, f *Frame) {
	begins := f.Flags&reliable.STA != 0
	if begins && s.ended && f.MessageID == s.id+1 {
		p.see(Sequences, f.Sequence == s.first, f.Sequence == s.last+1, f.Place)
	}
	if begins && !s.known {
		s.known, s.first = true, f.Sequence
	}
	s.last, s.id, s.ended = f.Sequence, f.MessageID, s.known && f.Flags&reliable.EOM != 0
}
