package stream

import (
	"slices"
	"time"
)

// A piece is something that waits: new octets of one segment behind a gap, octets that the capture cut off, a
// FIN or RST that is early, or a candidate (see stray). The first three are in the stream's list, by position,
// without overlaps; all are in the Assembler's list, by arrival.
type piece struct {
	stream   *Stream // nil once it is dropped
	kind     kind
	pos, end int64
	data     []byte
	buf      []byte // what data is in, nil while it is the caller's
	frame    int
	time     time.Time
	position place[piece] // in the stream's list
	age      place[piece] // in the Assembler's
}

type kind uint8

const (
	octets  kind = iota
	missing      // cut off by the capture; no data
	mark         // FIN or RST; no length
	distant      // a candidate; end is that of the segment, cut included
)

// pieceCost is what a piece costs beside its buffer: a little more than its size on a 64-bit machine.
const pieceCost = 160

// hold lets octets or a cut wait, in the stream's list before the piece at (nil: last). Data is the caller's
// until own is called.
func (a *Assembler) hold(s *Stream, k kind, pos, end int64, data []byte, r *run, at *piece) *piece {
	p := a.spare.piece()
	p.stream, p.kind, p.pos, p.end, p.data, p.frame, p.time = s, k, pos, end, data, r.frame, r.time
	if k != distant {
		s.insert(p, at)
	}
	a.waiting.insert(p, nil)
	s.pieces++
	s.octets += len(data)
	a.charge += pieceCost
	if len(data) > 0 {
		a.fresh = append(a.fresh, p)
	}
	return p
}

// own copies the octets of the segment that still wait.
func (a *Assembler) own() {
	for i, p := range a.fresh {
		a.fresh[i] = nil
		if p.stream == nil {
			continue
		}
		p.buf = a.spare.buffer(len(p.data))
		a.charge += cap(p.buf)
		p.data = p.buf[:copy(p.buf, p.data)]
	}
	a.fresh = a.fresh[:0]
}

// unlink takes a piece out of all lists; its octets stay readable until release.
func (a *Assembler) unlink(p *piece) {
	s := p.stream
	if p.kind != distant {
		s.remove(p)
	}
	a.waiting.remove(p)
	s.pieces--
	s.octets -= len(p.data)
	a.charge -= pieceCost + cap(p.buf)
	p.stream = nil
}

// drop unlinks a piece and gives back its memory.
func (a *Assembler) drop(p *piece) {
	a.unlink(p)
	a.spare.release(p)
}

// bufferSizes are the sizes of the buffers that are used again: half a frame, a frame, a coalesced segment,
// the largest IPv4 packet. Larger ones are left to the garbage collector.
var bufferSizes = [...]int{512, 2048, 16 << 10, 64 << 10}

const (
	maxSparePieces = 8192
	maxSpareOctets = 4 << 20
)

// spares are pieces and buffers to be used again.
type spares struct {
	pieces  *piece // linked by position
	count   int
	buffers [len(bufferSizes)][][]byte
	octets  int
}

func (f *spares) piece() *piece {
	p := f.pieces
	if p == nil {
		return new(piece)
	}
	f.pieces = p.position.next
	f.count--
	p.position.next = nil
	return p
}

// buffer returns n octets, n > 0, with any content.
func (f *spares) buffer(n int) []byte {
	i, _ := slices.BinarySearch(bufferSizes[:], n)
	if i == len(bufferSizes) {
		return make([]byte, n)
	}
	last := len(f.buffers[i]) - 1
	if last < 0 {
		return make([]byte, bufferSizes[i])[:n]
	}
	b := f.buffers[i][last]
	f.buffers[i][last] = nil
	f.buffers[i] = f.buffers[i][:last]
	f.octets -= bufferSizes[i]
	return b[:n]
}

func (f *spares) release(p *piece) {
	if i, known := slices.BinarySearch(bufferSizes[:], cap(p.buf)); known && f.octets+cap(p.buf) <= maxSpareOctets {
		f.buffers[i] = append(f.buffers[i], p.buf)
		f.octets += cap(p.buf)
	}
	*p = piece{}
	if f.count < maxSparePieces {
		p.position.next, f.pieces = f.pieces, p
		f.count++
	}
}
