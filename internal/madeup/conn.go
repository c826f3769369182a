package madeup

import (
	"time"

	"github.com/google/gopacket/layers"
)

// A Conn is a TCP connection on a [Network]. Every segment arrives and is in order.
type Conn struct {
	N    *Network  // where it is
	ends [2]string // 0 opened the connection
	next [2]uint32 // sequence numbers
}

// roundTrip is how long the packets of the handshake and of the end of a connection are apart.
const roundTrip = 200 * time.Microsecond

// Dial writes the three segments that open a connection from src to dst.
func (n *Network) Dial(src, dst string) *Conn {
	n.T.Helper()
	// Sequence numbers begin where nothing wraps.
	c := &Conn{n, [2]string{src, dst}, [2]uint32{0x10000000 + uint32(n.Frames), 0x50000000 + uint32(n.Frames)}}
	c.segment(0, layers.TCP{SYN: true}, nil)
	n.Wait(roundTrip)
	c.segment(1, layers.TCP{SYN: true, ACK: true}, nil)
	n.Wait(roundTrip)
	c.segment(0, layers.TCP{ACK: true}, nil)
	return c
}

// Send writes one segment with the payload from the end that opened the connection.
func (c *Conn) Send(payload []byte) { c.segment(0, layers.TCP{ACK: true, PSH: true}, payload) }

// Reply writes one segment with the payload from the other end.
func (c *Conn) Reply(payload []byte) { c.segment(1, layers.TCP{ACK: true, PSH: true}, payload) }

// Ack writes a segment without a payload from the end that was connected to.
func (c *Conn) Ack() { c.segment(1, layers.TCP{ACK: true}, nil) }

// Close writes the segments that end the connection, begun by the end that opened it.
func (c *Conn) Close() {
	c.segment(0, layers.TCP{ACK: true, FIN: true}, nil)
	c.N.Wait(roundTrip)
	c.segment(1, layers.TCP{ACK: true, FIN: true}, nil)
	c.N.Wait(roundTrip)
	c.segment(0, layers.TCP{ACK: true}, nil)
}

// segment writes one segment from one end.
func (c *Conn) segment(from int, h layers.TCP, payload []byte) {
	c.N.T.Helper()
	if h.Seq = c.next[from]; h.ACK {
		h.Ack = c.next[1-from]
	}
	c.N.TCP(c.ends[from], c.ends[1-from], h, payload)
	if c.next[from] += uint32(len(payload)); h.SYN || h.FIN {
		c.next[from]++
	}
}
