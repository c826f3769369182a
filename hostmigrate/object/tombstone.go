package object

import (
	"slices"
	"time"

	"dplay4/wire"
)

// bury makes an object a tombstone. Where there are too many, an older one goes: never the new one, which is to stop
// what is on its way now.
func (t *Table) bury(now time.Duration, o *object, owner wire.PlayerID, counter uint32) {
	if !o.dead {
		if t.dead >= MaxTombstones {
			t.evict()
		}
		t.dead++
	}
	ours := o.owner == t.cfg.Self
	t.set(o, 0, nil)
	o.owner, o.counter, o.views, o.dead = owner, counter, nil, true
	if ours {
		t.withdraw(o.id)
	}
	o.timed, o.due = true, now+t.cfg.Tombstone
	t.alarm(o.due)
	t.drop(o.id)
}

// evict forgets the tombstone that would go first.
func (t *Table) evict() {
	first := -1
	for i, o := range t.objects {
		if o.dead && (first < 0 || o.due < t.objects[first].due) {
			first = i
		}
	}
	t.objects = slices.Delete(t.objects, first, first+1)
	t.dead--
}

// destroyed takes DESTROY, of the owner or of one that repeats what an owner said. It leaves a tombstone where the
// object is unknown, too: CREATE may be on its way.
//
// Of an object that we own it says that it ended while we were away. Others who have forgotten that may have it from us
// again, so we repeat it to all.
func (t *Table) destroyed(now time.Duration, from wire.PlayerID, m *wire.ExtensionObject) error {
	o := t.find(m.Object)
	ours := o != nil && !o.dead && o.owner == t.cfg.Self
	switch {
	case o == nil:
		o = &object{id: m.Object}
		t.insert(o)
	case o.against(m.Counter, m.Owner) < 0:
		return ErrOld
	case o.dead && o.against(m.Counter, m.Owner) == 0:
		return ErrDestroyed
	case !o.dead:
		t.event(ObjectDestroyed{ID: o.id, Owner: m.Owner})
	}
	t.bury(now, o, m.Owner, m.Counter)
	if ours || t.hosting() && !t.here(m.Owner) {
		t.repeat(o, from)
	}
	return nil
}

// repeat sends all a DESTROY but who told us.
func (t *Table) repeat(o *object, but wire.PlayerID) {
	for _, p := range t.peers {
		if p != but {
			t.send(p, true, wire.KindObjectDestroy, o, nil)
		}
	}
}

// spread repeats the DESTROY of a machine that is gone and may not have told everybody: members tell the host, the
// host tells all.
func (t *Table) spread(o *object) {
	switch {
	case t.hosting():
		t.repeat(o, 0)
	case t.here(t.host):
		t.send(t.host, true, wire.KindObjectDestroy, o, nil)
	}
}
