package object

import (
	"time"

	"dplay4/wire"
)

// rescues is the hand-over of the objects of departed machines by the host. It goes on as new owners announce themselves: all
// objects at once would fill the connections of all machines.
type rescues struct {
	queue []wire.ObjectID       // without an owner, in order
	sent  map[wire.PlayerID]int // octets of the states in decisions that are open, by new owner
	taken int                   // octets that we gave ourselves until again
	again time.Duration         // then we may give ourselves more
}

func newRescues() rescues { return rescues{sent: map[wire.PlayerID]int{}} }

// give adds the octets of a decision to those of a machine. A machine without any has no entry, so that none is left of one that left.
func (r *rescues) give(to wire.PlayerID, octets int) {
	if r.sent[to] += octets; r.sent[to] == 0 {
		delete(r.sent, to)
	}
}

// used returns the octets that a machine was given and has not announced.
func (t *Table) used(now time.Duration, machine wire.PlayerID) int {
	r := &t.rescues
	if machine != t.cfg.Self {
		return r.sent[machine]
	}
	if now >= r.again {
		r.taken, r.again = 0, now+pace
	}
	return r.taken
}

// rescue finds an owner for an object whose owner is not there: the machine with the fewest objects of those that have acted on what
// they were given, the lowest id among equals. It returns false if there is none now. An object without counters left stays without.
func (t *Table) rescue(now time.Duration, o *object, l *tally) bool {
	to := o.owner
	if !t.here(to) {
		if l.all == nil {
			l.all = t.loads()
		}
		to = fewest(l.all, func(m wire.PlayerID) bool { return fits(t.used(now, m), len(o.state)) })
	}
	if to == 0 {
		return false
	}
	if to == t.cfg.Self {
		t.rescues.taken += len(o.state)
	}
	t.shift(l, o.id, -1)
	_ = t.decide(now, o.id, to)
	t.shift(l, o.id, 1)
	return true
}

// resume goes on with the hand-over, once a machine has acted on half of what it may be given: the loads are counted anew each time.
func (t *Table) resume(now time.Duration) {
	r := &t.rescues
	ready := t.used(now, t.cfg.Self) <= Window/2
	for _, p := range t.peers {
		ready = ready || t.used(now, p) <= Window/2
	}
	var l tally
	for ready && len(r.queue) > 0 {
		o := t.find(r.queue[0])
		if o != nil && !o.dead && !t.here(o.owner) && t.decision(o.id) == nil && !t.rescue(now, o, &l) {
			break
		}
		r.queue = r.queue[1:]
	}
}
