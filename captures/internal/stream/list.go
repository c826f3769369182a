package stream

// A streamList has streams in the order of their last segments, so that the idlest is found without a search.
type streamList struct {
	newest, oldest *Stream
}

func (l *streamList) push(s *Stream) {
	s.older, s.newer = l.newest, nil
	if l.newest != nil {
		l.newest.newer = s
	} else {
		l.oldest = s
	}
	l.newest = s
}

func (l *streamList) remove(s *Stream) {
	if s.newer != nil {
		s.newer.older = s.older
	} else {
		l.newest = s.older
	}
	if s.older != nil {
		s.older.newer = s.newer
	} else {
		l.oldest = s.newer
	}
	s.older, s.newer = nil, nil
}
