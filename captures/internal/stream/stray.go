package stream

// nearby is how far after the candidate a segment may begin to confirm it: a window without scaling, so that a
// stream is found again although the capture goes on losing segments. A random one does so once in 65,536.
const nearby = 64 << 10

// stray takes a run that begins outside the window, or after the stream's end. One such segment is taken for
// garbage, but waits as the candidate: if the next one follows it, before any inside the window, the stream (or
// another one between the same ports) goes on there.
func (a *Assembler) stray(s *Stream, r run) {
	if len(r.data) == 0 {
		return
	}
	if c := s.candidate; c != nil {
		if uint32(r.pos)-uint32(c.end) <= nearby {
			a.goOn(s, r)
			return
		}
		a.dropCandidate(s)
	}
	if r.fin { // nothing can follow it
		s.Stray += int64(len(r.data))
		return
	}
	end := r.pos + int64(len(r.data)) + r.cut
	s.candidate = a.hold(s, distant, r.pos, end, r.data, &r, nil)
	a.settle(s)
}

// dropCandidate counts the stream's candidate, if there is one, as stray.
func (a *Assembler) dropCandidate(s *Stream) {
	if c := s.candidate; c != nil {
		s.candidate = nil
		s.Stray += int64(len(c.data))
		a.drop(c)
	}
}

// goOn lets a stream go on at its candidate, which r follows. If the gap is too long to be one, or the stream
// is over, a new stream begins there.
func (a *Assembler) goOn(s *Stream, r run) {
	c := s.candidate
	s.candidate = nil
	a.unlink(c)
	seq, follows := uint32(c.pos), uint32(r.pos)
	if gap := s.unwrap(seq) - s.next; !s.over && gap > 0 && gap <= int64(a.limits.jump) {
		for s.first != nil {
			a.skip(s) // can end the stream, if a FIN waits
		}
	} else {
		a.finish(s, r.frame, r.time)
	}
	if s.over {
		moved := int64(len(c.data) + len(r.data))
		s.Payload -= moved
		a.forget(s)
		n := a.begin(s.Key, seq, true)
		n.frame, n.time, n.Payload = s.frame, s.time, moved
		s = n
	}
	if gap := s.unwrap(seq) - s.next; gap > 0 {
		a.lose(s, gap)
	}
	cut := c.end - c.pos - int64(len(c.data))
	a.accept(s, run{pos: s.unwrap(seq), data: c.data, cut: cut, frame: c.frame, time: c.time})
	a.spare.release(c)
	r.pos = s.unwrap(follows)
	a.accept(s, r)
}
