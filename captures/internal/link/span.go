package link

// A span is what stands behind a header.
type span struct {
	data  []byte // what was captured of it
	whole int    // how many octets it had on the wire; at least len(data)
	off   int    // octets before it, in the frame or in a reassembled datagram
}

// lacks reports whether fewer than n octets were captured.
func (s span) lacks(n int) bool { return len(s.data) < n }

// short says what is to blame for a header of n octets that was not captured whole: the snap length or the packet.
func (s span) short(n int, layer string) Status {
	if s.whole >= n {
		return skipped(WhyCut, 0)
	}
	return malformed(layer, s.off, "ends inside the header")
}

// from returns what stands behind the first n octets; they need not all have been captured, but were on the wire.
func (s span) from(n int) span {
	return span{s.data[min(n, len(s.data)):], s.whole - n, s.off + n}
}

// upTo cuts off what stands behind the first n octets: padding.
func (s span) upTo(n int) span {
	return span{s.data[:min(n, len(s.data))], min(n, s.whole), s.off}
}
