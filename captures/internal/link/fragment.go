package link

import (
	"net/netip"
	"time"
)

// A fragment is one IP fragment.
type fragment struct {
	key    datagramKey
	next   Proto // the header that the datagram begins with
	span   span  // what stands behind the IP headers
	at     int   // offset in the datagram, a multiple of 8
	more   bool  // it is not the last
	most   int   // octets the datagram may have
	layer  string
	header int // offset of the IP or fragment header in the frame, for errors
	frame  int
	time   time.Time
}

// A datagramKey tells the fragments of one datagram from those of others (RFC 791 3.2, RFC 8200 4.5).
type datagramKey struct {
	src, dst netip.Addr
	id       uint32
	proto    Proto // 0 for IPv6
}

// fragment hands a fragment to the reassembler, and the datagram on that it completes.
func (d *Decoder) fragment(f *fragment) Status {
	f.frame, f.time = d.packet.Frame, d.packet.Time
	g, st := d.fragments.add(f)
	if g == nil {
		return st
	}
	d.unit.Frames = g.frames
	s := span{data: g.known(), whole: g.end}
	if g.key.src.Is4() {
		st = d.transport(g.next, g.key.src, g.key.dst, s, false)
	} else {
		st = d.extensions(g.next, g.key.src, g.key.dst, s, false, false)
	}
	if st.Kind != KindUnit {
		st.Frames = g.frames
	}
	return st
}

// check tells what is wrong with a fragment on its own; "" if nothing.
func (f *fragment) check() string {
	switch n := f.span.whole; {
	case n == 0:
		return "a fragment without data"
	case f.more && n%8 != 0:
		return "length of a fragment that is not the last is no multiple of 8"
	case f.at+n > f.most:
		return "fragment ends past octet 65535"
	}
	return ""
}

// part returns what was captured of the octets from at to end of the datagram, which the fragment holds.
func (f *fragment) part(at, end int) []byte {
	captured := len(f.span.data)
	return f.span.data[min(at-f.at, captured):min(end-f.at, captured)]
}
