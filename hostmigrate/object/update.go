package object

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"dplay4/wire"
)

// update sends a peer the newest state of an object of ours.
func (t *Table) update(now time.Duration, o *object, v *view) {
	v.sent = now
	t.send(v.peer, false, wire.KindObjectUpdate, o, o.state)
	t.alarm(now + t.cfg.Resend<<v.wait)
}

// updated takes UPDATE. What we have already is acknowledged again, as the acknowledgement may have been lost.
func (t *Table) updated(from wire.PlayerID, m *wire.ExtensionObject) error {
	o := t.find(m.Object)
	switch {
	case m.Owner != from:
		return ErrSender
	case o == nil:
		return ErrEarly
	case o.against(m.Counter, m.Owner) > 0:
		return ErrEarly
	case o.against(m.Counter, m.Owner) < 0:
		return ErrOld
	case o.dead:
		return ErrDestroyed
	case len(m.State) > MaxUpdate:
		return ErrTooLarge
	}
	if err := t.room(o.id, o, from, len(m.State), 2); err != nil {
		return err
	}
	if m.Sequence > o.seq {
		t.set(o, m.Sequence, bytes.Clone(m.State))
		t.event(ObjectUpdated{ID: o.id, Owner: o.owner, State: copied(o.state)})
	}
	t.send(from, false, wire.KindObjectAck, o, nil)
	return nil
}

// acknowledged takes ACK: the sender has the object, as of our counter, with the state of that sequence. If we know it
// to be destroyed since, the sender missed that, or is about to hear it; it is told.
func (t *Table) acknowledged(now time.Duration, from wire.PlayerID, m *wire.ExtensionObject) error {
	if o := t.find(m.Object); o != nil && o.dead && o.against(m.Counter, m.Owner) <= 0 && t.here(from) {
		t.send(from, true, wire.KindObjectDestroy, o, nil)
		return ErrDestroyed
	}
	o, err := t.own(m.Object)
	switch {
	case err != nil:
		return err
	case m.Owner != o.owner || m.Counter < o.counter:
		return ErrOld
	case m.Counter > o.counter || m.Sequence > o.seq:
		return ErrEarly
	case !t.here(from):
		return ErrNoPeer
	}
	t.heeded(from, o.id)
	i, known := o.view(from)
	if !known {
		o.views = slices.Insert(o.views, i, view{peer: from, seq: m.Sequence})
	}
	v := &o.views[i]
	v.seq, v.wait = max(v.seq, m.Sequence), 0
	if !known && v.seq < o.seq {
		t.update(now, o, v)
	}
	return nil
}

// view returns where a peer's view is, or would be.
func (o *object) view(peer wire.PlayerID) (int, bool) {
	return slices.BinarySearchFunc(o.views, peer, func(v view, p wire.PlayerID) int { return cmp.Compare(v.peer, p) })
}

// forget drops a peer's view.
func (o *object) forget(peer wire.PlayerID) {
	if i, ok := o.view(peer); ok {
		o.views = slices.Delete(o.views, i, i+1)
	}
}
