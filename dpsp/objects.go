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
	e.objects = object.New(object.Config{Self: e.self, First: e.rng.Uint32() >> 1, Site: e.site})
	e.objects.SetHost(e.now, e.host)
}

// keepObjects takes the objects along to another host, or, under another id, gives them up.
func (e *Engine) keepObjects(b *rejoining) {
	if b.objects == nil || b.new {
		e.openObjects()
		for _, o := range b.objects.Objects() {
			e.event(ObjectDestroyed{object.ObjectDestroyed{ID: o.ID, Owner: o.Owner}})
		}
		return
	}
	e.objects = b.objects
	e.objects.SetHost(e.now, e.host)
}

// leaveObjects stops everything about objects while we have no host and no members.
func (e *Engine) leaveObjects() *object.Table {
	t := e.objects
	e.objects = nil
	t.Part(e.now, objectTransport{e})
	return t
}

// takeObject takes a message about an object. What comes late or early is nothing to tell.
func (e *Engine) takeObject(o origin, p *peer, b *wire.ExtensionObject) {
	const name = "EXTENSION OBJECT"
	if e.objects == nil {
		e.drop(o, name, OutOfTurn, "we have no objects")
		return
	}
	switch err := e.objects.Receive(e.now, p.system, b); {
	case err == nil || object.Harmless(err):
	case errors.Is(err, object.ErrFull):
		e.drop(o, name, LimitReached, err.Error())
	default:
		e.drop(o, name, Conflict, err.Error())
	}
}

// An objectTransport is the session of an engine, as the table of objects has it.
type objectTransport struct{ e *Engine }

func (tr objectTransport) Send(s *object.Send) {
	p := tr.e.peerByID(s.To)
	switch {
	case p == nil:
	case s.Reliable:
		tr.e.sayExtension(TCP, p, &s.Message)
	default:
		tr.e.sayExtension(UDP, p, &s.Message)
	}
}

func (tr objectTransport) Tell(ev object.Event) {
	switch ev := ev.(type) {
	case object.ObjectCreated:
		tr.e.event(ObjectCreated{ev})
	case object.ObjectUpdated:
		tr.e.event(ObjectUpdated{ev})
	case object.ObjectMigrated:
		tr.e.event(ObjectMigrated{ev})
	case object.ObjectDestroyed:
		tr.e.event(ObjectDestroyed{ev})
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
func (e *Engine) Objects() []object.Object { return e.objects.Objects() }
