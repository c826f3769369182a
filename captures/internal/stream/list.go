package stream

// A list has elements in an order, and takes any of them out without a search. An element is in as many lists as it has
// places.
type list[T any] struct {
	first, last *T
	place       func(*T) *place[T] // of an element in this list
}

// A place is where an element stands in a list.
type place[T any] struct{ prev, next *T }

// nextOf returns where the element behind another one is named; that of nil is the first one.
func (l *list[T]) nextOf(e *T) **T {
	if e == nil {
		return &l.first
	}
	return &l.place(e).next
}

// prevOf returns where the element before another one is named; that of nil is the last one.
func (l *list[T]) prevOf(e *T) **T {
	if e == nil {
		return &l.last
	}
	return &l.place(e).prev
}

// insert puts an element before another one; nil: last.
func (l *list[T]) insert(e, before *T) {
	prev := *l.prevOf(before)
	*l.place(e) = place[T]{prev, before}
	*l.nextOf(prev), *l.prevOf(before) = e, e
}

func (l *list[T]) remove(e *T) {
	at := l.place(e)
	*l.nextOf(at.prev), *l.prevOf(at.next) = at.next, at.prev
	*at = place[T]{}
}

// The places of streams and pieces.
func streamByAge(s *Stream) *place[Stream]   { return &s.age }
func pieceByAge(p *piece) *place[piece]      { return &p.age }
func pieceByPosition(p *piece) *place[piece] { return &p.position }
