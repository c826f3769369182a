package reliable

import "dplay4/wire"

// A player index is 16 bits in 7-bit pieces, the least significant first; the high bit of an octet says that
// another one follows (2.2.1). It is the low half of a player id before the XOR with the session's Reserved1
// ([MC-DPL4CS] 3.2.5.4).
//
// Indexes in more octets than they need (80 00 for 0) are read: 2.2.1 tells how to write an index, but what it
// forbids a receiver to take is only a third octet above 3. The number of octets is kept, so that such a frame
// encodes to what it was.

// indexSize returns the fewest octets that hold v.
func indexSize(v uint16) int {
	switch {
	case v < 1<<7:
		return 1
	case v < 1<<14:
		return 2
	}
	return 3
}

// appendIndex appends v in n octets, indexSize(v) to maxIndexSize.
func appendIndex(dst []byte, v uint16, n int) []byte {
	for range n - 1 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// parseIndex reads the index at the start of b and says how many octets it has, or why it is none. Then v is
// what was read of it; the high bit of a third octet counts as part of the value, which it makes too large.
func parseIndex(b []byte) (v uint32, n int, reason error) {
	for n < maxIndexSize {
		if n == len(b) {
			return v, n, wire.ErrShort
		}
		o := b[n]
		v |= uint32(o&0x7F) << (7 * n)
		n++
		if o >= 0x80 {
			continue
		}
		if v > 0xFFFF {
			return v, n, wire.ErrValue
		}
		return v, n, nil
	}
	return v | 0x80<<14, n, wire.ErrValue
}
