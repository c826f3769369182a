package object

import "dplay4/wire"

// An Event tells a program what happened to an object by another machine, or by the host's decision. What the
// program does itself ([Table.Create], [Table.Update], [Table.Destroy]) has no event. States are copies that the
// program may keep.
type Event interface{ event() }

// ObjectCreated says that there is an object that was not known, or that was believed to be destroyed.
type ObjectCreated struct {
	ID      wire.ObjectID `json:"object"`
	Owner   wire.PlayerID `json:"owner"` // may be ourselves
	Counter uint32        `json:"counter"`
	State   []byte        `json:"state"`
}

// ObjectUpdated says that an owner changed the state.
type ObjectUpdated struct {
	ID    wire.ObjectID `json:"object"`
	Owner wire.PlayerID `json:"owner"`
	State []byte        `json:"state"`
}

// ObjectMigrated says that an object has a new owner, with the state that it goes on from. What a former owner
// changed in the last moment, and the new one had not heard, is not in it.
type ObjectMigrated struct {
	ID      wire.ObjectID `json:"object"`
	To      wire.PlayerID `json:"owner"`     // may be ourselves
	From    wire.PlayerID `json:"old_owner"` // likewise. Equal to To: the owner was confirmed
	Counter uint32        `json:"counter"`
	State   []byte        `json:"state"`
}

// ObjectDestroyed says that an object is gone.
type ObjectDestroyed struct {
	ID    wire.ObjectID `json:"object"`
	Owner wire.PlayerID `json:"owner"` // who destroyed it
}

func (ObjectCreated) event()   {}
func (ObjectUpdated) event()   {}
func (ObjectMigrated) event()  {}
func (ObjectDestroyed) event() {}
