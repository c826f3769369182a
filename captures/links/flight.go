package links

import (
	"hash/maphash"

	"dplay4/wire/reliable"
)

// A frameID names a frame of a link: the same for each of its sendings. Both numbers go on beyond their 8 bits.
type frameID struct {
	messageID
	sequence int32
}

// A messageID names a message of a link.
type messageID struct {
	reliable bool
	number   int32
}

// A sending is one time that a frame was sent.
type sending struct {
	Place
	id       frameID
	serial   uint8
	before   int    // how often it was sent before
	hash     uint64 // of its data
	size     int
	previous int  // number of the sending before it; 0: none
	asks     bool // for an answer
	answered bool // by an ACK that names this very sending
	acked    bool
	ackedAt  Place // zero: it was acknowledged before it came
	early    bool  // it was sent although the one before had arrived for certain
	twice    bool  // it was sent although the one before had been acknowledged
	vain     bool  // it was acknowledged, with a later one, while the receiver had perhaps not counted it
	named    bool  // by a NACK, and not sent again since
	namedAt  Place
}

// A flight is what a link has under way: the sendings that are remembered, the oldest first.
type flight struct {
	two      bool // messageids go on for each kind of message apart
	newest   [2]counter
	ahead    int // of the frame that was identified last: how far its messageid is after the newest one
	list     []sending
	from     int // number of list[0], from 1
	low      int // number up to which no reliable frame waits for an acknowledgement
	index    map[frameID]int
	messages map[messageID]*message
	open     int // frames with RLY that were not acknowledged
	high     map[bool]int32
	total    *int // sendings of all links
}

// A message is what the capture has of one.
type message struct {
	last     int32 // highest sequence
	serial   uint8 // of the frame that came last in the order of sending
	sendings int   // that the capture has
	lost     int   // that it has not, by the serials
	begun    bool  // its first frame was seen
}

// both are the flags of a frame that is a whole message.
const both = reliable.STA | reliable.EOM

var seed = maphash.MakeSeed()

// hash tells data apart; it is the same for equal data within one run of the program, and shown to nobody.
func hash(data []byte) uint64 { return maphash.Bytes(seed, data) }

// counterOf returns the counter of a kind of message.
func (f *flight) counterOf(reliably bool) *counter {
	if f.two && reliably {
		return &f.newest[1]
	}
	return &f.newest[0]
}

// number continues a messageid.
func (f *flight) number(id uint8, reliably bool) (n int32, ahead int) {
	return f.counterOf(reliably).number(id)
}

// identify names the frame of a Data frame, and notes how far ahead it is.
func (f *flight) identify(x *Frame) frameID {
	rly := x.Flags&reliable.RLY != 0
	var id frameID
	id.reliable = rly
	id.number, f.ahead = f.number(x.MessageID, rly)
	id.sequence = f.sequence(id.messageID, x.Sequence)
	return id
}

// sequence continues a sequence of a message.
func (f *flight) sequence(id messageID, s uint8) int32 {
	if m := f.messages[id]; m != nil {
		return m.last + int32(int8(s-uint8(m.last)))
	}
	return 256 + int32(s)
}

// find returns the last sending of a frame, nil if it is not known. It is valid until the next one is added.
func (f *flight) find(id frameID) *sending { return f.at(f.index[id]) }

// at returns the sending with a number, nil if it is not remembered.
func (f *flight) at(n int) *sending {
	if n < f.from || n == 0 || n >= f.from+len(f.list) {
		return nil
	}
	return &f.list[n-f.from]
}

// message returns the message of a Data frame, and whether this is the first frame of it. Messages that are far behind
// are forgotten.
func (f *flight) message(id frameID, x *Frame) (m *message, fresh bool) {
	if m = f.messages[id.messageID]; m != nil {
		return m, false
	}
	if f.messages == nil {
		f.messages, f.index, f.high = map[messageID]*message{}, map[frameID]int{}, map[bool]int32{}
	}
	c := f.counterOf(id.reliable)
	old := c.newest
	c.see(x.MessageID)
	for n := old + 1; n <= c.newest; n++ {
		delete(f.messages, messageID{false, n - half})
		delete(f.messages, messageID{true, n - half})
	}
	m = &message{last: id.sequence}
	if id.number > c.newest-half {
		f.messages[id.messageID] = m
	}
	return m, true
}

// again returns how often a frame was sent before.
func (m *message) again(f *Frame, id frameID, old *sending) int {
	switch {
	case old != nil:
		return old.before + 1
	case f.Flags&both == both:
		return int(f.Serial) // one-frame messages count their sendings
	case m.sendings > 0 && id.sequence < m.last && int8(f.Serial-m.serial) > 0:
		return 1 // it comes after frames that are behind it
	}
	return 0
}

// serialGap returns how many sendings of a message are missing before a frame, by its serial, which counts them. What was
// sent before the link's first frame is not missing: the capture began later.
func (m *message) serialGap(f *Frame, first bool) int {
	if first {
		m.lost = int(f.Serial)
		return 0
	}
	gap := int(int8(f.Serial - uint8(m.sendings+m.lost)))
	if gap < 0 {
		gap = max(gap, -1) // one that was thought lost came late, or serials are not counted
		if m.lost == 0 {
			return 0
		}
	}
	m.lost += gap
	return gap
}

// note takes a sending of a message.
func (m *message) note(f *Frame, id frameID) {
	if m.sendings == 0 || int8(f.Serial-m.serial) > 0 {
		m.serial = f.Serial
	}
	m.last = max(m.last, id.sequence)
	m.begun = m.begun || f.Flags&reliable.STA != 0
	m.sendings++
}

// add remembers a sending. The oldest is forgotten where there are too many.
func (f *flight) add(x sending, old *sending) {
	if old != nil {
		x.previous = f.index[x.id]
	}
	if len(f.list) >= maxFlight || *f.total >= maxSendings {
		if len(f.list) == 0 {
			return
		}
		f.forget()
	}
	if f.from == 0 {
		f.from = 1
	}
	f.list = append(f.list, x)
	*f.total++
	f.index[x.id] = f.from + len(f.list) - 1
	if x.id.reliable && !x.acked && old == nil {
		f.open++
	}
}

// forget drops the oldest sending.
func (f *flight) forget() {
	x := &f.list[0]
	if f.index[x.id] == f.from {
		delete(f.index, x.id)
		if x.id.reliable && !x.acked {
			f.open--
		}
	}
	f.list = f.list[1:]
	f.from++
	*f.total--
}

// clear forgets everything.
func (f *flight) clear() {
	*f.total -= len(f.list)
	*f = flight{total: f.total, two: f.two}
}

// unacked returns how many reliable messages have frames that were not acknowledged.
func (f *flight) unacked() int {
	open := map[messageID]bool{}
	for id, n := range f.index {
		if x := f.at(n); x != nil && id.reliable && !x.acked {
			open[id.messageID] = true
		}
	}
	return len(open)
}

// passed reports whether a message was acknowledged with a later one before it came.
func (f *flight) passed(id frameID) bool {
	h, ok := f.high[id.reliable]
	return ok && id.number < h && h-id.number < reliable.Window
}
