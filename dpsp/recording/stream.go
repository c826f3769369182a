package recording

import (
	"encoding/binary"
	"net/netip"
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
			w.segment(c, true, ack, nil)
			c.pending = 0
		}
		flags := byte(ack)
		if n == len(data) {
			flags |= psh
		}
		w.segment(c, false, flags, data[:n])
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
	w.segment(c, false, syn, nil)
	w.segment(c, true, syn|ack, nil)
	w.segment(c, false, ack, nil)
	return c
}

// end writes the three segments that end a connection.
func (w *Writer) end(c *conn) {
	w.segment(c, false, fin|ack, nil)
	w.segment(c, true, fin|ack, nil)
	w.segment(c, false, ack, nil)
}

// segment writes one segment with flags, from the end that opened the connection or, as a reply, from the other one.
func (w *Writer) segment(c *conn, reply bool, flags byte, data []byte) {
	from, to, seq, next := c.from, c.to, &c.seq, c.reply
	if reply {
		from, to, seq, next = c.to, c.from, &c.reply, c.seq
	}
	if flags&ack == 0 {
		next = 0
	}
	header := binary.BigEndian.AppendUint16(make([]byte, 0, tcpSize), from.Port())
	header = binary.BigEndian.AppendUint16(header, to.Port())
	header = binary.BigEndian.AppendUint32(header, *seq)
	header = binary.BigEndian.AppendUint32(header, next)
	header = append(header, tcpSize/4<<4, flags)
	header = binary.BigEndian.AppendUint16(header, window)
	w.frame(from.Addr(), to.Addr(), protocolTCP, append(header, 0, 0, 0, 0), 16, data)
	*seq += uint32(len(data))
	if flags&(syn|fin) != 0 {
		*seq++
	}
}
