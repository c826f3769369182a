package relay

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// An allocation is a relayed address. To the TURN server it is the socket that it is bound to.
type allocation struct {
	exchange *exchange
	client   client
	back     net.Addr // the client's address, as the TURN server wants it
	tagged   tagged
	source   *source
	relayed  netip.AddrPort
	address  *net.UDPAddr // relayed

	waiting  chan *packet
	ended    chan struct{}
	once     sync.Once
	sends    *rate.Limiter
	receives *rate.Limiter
	requests *rate.Limiter
	channels atomic.Int32
}

// A packet is one that waits for a client.
type packet struct {
	from net.Addr
	size int
	data [largest]byte
}

// largest is more octets than a packet has that the TURN server takes or gives.
const largest = 1600

// packets keeps the memory of those that are in use at a time.
var packets = sync.Pool{New: func() any { return new(packet) }}

// What one client may ask for.
const (
	requestRate  = 20 // a second, other than data
	requestBurst = 200
	maxChannels  = 256
)

// limiter allows so many octets a second, and those of a second at once.
func limiter(octets int) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(octets), max(octets, largest))
}

func newAllocation(x *exchange, c client, t tagged, s *source, relayed netip.AddrPort) *allocation {
	l := x.config.Limits
	return &allocation{exchange: x, client: c, back: c.front.address(c.at), tagged: t, source: s, relayed: relayed,
		address: net.UDPAddrFromAddrPort(relayed), waiting: make(chan *packet, l.Queue), ended: make(chan struct{}),
		sends: limiter(l.Rate), receives: limiter(l.Rate), requests: rate.NewLimiter(requestRate, requestBurst)}
}

// take has a packet wait for the client.
func (a *allocation) take(from *allocation, data []byte) {
	n := a.exchange.counts
	if !a.receives.AllowN(time.Now(), len(data)) {
		n.add(droppedRate, 1)
		return
	}
	p := a.exchange.pack(from.address, data)
	if p == nil {
		return
	}
	size := p.size
	select {
	case a.waiting <- p:
		n.add(relayedPackets, 1)
		n.add(relayedOctets, uint64(size))
	default:
		a.exchange.unpack(p)
		n.add(droppedQueue, 1)
	}
}

// ReadFrom waits for a packet to this allocation.
func (a *allocation) ReadFrom(b []byte) (int, net.Addr, error) {
	select {
	case p := <-a.waiting:
		n, from := copy(b, p.data[:p.size]), p.from
		a.exchange.unpack(p)
		return n, from, nil
	case <-a.ended:
		return 0, nil, net.ErrClosed
	}
}

// WriteTo sends a packet of this allocation. It gets lost if there is no allocation at the address.
func (a *allocation) WriteTo(b []byte, to net.Addr) (int, error) {
	a.exchange.send(a, to, b)
	return len(b), nil
}

// Close gives the address back.
func (a *allocation) Close() error {
	a.exchange.release(a)
	return nil
}

// end has ReadFrom fail, so that the TURN server forgets the allocation.
func (a *allocation) end() {
	a.once.Do(func() {
		close(a.ended)
		for {
			select {
			case p := <-a.waiting:
				a.exchange.unpack(p)
			default:
				return
			}
		}
	})
}

// LocalAddr returns the relayed address.
func (a *allocation) LocalAddr() net.Addr { return a.address }

// SetDeadline and the like are for sockets.
func (a *allocation) SetDeadline(time.Time) error      { return nil }
func (a *allocation) SetReadDeadline(time.Time) error  { return nil }
func (a *allocation) SetWriteDeadline(time.Time) error { return nil }
