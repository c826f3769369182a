package recording

import (
	"net/netip"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// ends name a TCP connection: who opened it, and to where. Messages go both ways over no connection of
// DirectPlay 4 (facts, 2.10), so the other direction is another one.
type ends struct{ from, to netip.AddrPort }

// A conn is a TCP connection in the file.
type conn struct {
	ends
	seq, reply uint32 // of the next octet from either end
	pending    int    // octets that are not acknowledged
}

// stream writes a message as segments.
func (w *Writer) stream(from, to netip.AddrPort, data []byte) {
	c := w.conns[ends{from, to}]
	if c == nil {
		c = w.open(ends{from, to})
	}
	for len(data) > 0 {
		n := min(len(data), maxSegment)
		if c.pending+n > window {
			w.segment(c, true, layers.TCP{ACK: true}, nil)
			c.pending = 0
		}
		w.segment(c, false, layers.TCP{PSH: n == len(data), ACK: true}, data[:n])
		data = data[n:]
		c.pending += n
	}
}

// open writes the three segments that begin a connection.
func (w *Writer) open(k ends) *conn {
	if len(w.order) >= maxConnections {
		oldest := w.order[0]
		w.end(w.conns[oldest])
		delete(w.conns, oldest)
		w.order = w.order[1:]
	}
	w.opened++
	// Numbers that differ from one connection to the next, so that a reader tells one that begins anew on the
	// same ports from segments sent again.
	c := &conn{ends: k, seq: w.opened * 0x01000193, reply: w.opened * 0x0100A5A5}
	w.conns[k] = c
	w.order = append(w.order, k)
	w.segment(c, false, layers.TCP{SYN: true}, nil)
	w.segment(c, true, layers.TCP{SYN: true, ACK: true}, nil)
	w.segment(c, false, layers.TCP{ACK: true}, nil)
	return c
}

// end writes the three segments that end a connection.
func (w *Writer) end(c *conn) {
	w.segment(c, false, layers.TCP{FIN: true, ACK: true}, nil)
	w.segment(c, true, layers.TCP{FIN: true, ACK: true}, nil)
	w.segment(c, false, layers.TCP{ACK: true}, nil)
}

// segment writes one segment with the flags of t, from the end that opened the connection or, as a reply, from
// the other one.
func (w *Writer) segment(c *conn, reply bool, t layers.TCP, data []byte) {
	from, to, seq, ack := c.from, c.to, &c.seq, c.reply
	if reply {
		from, to, seq, ack = c.to, c.from, &c.reply, c.seq
	}
	t.SrcPort, t.DstPort, t.Seq, t.Window = layers.TCPPort(from.Port()), layers.TCPPort(to.Port()), *seq, window
	if t.ACK {
		t.Ack = ack
	}
	ip := w.ipv4(from.Addr(), to.Addr(), layers.IPProtocolTCP)
	if w.fail(t.SetNetworkLayerForChecksum(ip)) {
		return
	}
	w.frame(from.Addr(), to.Addr(), ip, &t, gopacket.Payload(data))
	*seq += uint32(len(data))
	if t.SYN || t.FIN {
		*seq++
	}
}
