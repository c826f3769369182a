package reliable

import (
	"bytes"
	"slices"
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
	named   place  // its last frame, which ACKs name
	any     bool   // a reliable message was delivered
	passing uint64 // how many messageids were passed

	ahead   map[uint8]*arriving // reliable messages after passed of which frames came
	octets  int                 // of those that are complete and wait
	seen    [256]bool           // unreliable messages, of the last 128 messageids
	mixed   bool                // one came
	outside int                 // unreliable frames in a row that were outside the window

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
	serials  map[uint8]uint8 // sequence -> serial of its frames
	first    uint8           // if begun
	begun    bool
	last     uint8 // if ended
	ended    bool
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
	repeats int // of later messages, since then
}

func newReceiver(l *Link) receiver {
	r := receiver{l: l, ahead: map[uint8]*arriving{}, end: reliable.FirstSequence}
	r.rly.Capture = true // what leaves its window was passed over
	return r
}

// mostNACKs is how often a gap is told that does not close. Then the peer's time-outs have to do.
const mostNACKs = 30

// farthest is how many messageids after the one that is due are later ones; others are old.
const farthest = 47

// data takes a Data frame.
func (r *receiver) data(now time.Duration, f *reliable.Frame) {
	r.l.stats.Received++
	r.bytes += f.Counted()
	if f.MustIgnore() {
		r.l.stats.Ignored++
		return
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

// fleeting takes a frame of an unreliable message.
func (r *receiver) fleeting(now time.Duration, f *reliable.Frame) {
	whole := f.Flags&(reliable.STA|reliable.EOM) == reliable.STA|reliable.EOM
	if !whole && !r.mayHold(len(f.Data)) {
		r.l.stats.Ignored++
		return
	}
	if a := r.ahead[f.MessageID]; a != nil {
		r.l.learn(TwoSpaces)
	}
	if !r.seen[f.MessageID] && r.l.stats.Delivered == 0 && f.MessageID == 0 {
		r.l.learn(FromZero)
	}
	r.mixed = true
	r.l.path.used[f.MessageID] = r.l
	v := r.plain.Add(f)
	switch v.Verdict {
	case reliable.Complete:
		r.outside = 0
		r.seen[f.MessageID] = true
		r.seen[f.MessageID+128] = false
		if f.Serial == 0 || len(v.Message) > 0 { // otherwise it only says what the messageid was
			r.deliver(v.Message, false)
		}
		r.proceed(now)
	case reliable.Outside:
		r.l.stats.Again++
		// An old frame that came very late can look like a new one, and take the window along.
		if r.outside++; r.outside >= 8 {
			r.outside, r.plain = 0, reliable.Assembler{}
		}
		return
	case reliable.Repeated, reliable.Refused:
		r.l.stats.Again++
	default:
		r.outside = 0
	}
	if f.Flags&reliable.SAK != 0 {
		r.tell, r.fleet = true, place{f.MessageID, f.Sequence, f.Serial}
	}
}

// reliable takes a frame of a reliable message.
func (r *receiver) reliable(now time.Duration, f *reliable.Frame) {
	r.start(f)
	if f.MessageID == 0 && r.young() && r.zero(now, f) {
		return
	}
	distance := int(f.MessageID - r.passed)
	if distance == 0 || distance > farthest {
		r.l.stats.Again++
		if back := int(r.passed - f.MessageID); back < Window && r.any {
			r.answerNow()
		}
		return
	}
	if a := r.ahead[f.MessageID]; (a == nil || !a.complete) && !r.room(f, distance) {
		r.l.stats.Ignored++
		return
	}
	if r.seen[f.MessageID] && distance <= Window {
		r.l.learn(TwoSpaces)
	}
	if distance > Window { // the sender cannot be there unless it is done with what is 24 before
		r.jump(now, f.MessageID-Window)
	}
	r.l.path.used[f.MessageID] = r.l
	a := r.ahead[f.MessageID]
	if a == nil {
		a = &arriving{serials: map[uint8]uint8{}}
		r.ahead[f.MessageID] = a
	}
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
		a.serials[f.Sequence] = f.Serial
		r.answerNow()
	default:
		r.l.stats.Ignored++
		if len(a.serials) == 0 {
			delete(r.ahead, f.MessageID)
		}
	}
	if r.hole.open && f.Serial > 0 && f.Flags&(reliable.STA|reliable.EOM) == reliable.STA|reliable.EOM {
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

// start opens the window with the first frame.
func (r *receiver) start(f *reliable.Frame) {
	if r.started {
		return
	}
	r.started = true
	switch {
	case f.MessageID == 0:
		r.l.learn(FromZero)
		r.passed = 255
	case int(f.MessageID) <= Window: // those before it may come yet
		r.passed = 0
	default:
		r.passed = f.MessageID - 1
	}
}

// zero takes a frame of messageid 0 if that is the peer's first one, and 1 overtook it. It reports whether the frame is done with.
func (r *receiver) zero(now time.Duration, f *reliable.Frame) bool {
	switch {
	case r.passed == 255 || r.passed > Window:
		return false
	case !r.any:
		r.l.learn(FromZero)
		r.passed = 255
		return false
	}
	r.l.learn(FromZero)
	v := r.rly.Add(f)
	switch v.Verdict {
	case reliable.Complete: // out of its order, but whole
		r.deliver(v.Message, true)
	case reliable.Repeated:
		r.l.stats.Again++
	}
	if v.Verdict == reliable.Complete || v.Verdict == reliable.Repeated {
		r.putACK(now, place{0, f.Sequence, f.Serial}, reliable.RLY)
	}
	return true
}

// young reports whether the link has hardly begun, so that messageid 0 is not one that follows 255.
func (r *receiver) young() bool {
	return r.passing < 2*Window && (r.passed < 2*Window || r.passed == 255)
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
	a.serials[f.Sequence] = f.Serial
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
		a.last, a.ended = f.Sequence, true
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
	r.end, r.named = a.last+1, place{id, a.last, a.serials[a.last]}
	r.seen[id+128] = false
}

// skip passes over a messageid that no reliable message has.
func (r *receiver) skip() {
	id := r.passed + 1
	if a := r.ahead[id]; a != nil {
		delete(r.ahead, id)
		r.octets -= len(a.data)
	}
	if r.seen[id] && !r.l.ours && !r.l.learned[TwoSpaces] {
		r.l.learn(OneSpace)
	}
	r.passed, r.passing = id, r.passing+1
	r.seen[id+128] = false
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
	r.hole = hole{}
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
	case r.seen[id] && (r.l.ours || r.l.learned[OneSpace]) && !r.l.learned[TwoSpaces]:
		return id + 1
	case r.l.ours || r.l.learned[TwoSpaces] || !r.mixed && !r.l.path.elsewhere(r.l, id):
	case r.hole.open && r.hole.id == id && r.hole.repeats >= 3 && now-r.hole.since >= max(2*r.l.path.mean, holeWait):
		return id + 1
	}
	return id
}

// gap notes whether frames are missing, and when that is to be said.
func (r *receiver) gap(now time.Duration) {
	switch {
	case !r.lacks():
		r.nack, r.after = answering{}, 0
	case !r.nack.due:
		r.nack, r.after = answering{due: true, at: now + nackDelay}, 0
	default:
		if r.after++; r.after == nackAfter && r.nack.wait == 0 {
			r.nack.at = min(r.nack.at, now)
		}
	}
}

// lacks reports whether a frame is missing before one that came.
func (r *receiver) lacks() bool {
	id := r.passed + 1
	if len(r.ahead) == 0 {
		return false
	}
	p, ok := r.rly.Unfinished(id)
	return !ok || !p.Begun || len(p.Ahead) > 0 || len(r.ahead) > 1
}

func (r *receiver) answerNow() { r.ack.due, r.ack.at = true, 0 }

// timers passes over what did not come.
func (r *receiver) timers(now time.Duration) {
	if r.hole.open {
		r.proceed(now)
	}
}

// answer sends the ACK and NACK that are due.
func (r *receiver) answer(now time.Duration) {
	lacks := r.lacks()
	asked := r.ack.due && r.ack.at <= now
	switch {
	case r.nack.due && r.nack.at <= now, asked && lacks && r.nack.due && (r.nack.wait == 0 || r.l.ours):
		if !r.l.cfg.NoNACK && r.nack.count < mostNACKs {
			r.nack.count++
			r.sendNACK(now)
			asked = asked && !r.l.ours // it says the same
			r.ack.due, r.last = r.ack.due && !r.l.ours, 0
		}
		if asked && r.l.ours { // it was asked for, and says what came since
			r.nack.count--
		}
		wait := max(r.l.path.mean*5/4, 2*leastTimeout)
		if !r.l.path.measured {
			wait = foreignDelay
		}
		r.nack.wait = min(max(wait, r.nack.wait*3/2), time.Second)
		r.nack.at = now + r.nack.wait
	}
	if asked {
		r.ack.due, r.last = false, 0
		r.sendACK(now)
	}
	if r.tell {
		r.tell = false
		r.sendPlainACK(now)
	}
}

// sendACK names the last frame before which none is missing (2.2.4).
func (r *receiver) sendACK(now time.Duration) {
	at := r.named
	id := r.passed + 1
	if p, ok := r.rly.Unfinished(id); ok && p.Begun && p.Next != p.First {
		at = place{id, p.Next - 1, 0}
		if a := r.ahead[id]; a != nil {
			at.serial = a.serials[p.Next-1]
		}
	} else if !r.any {
		return
	}
	r.putACK(now, at, reliable.RLY)
}

// sendPlainACK answers an unreliable frame that asked for it, unless that would acknowledge reliable ones that are missing.
func (r *receiver) sendPlainACK(now time.Duration) {
	if r.l.ours || !r.lacks() {
		r.putACK(now, r.fleet, 0)
	}
}

func (r *receiver) putACK(now time.Duration, at place, rly reliable.Flags) {
	r.l.stats.ACKs++
	r.l.put(&reliable.Frame{
		Flags: reliable.ACK | rly, MessageID: at.id, Sequence: at.sequence, Serial: at.serial, BytesReceived: r.bytes, Tick: r.l.tick(now),
	})
}

// sendNACK says what is missing: of the message that is due, or between our own of all that came after it.
func (r *receiver) sendNACK(now time.Duration) {
	id := r.passed + 1
	from := uint8(reliable.FirstSequence)
	var came []uint8
	p, ok := r.rly.Unfinished(id)
	switch {
	case r.l.ours && r.l.learned[Running]:
		from = r.end
		if ok && p.Begun {
			from = p.Next
		}
		for i, a := range r.ahead {
			for s := range a.serials {
				if i != id || !ok || slices.Contains(p.Ahead, s) {
					came = append(came, s)
				}
			}
		}
	case ok && p.Begun:
		from, came = p.Next, p.Ahead
	case ok:
		came = p.Ahead
	}
	missing, reach := []uint8{from}, 0
	for _, s := range came {
		if d := int(s - from); d > reach && d <= 8*reliable.MaxMask {
			reach = d
		}
	}
	// A zero in the mask says that a frame has come, so whole octets of it are spoken for.
	for i := 1; i <= (reach+7)/8*8; i++ {
		if s := from + uint8(i); !slices.Contains(came, s) {
			missing = append(missing, s)
		}
	}
	f := reliable.Frame{
		Flags: reliable.RLY, MessageID: id, BytesReceived: r.bytes, Tick: r.l.tick(now),
	}
	f.SetLost(missing)
	if want := (reach + 7) / 8; f.Extended.MaskSize() < want {
		f.Extended = f.Extended.WithMaskSize(want)
	}
	r.l.stats.NACKs++
	r.l.put(&f)
}

// wake returns when something is to be done.
func (r *receiver) wake(now time.Duration) time.Duration {
	at := Never
	if r.l.lost {
		return at
	}
	if r.ack.due {
		at = min(at, r.ack.at)
	}
	if r.nack.due {
		at = min(at, r.nack.at)
	}
	return max(at, now)
}

// forget drops what is held.
func (r *receiver) forget() {
	r.rly, r.plain, r.octets, r.ahead = reliable.Assembler{Capture: true}, reliable.Assembler{}, 0, map[uint8]*arriving{}
	r.account()
}
