package reliable

import "bytes"

// inFlight is how many frames of a message may be under way, from the first unacknowledged one on, and so how
// far back a sequence counts as an old one: half of the sequence numbers, the most that 8 bits can tell apart.
const inFlight = 128

// A message is one that an Assembler has not all frames of.
type message struct {
	id       uint8
	reliable bool
	begun    bool  // the frame with STA was seen; without it first and next mean nothing
	first    uint8 // sequence of the frame with STA
	next     uint8 // sequence of the first frame that is missing
	run      int   // frames from first to next
	frames   int   // frames seen, each once
	octets   int   // of their data
	data     []byte
	ahead    []part // frames after next, in any order; no sequence twice, so at most 256
}

// A part is a frame that came before its turn.
type part struct {
	sequence uint8
	end      bool // it has EOM
	data     []byte
}

// judge reports whether a frame is new to the message: Kept, Repeated or Refused.
func (m *message) judge(f *Frame) Verdict {
	if m.begun {
		back := m.next - f.Sequence // modulo 256
		switch {
		case back != 0 && int(back) <= min(m.run, inFlight):
			return Repeated
		case f.Flags&STA == 0:
		case f.Sequence == m.first:
			return Repeated
		default:
			return Refused // a message begins only once
		}
	}
	if m.find(f.Sequence) >= 0 {
		return Repeated
	}
	return Kept
}

// put adds a frame that is new and says whether the message is whole.
func (m *message) put(f *Frame) bool {
	m.frames++
	m.octets += len(f.Data)
	if f.Flags&STA != 0 {
		m.begun, m.first, m.next = true, f.Sequence, f.Sequence
	}
	if !m.begun || f.Sequence != m.next {
		m.ahead = append(m.ahead, part{f.Sequence, f.Flags&EOM != 0, bytes.Clone(f.Data)})
		return false
	}
	if m.extend(f.Data); f.Flags&EOM != 0 {
		return true
	}
	for {
		i := m.find(m.next)
		if i < 0 {
			return false
		}
		p := m.ahead[i]
		last := len(m.ahead) - 1
		m.ahead[i], m.ahead[last] = m.ahead[last], part{}
		m.ahead = m.ahead[:last]
		if m.extend(p.data); p.end {
			return true
		}
	}
}

// extend appends the data of the next frame.
func (m *message) extend(data []byte) {
	m.data = append(m.data, data...)
	m.next++
	m.run++
}

// find returns the place in ahead of the frame with a sequence, -1 if it is not there.
func (m *message) find(sequence uint8) int {
	for i := range m.ahead {
		if m.ahead[i].sequence == sequence {
			return i
		}
	}
	return -1
}
