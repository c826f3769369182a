package stream

import (
	"slices"
	"time"
)

// trim takes from a run what stands before the stream's next octet, and counts it.
func (s *Stream) trim(r run) run {
	n := min(s.next-r.pos, int64(len(r.data)))
	if n <= 0 {
		return r
	}
	old := r.data[:n]
	end := r.pos + n
	before := overlap(r.pos, end, r.pos, s.base)
	late := int64(0)
	for _, h := range s.holes {
		late += overlap(r.pos, end, h.pos, h.end)
	}
	s.Before += before
	s.Late += late
	s.Stray += before + late
	s.Duplicate += n - before - late
	if len(r.data) > 1 || r.pos != s.next-1 { // a keep-alive's octet means nothing (RFC 1122, 4.2.3.6)
		s.Conflict += s.past.conflicts(r.pos, old, s.next)
	}
	r.pos, r.data = end, r.data[n:]
	return r
}

// after returns the first piece that ends after a position, nil if there is none. The last ones are looked at first, because most
// segments come in order.
func (s *Stream) after(pos int64) (at *piece) {
	for p := s.last; p != nil && p.end > pos; p = p.position.prev {
		at = p
	}
	return at
}

// overlap is the length that the ranges a to b and c to d have in common.
func overlap(a, b, c, d int64) int64 { return max(0, min(b, d)-max(a, c)) }

// insert lets the octets from pos to end wait, which are data, or a cut, of which there is no data. Only what is new waits: octets
// that are there already win over others, and octets over a cut.
func (a *Assembler) insert(s *Stream, k kind, pos, end int64, data []byte, r *run) {
	take := func(n int64) (part []byte) {
		n = min(n, int64(len(data)))
		part, data = data[:n:n], data[n:]
		return part
	}
	at := s.after(pos)
	for pos < end {
		if at == nil || pos < at.pos {
			n := end - pos
			if at != nil {
				n = min(n, at.pos-pos)
			}
			a.hold(s, k, pos, pos+n, take(n), r, at)
			pos += n
			continue
		}
		n, following := min(end, at.end)-pos, at.position.next
		part := take(n)
		switch {
		case k == missing:
		case at.kind == missing:
			a.fill(at, pos, part, r)
		default:
			s.Duplicate += n
			s.Conflict += differences(at.data[pos-at.pos:][:n], part)
		}
		pos += n
		at = following
	}
}

// fill puts octets, at pos, in the place of a cut or of a part of it.
func (a *Assembler) fill(p *piece, pos int64, data []byte, r *run) {
	s, end, after := p.stream, pos+int64(len(data)), p.position.next
	if end < p.end { // the rest of the cut waits as long as the cut
		rest := run{frame: p.frame, time: p.time}
		after = a.hold(s, missing, end, p.end, nil, &rest, after)
	}
	a.hold(s, octets, pos, end, data, r, after)
	if p.end = pos; p.pos == p.end {
		a.drop(p)
	}
}

// mark lets a FIN or RST wait for the octets before it. The first one counts; one that stands before octets
// that came is an error of the sender, or not the sender's.
func (a *Assembler) mark(s *Stream, pos int64, r *run) {
	if s.marked || pos < s.next {
		return
	}
	at := s.after(pos)
	if at != nil && at.pos < pos {
		return
	}
	s.marked = true
	a.hold(s, mark, pos, pos, nil, r, at)
}

// settle delivers what a segment made deliverable, keeps the rest of it, and holds to the limits.
func (a *Assembler) settle(s *Stream) {
	a.drain(s)
	a.own()
	for s.first != nil && (s.pieces > a.limits.heldSegments || s.octets > a.limits.heldOctets) {
		a.skip(s)
	}
	for a.charge > a.limits.heldTotal {
		a.giveUp(a.waiting.first)
	}
}

// drain delivers the pieces up to the next gap.
func (a *Assembler) drain(s *Stream) {
	for p := s.first; p != nil && p.pos == s.next; p = s.first {
		switch p.kind {
		case octets:
			a.unlink(p)
			a.deliver(s, p.data, p.frame, p.time)
			a.spare.release(p)
		case missing:
			if s.pieces-1 <= a.limits.cutSegments {
				return
			}
			a.lose(s, p.end-p.pos)
			a.drop(p)
		default:
			frame, t := p.frame, p.time
			a.drop(p)
			a.end(s, frame, t)
		}
	}
}

// skip gives up the first gap or cut of a stream for which something waits.
func (a *Assembler) skip(s *Stream) {
	p := s.first
	if p.kind == missing && p.pos == s.next {
		a.lose(s, p.end-p.pos)
		a.drop(p)
	} else {
		a.lose(s, p.pos-s.next)
	}
	a.drain(s)
}

// maxHoles is how many gaps a stream remembers, to tell octets that come too late from duplicates.
const maxHoles = 16

// A hole is a gap that was given up.
type hole struct{ pos, end int64 }

// lose gives up the next n octets of a stream.
func (a *Assembler) lose(s *Stream, n int64) {
	if last := len(s.holes) - 1; last >= 0 && s.holes[last].end == s.next {
		s.holes[last].end += n
	} else {
		s.holes = append(s.holes, hole{s.next, s.next + n})
		s.holes = slices.Delete(s.holes, 0, max(0, len(s.holes)-maxHoles))
	}
	s.Lost += n
	s.gap += n
	s.next += n
	s.past.from = s.next
}

// expire gives up the gaps behind which something waits since before now-gapAge. A clock that was set back as
// far ends the waiting too, or it could last for ever.
func (a *Assembler) expire(now time.Time) {
	for a.waiting.first != nil && now.Sub(a.waiting.first.time).Abs() > a.limits.gapAge {
		a.giveUp(a.waiting.first)
	}
}

// giveUp gives up the first of the gaps before a piece, or the piece if it is a candidate.
func (a *Assembler) giveUp(p *piece) {
	if p.kind == distant {
		a.dropCandidate(p.stream)
	} else {
		a.skip(p.stream)
	}
}
