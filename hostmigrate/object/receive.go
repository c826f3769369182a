package object

import (
	"bytes"
	"fmt"
	"time"

	"dplay4/wire"
)

// Receive takes a message of another machine. An error says why it was ignored and is nothing to worry about:
// messages that cross each other are ignored every day. The state is copied.
func (t *Table) Receive(now time.Duration, from wire.PlayerID, m *wire.ExtensionObject) error {
	if err := t.receive(now, from, m); err != nil {
		return fmt.Errorf("%v of %v from %v: %w", m.Op, m.Object, from, err)
	}
	return nil
}

func (t *Table) receive(now time.Duration, from wire.PlayerID, m *wire.ExtensionObject) error {
	if from == t.cfg.Self {
		return ErrSender
	}
	switch m.Op {
	case wire.KindObjectCreate:
		if m.Counter != 0 || m.Object.Creator != from {
			return ErrSender
		}
		return t.claim(now, from, m)
	case wire.KindObjectMigrate:
		if m.Counter == 0 {
			return ErrOld
		}
		return t.claim(now, from, m)
	case wire.KindObjectDestroy:
		return t.destroyed(now, from, m)
	case wire.KindObjectUpdate:
		return t.updated(from, m)
	case wire.KindObjectAck:
		return t.acknowledged(now, from, m)
	case wire.KindObjectRequest:
		return t.requested(now, from, m)
	case wire.KindObjectInstruct:
		return t.instructed(now, from, m)
	}
	return ErrOp
}

// claim takes CREATE or MIGRATE: its sender says that it owns an object. The newest claim counts, in whatever
// order they come.
func (t *Table) claim(now time.Duration, from wire.PlayerID, m *wire.ExtensionObject) error {
	if m.Owner != from {
		return ErrSender
	}
	o, newer := t.find(m.Object), 1
	if o != nil {
		newer = o.against(m.Counter, m.Owner)
	}
	switch {
	case newer <= 0 && o.dead:
		if from != o.owner { // it may have been away when that was said
			t.send(from, true, wire.KindObjectDestroy, o, nil)
		}
		return ErrDestroyed
	case newer < 0:
		return ErrOld
	}
	if err := t.room(m.Object, o, from, len(m.State), 2); err != nil {
		return err
	}
	if newer == 0 { // told again
		if m.Sequence > o.seq {
			t.set(o, m.Sequence, bytes.Clone(m.State))
			t.event(ObjectUpdated{ID: o.id, Owner: o.owner, State: copied(o.state)})
		}
	} else {
		o = t.hand(now, m.Object, from, m.Counter, m.Sequence, bytes.Clone(m.State))
	}
	t.send(from, true, wire.KindObjectAck, o, nil)
	return nil
}

// hand gives an object to its new owner, and creates it where it is unknown.
func (t *Table) hand(now time.Duration, id wire.ObjectID, owner wire.PlayerID, counter, seq uint32, state []byte) *object {
	o := t.find(id)
	before, lived := wire.PlayerID(0), o != nil && !o.dead
	switch {
	case o == nil:
		o = &object{id: id}
		t.insert(o)
	case o.dead:
		o.dead = false
		t.dead--
	default:
		before = o.owner
	}
	ours := o.owner == t.cfg.Self
	o.owner, o.counter, o.views, o.timed, o.missed = owner, counter, nil, false, false
	t.set(o, seq, state)
	if ours && owner != t.cfg.Self {
		t.withdraw(id)
	}
	if lived {
		t.event(ObjectMigrated{ID: id, From: before, To: owner, Counter: counter, State: copied(state)})
	} else {
		t.event(ObjectCreated{ID: id, Owner: owner, Counter: counter, State: copied(state)})
	}
	if d := t.decision(id); d != nil && d.counter <= counter {
		t.drop(id)
	}
	if !t.here(owner) {
		t.orphan(now, o)
	}
	return o
}
