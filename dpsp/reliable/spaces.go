package reliable

import (
	"time"

	"dplay4/wire/reliable"
)

// fleeting takes a frame of an unreliable message.
func (r *receiver) fleeting(now time.Duration, f *reliable.Frame) {
	whole := f.Flags&(reliable.STA|reliable.EOM) == reliable.STA|reliable.EOM
	if !whole && !r.mayHold(len(f.Data)) {
		r.l.stats.Ignored++
		return
	}
	if a := r.ahead[f.MessageID]; a != nil && !r.l.ours {
		r.l.learn(TwoSpaces)
	}
	if !r.follow(now, f.MessageID) {
		r.l.stats.Again++
		return
	}
	if !r.seen.has(f.MessageID) && r.l.stats.Delivered == 0 && f.MessageID == 0 {
		r.l.learn(FromZero)
	}
	if whole && f.Serial > 0 && len(f.Data) == 0 { // it only says what the messageid was
		r.seen.mark(f.MessageID)
		r.tell, r.fleet = r.tell || f.Flags&reliable.SAK != 0, place{f.MessageID, f.Sequence, f.Serial}
		r.proceed(now)
		return
	}
	r.counted = r.counted || f.Flags&reliable.STA != 0 && f.Sequence != reliable.FirstSequence
	r.l.path.uses(r.l, f.MessageID)
	r.stale = now + staleAfter
	v := r.plain.Add(f)
	switch v.Verdict {
	case reliable.Complete:
		r.seen.mark(f.MessageID)
		r.deliver(v.Message, false)
		r.proceed(now)
	case reliable.Outside:
		r.l.stats.Again++
		// An old frame that came very late can look like a new one, and take the window along.
		if r.outside++; r.outside >= 8 && now-r.inside > time.Second {
			r.outside, r.plain = 0, reliable.Assembler{}
		}
		return
	case reliable.Repeated, reliable.Refused:
		r.l.stats.Again++
	}
	r.outside, r.inside = 0, now
	if f.Flags&reliable.SAK != 0 {
		r.tell, r.fleet = true, place{f.MessageID, f.Sequence, f.Serial}
	}
}

// oneSpace reports whether the peer is known to have one space of messageids for all messages.
func (r *receiver) oneSpace() bool {
	return r.l.ours || r.l.learned[OneSpace] && !r.l.learned[TwoSpaces]
}

// reach notes the newest messageid of all.
func (r *receiver) reach(id uint8) {
	if int8(id-r.top) > 0 {
		r.top = id
	}
	if d := int8(r.top - r.newest); r.mixed && (d >= Window || d < -Window) {
		r.over = true
	}
}

// farthest returns how many messageids after the one that is due are later ones.
func (r *receiver) farthest() int {
	if r.l.ours {
		return ahead
	}
	return farthest
}

// near reports whether two messageids are within a window of each other.
func near(a, b uint8) bool {
	d := int8(a - b)
	return -Window < d && d < Window
}

// follow takes the messageid of an unreliable message. In one space it takes the window of reliable ones along, for the
// sender is done with what is 24 before. It reports whether the messageid is not an old one.
func (r *receiver) follow(now time.Duration, id uint8) bool {
	if !r.mixed {
		r.mixed, r.newest = true, id
	}
	step := int8(id - r.newest)
	if r.oneSpace() {
		r.begin(r.newest)
		r.catchUp(now)
		if r.l.ours { // ours send no such messages before their sequences run
			r.l.learn(Running)
		}
		if d := int8(id - r.top); d <= -Window || d > mostUnsure+Window {
			return false
		}
		r.reach(id)
		if d := int(id - r.passed); d > Window && d <= ahead {
			r.jump(now, id-Window)
		}
		if r.over { // reliable messages had all that the window is of
			r.plain, r.newest, r.over = reliable.Assembler{}, id, false
			return true
		}
	} else if step > 0 && r.started && !r.far {
		r.far = int(id-r.passed) > Window && int(id-r.passed) < 128
	}
	if step > 0 {
		r.newest, r.over = id, false
	}
	return true
}

// catchUp follows unreliable messages that went far before it was known that there is one space.
func (r *receiver) catchUp(now time.Duration) {
	if !r.far || !r.oneSpace() {
		return
	}
	r.far, r.top = false, r.newest
	if int(r.newest-r.passed) > Window {
		r.jump(now, r.newest-Window)
	}
}

// start opens the window with the first frame.
func (r *receiver) start(f *reliable.Frame) {
	if f.MessageID == 0 && !r.started {
		r.l.learn(FromZero)
	}
	r.begin(f.MessageID)
}

// begin opens the window with the first messageid.
func (r *receiver) begin(id uint8) {
	if r.started {
		return
	}
	r.started, r.top = true, id
	switch {
	case r.l.cfg.Expect != 0:
		r.passed = r.l.cfg.Expect - 1
		r.top = r.passed
	case id == 0:
		r.passed = 255
	case int(id) <= Window: // those before it may come yet
		r.passed = 0
	case r.l.ours || r.mixed:
		r.passed, r.torn = id-Window, true
	default:
		r.passed, r.torn = id-1, true
	}
}

// zero takes a frame of messageid 0 if that is the peer's first one, and 1 overtook it. It reports whether the frame is done
// with.
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
