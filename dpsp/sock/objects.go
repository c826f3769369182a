package sock

import (
	"context"

	"dplay4/dpsp"
	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

// CreateObject makes a replicated object that we own, and returns its id, which stays when the owner changes. All machines
// that know the extension learn of it, those that join later too; what is promised about them, package object says. The
// state is the program's own, at most dpsp.MaxObjectState octets; it is copied. It fails with dpsp.ErrNoSession outside
// of a session, dpsp.ErrNoObjects in one without objects, object.ErrTooLarge, object.ErrFull or object.ErrExhausted.
func (s *Session) CreateObject(ctx context.Context, state []byte) (wire.ObjectID, error) {
	d, err := s.request(ctx, dpsp.CreateObject{State: state})
	return d.Object, err
}

// UpdateObject changes the whole state of an object that we own, to at most dpsp.MaxObjectUpdate octets, which are
// copied. The others get it by datagrams, which are repeated until they have it: of states that follow each other
// quickly they may see the last one alone. Besides the errors of CreateObject it fails with object.ErrUnknown,
// object.ErrDestroyed, or object.ErrNotOwner, also when the object went to another machine a moment ago.
func (s *Session) UpdateObject(ctx context.Context, id wire.ObjectID, state []byte) error {
	return s.tell(ctx, dpsp.UpdateObject{ID: id, State: state})
}

// MigrateObject asks the host to give an object, whoever owns it, to the machine of a player; its system player names it
// as well. It returns when the host was asked: dpsp.ObjectMigrated comes when that machine has taken it, and never if it
// or the host is lost before; then it may be asked again. It fails with dpsp.ErrNoID, dpsp.ErrNoSession,
// dpsp.ErrNoObjects, object.ErrUnknown, object.ErrDestroyed, object.ErrNoHost while there is no host that knows of objects,
// object.ErrNoPeer if that machine knows nothing of them, or, at the host alone, object.ErrPending while an earlier wish is
// carried out, or object.ErrExhausted.
func (s *Session) MigrateObject(ctx context.Context, id wire.ObjectID, to wire.PlayerID) error {
	return s.tell(ctx, dpsp.MigrateObject{ID: id, To: to})
}

// DestroyObject removes an object that we own, for everybody. It fails like UpdateObject, but never for want of room.
func (s *Session) DestroyObject(ctx context.Context, id wire.ObjectID) error {
	return s.tell(ctx, dpsp.DestroyObject{ID: id})
}

// BalanceObjects, which only the host may call, gives objects of machines that own many to machines that own few.
// dpsp.ObjectMigrated tells of each. It fails with dpsp.ErrNotHost, dpsp.ErrNoSession or dpsp.ErrNoObjects.
func (s *Session) BalanceObjects(ctx context.Context) error {
	return s.tell(ctx, dpsp.BalanceObjects{})
}

// Objects returns the objects in being, as copies, in order of their ids; none where there can be none. It is as far as the
// engine, which may be ahead of the events that the program has read.
func (s *Session) Objects() []object.Object {
	var all []object.Object
	s.loop.do(func(e *dpsp.Engine) { all = e.Objects() })
	return all
}
