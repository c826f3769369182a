package stream

import (
	"cmp"
	"slices"
	"time"
)

// An Assembler puts the segments of any number of streams in order. Call Add for each segment in the order of the capture
// and Flush at its end. It is for one goroutine, and equal input gives equal output.
type Assembler struct {
	handle  func(c *Chunk)
	limits  limits
	streams map[Key]*Stream
	open    list[Stream] // in the order of their last segments, so that the idlest is found without a search
	ended   list[Stream] // likewise; kept so that late segments are not taken for new streams
	born    int64
	retired Counters // of the streams that were forgotten
	chunk   Chunk    // handed to handle, so that no call allocates one

	waiting list[piece] // all that waits, in order of arrival
	charge  int         // its memory
	fresh   []*piece    // pieces of the segment being added whose octets are still the caller's
	spare   spares
}

// New returns an Assembler that calls handle with every chunk, during Add and Flush. handle must not call these, and must
// not change Chunk.Data, which may be the caller's own Payload.
func New(handle func(c *Chunk)) *Assembler {
	return &Assembler{
		handle: handle, limits: usual, streams: map[Key]*Stream{},
		open: list[Stream]{place: streamByAge}, ended: list[Stream]{place: streamByAge}, waiting: list[piece]{place: pieceByAge},
	}
}

// A run is a segment on its way into a stream.
type run struct {
	pos   int64 // of data's first octet
	data  []byte
	cut   int64
	fin   bool
	frame int
	time  time.Time
}

// Add takes the next segment of the capture. Segments without payload, cut and flags (mere ACKs) only make
// the time go on.
//
// What becomes of the segment is the subject of the package comment. Nothing of it is kept that is not copied.
func (a *Assembler) Add(seg *Segment) {
	a.expire(seg.Time)
	flags := seg.SYN || seg.FIN || seg.RST || seg.Cut > 0
	if !flags && len(seg.Payload) == 0 {
		return
	}
	s := a.streams[seg.Key]
	if s == nil || flags || s.over || s.pieces > 0 || seg.Seq != uint32(s.next) {
		a.add(s, seg)
		return
	}
	a.see(s, seg)
	a.deliver(s, seg.Payload, seg.Frame, seg.Time)
}

// add is Add for all but the next octets of a stream for which nothing waits.
func (a *Assembler) add(s *Stream, seg *Segment) {
	if seg.RST {
		a.reset(s, seg)
		return
	}
	seq := seg.Seq
	if seg.SYN {
		seq++ // the SYN has a number of its own
		if s != nil && !a.known(s, seq) {
			a.finish(s, seg.Frame, seg.Time)
			a.forget(s)
			s = nil
		}
	}
	if s == nil {
		if !seg.SYN && len(seg.Payload) == 0 && seg.Cut <= 0 {
			return // the FIN of a stream of which there is nothing else
		}
		s = a.begin(seg.Key, seq, !seg.SYN)
	}
	a.see(s, seg)
	a.place(s, run{
		pos: s.unwrap(seq), data: seg.Payload, fin: seg.FIN,
		cut:   int64(min(max(seg.Cut, 0), a.limits.window)),
		frame: seg.Frame, time: seg.Time,
	})
}

// known reports whether a SYN, after which the octets begin at seq, is that of the stream s; otherwise it opens
// a new connection between the same ports. In a stream that began without one the SYN may be late itself.
func (a *Assembler) known(s *Stream, seq uint32) bool {
	if seq == uint32(s.base) {
		s.Midway = false
		return true
	}
	pos := s.unwrap(seq)
	return s.Midway && !s.over && pos < s.base && s.next-pos <= int64(a.limits.window)
}

// place puts a run where it belongs, by its distance from the stream's next octet.
func (a *Assembler) place(s *Stream, r run) {
	distance, window := r.pos-s.next, int64(a.limits.window)
	switch {
	case max(distance, -distance) > window || s.over && distance >= 0:
		a.stray(s, r)
	case s.over:
		r = s.trim(r)
		s.Stray += int64(len(r.data)) // beyond the end
	default:
		a.accept(s, r)
	}
}

// accept takes a run that begins within the window of an open stream.
func (a *Assembler) accept(s *Stream, r run) {
	a.dropCandidate(s) // the stream goes on where it was
	if s.Midway && s.next == s.base && r.pos < s.base {
		s.base, s.next, s.past.from = r.pos, r.pos, r.pos // nothing was delivered yet, so it can begin earlier
	}
	cut := r.pos + int64(len(r.data))
	end := cut + r.cut
	r = s.trim(r)
	switch {
	case len(r.data) == 0:
	case r.pos == s.next && s.first == nil:
		a.deliver(s, r.data, r.frame, r.time)
	default:
		a.insert(s, octets, r.pos, r.pos+int64(len(r.data)), r.data, &r)
	}
	if cut = max(cut, s.next); cut < end {
		a.insert(s, missing, cut, end, nil, &r)
	}
	if r.fin {
		a.mark(s, end, &r)
	}
	a.settle(s)
}

// reset takes a RST. Its payload is a text for people at best (RFC 1122, 4.2.2.12), never the stream's.
func (a *Assembler) reset(s *Stream, seg *Segment) {
	if s == nil {
		a.retired.Payload += int64(len(seg.Payload))
		a.retired.Stray += int64(len(seg.Payload))
		return
	}
	a.see(s, seg)
	s.Stray += int64(len(seg.Payload))
	distance, window := s.unwrap(seg.Seq)-s.next, int64(a.limits.window)
	switch {
	case s.over || max(distance, -distance) > window:
	case distance <= 0:
		a.finish(s, seg.Frame, seg.Time)
	default: // octets sent before it may still come
		a.mark(s, s.next+distance, &run{frame: seg.Frame, time: seg.Time})
		a.settle(s)
	}
}

// see notes that a segment of the stream came.
func (a *Assembler) see(s *Stream, seg *Segment) {
	s.frame, s.time = seg.Frame, seg.Time
	s.Payload += int64(len(seg.Payload))
	streams := &a.open
	if s.over {
		streams = &a.ended
	}
	if streams.last != s {
		streams.remove(s)
		streams.insert(s, nil)
	}
}

// begin makes the stream whose first octet has the sequence number seq, and room for it.
func (a *Assembler) begin(key Key, seq uint32, midway bool) *Stream {
	if len(a.streams) >= a.limits.streams {
		s := cmp.Or(a.ended.first, a.open.first)
		a.finish(s, s.frame, s.time)
		a.forget(s)
	}
	s := &Stream{Key: key, Midway: midway, base: int64(seq), next: int64(seq), born: a.born}
	s.place = pieceByPosition
	s.past.from = s.base
	a.born++
	a.streams[key] = s
	a.open.insert(s, nil)
	return s
}

// finish delivers what waits in a stream, with its gaps, and ends it. A FIN among what waits ends it earlier.
func (a *Assembler) finish(s *Stream, frame int, t time.Time) {
	a.dropCandidate(s)
	for s.first != nil {
		a.skip(s)
	}
	a.end(s, frame, t)
}

// end says that a stream is over, once. What stands after its end is stray.
func (a *Assembler) end(s *Stream, frame int, t time.Time) {
	if s.over {
		return
	}
	a.dropCandidate(s)
	for p := s.first; p != nil; p = s.first {
		s.Stray += int64(len(p.data))
		a.drop(p)
	}
	s.over = true
	a.open.remove(s)
	a.ended.insert(s, nil)
	a.emit(s, nil, frame, t)
}

// forget removes a stream that is over.
func (a *Assembler) forget(s *Stream) {
	a.dropCandidate(s)
	a.ended.remove(s)
	delete(a.streams, s.Key)
	a.retired.add(&s.Counters)
}

// deliver hands out the next octets of a stream.
func (a *Assembler) deliver(s *Stream, data []byte, frame int, t time.Time) {
	s.past.add(s.next, data, a.limits.history)
	s.next += int64(len(data))
	s.Octets += int64(len(data))
	a.emit(s, data, frame, t)
}

// emit hands out a chunk; without data it is the end.
func (a *Assembler) emit(s *Stream, data []byte, frame int, t time.Time) {
	a.chunk = Chunk{Stream: s, Data: data, Frame: frame, Time: t, Lost: s.gap, End: s.over}
	s.gap = 0
	a.handle(&a.chunk)
}

// Flush is the end of the capture: what is held back is delivered, with its gaps, and all streams end, in the
// order in which they began. The Assembler is then as new and can take another capture.
func (a *Assembler) Flush() {
	var all []*Stream
	for s := a.open.first; s != nil; s = s.age.next {
		all = append(all, s)
	}
	slices.SortFunc(all, func(s, t *Stream) int { return cmp.Compare(s.born, t.born) })
	for _, s := range all {
		a.finish(s, s.frame, s.time)
	}
	for a.ended.first != nil {
		a.forget(a.ended.first)
	}
}
