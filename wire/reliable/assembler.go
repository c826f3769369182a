package reliable

// An Assembler makes messages out of the Data frames of one direction of one link (3.1.5.2). It does no
// input or output and has no clock. The zero Assembler is ready; a link that begins anew needs a new one. It
// is for one goroutine.
//
// A message is given out with the frame that completes it, whatever became of the messages before it: a
// messageid that never came can be an unreliable message that was lost, so only the caller can know whether
// to wait for it. A caller that has to keep the order of reliable messages holds them back by messageid.
//
// # Window
//
// A sender has at most 24 messageids outstanding, so one that sends messageid n has done with n-24 and all
// before it. The Assembler therefore takes the 24 messageids up to the newest one and, modulo 256, newer ones.
// Older ones are outside. Unlike the letter of 3.1.5.2
//
//   - messages before the first one seen are inside, as far as the 24 reach. Otherwise two datagrams that
//     change places at the start would cost a reliable message, and with it the link.
//   - the window may move by more than 24 at once. Otherwise a link that lost 24 unreliable messages in a row
//     could never receive again.
//
// # Sequences
//
// The frames of a message have sequences without a gap, modulo 256. A message can have more than 256 frames.
// Then an old frame is told from a new one as long as its sender has no more than 128 frames under way, the
// first unacknowledged one included; messages up to 128 frames do not depend on that.
//
// # Memory
//
// Data of unfinished messages is copied, at most MaxHeld octets of it; growing buffers can take up to twice
// that. Beside it there are some 40 octets for each frame that arrived before its turn, at most 256 frames in
// each of 24 messages.
type Assembler struct {
	// Capture says that the frames were overheard, so that some can be missing which the receiver had. An
	// unfinished reliable message is then dropped where the window leaves it, like an unreliable one. A
	// receiver leaves it false: the sender cannot be done with a message that was never acknowledged, so
	// frames for which the window would have to leave it are outside (3.1.5.2).
	Capture bool

	started  bool
	newest   uint8         // messageid of window[0]
	window   [Window]entry // window[i] is messageid newest-i
	held     int           // octets of Data in all unfinished messages
	received uint32
}

// An entry is what the Assembler knows of a messageid in the window.
type entry struct {
	state state
	m     *message // if unfinished
}

type state uint8

const (
	unseen state = iota
	unfinished
	complete
	givenUp
)

// Add takes a frame and says what became of it. It keeps nothing of f: Data is copied if it must wait.
//
// Message aliases f.Data if the message came in one frame. Otherwise it is a slice of its own, for the caller
// to keep.
func (a *Assembler) Add(f *Frame) Result {
	if f.Kind() != KindData {
		return Result{}
	}
	a.received += f.Counted()
	if f.MustIgnore() {
		return Result{}
	}
	var r Result
	behind, ok := a.place(f.MessageID, &r)
	if !ok {
		return Result{Verdict: Outside}
	}
	e := &a.window[behind]
	switch {
	case e.state == complete:
		r.Verdict = Repeated
	case e.state == givenUp:
		r.Verdict = Refused
	case e.state == unseen && f.Flags&(STA|EOM) == STA|EOM && len(f.Data) <= MaxMessage:
		e.state = complete
		r.Verdict, r.Message = Complete, f.Data
	default:
		a.put(e, f, &r)
	}
	return r
}

// place says how far a messageid is behind the newest one, and moves the window if it is newer. Moving drops
// what is unfinished 24 behind. ok is false for a messageid outside the window.
func (a *Assembler) place(id uint8, r *Result) (behind int, ok bool) {
	if !a.started {
		a.started, a.newest = true, id
	}
	if behind = int(a.newest - id); behind < Window {
		return behind, true
	}
	step := int(id - a.newest)
	if step >= 128 {
		return 0, false
	}
	stay := max(0, Window-step)
	for _, e := range a.window[stay:] {
		if e.state == unfinished && e.m.reliable && !a.Capture {
			return 0, false
		}
	}
	for i := Window - 1; i >= stay; i-- { // the oldest first
		if e := &a.window[i]; e.state == unfinished {
			r.Dropped = append(r.Dropped, a.drop(e, Expired))
		}
	}
	copy(a.window[Window-stay:], a.window[:stay])
	clear(a.window[:Window-stay])
	a.newest = id
	return 0, true
}

// put adds a frame to a message that is not complete.
func (a *Assembler) put(e *entry, f *Frame, r *Result) {
	if e.state == unseen {
		*e = entry{unfinished, &message{id: f.MessageID, reliable: f.Flags&RLY != 0}}
	}
	m := e.m
	if r.Verdict = m.judge(f); r.Verdict != Kept {
		return
	}
	if reason := a.room(m, len(f.Data)); reason != 0 {
		r.Verdict = Refused
		r.Dropped = append(r.Dropped, a.drop(e, reason))
		return
	}
	a.held += len(f.Data)
	if m.put(f) {
		r.Verdict, r.Message = Complete, m.data[:len(m.data):len(m.data)]
		a.held -= m.octets
		*e = entry{state: complete}
	}
}

// room returns the limit that n more octets of a message would break, or zero.
func (a *Assembler) room(m *message, n int) Reason {
	switch {
	case m.frames == MaxFrames || n > MaxMessage-m.octets:
		return TooLarge
	case n > MaxHeld-a.held:
		return LinkFull
	}
	return 0
}

// drop gives up an unfinished message.
func (a *Assembler) drop(e *entry, reason Reason) Dropped {
	m := e.m
	a.held -= m.octets
	*e = entry{state: givenUp}
	return Dropped{MessageID: m.id, Reliable: m.reliable, Frames: m.frames, Octets: m.octets, Reason: reason}
}

// BytesReceived counts the octets of every Data frame that Add was given, repeated ones included, without
// their player indexes, modulo 2^32. It is what an ACK or NACK in the other direction reports (3.1.5.4).
func (a *Assembler) BytesReceived() uint32 { return a.received }

// Held returns the octets of Data in unfinished messages, at most MaxHeld. A caller with many links can bound
// their sum with it.
func (a *Assembler) Held() int { return a.held }

// Flush returns the messages that are unfinished, the oldest first, and forgets everything, as at the end of a
// link or a capture.
func (a *Assembler) Flush() []Dropped {
	var all []Dropped
	for i := Window - 1; i >= 0; i-- {
		if e := &a.window[i]; e.state == unfinished {
			all = append(all, a.drop(e, Unfinished))
		}
	}
	*a = Assembler{Capture: a.Capture}
	return all
}
