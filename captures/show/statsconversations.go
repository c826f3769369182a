package show

import (
	"net/netip"
	"time"

	"dplay4/captures"
)

// A conversationTally counts by direction: 0 from the first end to the second, 1 back.
type conversationTally struct {
	number      int
	ends        [2]netip.AddrPort
	sure        [2]bool // the end is a machine's TCP socket, not just one of its UDP sockets
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
		c = &conversationTally{number: r.Conversation}
		c.ends, c.sure = [2]netip.AddrPort{from.At, to.At}, [2]bool{from.Sure, to.Sure}
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
	switch {
	case from.At == c.ends[0], to.At == c.ends[1]:
		return 0
	case from.At == c.ends[1], to.At == c.ends[0]:
		return 1
	case c.ends[0].Addr() != c.ends[1].Addr():
		if from.At.Addr() == c.ends[1].Addr() || to.At.Addr() == c.ends[0].Addr() {
			return 1
		}
		return 0
	case from.Sure && c.sure[0], to.Sure && c.sure[1]:
		return 1
	}
	return 0
}

// learn takes the socket of an end that was not sure before.
func (c *conversationTally) learn(end int, m captures.Machine) {
	if m.Sure && !c.sure[end] {
		c.ends[end], c.sure[end] = m.At, true
	}
}
