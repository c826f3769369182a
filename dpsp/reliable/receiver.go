package reliable

import (
	"bytes"
	"time"

	"dplay4/wire/reliable"
)

// A receiver is the incoming direction of a link.
type receiver struct {
	l     *Link
	rly   reliable.Assembler
	plain reliable.Assembler
	bytes uint32 // of all Data frames, without their indexes (3.1.5.4)
	held  int    // octets that the budget counts

	started bool
	passed  uint8  // the last reliable messageid that was delivered or passed over
	end     uint8  // the sequence after its last frame
	torn    bool   // reliable messages after it may have been passed over, so end says nothing
	named   place  // its last frame, which ACKs name
	any     bool   // a reliable message was delivered
	passing uint64 // how many messageids were passed

	ahead   map[uint8]*arriving // reliable messages after passed of which frames came
	latest  uint8               // the messageid that rly was given last
	octets  int                 // of those that are complete and wait
	seen    ids                 // unreliable messages, of the last 128 messageids
	mixed   bool                // one came
	counted bool                // sequences count their frames as well
	newest  uint8               // of their messageids
	over    bool                // reliable ones went on for more than a window
	top     uint8               // the newest messageid of all
	far     bool                // they went on without reliable ones for more than a window
	outside int                 // unreliable frames in a row that were outside the window
	inside  time.Duration       // when one was inside last
	stale   time.Duration       // when unfinished unreliable messages are given up

	ack   answering
	nack  answering
	last  uint8 // messages since the last ACK
	after int   // frames since the gap was seen
	hole  hole
	fleet place // the unreliable frame that is to be acknowledged
	tell  bool  // fleet is to be
}

// A place is a frame.
type place struct {
	id, sequence, serial uint8
}

// An arriving message is one after a gap, or one that is not complete.
type arriving struct {
	frames   frames // that came
	first    uint8  // if begun
	begun    bool
	last     uint8 // of the frame that ends it, once that came
	complete bool
	taken    bool // delivered out of order
	data     []byte
}

// answering is when something is to be sent.
type answering struct {
	due   bool
	at    time.Duration
	wait  time.Duration // until it is sent again
	count int           // how often it was
}

// A hole is the messageid that is due and has not come, while later ones have.
type hole struct {
	open    bool
	id      uint8
	since   time.Duration
	repeats int // of frames of later messages, since then
}

func newReceiver(l *Link) receiver {
	r := receiver{l: l, ahead: map[uint8]*arriving{}, end: reliable.FirstSequence}
	r.rly.Capture = true // what leaves its window was passed over
	return r
}

// mostNACKs is how often a gap is told that does not close. Then the peer's time-outs have to do.
const mostNACKs = 30

// surelyMissing is how many times as long a messageid is waited for that seems to be one of a reliable message.
const surelyMissing = 10

// Others than these are old: messageids after the one that is due, and between our own, whose sender has to know that we have
// followed it.
const (
	farthest = 47
	ahead    = mostUnsure + 2*Window
)

// staleAfter is how long an unfinished unreliable message is kept when no frame of any comes.
const staleAfter = 10 * time.Second

// data takes a Data frame.
func (r *receiver) data(now time.Duration, f *reliable.Frame) {
	r.l.stats.Received++
	r.bytes += f.Counted()
	if f.MustIgnore() {
		r.l.stats.Ignored++
		return
	}
	if expect := r.l.cfg.Expect; expect != 0 && !r.started {
		if f.MessageID-expect >= 128 { // of a link that was before this one
			r.l.stats.Ignored++
			return
		}
		r.begin(f.MessageID)
	}
	if f.Flags&reliable.RLY == 0 {
		r.fleeting(now, f)
	} else {
		r.reliable(now, f)
	}
	r.account()
}

// account tells the budget what is held.
func (r *receiver) account() {
	n := r.rly.Held() + r.plain.Held() + r.octets
	r.l.cfg.Budget.take(n - r.held)
	r.held = n
}

// mayHold reports whether n more octets may be held.
func (r *receiver) mayHold(n int) bool {
	b := r.l.cfg.Budget
	return b == nil || b.held+n <= b.Max
}

// reliable takes a frame of a reliable message.
func (r *receiver) reliable(now time.Duration, f *reliable.Frame) {
	r.start(f)
	if f.MessageID == 0 && r.l.cfg.Expect == 0 && r.young() && r.zero(now, f) {
		return
	}
	r.catchUp(now)
	distance := int(f.MessageID - r.passed)
	if r.far && distance > Window && distance <= 256-Window && near(f.MessageID, r.newest) && !r.l.learned[TwoSpaces] {
		r.l.learn(OneSpace) // they went on together
		r.catchUp(now)
		distance = int(f.MessageID - r.passed)
	}
	if distance == 0 || distance > r.farthest() {
		r.l.stats.Again++
		if back := int(r.passed - f.MessageID); back < Window && r.any {
			if f.MessageID == r.named.id && f.Sequence == r.named.sequence {
				r.named.serial = f.Serial // the ACK answers this one
			}
			r.answerNow()
		}
		return
	}
	if a := r.ahead[f.MessageID]; (a == nil || !a.complete) && !r.room(f, distance) {
		r.l.stats.Ignored++
		return
	}
	if r.seen.has(f.MessageID) && distance <= Window && !r.l.ours {
		r.l.learn(TwoSpaces)
	}
	r.reach(f.MessageID)
	if distance > Window { // the sender cannot be there unless it is done with what is 24 before
		r.jump(now, f.MessageID-Window)
	}
	r.l.path.uses(r.l, f.MessageID)
	a := r.ahead[f.MessageID]
	if a == nil {
		a = &arriving{}
		r.ahead[f.MessageID] = a
	}
	if len(r.ahead) == 1 && a.frames.count == 0 && !near(f.MessageID, r.latest) { // what it knows is of long ago
		r.rly = reliable.Assembler{Capture: true}
	}
	r.latest = f.MessageID
	// Serials count the frames of a message, so of those that were not here before only the first one shows that it is sent again.
	came := a.frames.came.has(f.Sequence)
	again := came && a.frames.of(f.Sequence) != f.Serial || !came && f.Serial > 0 && f.Flags&reliable.STA != 0
	v := r.rly.Add(f)
	switch v.Verdict {
	case reliable.Complete, reliable.Kept:
		r.note(a, f)
		r.last++
		if v.Verdict == reliable.Complete {
			a.complete = true
			r.complete(a, v.Message)
		}
	case reliable.Repeated:
		r.l.stats.Again++
		a.frames.note(f.Sequence, f.Serial)
		r.answerNow()
	default:
		r.l.stats.Ignored++
		if a.frames.count == 0 {
			delete(r.ahead, f.MessageID)
		}
	}
	if r.hole.open && again {
		r.hole.repeats++
	}
	r.proceed(now)
	switch {
	case f.Flags&reliable.SAK != 0 || v.Verdict == reliable.Complete && f.Flags&reliable.STA == 0 || r.last >= ackEvery:
		r.answerNow()
	case v.Verdict == reliable.Complete && !r.ack.due:
		r.ack.due, r.ack.at = true, now+ackDelay
	}
}

// room reports whether a frame may be kept if it has to wait.
func (r *receiver) room(f *reliable.Frame, distance int) bool {
	whole := f.Flags&(reliable.STA|reliable.EOM) == reliable.STA|reliable.EOM
	if distance == 1 && whole {
		return true
	}
	return r.mayHold(len(f.Data)) && r.octets+len(f.Data) <= MaxWaiting
}

// note remembers what a frame says of its message.
func (r *receiver) note(a *arriving, f *reliable.Frame) {
	a.frames.note(f.Sequence, f.Serial)
	if f.Flags&reliable.STA != 0 {
		a.first, a.begun = f.Sequence, true
		switch {
		case f.Sequence > reliable.FirstSequence:
			r.l.learn(Running)
		case f.Sequence == reliable.FirstSequence && r.passing >= 3 && !r.l.learned[Running]:
			r.l.learn(Always1)
		}
	}
	if f.Flags&reliable.EOM != 0 {
		a.last = f.Sequence
	}
}

// complete takes a message that is complete. Its data may alias a frame.
func (r *receiver) complete(a *arriving, data []byte) {
	if r.l.cfg.AnyOrder {
		a.taken = true
		r.deliver(data, true)
		return
	}
	a.data = bytes.Clone(data)
	r.octets += len(data)
}

func (r *receiver) deliver(data []byte, rly bool) {
	r.l.stats.Delivered++
	r.l.out.Messages = append(r.l.out.Messages, Message{Data: bytes.Clone(data), Reliable: rly})
}

// proceed delivers what is in order, and passes over what is known not to come.
func (r *receiver) proceed(now time.Duration) {
	for len(r.ahead) > 0 {
		id := r.passed + 1
		if a := r.ahead[id]; a != nil {
			if !a.complete {
				break
			}
			r.pass(id)
			continue
		}
		if n := r.missing(now, id); n != id {
			for r.passed+1 != n {
				r.skip()
			}
			continue
		}
		break
	}
	id := r.passed + 1
	switch gap := len(r.ahead) > 0 && r.ahead[id] == nil; {
	case !gap:
		r.hole = hole{}
	case !r.hole.open || r.hole.id != id:
		r.hole = hole{open: true, id: id, since: now}
	}
	r.gap(now)
}

// pass delivers the message that is due.
func (r *receiver) pass(id uint8) {
	a := r.ahead[id]
	delete(r.ahead, id)
	if !a.taken {
		r.octets -= len(a.data)
		r.l.stats.Delivered++
		r.l.out.Messages = append(r.l.out.Messages, Message{Data: a.data, Reliable: true})
	}
	r.passed, r.any, r.passing = id, true, r.passing+1
	r.torn = false
	r.end, r.named = a.last+1, place{id, a.last, a.frames.of(a.last)}
	r.seen.remove(id + 128)
}

// skip passes over a messageid that no reliable message has.
func (r *receiver) skip() {
	id := r.passed + 1
	if a := r.ahead[id]; a != nil {
		delete(r.ahead, id)
		r.octets -= len(a.data)
	}
	if r.seen.has(id) && !r.l.ours && !r.l.learned[TwoSpaces] {
		r.l.learn(OneSpace)
	}
	r.passed, r.passing = id, r.passing+1
	r.seen.remove(id + 128)
	r.l.stats.PassedBy++
}

// jump passes over everything up to a messageid, delivering what is complete.
func (r *receiver) jump(now time.Duration, id uint8) {
	for r.passed != id {
		if a := r.ahead[r.passed+1]; a != nil && a.complete {
			r.pass(r.passed + 1)
		} else {
			r.skip()
		}
	}
	r.hole, r.torn = hole{}, true
}

// missing returns the next messageid that may be one of a reliable message, id if that may.
func (r *receiver) missing(now time.Duration, id uint8) uint8 {
	later := id
	for r.ahead[later] == nil {
		later++
	}
	a := r.ahead[later]
	switch {
	// Running sequences: none is missing between the last frame of the one and the first of the other.
	case a.begun && r.l.learned[Running] && a.first == r.end && (r.any || r.l.ours):
		return later
	case r.seen.has(id) && r.oneSpace():
		return id + 1
	case r.l.ours || r.l.learned[TwoSpaces] || !r.mixed && !r.l.path.elsewhere(r.l, id):
	case r.l.path.shared && r.l.path.elsewhere(r.l, id):
		return id + 1
	case r.hole.open && r.hole.id == id && r.hole.repeats >= 3 && now-r.hole.since >= r.patience(a):
		if r.l.path.elsewhere(r.l, id) {
			r.l.path.shared = true
			r.l.learn(OneForAll)
		}
		return later
	}
	return id
}

// patience returns how long a messageid that does not come is waited for (D3): longer if sequences that run show that frames of
// reliable messages are missing before a later one, unless the peer counts those of unreliable ones as well.
func (r *receiver) patience(later *arriving) time.Duration {
	wait := max(2*r.l.path.mean, r.l.cfg.HoleWait)
	if r.l.learned[Running] && !r.counted && !r.torn && later.begun && later.first != r.end {
		wait *= surelyMissing
	}
	return wait
}

// timers passes over what did not come.
func (r *receiver) timers(now time.Duration) {
	if r.hole.open {
		r.proceed(now)
	}
	if r.plain.Held() > 0 && r.stale <= now {
		r.plain = reliable.Assembler{}
		r.account()
	}
}

// forget drops what is held.
func (r *receiver) forget() {
	r.rly, r.plain, r.octets, r.ahead = reliable.Assembler{Capture: true}, reliable.Assembler{}, 0, map[uint8]*arriving{}
	r.account()
}
