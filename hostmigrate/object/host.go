package object

import (
	"bytes"
	"math"
	"slices"
	"time"

	"dplay4/wire"
)

// A decision is a migration that the host decided on and that the new owner has not announced yet.
type decision struct {
	id      wire.ObjectID
	to      wire.PlayerID
	counter uint32        // that the new owner was told to use
	until   time.Duration // then it is decided again
	tries   int           // machines that did not announce the object while we did not know it
	base    uint32        // the counter that seq and state belong to
	seq     uint32
	state   []byte        // counted in octets; none where our object was as new
	octets  int           // of the state in INSTRUCT
	by      wire.PlayerID // who sent state with REQUEST
}

func (t *Table) searchDecision(id wire.ObjectID) (int, bool) {
	return slices.BinarySearchFunc(t.decided, id, func(d decision, id wire.ObjectID) int { return compareIDs(d.id, id) })
}

// decision returns the decision that is open about an object, nil if there is none.
func (t *Table) decision(id wire.ObjectID) *decision {
	if i, ok := t.searchDecision(id); ok {
		return &t.decided[i]
	}
	return nil
}

// drop forgets a decision.
func (t *Table) drop(id wire.ObjectID) {
	if i, ok := t.searchDecision(id); ok {
		t.octets -= len(t.decided[i].state)
		t.rescues.give(t.decided[i].to, -t.decided[i].octets)
		t.decided = slices.Delete(t.decided, i, i+1)
	}
}

// dropAll forgets all decisions.
func (t *Table) dropAll() {
	for _, d := range t.decided {
		t.octets -= len(d.state)
	}
	t.decided = nil
	clear(t.rescues.sent)
	t.rescues.queue = nil
}

// decide returns an object that we know to a machine, with the next counter.
func (t *Table) decide(now time.Duration, id wire.ObjectID, to wire.PlayerID) error {
	o := t.find(id)
	return t.settle(now, decision{id: id, to: to, counter: o.counter, base: o.counter, seq: o.seq, state: o.state})
}

// settle makes a decision with the counter after d's, and tells the new owner the newer state of d's and ours.
func (t *Table) settle(now time.Duration, d decision) error {
	switch {
	case d.counter == math.MaxUint32:
		return ErrExhausted
	case d.to == t.cfg.Self:
		t.drop(d.id)
		return t.take(now, d.id, d.counter+1, d.base, d.seq, d.state)
	}
	o, state := t.find(d.id), d.state
	if o.covers(d.base, d.seq) {
		d.base, d.seq, d.state, state = o.counter, o.seq, nil, o.state
	}
	d.counter++
	d.until, d.octets = now+t.cfg.Patience, len(state)
	if err := t.keep(d, o); err != nil {
		return err
	}
	t.alarm(d.until)
	t.sends = append(t.sends, Send{To: d.to, Reliable: true, Message: wire.ExtensionObject{Op: wire.KindObjectInstruct,
		Object: d.id, Owner: d.to, Counter: d.counter, Sequence: d.seq, State: state}})
	return nil
}

// keep remembers a decision about o, in place of the one that is open, if there is room for it and for the object.
func (t *Table) keep(d decision, o *object) error {
	i, open := t.searchDecision(d.id)
	grows := len(d.state)
	if open {
		grows -= len(t.decided[i].state)
	}
	if !open && len(t.decided) >= MaxObjects || t.octets+grows > MaxOctets {
		return ErrFull
	}
	if err := t.place(d.id, o, 2); err != nil {
		return err
	}
	if grows > 0 && t.keptFor(d.by)+grows > MaxMade {
		return ErrShare
	}
	t.rescues.give(d.to, d.octets)
	if t.octets += grows; open {
		t.rescues.give(t.decided[i].to, -t.decided[i].octets)
		t.decided[i] = d
	} else {
		t.decided = slices.Insert(t.decided, i, d)
	}
	return nil
}

// keptFor counts the octets of the states that a machine sent with REQUEST and that are kept.
func (t *Table) keptFor(by wire.PlayerID) (octets int) {
	for i := range t.decided {
		if d := &t.decided[i]; d.by == by {
			octets += len(d.state)
		}
	}
	return octets
}

// again decides anew where the new owner did not announce itself: beyond the counter that it was told to use, as
// some may have heard it. It gives up an object that we do not know when maxTries machines did not.
func (t *Table) again(now time.Duration, id wire.ObjectID, l *tally) {
	d := *t.decision(id)
	o := t.find(id)
	if o == nil || o.dead {
		d.tries++
	}
	d.to = t.choose(o, d.to, l)
	t.shift(l, id, -1)
	if d.tries >= maxTries || t.settle(now, d) != nil {
		t.drop(id)
	}
	t.shift(l, id, 1)
}

// choose returns the best owner for an object: the one that it has if that is there, otherwise the machine with the
// fewest objects, the lowest id among equals. but has failed and is not taken.
func (t *Table) choose(o *object, but wire.PlayerID, l *tally) wire.PlayerID {
	if o != nil && !o.dead && o.owner != but && t.here(o.owner) {
		return o.owner
	}
	return t.least(l, but)
}

// Balance has the host move objects from machines with many to machines with few, until none has two more than
// another, or one was given as many octets as one call may: call it again then. It gives how many it moved; 0 if we are not the host.
func (t *Table) Balance(now time.Duration) int {
	if !t.hosting() {
		return 0
	}
	all, moved, octets := t.loads(), 0, map[wire.PlayerID]int{}
	for i := len(t.objects) - 1; i >= 0; i-- { // the youngest of each machine first
		o := t.objects[i]
		from := slices.IndexFunc(all, func(l load) bool { return l.machine == o.owner })
		if o.dead || from < 0 || t.decision(o.id) != nil {
			continue
		}
		to := fewest(all, func(wire.PlayerID) bool { return true })
		least := slices.IndexFunc(all, func(l load) bool { return l.machine == to })
		if all[from].objects-all[least].objects < 2 || octets[to]+len(o.state) > maxBalance || t.decide(now, o.id, to) != nil {
			continue
		}
		octets[to] += len(o.state)
		all[from].objects--
		all[least].objects++
		moved++
	}
	return moved
}

// ask sends the host REQUEST: give this object to a machine, or for IDAll to anybody. It carries what we have of
// it, as the host may have less.
func (t *Table) ask(o *object, to wire.PlayerID) error {
	if t.host == t.cfg.Self || !t.here(t.host) {
		return ErrNoHost
	}
	t.send(t.host, true, wire.KindObjectRequest, o, o.state)
	t.sends[len(t.sends)-1].Message.Owner = to
	return nil
}

// requested takes REQUEST: the wish of a program, or of a machine that misses an owner.
func (t *Table) requested(now time.Duration, from wire.PlayerID, m *wire.ExtensionObject) error {
	o, d := t.find(m.Object), t.decision(m.Object)
	switch {
	case !t.hosting():
		return ErrNotHost
	case len(m.State) > MaxState:
		return ErrTooLarge
	case o != nil && o.dead && o.counter >= m.Counter:
		t.send(from, true, wire.KindObjectDestroy, o, nil)
		return ErrDestroyed
	case o != nil && o.counter > m.Counter:
		return ErrOld
	case d != nil && d.counter > m.Counter:
		return ErrPending
	case m.Owner != wire.IDAll && !t.here(m.Owner):
		return ErrNoPeer
	case m.Owner == wire.IDAll && slices.Contains(t.rescues.queue, m.Object):
		return ErrPending
	}
	if o != nil && o.counter == m.Counter && o.owner == m.Owner {
		return nil // it has it
	}
	want := decision{id: m.Object, to: m.Owner, counter: m.Counter, base: m.Counter, seq: m.Sequence, state: bytes.Clone(m.State), by: from}
	if m.Owner == wire.IDAll {
		want.to = t.choose(o, 0, &tally{})
	}
	return t.settle(now, want)
}

// instructed takes INSTRUCT: the host has decided that we own an object from now on.
func (t *Table) instructed(now time.Duration, from wire.PlayerID, m *wire.ExtensionObject) error {
	switch {
	case m.Owner != t.cfg.Self:
		return ErrSender
	case from != t.host:
		return ErrNotHost
	case m.Counter == 0:
		return ErrOld
	}
	o := t.find(m.Object)
	if o != nil && o.dead && o.counter >= m.Counter-1 { // the host decided before it knew
		t.send(from, true, wire.KindObjectDestroy, o, nil)
		return ErrDestroyed
	}
	return t.take(now, m.Object, m.Counter, m.Counter-1, m.Sequence, bytes.Clone(m.State))
}

// take makes us owner of an object, with the newer state of what the host has and what we have. We announce it.
func (t *Table) take(now time.Duration, id wire.ObjectID, counter, base, seq uint32, state []byte) error {
	o := t.find(id)
	if o != nil && counter <= o.counter {
		return ErrOld
	}
	if o.covers(base, seq) {
		seq, state = o.seq, o.state
	}
	if err := t.room(id, o, t.cfg.Self, len(state), 2); err != nil {
		return err
	}
	t.announce(t.hand(now, id, t.cfg.Self, counter, seq, state))
	return nil
}
