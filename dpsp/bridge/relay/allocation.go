package relay

import (
	"context"
	"net"
	"net/netip"
	"time"

	"golang.org/x/time/rate"
)

// An allocation is a relayed address. To the TURN server it is the socket that it is bound to.
type allocation struct {
	timeless
	exchange *exchange
	client   client
	back     net.Addr // the client's address, as the TURN server wants it
	tagged   tagged
	source   *source
	relayed  netip.AddrPort
	address  *net.UDPAddr // relayed

	channels channels
	ended    context.Context
	end      context.CancelFunc // has ReadFrom fail
	sends    *rate.Limiter
	receives *rate.Limiter
	requests *rate.Limiter
}

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
	a := &allocation{exchange: x, client: c, back: c.front.address(c.at), tagged: t, source: s, relayed: relayed,
		address: net.UDPAddrFromAddrPort(relayed), sends: limiter(l.Rate), receives: limiter(l.Rate),
		requests: rate.NewLimiter(requestRate, requestBurst)}
	a.ended, a.end = context.WithCancel(context.Background())
	return a
}

// take sends a packet of another allocation to the client, if it wants to hear it.
func (a *allocation) take(from netip.AddrPort, data []byte) {
	n := a.exchange.counts
	number, heard := a.channels.from(from.Port())
	if !heard {
		n.add(droppedUnwanted, 1)
		return
	}
	if !a.receives.AllowN(time.Now(), len(data)) {
		n.add(droppedRate, 1)
		return
	}
	n.add(relayedPackets, 1)
	n.add(relayedOctets, uint64(len(data)))
	if number == 0 {
		if b, err := indication(from, data); err == nil {
			a.client.front.way.send(b, a.client.at)
		}
		return
	}
	p := packets.Get().(*packet)
	a.client.front.way.send(appendChannelData(p.data[:0], number, data), a.client.at)
	packets.Put(p)
}

// ReadFrom is how the TURN server learns that the allocation is gone. Packets go past it.
func (a *allocation) ReadFrom([]byte) (int, net.Addr, error) {
	<-a.ended.Done()
	return 0, nil, net.ErrClosed
}

// WriteTo sends a packet of this allocation. It gets lost if there is no allocation at the address.
func (a *allocation) WriteTo(b []byte, to net.Addr) (int, error) {
	a.exchange.send(a, addrPort(to), b)
	return len(b), nil
}

// Close gives the address back.
func (a *allocation) Close() error {
	a.exchange.release(a)
	return nil
}

// LocalAddr returns the relayed address.
func (a *allocation) LocalAddr() net.Addr { return a.address }

// A timeless has the methods of sockets that the TURN server does not use.
type timeless struct{}

func (timeless) SetDeadline(time.Time) error      { return nil }
func (timeless) SetReadDeadline(time.Time) error  { return nil }
func (timeless) SetWriteDeadline(time.Time) error { return nil }
