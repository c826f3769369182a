package show

import (
	"time"

	"dplay4/captures"
)

// A conversationTally counts by direction: 0 from the first end to the second, 1 back.
type conversationTally struct {
	number      int
	ends        [2]captures.Machine
	sent        [2]tally
	pings       [2]pingTally
	first, last time.Time
}

func (s *Stats) conversation(r *captures.Record, octets int64) {
	c := s.byNumber[r.Conversation]
	from, to := r.From, r.To
	if c == nil {
		if r.Conversation == 0 || len(s.conversations) >= maxStatConversations {
			s.otherConversations.add(octets)
			s.untracked(r)
			return
		}
		c = &conversationTally{number: r.Conversation, ends: [2]captures.Machine{from, to}}
		s.byNumber[r.Conversation] = c
		s.conversations = append(s.conversations, c)
	}
	way := c.way(from, to)
	c.learn(way, from)
	c.learn(1-way, to)
	c.sent[way].add(octets)
	stretch(&c.first, &c.last, r.Time)
	s.ping(r, c, way)
}

// way says in which direction a record of the conversation went: by the sockets, by the IP addresses, and for
// two machines with one address by what it cannot be.
func (c *conversationTally) way(from, to captures.Machine) int {
	a, b := c.ends[0], c.ends[1]
	switch {
	case from.At == a.At, to.At == b.At:
		return 0
	case from.At == b.At, to.At == a.At:
		return 1
	case a.At.Addr() != b.At.Addr():
		if from.At.Addr() == b.At.Addr() || to.At.Addr() == a.At.Addr() {
			return 1
		}
		return 0
	case from.Sure && a.Sure, to.Sure && b.Sure:
		return 1
	}
	return 0
}

// learn takes the socket of an end that was not sure before.
func (c *conversationTally) learn(end int, m captures.Machine) {
	if m.Sure && !c.ends[end].Sure {
		c.ends[end] = m
	}
}
