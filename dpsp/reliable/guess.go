package reliable

import "time"

// Towards a peer that tells only of the first gap, the rest has to be guessed.
const (
	// dense is the part of the frames that is lost above which all that may be missing is sent again at once: otherwise each
	// lost one costs a round trip.
	dense = 0.08
	// freeTries are those after which repeats become rarer, where that much is lost.
	freeTries = 3
	// sameTwice is how many acknowledgments that say nothing new but that more has come tell that a frame is missing.
	sameTwice = 2
	// judged is how many octets are sent before their loss is judged, or judgedFrames frames.
	judged       = 32 << 10
	judgedFrames = 100
)

// A loss is how much of what is sent does not arrive.
type loss struct {
	part            float64
	total, received uint32 // when it was judged last
	frames          int
}

// judge takes the octets that were sent and received, and the frames that were sent, and reports whether that was enough to judge.
func (o *loss) judge(total, received uint32, frames int) bool {
	sent, came := total-o.total, received-o.received
	if int32(sent) <= 0 || int32(sent) < judged && frames-o.frames < judgedFrames {
		return false
	}
	now := max(0, 1-float64(came)/float64(sent))
	o.part += (now - o.part) / 4
	o.total, o.received, o.frames = total, received, frames
	return true
}

// guess has sent again what is missing: the oldest frame if what was sent after it has come, and with it what else may be
// missing. fresh says that the oldest frame is another one than before, or that the peer asked for it.
func (s *sender) guess(now time.Duration, fresh bool) {
	if fresh {
		s.same = 0
	}
	if s.running || len(s.inFlight) == 0 || !s.l.path.measured || s.same > 0 && s.same < sameTwice {
		return
	}
	s.sweep(now)
}

// sweep has the oldest frame sent again if it should have come by now, and if much is lost all others that were sent once.
func (s *sender) sweep(now time.Duration) {
	least := s.l.path.shortest()
	// On a fast way the answers to a burst take longer than the round trip of its first frame.
	before := now - max(least+min(s.l.path.dev, least/4), leastTimeout)
	oldest := s.inFlight[0]
	if oldest.last().at > before {
		return
	}
	oldest.again = true
	if s.loss.part < dense {
		return
	}
	for _, f := range s.inFlight {
		if len(f.sent) == 1 && f.last().at <= before {
			f.again = true
		}
	}
}
