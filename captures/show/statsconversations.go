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
	from, to := sendingMachine(r), receivingMachine(r)
	if c == nil {
		if r.Conversation == 0 || len(s.conversations) >= maxStatConversations {
			s.otherConversations.add(octets)
			s.untracked(r)
			return
		}
		c = &conversationTally{number: r.Conversation}
		c.ends, c.sure = [2]netip.AddrPort{from.at, to.at}, [2]bool{from.sure, to.sure}
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

// A machine is one end of a conversation, by the socket that it is known by: where it listens for TCP if the
// record or its session says so, otherwise the packet's own.
type machine struct {
	at   netip.AddrPort
	sure bool
}

func sendingMachine(r *captures.Record) machine {
	if r.Envelope.HasSP {
		ip := netip.AddrFrom4(r.Envelope.SP.SockAddr.Addr)
		if ip.IsUnspecified() {
			ip = r.Src.Addr()
		}
		return machine{netip.AddrPortFrom(ip, r.Envelope.SP.SockAddr.Port), true}
	}
	if id, ok := Sender(r); ok {
		if p := r.Session.Player(id); p != nil && p.Machine.IsValid() {
			return machine{p.Machine, true}
		}
	}
	return machine{r.Src, false}
}

func receivingMachine(r *captures.Record) machine {
	if r.Transport == captures.TCP { // connections go one way: the addressee listens on this socket
		return machine{r.Dst, true}
	}
	if _, id, ok := r.FromTo(); ok {
		if p := r.Session.Player(id); p != nil && !p.Group && p.Machine.IsValid() {
			return machine{p.Machine, true}
		}
	}
	return machine{r.Dst, false}
}

// way says in which direction a record of the conversation went: by the sockets, by the IP addresses, and for
// two machines with one address by what it cannot be.
func (c *conversationTally) way(from, to machine) int {
	switch {
	case from.at == c.ends[0], to.at == c.ends[1]:
		return 0
	case from.at == c.ends[1], to.at == c.ends[0]:
		return 1
	case c.ends[0].Addr() != c.ends[1].Addr():
		if from.at.Addr() == c.ends[1].Addr() || to.at.Addr() == c.ends[0].Addr() {
			return 1
		}
		return 0
	case from.sure && c.sure[0], to.sure && c.sure[1]:
		return 1
	}
	return 0
}

// learn takes the socket of an end that was not sure before.
func (c *conversationTally) learn(end int, m machine) {
	if m.sure && !c.sure[end] {
		c.ends[end], c.sure[end] = m.at, true
	}
}
