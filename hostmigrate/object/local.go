package object

import (
	"bytes"
	"math"
	"time"

	"dplay4/wire"
)

// Create makes an object of ours and announces it. The state is copied. It fails with ErrTooLarge, ErrFull, ErrShare
// or ErrExhausted.
func (t *Table) Create(now time.Duration, state []byte) (wire.ObjectID, error) {
	id := wire.ObjectID{Creator: t.cfg.Self, Number: t.number}
	for !t.spent && t.find(id) != nil { // of an earlier life of ours, see Config.First
		t.advance()
		id.Number = t.number
	}
	if t.spent {
		return wire.ObjectID{}, ErrExhausted
	}
	if err := t.room(id, nil, t.cfg.Self, len(state), 1); err != nil {
		return wire.ObjectID{}, err
	}
	t.advance()
	o := &object{id: id, owner: t.cfg.Self}
	t.set(o, 0, bytes.Clone(state))
	t.insert(o)
	t.announce(o)
	return id, nil
}

func (t *Table) advance() {
	t.spent = t.number == math.MaxUint32
	t.number++
}

// announce tells all peers of an object of ours.
func (t *Table) announce(o *object) {
	for _, p := range t.peers {
		t.tell(p, o)
	}
}

// own returns an object of ours, or the reason why there is none.
func (t *Table) own(id wire.ObjectID) (*object, error) {
	o := t.find(id)
	switch {
	case o == nil:
		return nil, ErrUnknown
	case o.dead:
		return nil, ErrDestroyed
	case o.owner != t.cfg.Self:
		return nil, ErrNotOwner
	}
	return o, nil
}

// Update changes the state of an object of ours, at most MaxUpdate octets, which are copied. Peers that
// acknowledged the object are sent it at once, the others when they do. It fails with ErrUnknown, ErrDestroyed,
// ErrNotOwner, ErrTooLarge, ErrFull, ErrShare or ErrExhausted.
func (t *Table) Update(now time.Duration, id wire.ObjectID, state []byte) error {
	o, err := t.own(id)
	if err != nil {
		return err
	}
	if len(state) > MaxUpdate {
		return ErrTooLarge
	}
	if err := t.room(id, o, t.cfg.Self, len(state), 1); err != nil {
		return err
	}
	if o.seq == math.MaxUint32 {
		return ErrExhausted
	}
	t.set(o, o.seq+1, bytes.Clone(state))
	for i := range o.views {
		t.update(now, o, &o.views[i])
	}
	return nil
}

// Destroy ends an object of ours. If the host has just decided to give it to another machine, which did not hear
// of the end before it announced itself, then the object lives: an ObjectCreated event says so. It fails with
// ErrUnknown, ErrDestroyed or ErrNotOwner.
func (t *Table) Destroy(now time.Duration, id wire.ObjectID) error {
	o, err := t.own(id)
	if err != nil {
		return err
	}
	t.bury(now, o, o.owner, o.counter)
	for _, p := range t.peers {
		t.send(p, true, wire.KindObjectDestroy, o, nil)
	}
	return nil
}

// Migrate asks the host to give an object to a machine, be it ours or not, or decides so if we are the host. It is
// a wish: if the host refuses it, or dies first, nothing happens, and the program may ask again. It fails with
// ErrUnknown, ErrDestroyed, ErrNoPeer, ErrNoHost, and at the host with ErrPending or ErrExhausted.
func (t *Table) Migrate(now time.Duration, id wire.ObjectID, to wire.PlayerID) error {
	o := t.find(id)
	switch {
	case o == nil:
		return ErrUnknown
	case o.dead:
		return ErrDestroyed
	case !t.here(to):
		return ErrNoPeer
	case !t.hosting():
		return t.ask(o, to)
	case t.decision(id) != nil:
		return ErrPending
	case o.owner == to:
		return nil
	}
	return t.decide(now, id, to)
}
