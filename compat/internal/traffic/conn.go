package traffic

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// A Conn is a TCP connection in a [Capture]. Every segment arrives and is in order.
type Conn struct {
	c    *Capture
	ends [2]end // 0 opened the connection
}

// An end is one side of a connection.
type end struct {
	addr netip.AddrPort
	seq  uint32 // of the next octet it sends
}

// roundTrip is how long the packets of the handshake and of the end of a connection are apart.
const roundTrip = 200 * time.Microsecond

// Dial writes the three segments that open a connection from src to dst.
func (c *Capture) Dial(src, dst netip.AddrPort) *Conn {
	// Sequence numbers begin where nothing wraps; reassembly is not what this package is for.
	n := &Conn{c: c, ends: [2]end{{src, 0x10000000 + uint32(c.packets)}, {dst, 0x50000000 + uint32(c.packets)}}}
	n.segment(0, func(t *layers.TCP) { t.SYN, t.ACK, t.Ack = true, false, 0 }, nil)
	c.Advance(roundTrip)
	n.segment(1, func(t *layers.TCP) { t.SYN = true }, nil)
	c.Advance(roundTrip)
	n.segment(0, nil, nil)
	return n
}

// Send writes one segment with the payload from the end that opened the connection.
func (n *Conn) Send(payload []byte) { n.data(0, payload) }

// Reply writes one segment with the payload from the other end.
func (n *Conn) Reply(payload []byte) { n.data(1, payload) }

// Ack writes a segment without a payload from the end that was connected to.
func (n *Conn) Ack() { n.segment(1, nil, nil) }

// Close writes the segments that end the connection, begun by the end that opened it.
func (n *Conn) Close() {
	n.segment(0, func(t *layers.TCP) { t.FIN = true }, nil)
	n.c.Advance(roundTrip)
	n.segment(1, func(t *layers.TCP) { t.FIN = true }, nil)
	n.c.Advance(roundTrip)
	n.segment(0, nil, nil)
}

func (n *Conn) data(from int, payload []byte) {
	if len(payload) > MaxSegment {
		n.c.fail(fmt.Errorf("segment of %d octets: %w", len(payload), ErrTooLong))
		return
	}
	n.segment(from, func(t *layers.TCP) { t.PSH = true }, payload)
}

// segment writes one segment from one end, an acknowledgement unless set changes it.
func (n *Conn) segment(from int, set func(*layers.TCP), payload []byte) {
	s, d := &n.ends[from], &n.ends[1-from]
	t := &layers.TCP{SrcPort: layers.TCPPort(s.addr.Port()), DstPort: layers.TCPPort(d.addr.Port()),
		Seq: s.seq, Ack: d.seq, ACK: true, Window: 0xFFFF}
	if set != nil {
		set(t)
	}
	ip := n.c.ipv4(s.addr.Addr(), d.addr.Addr(), layers.IPProtocolTCP)
	if n.c.fail(t.SetNetworkLayerForChecksum(ip)) {
		return
	}
	n.c.frame(ethernet(s.addr.Addr(), d.addr.Addr(), layers.EthernetTypeIPv4), ip, t, gopacket.Payload(payload))
	s.seq += uint32(len(payload))
	if t.SYN || t.FIN {
		s.seq++
	}
}

// Capture returns the capture that the connection is in.
func (n *Conn) Capture() *Capture { return n.c }
