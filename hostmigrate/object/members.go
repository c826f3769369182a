package object

import (
	"slices"
	"time"

	"dplay4/wire"
)

// SetHost says who is host now: we, another machine, or 0 for nobody at the moment. A new host decides about all
// objects whose owner is not there. Whoever sends the outputs has to tell the others that we are host before it
// sends them, over the same stream: instructions of a machine that is not host are ignored.
func (t *Table) SetHost(now time.Duration, host wire.PlayerID) {
	if t == nil || host == t.host {
		return
	}
	t.host = host
	t.dropAll()
	t.review(now)
	for _, o := range t.objects {
		if o.dead && !t.here(o.owner) {
			t.spread(o)
		}
	}
}

// Join says that a machine is in the session that knows of objects: it is told what we own, and what we destroyed
// lately. A former owner that has not heard of that may tell it of the object as well. For owners that are gone the
// host tells it.
func (t *Table) Join(now time.Duration, peer wire.PlayerID) {
	if t == nil || peer == t.cfg.Self {
		return
	}
	if i, ok := slices.BinarySearch(t.peers, peer); !ok {
		t.peers = slices.Insert(t.peers, i, peer)
	}
	delete(t.flows, peer) // it begins anew
	for _, o := range t.objects {
		switch {
		case o.dead:
			if o.owner == t.cfg.Self || t.hosting() && !t.here(o.owner) {
				t.send(peer, true, wire.KindObjectDestroy, o, nil)
			}
		case o.owner == t.cfg.Self:
			t.tell(peer, o)
		case o.owner == peer:
			o.timed = false
		}
	}
}

// Leave says that a machine is gone, or lost. The host decides on new owners for what it owned, and anew where it
// was to be one.
func (t *Table) Leave(now time.Duration, peer wire.PlayerID) {
	if t == nil {
		return
	}
	i, ok := slices.BinarySearch(t.peers, peer)
	if !ok {
		return
	}
	t.peers = slices.Delete(t.peers, i, i+1)
	delete(t.flows, peer)
	if t.host == peer {
		t.host = 0
		t.dropAll()
	}
	for _, o := range t.objects {
		o.forget(peer)
		if o.dead && o.owner == peer {
			t.spread(o)
		}
	}
	t.review(now)
}

// review looks for objects whose owner is not there, and for migrations whose new owner is not.
func (t *Table) review(now time.Duration) {
	var l tally
	t.rescues.queue = nil
	for _, d := range slices.Clone(t.decided) {
		if !t.here(d.to) {
			t.again(now, d.id, &l)
		}
	}
	for _, o := range t.objects {
		if o.dead || t.here(o.owner) {
			continue
		}
		t.orphan(now, o)
		if t.hosting() && t.decision(o.id) == nil && (len(t.rescues.queue) > 0 || !t.rescue(now, o, &l)) {
			t.rescues.queue = append(t.rescues.queue, o.id)
			t.used(now, t.cfg.Self) // again lies ahead then
			t.alarm(t.rescues.again)
		}
	}
}

// orphan notes that an object's owner is not there. It may be on its way, or the host may have decided already; if
// nothing happens, Look acts.
func (t *Table) orphan(now time.Duration, o *object) {
	if !o.timed {
		o.timed, o.due = true, now+t.cfg.Patience
	}
	t.alarm(o.due)
}
