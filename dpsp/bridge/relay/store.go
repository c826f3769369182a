package relay

import (
	"net"
	"sync"
	"sync/atomic"
)

// largest is more octets than a packet has that the TURN server takes or gives.
const largest = 1600

// A packet is one that waits.
type packet struct {
	from net.Addr
	size int
	data [largest]byte
}

// packets keeps the memory of those that are in use at a time.
var packets = sync.Pool{New: func() any { return new(packet) }}

// A store bounds the memory of what waits for clients, and of them for us, over TCP and TLS. Over UDP nothing waits.
type store struct {
	most  int64
	inUse atomic.Int64
}

// pack takes memory for a packet, nil if none is left.
func (s *store) pack(from net.Addr, data []byte) *packet {
	if s.inUse.Add(largest) > s.most || len(data) > largest {
		s.inUse.Add(-largest)
		return nil
	}
	p := packets.Get().(*packet)
	p.from, p.size = from, copy(p.data[:], data)
	return p
}

// unpack gives the memory of a packet back.
func (s *store) unpack(p *packet) {
	s.inUse.Add(-largest)
	p.from = nil
	packets.Put(p)
}

// taken returns the octets in use.
func (s *store) taken() int64 { return s.inUse.Load() }
