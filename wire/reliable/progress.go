package reliable

// Progress is how far an unfinished message has come.
type Progress struct {
	Begun bool  // its frame with STA came; without it First and Next mean nothing
	First uint8 // sequence of the frame with STA
	Next  uint8 // sequence of the first frame that is missing
	// Ahead has the sequences of the frames that came before their turn, in no order. It is new memory.
	Ahead []uint8
}

// Unfinished returns how far a message has come; ok is false if none of its frames came, or all, or it was given up.
func (a *Assembler) Unfinished(id uint8) (p Progress, ok bool) {
	behind := int(a.newest - id)
	if !a.started || behind >= Window || a.window[behind].state != unfinished {
		return p, false
	}
	m := a.window[behind].m
	p = Progress{Begun: m.begun, First: m.first, Next: m.next, Ahead: make([]uint8, len(m.ahead))}
	for i := range m.ahead {
		p.Ahead[i] = m.ahead[i].sequence
	}
	return p, true
}
