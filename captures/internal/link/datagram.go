package link

import (
	"math/bits"
	"slices"
	"time"
)

// blockSize is what fragment offsets count, in octets (RFC 791 3.1).
const blockSize = 8

// blocks is how many blocks the largest datagram has.
const blocks = (maxIP + blockSize) / blockSize

// A datagram is one of which fragments were seen, but not all.
type datagram struct {
	key    datagramKey
	next   Proto // the first header; of the first fragment once that was seen
	time   time.Time
	frames []int
	buf    []byte // up to the highest octet captured; meaningful only where have says so
	have   [(blocks + 63) / 64]uint64
	seen   int // octets of the blocks in have
	high   int // where the highest fragment ends
	end    int // where the last fragment ends; 0 before it was seen
	cut    int // the lowest octet that the snap length cut off; maxIP+1 if none
}

// conflict tells how a fragment contradicts those before it; "" if it does not.
func (g *datagram) conflict(f *fragment) string {
	end := f.at + f.span.whole
	switch {
	case f.more && g.end > 0 && end >= g.end:
		return "fragment reaches to or past the datagram's end, which came before"
	case f.more:
		return ""
	case g.end > 0 && end != g.end:
		return "last fragment ends elsewhere than one before"
	case g.high > end:
		return "last fragment ends before another one"
	}
	return ""
}

// put copies what is new in a fragment: octets that were seen before stay.
func (g *datagram) put(f *fragment) {
	end, captured := f.at+f.span.whole, f.at+len(f.span.data)
	g.buf = append(g.buf, make([]byte, max(0, captured-len(g.buf)))...)
	if f.at >= g.high { // the usual order: all of it is new
		g.copy(f, f.at, end)
	} else {
		g.merge(f, end)
	}
	g.high = max(g.high, end)
	if !f.more {
		g.end = end
	}
	if f.at == 0 {
		g.next = f.next
	}
	g.frames = append(g.frames, f.frame)
}

// merge copies the blocks of a fragment that are new.
func (g *datagram) merge(f *fragment, end int) {
	for at := f.at; at < end; at += blockSize {
		if block := at / blockSize; g.have[block/64]&(1<<(block%64)) == 0 {
			g.copy(f, at, min(at+blockSize, end))
		}
	}
}

// copy copies the octets from at to end of the datagram, whole blocks that are new, and marks them.
func (g *datagram) copy(f *fragment, at, end int) {
	g.seen += end - at
	part := f.part(at, end)
	copy(g.buf[min(at, len(g.buf)):], part) // behind the buffer there is no part
	if at+len(part) < end {
		g.cut = min(g.cut, at+len(part))
	}
	for block := at / blockSize; block*blockSize < end; block++ {
		g.have[block/64] |= 1 << (block % 64)
	}
}

// complete reports whether all octets were on the wire.
func (g *datagram) complete() bool { return g.end > 0 && g.seen == g.end }

// known returns the octets from the beginning to the first one that is missing.
func (g *datagram) known() []byte {
	i := slices.IndexFunc(g.have[:], func(word uint64) bool { return ^word != 0 })
	if i < 0 {
		return g.buf[:min(g.cut, len(g.buf))]
	}
	n := (i*64 + bits.TrailingZeros64(^g.have[i])) * blockSize
	return g.buf[:min(n, g.cut, len(g.buf))]
}
