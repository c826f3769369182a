package sock

import (
	"net"
	"net/netip"
	"sync"

	"golang.org/x/net/ipv4"
)

// An outbox sends the datagrams of a step over a socket, all in one call of the system: what a player says goes to everybody at
// once. Nothing waits for others to come.
type outbox struct {
	conn    DatagramSocket
	batch   *ipv4.PacketConn // nil of a socket that is none of the system's
	waiting []addressed
}

// An addressed is a datagram that is to go out.
type addressed struct {
	to   netip.AddrPort
	data []byte
}

func newOutbox(s DatagramSocket) outbox {
	o := outbox{conn: s}
	if c, ok := s.(*net.UDPConn); ok {
		o.batch = ipv4.NewPacketConn(c)
	}
	return o
}

// add has a datagram sent by flush, if it is for an IPv4 address. Its memory is used until then.
func (o *outbox) add(to netip.AddrPort, data []byte) {
	if to.Addr().Unmap().Is4() {
		o.waiting = append(o.waiting, addressed{to, data})
	}
}

// flush sends what was added. A datagram may get lost, here as anywhere.
func (o *outbox) flush() {
	rest := o.waiting
	for len(rest) > 1 && o.batch != nil {
		n := min(len(rest), mailed)
		o.send(rest[:n])
		rest = rest[n:]
	}
	for _, d := range rest {
		o.conn.WriteToUDPAddrPort(d.data, d.to)
	}
	clear(o.waiting)
	o.waiting = o.waiting[:0]
}

// close is for systems that send in a goroutine.
func (o *outbox) close() {}

// mailed is how many datagrams are sent in one call at most.
const mailed = 64

// A bundle is what a call of the system takes besides the datagrams. Sessions that send share those that are in use at a time.
type bundle struct {
	messages [mailed]ipv4.Message
	to       [mailed]net.UDPAddr
	address  [mailed][4]byte
	data     [mailed][1][]byte
}

var bundles = sync.Pool{New: func() any {
	e := new(bundle)
	for i := range e.messages {
		e.to[i].IP = e.address[i][:]
		e.messages[i].Addr, e.messages[i].Buffers = &e.to[i], e.data[i][:]
	}
	return e
}}

// send sends up to mailed datagrams. One that the system refuses is left out.
func (o *outbox) send(all []addressed) {
	e := bundles.Get().(*bundle)
	defer bundles.Put(e)
	for i, d := range all {
		e.address[i], e.to[i].Port, e.data[i][0] = d.to.Addr().As4(), int(d.to.Port()), d.data
	}
	for rest := e.messages[:len(all)]; len(rest) > 0; {
		n, err := o.batch.WriteBatch(rest, 0)
		if err != nil {
			n = 1
		}
		rest = rest[n:]
	}
	clear(e.data[:len(all)])
}
