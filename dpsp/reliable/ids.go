package reliable

// ids is a set of messageids or sequences.
type ids [4]uint64

func (s *ids) has(id uint8) bool { return s[id/64]>>(id%64)&1 != 0 }
func (s *ids) add(id uint8)      { s[id/64] |= 1 << (id % 64) }
func (s *ids) remove(id uint8)   { s[id/64] &^= 1 << (id % 64) }

// mark adds a messageid, and removes the one that is as far from it as can be: what is in the set is of the last 128.
func (s *ids) mark(id uint8) {
	s.add(id)
	s.remove(id + 128)
}

// frames are the frames of a message that came, and the serial that each came with last.
type frames struct {
	came   ids
	one    uint8 // the serial of the only one
	serial *[256]uint8
	count  int
}

// note takes a frame.
func (s *frames) note(sequence, serial uint8) {
	if !s.came.has(sequence) {
		s.came.add(sequence)
		s.count++
	}
	switch {
	case s.serial != nil:
		s.serial[sequence] = serial
	case s.count == 1:
		s.one = serial
	default:
		s.serial = new([256]uint8)
		for i := range 256 {
			s.serial[i] = s.one // that of the one that there was; the others are set as they come
		}
		s.serial[sequence] = serial
	}
}

// of returns the serial of a frame.
func (s *frames) of(sequence uint8) uint8 {
	if s.serial == nil {
		return s.one
	}
	return s.serial[sequence]
}
