package dpsp

import (
	"errors"

	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

// MaxObjectUpdate bounds the state of an object in UpdateObject, in octets, MaxObjectState that in CreateObject.
const (
	MaxObjectUpdate = object.MaxUpdate
	MaxObjectState  = object.MaxState
)

// openObjects begins with no objects. Numbers begin anywhere: a machine that was in the session before, with the
// same id, is not to use one twice.
func (e *Engine) openObjects() {
	if e.objects = nil; !e.extended() {
		return
	}
	e.objects = object.New(object.Config{Self: e.self, First: e.rng.Uint32() >> 1})
	e.objects.SetHost(e.now, e.host)
}

// keepObjects takes the objects along to another host, or, under another id, gives them up.
func (e *Engine) keepObjects(b *rejoining) {
	if b.objects == nil || b.new {
		e.openObjects()
		if b.objects != nil {
			for _, o := range b.objects.Objects() {
				e.event(ObjectDestroyed{object.ObjectDestroyed{ID: o.ID, Owner: o.Owner}})
			}
		}
		return
	}
	e.objects = b.objects
	e.objects.SetHost(e.now, e.host)
}

// leaveObjects stops everything about objects while we have no host and no members.
func (e *Engine) leaveObjects(members []*peer) *object.Table {
	t := e.objects
	if e.objects = nil; t == nil {
		return nil
	}
	t.SetHost(e.now, 0)
	for _, p := range members {
		t.Leave(e.now, p.system)
	}
	e.tellObjects(t.Take().Events) // there is nobody to send to
	return t
}

// objectMessage takes a message about an object. What comes late or early is nothing to tell.
func (e *Engine) objectMessage(o origin, p *peer, b *wire.ExtensionObject) {
	const name = "EXTENSION OBJECT"
	if e.objects == nil {
		e.drop(o, name, OutOfTurn, "we have no objects")
		return
	}
	err := e.objects.Receive(e.now, p.system, b)
	for _, usual := range []error{object.ErrOld, object.ErrEarly, object.ErrUnknown, object.ErrDestroyed, object.ErrPending,
		object.ErrNotOwner, object.ErrNotHost, object.ErrNoPeer} {
		if errors.Is(err, usual) {
			return
		}
	}
	if err != nil {
		e.drop(o, name, Conflict, err.Error())
	}
}

// objectWork does what the objects want.
func (e *Engine) objectWork() {
	if e.objects == nil || e.state != member {
		return
	}
	e.objects.Look(e.now)
	out := e.objects.Take()
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
	e.tellObjects(out.Events)
}

// tellObjects tells the program what happened to objects.
func (e *Engine) tellObjects(events []object.Event) {
	for _, ev := range events {
		switch ev := ev.(type) {
		case object.ObjectCreated:
			e.event(ObjectCreated{ev})
		case object.ObjectUpdated:
			e.event(ObjectUpdated{ev})
		case object.ObjectMigrated:
			e.event(ObjectMigrated{ev})
		case object.ObjectDestroyed:
			e.event(ObjectDestroyed{ev})
		}
	}
}

// objectCommand does what the program asks for an object.
func (e *Engine) objectCommand(token uint64, c Command) {
	var id wire.ObjectID
	err := ErrNoObjects
	if e.objects != nil {
		switch c := c.(type) {
		case CreateObject:
			id, err = e.objects.Create(e.now, c.State)
		case UpdateObject:
			id, err = c.ID, e.objects.Update(e.now, c.ID, c.State)
		case MigrateObject:
			to, ok := e.list.System(c.To)
			if id, err = c.ID, ErrNoID; ok {
				err = e.objects.Migrate(e.now, c.ID, to)
			}
		case DestroyObject:
			id, err = c.ID, e.objects.Destroy(e.now, c.ID)
		case BalanceObjects:
			if err = ErrNotHost; e.hosting() {
				e.objects.Balance(e.now)
				err = nil
			}
		}
	}
	e.event(Done{Token: token, ID: e.self, Object: id, Err: err})
}

// Objects returns the objects in being as copies, in order of their ids.
func (e *Engine) Objects() []object.Object {
	if e.objects == nil {
		return nil
	}
	return e.objects.Objects()
}
