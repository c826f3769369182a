package reliable

import (
	"slices"

	"dplay4/wire/reliable"
)

// Some peers put messages together in one buffer, which they empty when a first frame comes again: they acknowledge what they
// then forget, and answer nothing any more (facts, reliable 10). Our own have nothing of this.
const (
	anewAfter = 3  // tries in vain, after which a message that such a peer forgot is sent from its beginning
	mostAnew  = 10 // times that it is
)

// alone reports whether a message can be begun: one of several frames is not mixed with others, unless the peer sends NACKs and so
// knows what it lacks.
func (s *sender) alone(m *outgoing) bool {
	if s.running || s.l.learned[NACKs] || len(s.inFlight) == 0 {
		return true
	}
	last := s.inFlight[len(s.inFlight)-1].m
	return len(m.Data) <= s.room() && len(last.Data) <= s.room()
}

// forgot notes whether an ACK names a frame although a later one of its message was acknowledged before. news says that frames
// came since.
func (s *sender) forgot(w *reliable.Frame, news bool) {
	i := slices.IndexFunc(s.out, func(m *outgoing) bool { return m.id == w.MessageID && !m.running })
	if i < 0 || !news {
		return
	}
	m := s.out[i]
	d := int8(w.Sequence - m.acked)
	m.forgotten = m.forgotten || m.answered && d < 0
	if !m.answered || d > 0 {
		m.answered, m.acked = true, w.Sequence
	}
}

// anew has a message of several frames of which nothing arrives any more sent from its beginning. To any other peer they are
// repeats, unless there are so many that their sequences pass for those of later frames: then only if it was seen to forget.
func (s *sender) anew() {
	m := s.inFlight[0].m
	few := len(m.Data) <= (127-Window)*s.room()
	if m.running || s.l.learned[NACKs] || m.frames < 2 || !m.forgotten && !few || s.tries < anewAfter || m.anew >= mostAnew {
		return
	}
	s.l.stats.Needed -= m.frames
	s.l.stats.Repeated += m.frames
	m.anew++
	m.cut, m.frames, m.open, m.answered, m.forgotten = 0, 0, 0, false, false
	s.inFlight, s.tries, s.backoff = s.inFlight[:0], 0, 0 // it was alone
	if s.fleet != m {
		s.bulk = m
	}
}
