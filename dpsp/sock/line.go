package sock

import (
	"net/netip"
	"slices"
	"sync"
)

// A line is a lock that those who wait for it get in turn: a turn for each source, however many of its goroutines wait,
// and for as much work as a turn allows. Who did more, such as a message of a megabyte, pays with its next turns (deficit
// round robin). So one who has something for the engine all the time takes from another one no more than a turn. The
// program and the clock get each second turn if they want it: what is to be done does not depend on how many there are.
type line struct {
	mu    sync.Mutex
	busy  bool
	queue []*source // those with somebody waiting, next one first, without own
	own   source    // the program's, and the clock's
}

// turn is how much one may have handled in a turn, in octets of messages with overhead each. It is some tenths of a
// millisecond of small messages.
const turn = 16 << 10

// overhead is what a message costs besides its octets: as much as so many of them.
const overhead = 64

// A source is somebody from whom messages come: a member or newcomer, or all strangers together.
type source struct {
	pile // events that wait for the program because of it

	pressure

	// Guarded by loop.mu.
	at    netip.AddrPort
	users int

	// Guarded by the line.
	waiting []chan struct{}
	debt    int
}

// try takes a turn of a source if nobody has one.
func (q *line) try() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy {
		return false
	}
	q.busy = true
	return true
}

// enter waits for a turn of a source; false if quit was closed before it came. A nil quit never is.
func (q *line) enter(s *source, quit <-chan struct{}) bool {
	q.mu.Lock()
	if !q.busy {
		q.busy = true
		q.mu.Unlock()
		return true
	}
	if len(s.waiting) == 0 && s != &q.own {
		q.queue = append(q.queue, s)
	}
	c := make(chan struct{})
	s.waiting = append(s.waiting, c)
	q.mu.Unlock()
	select {
	case <-c:
		return true
	case <-quit:
	}
	q.mu.Lock()
	i := slices.Index(s.waiting, c)
	if i < 0 { // it came at the same time
		q.mu.Unlock()
		q.leave(s, 0)
		return false
	}
	s.waiting = slices.Delete(s.waiting, i, i+1)
	if len(s.waiting) == 0 {
		q.queue = slices.DeleteFunc(q.queue, func(x *source) bool { return x == s })
	}
	q.mu.Unlock()
	return false
}

// leave ends a source's turn, in which it had something handled.
func (q *line) leave(s *source, work int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := len(q.own.waiting) > 0
	if len(q.queue) == 0 && !own {
		q.busy = false
		s.debt = 0 // nobody had to wait
		return
	}
	s.debt += max(0, work-turn)
	if own && (s != &q.own || len(q.queue) == 0) {
		q.own.called()
		return
	}
	if next := q.next(); next.called() {
		q.queue = append(q.queue, next)
	}
}

// called gives the turn to the first who waits, and reports whether there are more.
func (s *source) called() bool {
	close(s.waiting[0])
	s.waiting = slices.Delete(s.waiting, 0, 1)
	return len(s.waiting) > 0
}

// next takes the first source without debts out of the queue. The others pay, and go to its end.
func (q *line) next() *source {
	for {
		s := q.queue[0]
		q.queue = slices.Delete(q.queue, 0, 1)
		if s.debt <= 0 {
			return s
		}
		s.debt -= turn
		q.queue = append(q.queue, s)
	}
}

// Lock waits for a turn of the program or the clock.
func (q *line) Lock() { q.enter(&q.own, nil) }

// Unlock ends it.
func (q *line) Unlock() { q.leave(&q.own, 0) }
