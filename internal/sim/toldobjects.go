package sim

import (
	"bytes"

	"dplay4/dpsp"
	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

// A toy is a replicated object as a program knows it.
type toy struct {
	owner   wire.PlayerID
	counter uint32
	state   []byte
}

// object takes in what a program is told about a replicated object. It is held against what package object promises:
// what a machine knows of an object never gets older.
func (t *told) object(ev dpsp.Event) complaint {
	switch ev := ev.(type) {
	case dpsp.ObjectCreated:
		if t.objects[ev.ID] != nil {
			return "object " + ev.ID.String() + " is there already"
		}
		t.objects[ev.ID] = &toy{ev.Owner, ev.Counter, ev.State}
	case dpsp.ObjectUpdated:
		o := t.objects[ev.ID]
		switch {
		case o == nil:
			return "there is no object " + ev.ID.String()
		case o.owner != ev.Owner:
			return "object " + ev.ID.String() + " belongs to " + o.owner.String() + ", and " + ev.Owner.String() + " changed it"
		}
		o.state = ev.State
	case dpsp.ObjectMigrated:
		o := t.objects[ev.ID]
		switch {
		case o == nil:
			return "there is no object " + ev.ID.String()
		case o.owner != ev.From:
			return "object " + ev.ID.String() + " was " + o.owner.String() + "'s, not " + ev.From.String() + "'s"
		case ev.Counter < o.counter || ev.Counter == o.counter && ev.To >= o.owner:
			return "object " + ev.ID.String() + " went back to an older owner"
		}
		*o = toy{ev.To, ev.Counter, ev.State}
	case dpsp.ObjectDestroyed:
		if t.objects[ev.ID] == nil {
			return "there is no object " + ev.ID.String()
		}
		delete(t.objects, ev.ID)
	}
	return ""
}

// did takes in what a program did to an object itself, for which there is no event but Done.
func (t *told) did(c dpsp.Command, id wire.ObjectID) complaint {
	o := t.objects[id]
	switch c := c.(type) {
	case dpsp.CreateObject:
		if o != nil {
			return "object " + id.String() + " is made, and is there already"
		}
		t.objects[id] = &toy{owner: id.Creator, state: bytes.Clone(c.State)}
	case dpsp.UpdateObject:
		if o == nil || o.owner != t.self {
			return "object " + id.String() + " is changed, and is not ours"
		}
		o.state = bytes.Clone(c.State)
	case dpsp.DestroyObject:
		if o == nil || o.owner != t.self {
			return "object " + id.String() + " is destroyed, and is not ours"
		}
		delete(t.objects, id)
	}
	return ""
}

// againstObjects holds what a program was told against the engine's objects.
func (t *told) againstObjects(list []object.Object) complaint {
	if len(list) != len(t.objects) {
		return "the number of objects is not what was told"
	}
	for i := range list {
		o, q := &list[i], t.objects[list[i].ID]
		if q == nil || q.owner != o.Owner || q.counter != o.Counter || !bytes.Equal(q.state, o.State) {
			return "object " + o.ID.String() + " is not as it was told"
		}
	}
	return ""
}
