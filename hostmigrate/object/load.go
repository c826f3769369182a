package object

import (
	"slices"

	"dplay4/wire"
)

// A load is how many objects a machine owns, or is about to.
type load struct {
	machine wire.PlayerID
	objects int
}

// A tally has the loads while the host decides about one object after the other. They are counted when they are first
// wanted, and carried along after that: to count them is to visit all objects, too much to do for each of them.
type tally struct {
	all []load // nil: not counted yet
}

// loads counts the objects of all machines, in order of their ids.
func (t *Table) loads() []load {
	all := make([]load, 0, len(t.peers)+1)
	for _, p := range t.peers {
		all = append(all, load{machine: p})
	}
	i, _ := slices.BinarySearch(t.peers, t.cfg.Self)
	all = slices.Insert(all, i, load{machine: t.cfg.Self})
	for _, o := range t.objects {
		t.visits++
		if !o.dead {
			carry(all, t.heading(o), 1)
		}
	}
	return all
}

// least returns the machine with the fewest objects, the lowest id among equals, other than but, which is not us: so there is one.
func (t *Table) least(l *tally, but wire.PlayerID) wire.PlayerID {
	if l.all == nil {
		l.all = t.loads()
	}
	return fewest(l.all, func(m wire.PlayerID) bool { return m != but })
}

// shift adds n to the load of who owns an object, or is about to: -1 before what may change that, 1 after it.
func (t *Table) shift(l *tally, id wire.ObjectID, n int) {
	if l.all == nil {
		return
	}
	if o := t.find(id); o != nil && !o.dead {
		carry(l.all, t.heading(o), n)
	}
}

// heading returns who owns an object, or is about to.
func (t *Table) heading(o *object) wire.PlayerID {
	if d := t.decision(o.id); d != nil {
		return d.to
	}
	return o.owner
}

// carry adds n to the load of a machine, if it is there.
func carry(all []load, machine wire.PlayerID, n int) {
	i := slices.IndexFunc(all, func(l load) bool { return l.machine == machine })
	if i >= 0 {
		all[i].objects += n
	}
}

// fewest returns the machine with the fewest objects, the lowest id among equals, of those that may be it; 0 if none may.
func fewest(all []load, may func(wire.PlayerID) bool) wire.PlayerID {
	var best load
	for _, l := range all {
		if (best.machine == 0 || l.objects < best.objects) && may(l.machine) {
			best = l
		}
	}
	return best.machine
}
