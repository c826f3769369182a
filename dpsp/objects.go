package dpsp

import (
	"errors"
	"time"

	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

// MaxObjectUpdate bounds the state of an object in UpdateObject, in octets, MaxObjectState that in CreateObject.
const (
	MaxObjectUpdate = object.MaxUpdate
	MaxObjectState  = object.MaxState
)

// objects are those of a session, which the peers share that know the extension.
type objects struct {
	e     *Engine
	table *object.Table // nil: there are none in this session
}

// open begins with no objects. Numbers begin anywhere: a machine that was in the session before, with the
// same id, is not to use one twice.
func (ob *objects) open() {
	e := ob.e
	if ob.table = nil; !e.extended() {
		return
	}
	ob.table = object.New(object.Config{Self: e.self, First: e.rng.Uint32() >> 1, Site: e.site})
	ob.table.SetHost(e.now, e.host)
}

// keep takes the objects along to another host, or, under another id, gives them up.
func (ob *objects) keep(b *rejoining) {
	if b.objects == nil || b.new {
		ob.open()
		if b.objects != nil {
			for _, o := range b.objects.Objects() {
				ob.e.event(ObjectDestroyed{object.ObjectDestroyed{ID: o.ID, Owner: o.Owner}})
			}
		}
		return
	}
	ob.table = b.objects
	ob.table.SetHost(ob.e.now, ob.e.host)
}

// leave stops everything about objects while we have no host and no members.
func (ob *objects) leave(members []*peer) *object.Table {
	t := ob.table
	if ob.table = nil; t == nil {
		return nil
	}
	t.SetHost(ob.e.now, 0)
	for _, p := range members {
		t.Leave(ob.e.now, p.system)
	}
	ob.tell(t.Take().Events) // there is nobody to send to
	return t
}

// receive takes a message about an object. What comes late or early is nothing to tell.
func (ob *objects) receive(o origin, p *peer, b *wire.ExtensionObject) {
	const name = "EXTENSION OBJECT"
	if ob.table == nil {
		ob.e.drop(o, name, OutOfTurn, "we have no objects")
		return
	}
	err := ob.table.Receive(ob.e.now, p.system, b)
	for _, usual := range []error{object.ErrOld, object.ErrEarly, object.ErrUnknown, object.ErrDestroyed, object.ErrPending,
		object.ErrNotOwner, object.ErrNotHost, object.ErrNoPeer} {
		if errors.Is(err, usual) {
			return
		}
	}
	switch {
	case errors.Is(err, object.ErrFull):
		ob.e.drop(o, name, LimitReached, err.Error())
	case err != nil:
		ob.e.drop(o, name, Conflict, err.Error())
	}
}

// work does what the objects want.
func (ob *objects) work() {
	e := ob.e
	if ob.table == nil || e.state != member {
		return
	}
	ob.table.Look(e.now)
	out := ob.table.Take()
	for i := range out.Sends {
		s := &out.Sends[i]
		p := e.peerByID(s.To)
		switch {
		case p == nil:
		case s.Reliable:
			e.sayExtension(TCP, p, &s.Message)
		default:
			e.sayExtension(UDP, p, &s.Message)
		}
	}
	ob.tell(out.Events)
}

// tell tells the program what happened to objects.
func (ob *objects) tell(events []object.Event) {
	for _, ev := range events {
		switch ev := ev.(type) {
		case object.ObjectCreated:
			ob.e.event(ObjectCreated{ev})
		case object.ObjectUpdated:
			ob.e.event(ObjectUpdated{ev})
		case object.ObjectMigrated:
			ob.e.event(ObjectMigrated{ev})
		case object.ObjectDestroyed:
			ob.e.event(ObjectDestroyed{ev})
		}
	}
}

// command does what the program asks for an object.
func (ob *objects) command(token uint64, c Command) {
	e := ob.e
	var id wire.ObjectID
	err := ErrNoObjects
	if ob.table != nil {
		switch c := c.(type) {
		case CreateObject:
			id, err = ob.table.Create(e.now, c.State)
		case UpdateObject:
			id, err = c.ID, ob.table.Update(e.now, c.ID, c.State)
		case MigrateObject:
			to, ok := e.list.System(c.To)
			if id, err = c.ID, ErrNoID; ok {
				err = ob.table.Migrate(e.now, c.ID, to)
			}
		case DestroyObject:
			id, err = c.ID, ob.table.Destroy(e.now, c.ID)
		case BalanceObjects:
			if err = ErrNotHost; e.hosting() {
				ob.table.Balance(e.now)
				err = nil
			}
		}
	}
	e.event(Done{Token: token, ID: e.self, Object: id, Err: err})
}

// setHost tells the table of objects who is host, 0 for nobody.
func (ob *objects) setHost(system wire.PlayerID) {
	if ob.table != nil {
		ob.table.SetHost(ob.e.now, system)
	}
}

// join takes in a peer that has objects, too.
func (ob *objects) join(system wire.PlayerID) {
	if ob.table != nil {
		ob.table.Join(ob.e.now, system)
	}
}

// left tells the table of objects that a peer is gone: as the host it gives that one's objects to others.
func (ob *objects) left(system wire.PlayerID) {
	if ob.table != nil {
		ob.table.Leave(ob.e.now, system)
	}
}

// audit has those told again that did not acknowledge.
func (ob *objects) audit() {
	if ob.table != nil {
		ob.table.Audit()
	}
}

// next returns when work has something to do.
func (ob *objects) next() time.Duration {
	if ob.table == nil {
		return Never
	}
	return ob.table.Next()
}

// Objects returns the objects in being as copies, in order of their ids.
func (e *Engine) Objects() []object.Object {
	if e.objects.table == nil {
		return nil
	}
	return e.objects.table.Objects()
}
