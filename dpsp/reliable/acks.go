package reliable

import (
	"slices"
	"time"

	"dplay4/wire/reliable"
)

// known reports whether a messageid is one that was sent and may be spoken of: one of the last 128.
func (s *sender) known(id uint8) bool {
	back := s.next - id // modulo 256
	return back >= 1 && back <= 128
}

// count takes what the peer counted (3.1.5.4). It reports whether the frame is none that a later one overtook, which can be
// of so long ago that the numbers in it mean other frames by now.
func (s *sender) count(f *reliable.Frame) bool {
	n := int32(f.BytesReceived - s.received)
	if n < 0 && n > -1<<24 {
		s.l.stats.Ignored++
		return false
	}
	if n > 0 && n < 1<<24 {
		s.l.path.arrived += int(n)
		s.received = f.BytesReceived
	}
	if int32(f.BytesReceived-s.total) > 0 {
		s.l.learn(CountsOthers)
	}
	return true
}

// settle takes off the path what was sent up to a sending: it arrived, or it is lost.
func (s *sender) settle(total uint32) {
	i := 0
	for ; i < len(s.sendings) && int32(s.sendings[i].total-total) <= 0; i++ {
		s.l.path.drop(s.sendings[i].octets)
	}
	s.sendings = slices.Delete(s.sendings, 0, i)
}

// answered settles what was sent up to a sending that the peer told of, and judges how much is lost.
func (s *sender) answered(total uint32) {
	s.settle(total)
	if int32(total-s.told) > 0 {
		s.told = total
	}
	if s.loss.judge(s.told, s.received, s.l.stats.Sent) {
		s.l.path.lossy = s.loss.part >= dense
	}
}

// ack takes an ACK (3.1.5.3).
func (s *sender) ack(now time.Duration, w *reliable.Frame) {
	news := w.BytesReceived != s.received
	if !s.count(w) {
		return
	}
	if !s.known(w.MessageID) {
		s.l.stats.Ignored++
		return
	}
	s.wentBack(w, news)
	s.heardOf(w.MessageID)
	if s.plain.has(w.MessageID) {
		s.plainAck(now, w)
		return
	}
	if w.Flags&reliable.RLY == 0 && s.l.ours {
		s.l.stats.Ignored++ // we have no such ACKs
		return
	}
	var named *frame // it is not in flight any more if a NACK said before that it came
	if i := slices.IndexFunc(s.inFlight, func(f *frame) bool { return f.is(w) }); i >= 0 {
		named = s.inFlight[i]
	}
	short, direct := false, false
	if x := s.which(named, w.Serial); x != nil {
		direct = s.measure(now, x, named)
		s.answered(x.total)
		short = s.short(w, named)
	}
	s.acknowledge(now, func(f *frame) bool {
		before := int8(f.m.id-w.MessageID) < 0 || f.m.id == w.MessageID && int8(f.sequence()-w.Sequence) <= 0
		doubt := short || s.l.learned[AcksHoles] && f.m.id != w.MessageID // repeats may hide that it counted too little
		return before && (f == named || !(doubt && s.doubted(now, f)))
	})
	if len(s.inFlight) == 0 {
		s.deficit = s.total - s.again - w.BytesReceived
	}
	if s.same++; direct {
		s.same = 0 // it says nothing of what was sent later
	} else {
		s.guess(now, named != nil)
	}
}

// measure takes the round trip of a sending that an ACK names, and reports whether the ACK answers that one: if a frame before
// it was sent again since, it may be that one that was answered. The serial shows which sending of its frame arrived, so that a
// time is exact though the frame was sent again as well: without these, a timeout that is too short would never grow.
func (s *sender) measure(now time.Duration, x *sending, f *frame) (direct bool) {
	if x.sak && !x.mixed {
		s.l.path.exact(now, now-x.at, x != f.last())
	} else {
		s.l.path.atMost(now, now-x.at)
	}
	return !x.mixed
}

// which returns the sending that an acknowledgment with a serial is of, nil if it is none of the last ones.
func (s *sender) which(f *frame, serial uint8) *sending {
	if f == nil {
		return nil
	}
	for _, x := range f.sent {
		if x.serial == serial {
			return x
		}
	}
	return nil
}

// short reports whether a peer that is not ours acknowledged more than it got: it counted less than was sent up to that frame.
func (s *sender) short(w *reliable.Frame, f *frame) bool {
	if s.l.ours || s.l.learned[CountsOthers] {
		return false
	}
	return int32(f.upTo-w.BytesReceived-s.deficit) > 0
}

// believed reports whether a frame was repeated often enough after an acknowledgment that may be wrong. A message of one
// frame is answered by itself by a peer that acknowledges what comes; the parts of one that it could not put together never
// are.
func (f *frame) believed() bool {
	if f.off == 0 && f.end == len(f.m.Data) {
		return f.doubt > givingTries
	}
	return f.doubt > maxDoubt
}

// doubted reports whether a frame is to be sent again although what came after it was acknowledged.
func (s *sender) doubted(now time.Duration, g *frame) bool {
	if g.believed() {
		return false
	}
	if g.doubt == 0 {
		s.l.learn(AcksHoles)
		g.doubt, g.due = 1, min(g.due, now+s.l.path.timeout())
	}
	return true
}

// plainAck takes an ACK of an unreliable message.
func (s *sender) plainAck(now time.Duration, w *reliable.Frame) {
	for _, x := range s.sendings {
		if x.id == w.MessageID && x.serial == w.Serial {
			if x.sak {
				s.l.path.exact(now, now-x.at, false)
			}
			s.answered(x.total)
			return
		}
	}
}

// acknowledge takes frames out that arrived.
func (s *sender) acknowledge(now time.Duration, arrived func(*frame) bool) {
	n := len(s.inFlight)
	s.inFlight = slices.DeleteFunc(s.inFlight, func(f *frame) bool {
		if !arrived(f) {
			return false
		}
		f.m.open--
		return true
	})
	if len(s.inFlight) == n {
		return
	}
	s.progress, s.tries, s.backoff, s.answers = now, 0, 0, 0
	s.out = slices.DeleteFunc(s.out, func(m *outgoing) bool {
		whole := m.open == 0 && m.cut == len(m.Data) && m.frames > 0 && m != s.bulk && m != s.fleet
		if whole {
			s.l.done(&m.Message, nil)
		}
		return whole
	})
	if len(s.inFlight) > 0 { // the oldest is what the peer waits for now
		f := s.inFlight[0]
		f.due = min(f.due, f.last().at+s.l.path.timeout()+s.delay())
	}
}

// nack takes a NACK: all messages before the one that it names have arrived, and of the frames from the one that it names on
// those that its mask says nothing of (3.1.5.3).
func (s *sender) nack(now time.Duration, w *reliable.Frame) {
	if !s.count(w) {
		return
	}
	if !s.known(w.MessageID) && w.MessageID != s.next {
		s.l.stats.Ignored++
		return
	}
	s.heardOf(w.MessageID - 1)
	if s.l.ours && s.known(w.MessageID) && s.plain.has(w.MessageID) {
		s.void(now, w.MessageID, false)
	}
	reach := 8 * w.Extended.MaskSize()
	named := func(f *frame) (distance int, ok bool) {
		distance = int(f.sequence() - w.Sequence)
		return distance, distance <= reach && (f.m.id == w.MessageID || f.m.running && int8(f.m.id-w.MessageID) > 0)
	}
	// A peer to which nothing of a message came may not know where its sequences begin.
	knows := slices.ContainsFunc(s.inFlight, func(f *frame) bool { return f.is(w) })
	var newest *sending
	once := false // it is the only sending of its frame
	s.acknowledge(now, func(f *frame) bool {
		if int8(f.m.id-w.MessageID) < 0 {
			return true
		}
		d, ok := named(f)
		switch {
		case knows && !ok && f.m.id == w.MessageID && f.sequence()-w.Sequence >= 128: // before the one that it names
			return true
		case !ok && (knows || f.m.id != w.MessageID):
			return false
		case ok && d > 0 && w.Mask>>(d-1)&1 == 0:
			if newest == nil || int32(f.last().total-newest.total) > 0 {
				newest, once = f.last(), len(f.sent) == 1
			}
			return true
		}
		// A frame that was sent again less than a round trip ago may be on its way.
		if len(f.sent) == 1 && !s.l.path.measured || now-f.last().at >= s.l.path.again() {
			f.again = true
		}
		return false
	})
	s.guess(now, true)
	if !s.l.path.measured && len(s.inFlight) > 0 { // it answers something that was sent since
		s.l.path.atMost(now, now-s.inFlight[0].sent[0].at)
	}
	if newest != nil {
		if once {
			s.l.path.atMost(now, now-newest.at)
		}
		s.answered(newest.total)
	}
}

// givesUp reports that the peer acknowledges nothing any more, the messages to it as lost, and whether that ends the link. With patience
// it does if the peer answers each time, and not what it is asked for: then the two ends are of different links.
func (s *sender) givesUp(now time.Duration) bool {
	if !s.l.cfg.Patient || !s.l.ours || s.answers >= givingTries {
		s.l.fail(ErrLost)
		return true
	}
	s.l.out.Lost = true
	s.forsake(ErrLost)
	s.hopes(now)
	return false
}

// hopes gives the peer its time once more.
func (s *sender) hopes(now time.Duration) {
	s.progress, s.fleeted, s.tries, s.probed, s.answers = now, now, 0, 0, 0
}

// timers gives up what waited too long, and has sent again what was not acknowledged in time. kept says that we were kept from
// running: acknowledgments may have come that nobody read yet, so each frame whose time is over gets a moment more, once.
func (s *sender) timers(now time.Duration, kept bool) {
	if s.soonest <= now {
		s.drop(func(m *Message) bool { return m.until() <= now }, ErrTimeout)
	}
	old := now - 2*s.l.path.timeout()
	for len(s.sendings) > 0 && s.sendings[0].at < old {
		s.settle(s.sendings[0].total)
	}
	// What was doubted and repeated in vain is believed: a peer may say no more of it.
	s.acknowledge(now, func(f *frame) bool { return f.believed() && !f.again && f.due <= now })
	if s.probing() && s.probed >= givingTries && now-s.fleeted >= givingUp && s.givesUp(now) {
		return
	}
	if len(s.inFlight) == 0 {
		return
	}
	if now-s.progress >= givingUp && s.tries >= givingTries && s.givesUp(now) {
		return
	}
	// What is repeated when nothing was heard; the answer tells about the rest.
	together := 4
	if !s.running {
		together = 1
	}
	n := 0
	for _, f := range s.inFlight {
		if f.again || f.due > now {
			continue
		}
		if kept && !f.excused {
			f.excused, f.due = true, now+tardy
			continue
		}
		if n < together || f.doubt > 0 {
			f.again = true
			s.l.stats.Timeouts++
		} else {
			f.due = now + s.l.path.timeout()
		}
		n++
	}
	if n > 0 {
		if now-s.tried >= s.timeout() { // frames that are due one after the other are one try
			s.tries, s.backoff, s.tried = s.tries+1, s.backoff+1, now
		}
		s.settle(s.total)
		s.anew()
		if !s.running && len(s.inFlight) > 0 && s.l.path.measured {
			s.sweep(now)
		}
	}
}

// wake returns when something is to be done.
func (s *sender) wake(now time.Duration) time.Duration {
	at := Never
	if s.l.lost {
		return at
	}
	for _, f := range s.inFlight {
		if !f.again {
			at = min(at, f.due)
		}
	}
	at = min(at, s.soonest, s.paced)
	if s.probing() && s.probeAt > now { // if it is due already, the path lets nothing out
		at = min(at, s.probeAt)
	}
	// What nothing is known of leaves the path when it is old: this link may wait for that, or others.
	if n := len(s.sendings); n > 0 {
		x := s.sendings[0]
		if s.idle() {
			x = s.sendings[n-1]
		}
		if s.idle() || s.paced == Never {
			at = min(at, x.at+2*s.l.path.timeout()+1)
		}
	}
	return max(at, now)
}
