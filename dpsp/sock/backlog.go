package sock

import (
	"sync"
	"sync/atomic"

	"dplay4/dpsp"
)

// A backlog is the events that wait for the program, bounded by number and by octets. While it is half full it is
// crowded: what may wait in front of it, waits. It is for one goroutine that takes and any number that add.
type backlog struct {
	most    room
	mu      sync.Mutex
	queue   []dpsp.Event
	relief  chan struct{} // closed when it is crowded no more; nil if nobody waits for that
	waited  atomic.Bool   // relief is there
	over    bool          // full: events were left out
	events  atomic.Int64  // in queue, and taken out of it but not with the program yet
	octets  atomic.Int64  // of their slices and texts
	reports atomic.Uint64 // Dropped events that were left out
	more    chan struct{} // holds one if events came
}

// A room is how much a backlog holds.
type room struct{ events, octets int64 }

func newBacklog(most room) *backlog { return &backlog{most: most, more: make(chan struct{}, 1)} }

// add queues events. While it is crowded, reports of messages that made no sense are left out: anybody can cause
// them, without limit.
func (b *backlog) add(events []dpsp.Event) {
	b.mu.Lock()
	added := false
	for _, e := range events {
		if _, report := e.(dpsp.Dropped); report && b.crowded() {
			b.reports.Add(1)
			continue
		}
		if b.events.Load() >= b.most.events || b.octets.Load() >= b.most.octets {
			b.over = true
			added = true
			break
		}
		b.queue = append(b.queue, e)
		b.events.Add(1)
		b.octets.Add(weight(e))
		added = true
	}
	b.mu.Unlock()
	if added {
		select {
		case b.more <- struct{}{}:
		default:
		}
	}
}

// take gives all that is queued, and says whether events were left out after it.
func (b *backlog) take() (list []dpsp.Event, over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list, b.queue = b.queue, nil
	return list, b.over
}

// delivered notes that the program has an event.
func (b *backlog) delivered(e dpsp.Event) {
	n, octets := b.events.Add(-1), b.octets.Add(-weight(e))
	if !b.waited.Load() || n > b.most.events/4 || octets > b.most.octets/4 {
		return // who waited is to have some work before it waits again
	}
	b.mu.Lock()
	if b.relief != nil {
		close(b.relief)
		b.relief = nil
		b.waited.Store(false)
	}
	b.mu.Unlock()
}

// crowded says whether the backlog is half full.
func (b *backlog) crowded() bool {
	return b.events.Load() >= b.most.events/2 || b.octets.Load() >= b.most.octets/2
}

// wait gives a channel that is closed when the backlog is crowded no more, nil if it is not.
func (b *backlog) wait() <-chan struct{} {
	if !b.crowded() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waited.Store(true) // first: an event delivered after this looks for us
	if !b.crowded() {
		b.waited.Store(b.relief != nil)
		return nil
	}
	if b.relief == nil {
		b.relief = make(chan struct{})
	}
	return b.relief
}

// weight is how many octets an event holds on to, about.
func weight(e dpsp.Event) int64 {
	switch e := e.(type) {
	case dpsp.Message:
		return int64(len(e.Payload))
	case dpsp.ChatMessage:
		return int64(len(e.Text))
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
