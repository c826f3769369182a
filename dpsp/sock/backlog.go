package sock

import (
	"sync"
	"sync/atomic"
	"time"

	"dplay4/dpsp"
)

// A backlog is the events that wait for the program, bounded by number and by octets, and for each source. While it is
// half full it is crowded: what may wait in front of it, waits. It is for one goroutine that takes and any number that
// add.
type backlog struct {
	pile
	most    room
	each    room // of a source
	mu      sync.Mutex
	queue   []waitingEvent
	over    bool          // full: events were left out
	busy    bool          // somebody takes
	reports atomic.Uint64 // Dropped events that were left out

	added  uint64        // events that were queued; guarded by mu
	handed atomic.Uint64 // events that the program got
	seen   uint64        // handed, when it was looked at and differed; guarded by mu
	seenAt time.Time     // that was then; likewise
}

// A waitingEvent is an event and whose message caused it.
type waitingEvent struct {
	dpsp.Event
	from *source // nil: the program or the clock
}

// A pile counts events that wait, those of all or of one source.
type pile struct {
	events atomic.Int64  // in the queue, and taken out of it but not with the program yet
	octets atomic.Int64  // of their slices and texts
	waited atomic.Bool   // relief is there
	relief chan struct{} // closed when there is room again; nil if nobody waits for that; guarded by backlog.mu
}

func (p *pile) put(e dpsp.Event) {
	p.events.Add(1)
	p.octets.Add(weight(e))
}

// reached reports whether a pile has a size.
func (p *pile) reached(r room) bool {
	return p.events.Load() >= r.events || p.octets.Load() >= r.octets
}

// reached reports whether what waits because of a source has a size. Because of the program and the clock, nil, it has none.
func (s *source) reached(r room) bool { return s != nil && s.pile.reached(r) }

// A room is how much a pile may have.
type room struct{ events, octets int64 }

func (r room) part(n int64) room { return room{r.events / n, r.octets / n} }

func newBacklog(most, each room) *backlog {
	return &backlog{most: most, each: each}
}

// add queues events that a source caused, nil for the program. From a quarter on, or half of the source's share, reports
// of messages that made no sense, or were not answered, are left out: anybody can cause them, without limit, and a program
// that only looks for sessions need not read its events.
func (b *backlog) add(events []dpsp.Event, from *source) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range events {
		if isReport(e) && (b.reached(b.most.part(4)) || from.reached(b.each.part(2))) {
			b.reports.Add(1)
			continue
		}
		if b.reached(b.most) {
			b.over = true
			break
		}
		b.queue = append(b.queue, waitingEvent{e, from})
		b.added++
		b.put(e)
		if from != nil {
			from.put(e)
		}
	}
}

// begin reports whether something waits that nobody takes: who asks does so, until nothing is left.
func (b *backlog) begin() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	due := !b.busy && (len(b.queue) > 0 || b.over)
	b.busy = b.busy || due
	return due
}

// isReport says whether an event tells what a message of anybody did not do.
func isReport(e dpsp.Event) bool {
	switch e.(type) {
	case dpsp.Dropped, dpsp.EnumerationIgnored:
		return true
	}
	return false
}

// take returns all that is queued, and reports whether events were left out after it. Who got nothing is done.
func (b *backlog) take() (list []waitingEvent, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list, b.queue = b.queue, nil
	b.busy = len(list) > 0 || b.over // then the session ends
	return list, b.over
}

// told returns how many events were queued so far.
func (b *backlog) told() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.added
}

// delivered notes that the program has an event.
func (b *backlog) delivered(e waitingEvent) {
	b.handed.Add(1)
	b.gone(&b.pile, e, b.most.part(4))
	if e.from != nil {
		b.gone(&e.from.pile, e, b.each.part(2))
	}
}

// gone takes an event off a pile. Who waited is to have some work before it waits again.
func (b *backlog) gone(p *pile, e waitingEvent, low room) {
	n, octets := p.events.Add(-1), p.octets.Add(-weight(e.Event))
	if !p.waited.Load() || n > low.events || octets > low.octets {
		return
	}
	b.mu.Lock()
	if p.relief != nil {
		close(p.relief)
		p.relief = nil
		p.waited.Store(false)
	}
	b.mu.Unlock()
}

// stall is how long a program may read no event before it counts as not reading. What one source has waiting holds up no
// other one then, and what the program waits for, such as an id, may come from just that source.
const stall = 100 * time.Millisecond

// reading reports whether the program takes events.
func (b *backlog) reading() bool {
	n, now := b.handed.Load(), time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if n != b.seen || b.seenAt.IsZero() {
		b.seen, b.seenAt = n, now
	}
	return now.Sub(b.seenAt) < stall
}

// crowded says whether the backlog is half full, or a source has all that it may have there.
func (b *backlog) crowded(from *source) bool {
	return b.reached(b.most.part(2)) || from.reached(b.each) && b.reading()
}

// wait gives a channel that is closed when there is room for what a source says, nil if there is. There may also be when
// stall is over.
func (b *backlog) wait(from *source) <-chan struct{} {
	c := b.relieved(&b.pile, b.most.part(2))
	if c == nil && from.reached(b.each) && b.reading() {
		c = b.relieved(&from.pile, b.each)
	}
	return c
}

// relieved gives a channel that is closed when a pile is small again, nil if it has not reached a size.
func (b *backlog) relieved(p *pile, most room) <-chan struct{} {
	if !p.reached(most) {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p.waited.Store(true) // first: an event delivered after this looks for us
	if !p.reached(most) {
		p.waited.Store(p.relief != nil)
		return nil
	}
	if p.relief == nil {
		p.relief = make(chan struct{})
	}
	return p.relief
}

// weight is how many octets an event holds on to, about.
func weight(e dpsp.Event) int64 {
	switch e := e.(type) {
	case dpsp.Message:
		return int64(len(e.Payload))
	case dpsp.ChatMessage:
		return int64(len(e.Text) + len(e.FromName))
	case dpsp.PlayerCreated:
		return int64(len(e.Data) + len(e.ShortName) + len(e.LongName))
	case dpsp.PlayerChanged:
		return int64(len(e.Data) + len(e.ShortName) + len(e.LongName))
	case dpsp.GroupCreated:
		return int64(len(e.Data) + len(e.ShortName) + len(e.LongName))
	case dpsp.GroupChanged:
		return int64(len(e.Data) + len(e.ShortName) + len(e.LongName))
	case dpsp.ObjectCreated:
		return int64(len(e.State))
	case dpsp.ObjectUpdated:
		return int64(len(e.State))
	case dpsp.ObjectMigrated:
		return int64(len(e.State))
	}
	return 0
}
