package show

import (
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

// A sentPing is a ping without a reply.
type sentPing struct {
	at time.Time
	by *pingTally
}

// ping counts a ping or a reply that went way in its conversation.
func (s *Stats) ping(r *captures.Record, c *conversationTally, way int) {
	from, to := r.Src.Addr(), r.Dst.Addr()
	switch m := r.Envelope.Message.(type) {
	case *wire.Ping:
		p := &c.pings[way]
		p.sent++
		s.pings.sent++
		if !s.open.Add(NewPingKey(from, to, c.number, way, m.Tick), sentPing{r.Time, p}) {
			p.repeated++
			s.pings.repeated++
		}
	case *wire.PingReply:
		sent, ok := s.open.Take(NewPingKey(to, from, c.number, 1-way, m.Tick))
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

// median returns that of the times kept in milliseconds, or none if none was kept.
func (p *pingTally) median(none string) string {
	n := len(p.times)
	if n == 0 {
		return none
	}
	slices.Sort(p.times)
	low, high := p.times[(n-1)/2], p.times[n/2]
	return milliseconds(low + (high-low)/2)
}
