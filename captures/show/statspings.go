package show

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// A pingTally counts the pings that one machine sent to another. Round-trip times are as seen where the
// capture was made: on the replier's side they are next to nothing.
type pingTally struct {
	sent     int
	repeated int // of them the same once more: the same tick again before a reply
	answered int
	stray    int // replies to no ping that was seen

	min, max, sum time.Duration
	times         []time.Duration // for the median; all, unless there are more than maxRoundTrips
}

// A pingKey names one ping without its reply: whence it came, where it went, and its tick. Machines are told apart
// by their IP addresses; two on one computer by their conversation and the way in it.
type pingKey struct {
	from, to          netip.Addr
	conversation, way int
	tick              uint32
}

// newPingKey makes the key of a ping between two addresses that went way in a conversation.
func newPingKey(from, to netip.Addr, c *conversationTally, way int, tick uint32) pingKey {
	if from != to {
		return pingKey{from: from, to: to, tick: tick}
	}
	return pingKey{from: from, to: to, conversation: c.number, way: way, tick: tick}
}

// outstanding holds the pings without a reply, at most maxOutstanding: a new one takes the place of the
// oldest.
type outstanding struct {
	sent  map[pingKey]sentPing
	order []pingKey // a ring once it is full
	next  int
}

// A sentPing is a ping without a reply.
type sentPing struct {
	at    time.Time
	by    *pingTally
	place int // in order; a key whose place was taken meanwhile is another's
}

// add notes a ping, and says whether it is one that was not noted before.
func (o *outstanding) add(k pingKey, at time.Time, by *pingTally) bool {
	if _, again := o.sent[k]; again {
		return false
	}
	if len(o.order) < maxOutstanding {
		o.order = append(o.order, k)
	} else {
		old := o.order[o.next]
		if o.sent[old].place == o.next {
			delete(o.sent, old)
		}
		o.order[o.next] = k
	}
	o.sent[k] = sentPing{at, by, o.next}
	o.next = (o.next + 1) % maxOutstanding
	return true
}

// take returns a ping and forgets it.
func (o *outstanding) take(k pingKey) (sentPing, bool) {
	s, ok := o.sent[k]
	delete(o.sent, k)
	return s, ok
}

// ping counts a ping or a reply that went way in its conversation.
func (s *Stats) ping(r *captures.Record, c *conversationTally, way int) {
	from, to := r.Src.Addr(), r.Dst.Addr()
	switch m := r.Envelope.Message.(type) {
	case *wire.Ping:
		p := &c.pings[way]
		p.sent++
		s.pings.sent++
		if !s.open.add(newPingKey(from, to, c, way, m.Tick), r.Time, p) {
			p.repeated++
			s.pings.repeated++
		}
	case *wire.PingReply:
		sent, ok := s.open.take(newPingKey(to, from, c, 1-way, m.Tick))
		if !ok {
			c.pings[1-way].stray++
			s.pings.stray++
			return
		}
		keep := s.trips < maxRoundTrips
		if keep {
			s.trips++
		}
		sent.by.answer(r.Time.Sub(sent.at), keep)
		s.pings.answer(r.Time.Sub(sent.at), keep)
	}
}

// untracked counts a ping or reply of a conversation that is not remembered.
func (s *Stats) untracked(r *captures.Record) {
	switch r.Envelope.Message.(type) {
	case *wire.Ping:
		s.pings.sent++
	case *wire.PingReply:
		s.pings.stray++
	}
}

func (p *pingTally) answer(d time.Duration, keep bool) {
	if p.answered == 0 {
		p.min, p.max = d, d
	}
	p.min, p.max = min(p.min, d), max(p.max, d)
	p.answered++
	p.sum += d
	if keep {
		p.times = append(p.times, d)
	}
}

// unanswered is the number of pings without a reply.
func (p *pingTally) unanswered() int { return p.sent - p.repeated - p.answered }

func (p *pingTally) average() time.Duration { return p.sum / time.Duration(p.answered) }

// median is that of the times kept; there is at least one.
func (p *pingTally) median() time.Duration {
	slices.Sort(p.times)
	n := len(p.times)
	if n%2 == 1 {
		return p.times[n/2]
	}
	return (p.times[n/2-1] + p.times[n/2]) / 2
}
