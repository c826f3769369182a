//go:build !linux

package sock

import (
	"bytes"
	"net/netip"
)

// An outbox sends datagrams over a socket, in a goroutine of its own unless the socket does so by itself: under Wine a call of the
// system takes long, and who steps the engine is a game that waits.
type outbox struct {
	post    DatagramSocket // that sends by itself, or nil
	waiting chan addressed
	sent    chan struct{} // closed when all is sent
}

// An addressed is a datagram that is to go out.
type addressed struct {
	to   netip.AddrPort
	data []byte
}

// posted is how many datagrams may wait. Whoever has more waits.
const posted = 256

// A poster is a socket over which one sends without waiting.
type poster interface{ Posts() }

func newOutbox(c DatagramSocket) outbox {
	if _, posts := any(c).(poster); posts {
		return outbox{post: c}
	}
	o := outbox{nil, make(chan addressed, posted), make(chan struct{})}
	go func() {
		defer close(o.sent)
		for d := range o.waiting {
			c.WriteToUDPAddrPort(d.data, d.to) // which may get lost, here as anywhere
		}
	}()
	return o
}

// add has a datagram sent.
func (o *outbox) add(to netip.AddrPort, data []byte) {
	if o.post != nil {
		o.post.WriteToUDPAddrPort(data, to)
		return
	}
	o.waiting <- addressed{to, bytes.Clone(data)}
}

// flush is for systems that send many at a time.
func (o *outbox) flush() {}

// close returns when all is sent that was added, or when closing the socket waits for that. Nothing is added any more.
func (o *outbox) close() {
	if o.post != nil {
		return
	}
	close(o.waiting)
	<-o.sent
}

// A reader takes datagrams off a socket.
type reader = plainReader

func newReader(c DatagramSocket) (*reader, error) { return newPlainReader(c), nil }
