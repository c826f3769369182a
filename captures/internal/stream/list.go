package stream

// A list has elements in an order, and takes any of them out without a search. An element is in as many lists as it has
// places.
type list[T any] struct {
	first, last *T
	place       func(*T) *place[T] // of an element in this list
}

// A place is where an element stands in a list.
type place[T any] struct{ prev, next *T }

// insert puts an element before another one; nil: last.
func (l *list[T]) insert(e, before *T) {
	at := l.place(e)
	at.prev, at.next = l.last, before
	if before != nil {
		b := l.place(before)
		at.prev, b.prev = b.prev, e
	} else {
		l.last = e
	}
	if at.prev != nil {
		l.place(at.prev).next = e
	} else {
		l.first = e
	}
}

func (l *list[T]) remove(e *T) {
	at := l.place(e)
	if at.next != nil {
		l.place(at.next).prev = at.prev
	} else {
		l.last = at.prev
	}
	if at.prev != nil {
		l.place(at.prev).next = at.next
	} else {
		l.first = at.next
	}
	*at = place[T]{}
}

// The places of streams and pieces.
func streamByAge(s *Stream) *place[Stream]   { return &s.age }
func pieceByAge(p *piece) *place[piece]      { return &p.age }
func pieceByPosition(p *piece) *place[piece] { return &p.position }
