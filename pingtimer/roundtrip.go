package pingtimer

import "time"

// A roundTrip is how long a peer's answers take.
type roundTrip struct {
	open         bool          // a ping may still be answered
	oldest, sent time.Duration // when the first and the last one of those were sent
	last, smooth time.Duration
	known        bool // there was an answer
}

// ping notes a ping; again says that the one before may still be answered.
func (r *roundTrip) ping(now time.Duration, again bool) {
	if !r.open || !again {
		r.oldest = now
	}
	r.open, r.sent = true, now
}

// add takes in one more measurement. Each counts for an eighth, as TCP has it (RFC 6298), so that one late answer
// does not count for much.
func (r *roundTrip) add(d time.Duration) {
	r.last = d
	if !r.known {
		r.smooth, r.known = d, true
		return
	}
	r.smooth += (d - r.smooth) / 8
}

// Tick is the tick count at a time, in milliseconds, for a ping. It wraps after 49.7 days.
func (t *Timer[ID]) Tick(now time.Duration) uint32 {
	return t.tick + uint32(uint64(now/time.Millisecond))
}

// Answer notes the answer to a ping: a message from the peer that echoes the ping's tick count. It gives the round
// trip. Known is false, and nothing was measured, if the peer is not watched, or if no ping that may still be answered
// had this tick count; the message counts as a word all the same. Each ping is answered once.
//
// The answer to the last ping is measured exactly; that to an earlier one, which crossed with a later ping, to the
// millisecond, from the tick count alone.
func (t *Timer[ID]) Answer(id ID, tick uint32, now time.Duration) (trip time.Duration, known bool) {
	p := t.peers[id]
	if p == nil {
		return 0, false
	}
	p.heard()
	if trip, known = t.measure(&p.trip, tick, t.at(now)); known {
		p.trip.add(trip)
	}
	return trip, known
}

// measure returns the round trip of an answer and closes the ping that it belongs to.
func (t *Timer[ID]) measure(r *roundTrip, tick uint32, now time.Duration) (time.Duration, bool) {
	if !r.open {
		return 0, false
	}
	if tick == t.Tick(r.sent) {
		r.open = false
		return now - r.sent, true
	}
	// All three are differences of counts that wrap alike.
	age, oldest, newest := t.Tick(now)-tick, t.Tick(now)-t.Tick(r.oldest), t.Tick(now)-t.Tick(r.sent)
	if age > oldest || age < newest {
		return 0, false
	}
	r.oldest = r.sent // pings between the two were lost, or their answers overtaken
	return time.Duration(age) * time.Millisecond, true
}

// A Status is what a timer knows of one peer.
type Status struct {
	Chatter  uint64        // messages heard since the timer elapsed
	Missed   int           // pings that count and were not answered
	Measured bool          // an answer was measured, so Last and Smoothed mean something
	Last     time.Duration // the last round trip
	Smoothed time.Duration // of all round trips, recent ones counting for more
}

// Status tells of a peer; known is false if it is not watched.
func (t *Timer[ID]) Status(id ID) (s Status, known bool) {
	p := t.peers[id]
	if p == nil {
		return Status{}, false
	}
	return Status{p.chatter, p.missed, p.trip.known, p.trip.last, p.trip.smooth}, true
}
