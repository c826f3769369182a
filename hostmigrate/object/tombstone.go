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
	t.set(o, 0, nil)
	o.owner, o.counter, o.views, o.dead = owner, counter, nil, true
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
func (t *Table) destroyed(now time.Duration, from wire.PlayerID, m *wire.ExtensionObject) error {
	o := t.find(m.Object)
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
	if t.hosting() && !t.here(m.Owner) {
		t.spread(o, from)
	}
	return nil
}

// spread repeats the DESTROY of a machine that is gone and may not have told everybody: members tell the host, the
// host tells all. Who told us is left out.
func (t *Table) spread(o *object, but wire.PlayerID) {
	switch {
	case t.hosting():
		for _, p := range t.peers {
			if p != but {
				t.send(p, true, wire.KindObjectDestroy, o, nil)
			}
		}
	case t.here(t.host):
		t.send(t.host, true, wire.KindObjectDestroy, o, nil)
	}
}
