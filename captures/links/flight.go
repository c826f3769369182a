package links

import (
	"hash/maphash"
	"slices"

	"dplay4/wire/reliable"
)

// A messageID names a message of a link. Its number goes on beyond the 8 bits of messageid.
type messageID struct {
	reliable bool
	number   int32
}

// A frameID names a frame of a message: the same for each of its sendings. Its sequence goes on beyond 8 bits.
type frameID struct {
	messageID
	sequence int32
}

// A message is what the capture has of one.
type message struct {
	first    beginning // zero: its first frame was not seen
	last     int32     // highest sequence
	serial   uint8     // of the frame that came last in the order of sending
	sendings int       // that the capture has
	lost     int       // that it has not, by the serials
}

// A beginning tells the first frames of messages apart.
type beginning struct {
	sequence uint8
	hash     uint64 // of the data, and the same for equal data within one run of the program only
}

var seed = maphash.MakeSeed()

// A frame is a frame of a message, with what became of its sendings.
type frame struct {
	id      frameID
	sent    []*sending // those that are remembered, the oldest first; never empty
	acked   bool
	ackedAt Place // zero: it was sent again since, or acknowledged before it came
	vain    bool  // it was acknowledged, with a later one, while the receiver had perhaps not counted it
	named   bool  // by a NACK, and not sent again since
	namedAt Place
}

// last returns the last sending.
func (x *frame) last() *sending { return x.sent[len(x.sent)-1] }

// A sending is one time that a frame was sent.
type sending struct {
	Place
	frame    *frame
	serial   uint8
	before   int // how often it was sent before
	size     int64
	asks     bool // for an answer, which did not come yet
	answered bool // by an ACK that names this very sending
	early    bool // it was sent although the one before had arrived for certain
	arrived  bool // it is counted in Link.Arrived
}

// A space is what messageids are unique in.
type space struct {
	counter
	messages map[messageID]*message
}

// A flight is what a link has under way.
type flight struct {
	spaces  [2]*space // of unreliable and of reliable messages; the same one unless two
	two     bool
	frames  map[frameID]*frame
	waiting []*frame   // the reliable ones that were not acknowledged, in the order of their first sendings
	sent    []*sending // those that are remembered, the oldest first
	high    [2]int32   // by kind, the highest number of a message that an ACK named
}

func newFlight(two bool) flight {
	one, other := &space{messages: map[messageID]*message{}}, &space{messages: map[messageID]*message{}}
	if !two {
		other = one
	}
	return flight{spaces: [2]*space{one, other}, two: two, frames: map[frameID]*frame{}}
}

// identify names a frame by its ids, as one of a reliable or an unreliable message. m is nil if no frame of its message was
// seen. ahead is how far the message is after the newest one.
func (f *flight) identify(x *reliable.Frame, reliably bool) (id frameID, m *message, ahead int) {
	s := f.spaces[bit(reliably)]
	id.reliable = reliably
	id.number, ahead = s.number(x.MessageID)
	m = s.messages[id.messageID]
	id.sequence = m.sequence(x.Sequence)
	return id, m, ahead
}

// begin adds the message of a Data frame, the first one of it in the capture. Messages too far behind to be named are
// forgotten.
func (s *space) begin(id frameID, x *Frame) *message {
	old := s.newest
	s.see(x.MessageID)
	for n := old; n < s.newest; n++ {
		delete(s.messages, messageID{false, n - half})
		delete(s.messages, messageID{true, n - half})
	}
	m := &message{last: id.sequence, serial: x.Serial}
	s.messages[id.messageID] = m
	return m
}

// sequence continues a sequence of a message, nil for one that is new.
func (m *message) sequence(s uint8) int32 {
	if m == nil {
		return 2*half + int32(s)
	}
	return m.last + int32(int8(s-uint8(m.last)))
}

// before returns how often the first frame with an id was sent before, as far as its serial shows.
func (m *message) before(f *Frame, id frameID) int {
	if oneFrame(f) {
		return int(f.Serial) // the serial counts the sendings
	}
	return bit(id.sequence < m.last && int8(f.Serial-m.serial) > 0) // it comes after frames that are behind it
}

// oneFrame reports whether a Data frame is a whole message.
func oneFrame(f *Frame) bool {
	const both = reliable.STA | reliable.EOM
	return f.Flags&both == both
}

// serialGap returns how many sendings of a message are missing before a frame, by its serial, which counts them. It is -1 if one that
// seemed lost came late. What was sent before the link's first frame is not missing: the capture began later.
func (m *message) serialGap(f *Frame, first bool) int {
	if first {
		m.lost = int(f.Serial)
	}
	gap := int(int8(f.Serial - uint8(m.sendings+m.lost)))
	gap = max(gap, -min(m.lost, 1)) // further back, serials are not counted
	m.lost += gap
	return gap
}

// note takes a sending of a message.
func (m *message) note(f *Frame, id frameID) {
	if int8(f.Serial-m.serial) > 0 {
		m.serial = f.Serial
	}
	if f.Flags&reliable.STA != 0 {
		m.first = beginningOf(f)
	}
	m.last = max(m.last, id.sequence)
	m.sendings++
}

// beginningOf returns the beginning of a message that begins with a frame.
func beginningOf(f *Frame) beginning { return beginning{f.Sequence, maphash.Bytes(seed, f.Data)} }

// forget drops the oldest sending.
func (f *flight) forget() {
	x := f.sent[0].frame
	f.sent = f.sent[1:]
	if x.sent = x.sent[1:]; len(x.sent) == 0 {
		delete(f.frames, x.id)
		f.waiting = slices.DeleteFunc(f.waiting, func(y *frame) bool { return y == x })
	}
}

// passed reports whether a message was acknowledged with a later one before it came.
func (f *flight) passed(id frameID) bool {
	return inWindow(f.high[bit(id.reliable)] - id.number)
}

// messagesOf returns the messages that frames are of.
func messagesOf(frames []*frame) map[messageID]bool {
	all := map[messageID]bool{}
	for _, x := range frames {
		all[x.id.messageID] = true
	}
	return all
}
