package captures

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"dplay4/captures/internal/stream"
	"dplay4/wire"
)

// A tcpStream is one direction of a TCP connection on its way from octets to messages.
type tcpStream struct {
	key       stream.Key
	speaks    bool   // it is DirectPlay
	other     bool   // it is not
	searching bool   // the next header has to be found
	before    bool   // it began before the capture, and no header was found yet
	pending   []byte // octets that no message was made of yet
	marks     []mark // where in them, or in a chunk that is split, the octets of each frame begin
	at        int    // the mark in work while a chunk is split
	octets    int64  // before it was clear what the stream is
	lost      int64  // likewise
	lostFrame int
	searched  int   // octets searched in vain, likewise
	discard   int64 // octets that still belong to a message with a gap in it
	skipped   int64 // octets of the search under way
	skipFrame int
}

// A mark says where the octets of a frame begin.
type mark struct {
	at, frame int
	time      time.Time
}

const (
	markCost     = 40      // octets that a mark takes
	smallPending = 2 << 10 // how large a buffer each stream may keep for itself
	smallMarks   = 32      // likewise, of marks
)

// cost is what the unfinished message of a stream counts against maxPending.
func (st *tcpStream) cost() int { return len(st.pending) + markCost*len(st.marks) }

// append returns the octets in work with new ones behind them, without a copy where there were none before.
func (r *run) append(st *tcpStream, data []byte, c *stream.Chunk) []byte {
	st.at = 0
	st.marks = append(st.marks, mark{len(st.pending), c.Frame, c.Time})
	if len(st.pending) == 0 {
		return data
	}
	if room := cap(st.pending) - len(st.pending); len(data) > room && cap(r.spare) >= 2*cap(st.pending) {
		st.pending, r.spare = append(r.spare[:0], st.pending...), nil
	}
	st.pending = append(st.pending, data...)
	return st.pending
}

// keep keeps what is left of buf, which append gave, after the first octets were used.
func (r *run) keep(st *tcpStream, buf []byte, used int) {
	if st.other {
		used = len(buf)
	}
	if len(st.pending) == 0 && used < len(buf) {
		st.pending = append(st.pending, buf...) // now it has to be copied
	}
	if len(st.pending) > 0 {
		r.shift(st, used)
		return
	}
	st.marks = st.marks[:0]
}

// drop takes octets off the front of what is in work and counts them off.
func (r *run) drop(st *tcpStream, n int) {
	cost := st.cost()
	r.shift(st, n)
	r.pending += st.cost() - cost
}

// shift moves the octets in work to the front. Long buffers are not left with a stream that does not need
// them: there are thousands of streams, most of them idle.
func (r *run) shift(st *tcpStream, n int) {
	if n > 0 {
		st.pending = st.pending[:copy(st.pending, st.pending[n:])]
		i := st.markAt(n)
		st.marks = st.marks[:copy(st.marks, st.marks[i:])]
		for i := range st.marks {
			st.marks[i].at = max(0, st.marks[i].at-n)
		}
	}
	st.at = 0
	if len(st.pending) > 0 {
		return
	}
	st.marks = st.marks[:0]
	if cap(st.pending) > smallPending {
		if cap(st.pending) > cap(r.spare) {
			r.spare = st.pending
		}
		st.pending = nil
	}
	if cap(st.marks) > smallMarks {
		st.marks = nil
	}
}

// markAt returns the mark of the octet at a place in the octets in work.
func (st *tcpStream) markAt(at int) int {
	i, same := slices.BinarySearchFunc(st.marks, at, func(m mark, at int) int { return m.at - at })
	if same {
		return i
	}
	return i - 1
}

// frameAt returns the frame of the octet at a place in the octets in work.
func (st *tcpStream) frameAt(at int) int {
	if len(st.marks) == 0 {
		return 0
	}
	return st.marks[max(0, st.markAt(at))].frame
}

// framesOf returns the frames of a range of the octets in work, each once and in the order of the file, and the
// time of the last one. Octets that came out of order have their frames out of order, and in pieces.
func (r *run) framesOf(st *tcpStream, from, to int) ([]int, time.Time) {
	for st.at+1 < len(st.marks) && st.marks[st.at+1].at <= from {
		st.at++ // messages are taken in order
	}
	last := st.marks[st.at]
	r.frameList = append(r.frameList[:0], last.frame)
	for _, m := range st.marks[st.at+1:] {
		if m.at >= to {
			break
		}
		r.frameList = append(r.frameList, m.frame)
		if m.frame > last.frame {
			last = m
		}
	}
	slices.Sort(r.frameList)
	r.frameList = slices.Compact(r.frameList)
	return r.frameList, last.time
}

// skip lets n octets in work, from a place on, count as searched in vain.
func (st *tcpStream) skip(at, n int) {
	if st.skipped == 0 {
		st.skipFrame = st.frameAt(at)
	}
	st.skipped += int64(n)
}

// unfinished describes the first n octets of b, which are the beginning of a message.
func unfinished(b []byte, n int) string {
	text := fmt.Sprintf("%d octets of a message", n)
	if size, _ := wire.FrameSize(b); size > 0 {
		text = fmt.Sprintf("%d of %d octets of a message", n, size)
	}
	if b := b[:n]; len(b) >= wire.SPHeaderSize+6 && wire.HasSignature(b[wire.SPHeaderSize:]) {
		text += " (" + wire.Command(binary.LittleEndian.Uint16(b[wire.SPHeaderSize+4:])).String() + ")"
	}
	return text
}

type headerKind int

const (
	headerNone headerKind = iota
	headerPartial
	headerFull
)

// headerAt reports whether a message begins at b where one is due. It is more lenient than a search: padding
// may hold anything, and an unknown token is taken where a signature confirms it.
func headerAt(b []byte) headerKind {
	sp, err := wire.ParseSPHeader(b)
	switch {
	case err != nil, sp.SockAddr.Family != wire.FamilyINet:
		return headerNone
	case sp.Token.Known():
		return headerFull
	case len(b) < wire.SPHeaderSize+4 && sp.Size >= wire.SPHeaderSize+4:
		return headerPartial
	case wire.HasSignature(b[wire.SPHeaderSize:]):
		return headerFull
	}
	return headerNone
}

// lookAhead is what telling a header in the middle of a stream takes.
const lookAhead = wire.SPHeaderSize + 4

// findHeader returns the place of the first thing in b that can only be an SP header, or -1.
func findHeader(b []byte) int {
	const family = 4 // octets from the start of the header to the address family
	for at := 0; ; {
		i := bytes.Index(b[min(at+family, len(b)):], []byte{wire.FamilyINet, 0})
		if i < 0 {
			return -1
		}
		at += i
		if wire.LooksLikeSPHeader(b[at:]) {
			return at
		}
		at++
	}
}
