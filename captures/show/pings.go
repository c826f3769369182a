package show

import "net/netip"

// maxPings is how many pings without a reply [Pings] stores.
const maxPings = 1 << 14

// A PingKey names one ping without its reply: whence it came, where it went, and its tick.
type PingKey struct {
	from, to          netip.Addr
	conversation, way int
	tick              uint32
}

// NewPingKey returns the key of a ping between two addresses. Machines are told apart by these; two on one computer by their
// conversation and the way in it.
func NewPingKey(from, to netip.Addr, conversation, way int, tick uint32) PingKey {
	if from != to {
		conversation, way = 0, 0
	}
	return PingKey{from, to, conversation, way, tick}
}

// Pings stores pings without a reply, with a value each, at most maxPings: a new one takes the place of the oldest. The zero value
// is ready.
type Pings[T any] struct {
	sent  map[PingKey]placed[T]
	order []PingKey // a ring once it is full
	next  int
}

// A placed value has a place in the order. A key whose place was taken meanwhile is another's.
type placed[T any] struct {
	value T
	place int
}

// Add stores a ping. It reports whether it did not have the key before.
func (p *Pings[T]) Add(k PingKey, v T) bool {
	if _, again := p.sent[k]; again {
		return false
	}
	if p.sent == nil {
		p.sent = map[PingKey]placed[T]{}
	}
	if len(p.order) < maxPings {
		p.order = append(p.order, k)
	} else {
		old := p.order[p.next]
		if p.sent[old].place == p.next {
			delete(p.sent, old)
		}
		p.order[p.next] = k
	}
	p.sent[k] = placed[T]{v, p.next}
	p.next = (p.next + 1) % maxPings
	return true
}

// Take returns the value of a ping and forgets the ping. It reports whether it had the key.
func (p *Pings[T]) Take(k PingKey) (T, bool) {
	s, ok := p.sent[k]
	delete(p.sent, k)
	return s.value, ok
}
