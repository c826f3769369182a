package reliable

import (
	"time"

	"dplay4/wire/reliable"
)

// unsure returns how many messageids were used since the last one of which the peer was heard to know.
func (s *sender) unsure() int { return int(s.next - s.sure - 1) }

// heardOf notes that the peer knows of a messageid.
func (s *sender) heardOf(id uint8) {
	if int8(id-s.sure) > 0 {
		s.sure, s.probed = id, 0
	}
}

// probing reports whether unreliable messages wait until the peer is heard to know of the messageids that were used. What is in
// flight makes it tell anyway.
func (s *sender) probing() bool {
	return s.running && len(s.fleeting) > 0 && s.fleet == nil && len(s.inFlight) == 0 && s.unsure() >= mostUnsure
}

// probe asks the peer what it knows of.
func (s *sender) probe(now time.Duration) {
	if s.probing() && s.probeAt <= now && s.void(now, s.next-1, true) {
		s.probed++
		s.probeAt = now + s.timeout()
	}
}

// void sends the peer an empty frame that is not the first sending: it says that a messageid was an unreliable message,
// which is not sent again. It reports whether the path let it out.
func (s *sender) void(now time.Duration, id uint8, ask bool) bool {
	n := s.indexes() + dataHeader
	if !s.may(now, n) {
		return false
	}
	s.l.stats.Repeated++
	s.send(now, &reliable.Frame{
		Flags: reliable.CMD | reliable.STA | reliable.EOM, MessageID: id, Sequence: reliable.FirstSequence, Serial: 1,
	}, n, ask, new(sending))
	return true
}
