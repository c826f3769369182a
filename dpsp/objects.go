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
func (s *sender) openObjects() {
	if s.objects = nil; !s.extended() {
		return
	}
	s.objects = object.New(object.Config{Self: s.self, First: s.rng.Uint32() >> 1, Site: s.site})
	s.objects.SetHost(s.now, s.host)
}

// renewObjects gives all objects up because they are known by an id that this machine no longer has.
func (s *sender) renewObjects() {
	t := s.objects
	s.objects = nil
	t.Part(s.now, objectTransport{s})
	s.openObjects()
	for _, o := range t.Objects() {
		s.event(ObjectDestroyed{object.ObjectDestroyed{ID: o.ID, Owner: o.Owner}})
	}
}

// takeObject takes a message about an object. What comes late or early is nothing to tell.
func (s *sender) takeObject(o origin, p *peer, b *wire.ExtensionObject) {
	const name = "EXTENSION OBJECT"
	if s.objects == nil {
		s.drop(o, name, OutOfTurn, "we have no objects")
		return
	}
	switch err := s.objects.Receive(s.now, p.system, b); {
	case err == nil || object.Harmless(err):
	case errors.Is(err, object.ErrFull):
		s.drop(o, name, LimitReached, err.Error())
	default:
		s.drop(o, name, Conflict, err.Error())
	}
}

// An objectTransport is the session of an engine, as the table of objects has it.
type objectTransport struct{ e *sender }

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
func (s *sender) objectCommand(token uint64, c Command) {
	var id wire.ObjectID
	err := ErrNoObjects
	if s.objects != nil {
		switch c := c.(type) {
		case CreateObject:
			id, err = s.objects.Create(s.now, c.State)
		case UpdateObject:
			id, err = c.ID, s.objects.Update(s.now, c.ID, c.State)
		case MigrateObject:
			to, ok := s.list.System(c.To)
			if id, err = c.ID, ErrNoID; ok {
				err = s.objects.Migrate(s.now, c.ID, to)
			}
		case DestroyObject:
			id, err = c.ID, s.objects.Destroy(s.now, c.ID)
		case BalanceObjects:
			if err = ErrNotHost; s.hosting() {
				s.objects.Balance(s.now)
				err = nil
			}
		}
	}
	s.event(Done{Token: token, ID: s.self, Object: id, Err: err})
}

// Objects returns the objects in being as copies, in order of their ids.
func (s *sender) Objects() []object.Object { return s.objects.Objects() }
