package reliable

import (
	"slices"

	"dplay4/wire/reliable"
)

// Some peers put messages together in one buffer, which they empty when a first frame comes again: they acknowledge what they
// then forget, and answer nothing any more (facts, reliable 10). Our own have nothing of this, nor has one that sends NACKs.
const (
	anewAfter = 3  // tries in vain, after which a message that such a peer may have forgotten is sent from its beginning
	mostAnew  = 10 // times that it is
)

// mixes reports whether the peer may mix up messages that are under way together.
func (s *sender) mixes() bool { return !s.running && !s.l.learned[NACKs] }

// several reports whether a message has several frames.
func (s *sender) several(m *outgoing) bool { return len(m.Data) > s.room() }

// mayFollow reports whether a message can be begun while the frames of another one are in flight.
func (s *sender) mayFollow(before, m *outgoing) bool {
	return !s.mixes() || !s.several(before) && !s.several(m)
}

// mayBegin reports whether a message can be begun: one of several frames waits until nothing is in flight, and when one of the other
// kind waits for that, none is begun before it; if both have several frames, the kinds take turns.
func (s *sender) mayBegin(m *outgoing, other []*outgoing, fleeting bool) bool {
	if n := len(s.inFlight); n > 0 && !s.mayFollow(s.inFlight[n-1].m, m) {
		return false
	}
	if !s.mixes() || len(other) == 0 || !s.several(other[0]) {
		return true
	}
	return s.several(m) && s.fleetLast != fleeting
}

// wentBack notes whether an ACK names the first frame of a message although a later one was acknowledged before: the peer began to
// put it together anew. news says that frames came since.
func (s *sender) wentBack(w *reliable.Frame, news bool) {
	i := slices.IndexFunc(s.out, func(m *outgoing) bool { return m.id == w.MessageID && !m.running })
	if i < 0 || !news {
		return
	}
	m := s.out[i]
	d := int8(w.Sequence - m.acked)
	m.forgotten = m.forgotten || m.answered && d < 0 && w.Sequence == m.first
	if !m.answered || d > 0 {
		m.answered, m.acked = true, w.Sequence
	}
}

// anew has a message of several frames of which nothing arrives any more sent from its beginning. To any other peer they are
// repeats, unless there are so many that their sequences pass for those of later frames: then only if it was seen to forget.
func (s *sender) anew() {
	m := s.inFlight[0].m
	m.tried = min(m.tried, s.tries)
	few := len(m.Data) <= (127-Window)*s.room()
	if !s.mixes() || m.running || m.frames < 2 || !m.forgotten && !few || s.tries < m.tried+anewAfter || m.anew >= mostAnew {
		return
	}
	s.l.stats.Needed -= m.frames
	s.l.stats.Repeated += m.frames
	s.again += uint32(m.cut + dataHeader*m.frames)
	m.anew, m.tried = m.anew+1, s.tries
	m.cut, m.frames, m.open, m.answered, m.forgotten = 0, 0, 0, false, false
	s.inFlight = s.inFlight[:0] // it was alone
	if s.fleet != m {
		s.bulk = m
	}
}
