package links

import "slices"

// A Stall is a time in which a sender repeated what was not acknowledged, and nothing was.
type Stall struct {
	Since   Place // the first frame that waited, or the last acknowledgement before
	Tries   int   // frames that were sent again
	Places  []Place
	Last    Place // the last of them
	Until   Place // the acknowledgement that ended it; zero: none came
	Heard   int   // Data frames that came from the other side meanwhile
	Answers int   // ACKs and NACKs that came, and acknowledged nothing
}

// A pause is the time since something was acknowledged.
type pause struct {
	Stall
	heard int // Data frames of the other side in all
	was   int // when the pause began
}

// begin notes a place after which something waits for an acknowledgement.
func (p *pause) begin(at Place) {
	*p = pause{Stall: Stall{Since: at}, heard: p.heard, was: p.heard}
}

// try notes that a frame that waits was sent again.
func (p *pause) try(at Place) {
	p.Tries++
	p.Last = at
	if len(p.Places) < maxPlaces {
		p.Places = append(p.Places, at)
	}
}

// progress notes an ACK or NACK that acknowledged frames.
func (l *Link) progress(frames int, at Place) {
	if frames == 0 {
		l.pause.Answers++
		return
	}
	if s, ok := l.pause.stall(); ok {
		s.Until = at
		l.tries += s.Tries
		if len(l.Stalls) < maxStalls {
			l.Stalls = append(l.Stalls, s)
		} else {
			l.MoreStalls++
		}
	}
	l.pause.begin(at)
}

// stall returns the pause as a stall, and whether it is one.
func (p *pause) stall() (s Stall, ok bool) {
	if p.Tries < stallTries || p.Last.Since(p.Since) < stallTime {
		return Stall{}, false
	}
	s = p.Stall
	s.Heard, s.Places = p.heard-p.was, slices.Clone(s.Places)
	return s, true
}

// Stalled returns the stall in which the capture ends, and whether it ends in one.
func (l *Link) Stalled() (s Stall, ok bool) {
	if len(l.flight.waiting) > 0 {
		s, ok = l.pause.stall()
	}
	return s, ok
}
