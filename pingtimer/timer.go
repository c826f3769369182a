package pingtimer

import "time"

// The specification's values, and limits.
const (
	// DefaultPeriod is how often the timer elapses ([MC-DPL4CS] 3.1.2.5).
	DefaultPeriod = 35 * time.Second
	// DefaultProbes is how many pings in a row may stay unanswered (3.1.6.2).
	DefaultProbes = 8
	// MinPeriod bounds a period from below: a shorter one would be a busy loop.
	MinPeriod = time.Millisecond
	// MaxPeers bounds the peers of one timer: a session has no more players, let alone machines (GetCaps of
	// Windows; facts, 1.12).
	MaxPeers = 65536
	// Never is later than every other time; passed as one, it counts as the moment before.
	Never = time.Duration(1<<63 - 1)
)

// Config is how a timer judges. The zero Config is the specification's.
type Config struct {
	Period time.Duration // 0 or less: DefaultPeriod; at least MinPeriod
	Probes int           // unanswered pings after which a peer is lost; 0 or less: DefaultProbes
	Tick   uint32        // the tick count at time 0, in milliseconds
	// Grid, if it is not 0, is a time at which the timer elapses: it does so every Period from then on, and did before, whoever
	// is watched. That is the rhythm of Windows, whose Period is 7.5 s (facts, 10.2). With 0 the first peer starts the timer.
	Grid time.Duration
}

// A Timer watches peers, each known by an id. New makes it.
type Timer[ID comparable] struct {
	period time.Duration
	probes int
	tick   uint32
	grid   time.Duration
	due    time.Duration // when the timer elapses; means nothing without peers
	last   time.Duration // the latest time that was passed
	peers  map[ID]*peer[ID]
	first  *peer[ID] // in order of adding, up to newest
	newest *peer[ID]
	ping   []ID // of the last Look; reused
	lost   []ID
}

// A peer is what is known of one.
type peer[ID comparable] struct {
	id         ID
	prev, next *peer[ID]
	chatter    uint64 // messages since the timer elapsed
	missed     int    // pings since the peer was heard, but for those that do not count
}

// New returns a timer without peers.
func New[ID comparable](c Config) *Timer[ID] {
	t := &Timer[ID]{period: max(c.Period, MinPeriod), probes: c.Probes, tick: c.Tick, grid: c.Grid, peers: map[ID]*peer[ID]{}}
	if c.Period <= 0 {
		t.period = DefaultPeriod
	}
	if c.Probes <= 0 {
		t.probes = DefaultProbes
	}
	return t
}

// Add begins to watch a peer. The first one starts the timer, unless it has a grid. It returns false if the peer is watched
// already or there are MaxPeers.
func (t *Timer[ID]) Add(id ID, now time.Duration) bool {
	if t.peers[id] != nil || len(t.peers) >= MaxPeers {
		return false
	}
	now = t.at(now)
	if len(t.peers) == 0 {
		t.start(now)
	}
	p := &peer[ID]{id: id, prev: t.newest}
	if t.newest == nil {
		t.first = p
	} else {
		t.newest.next = p
	}
	t.newest = p
	t.peers[id] = p
	return true
}

// Remove forgets a peer; false if it is not watched.
func (t *Timer[ID]) Remove(id ID) bool {
	p := t.peers[id]
	if p == nil {
		return false
	}
	t.remove(p)
	return true
}

func (t *Timer[ID]) remove(p *peer[ID]) {
	delete(t.peers, p.id)
	if p.prev == nil {
		t.first = p.next
	} else {
		p.prev.next = p.next
	}
	if p.next == nil {
		t.newest = p.prev
	} else {
		p.next.prev = p.prev
	}
}

// Heard notes a message of any kind from a peer; false if it is not watched.
func (t *Timer[ID]) Heard(id ID) bool {
	p := t.peers[id]
	if p == nil {
		return false
	}
	p.heard()
	return true
}

func (p *peer[ID]) heard() {
	p.chatter++
	p.missed = 0
}

// Len returns the number of peers.
func (t *Timer[ID]) Len() int { return len(t.peers) }

// Tick returns the tick count at a time, in milliseconds, for a ping. It wraps after 49.7 days.
func (t *Timer[ID]) Tick(now time.Duration) uint32 {
	return t.tick + uint32(uint64(now/time.Millisecond))
}

// Restart begins a new period and forgets what was missed: the rule for whom to wait has changed, as when a session's
// host is lost and its members wait for another (3.1.7.1).
func (t *Timer[ID]) Restart(now time.Duration) {
	for p := t.first; p != nil; p = p.next {
		p.chatter, p.missed = 0, 0
	}
	t.start(t.at(now))
}

// at returns the time that a caller means: time does not go back, and Never does not come.
func (t *Timer[ID]) at(now time.Duration) time.Duration {
	t.last = min(max(t.last, now), Never-1)
	return t.last
}

// start has the timer elapse a period from now, or at the next place of its grid.
func (t *Timer[ID]) start(now time.Duration) {
	t.due = now + t.period
	if t.grid != 0 {
		past := (now%t.period - t.grid%t.period) % t.period
		if past < 0 {
			past += t.period
		}
		t.due -= past
	}
	if t.due < now {
		t.due = Never
	}
}

// Next is when the timer elapses: after the latest time that was passed to Look, or Never without peers.
func (t *Timer[ID]) Next() time.Duration {
	if len(t.peers) == 0 {
		return Never
	}
	return t.due
}
