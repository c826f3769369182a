package stream

import "bytes"

// firstRing is the size of a history at first; most streams are short.
const firstRing = 1 << 10

// A history keeps the newest octets that were delivered after the last gap, to compare retransmissions with.
// The octet at position p is ring[p&(len(ring)-1)].
type history struct {
	ring []byte // its length is a power of two, or 0
	from int64  // the first position after the last gap; from the stream's next on, and a ring before it, nothing is kept
}

// add keeps data, which stands at pos, right after the octets that are kept. The ring grows up to limit.
func (h *history) add(pos int64, data []byte, limit int) {
	if want := pos + int64(len(data)) - h.from; want > int64(len(h.ring)) && len(h.ring) < limit {
		h.grow(pos, want, limit)
	}
	if skip := len(data) - len(h.ring); skip > 0 {
		pos, data = pos+int64(skip), data[skip:]
	}
	at := int(pos & int64(len(h.ring)-1))
	copy(h.ring, data[copy(h.ring[at:], data):])
}

// grow makes room for want octets, or for limit. The kept octets end at end.
func (h *history) grow(end, want int64, limit int) {
	size := min(max(len(h.ring), firstRing), limit)
	for size < limit && int64(size) < want {
		size *= 2
	}
	ring := make([]byte, size)
	for pos := end - int64(len(h.ring)); pos < end; pos++ {
		ring[pos&int64(size-1)] = h.ring[pos&int64(len(h.ring)-1)]
	}
	h.ring = ring
}

// conflicts counts the octets of data that are kept and differ. Data stands at pos and does not reach beyond
// end, where the kept octets end.
func (h *history) conflicts(pos int64, data []byte, end int64) int64 {
	low := max(pos, h.from, end-int64(len(h.ring)))
	high := pos + int64(len(data))
	n := int64(0)
	for low < high {
		at := int(low & int64(len(h.ring)-1))
		part := h.ring[at:min(len(h.ring), at+int(high-low))]
		n += differences(part, data[low-pos:][:len(part)])
		low += int64(len(part))
	}
	return n
}

// differences counts the places where two slices of the same length differ.
func differences(a, b []byte) int64 {
	if bytes.Equal(a, b) {
		return 0
	}
	n := int64(0)
	for i, v := range a {
		if v != b[i] {
			n++
		}
	}
	return n
}
