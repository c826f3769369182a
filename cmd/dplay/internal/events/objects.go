package events

import (
	"encoding/hex"
	"fmt"

	"dplay4/dpsp"
	"dplay4/wire"
)

// objectEvent returns the object of JSON for an event about a replicated object; nil for another one.
func objectEvent(e dpsp.Event) *Object {
	switch e := e.(type) {
	case dpsp.ObjectCreated:
		return &Object{Event: "object_created", Object: objectJSON(e.ID), Owner: idJSON(e.Owner), Counter: &e.Counter,
			State: hexJSON(e.State)}
	case dpsp.ObjectUpdated:
		return &Object{Event: "object_updated", Object: objectJSON(e.ID), Owner: idJSON(e.Owner), State: hexJSON(e.State)}
	case dpsp.ObjectMigrated:
		return &Object{Event: "object_migrated", Object: objectJSON(e.ID), Owner: idJSON(e.To), OldOwner: idJSON(e.From),
			Counter: &e.Counter,
			State:   hexJSON(e.State)}
	case dpsp.ObjectDestroyed:
		return &Object{Event: "object_destroyed", Object: objectJSON(e.ID), Owner: idJSON(e.Owner)}
	}
	return nil
}

func objectJSON(id wire.ObjectID) *string { return new(id.String()) }

// objectText says what happened to a replicated object; "" if an event is about none.
func objectText(e dpsp.Event, who *Roster) string {
	switch e := e.(type) {
	case dpsp.ObjectCreated:
		return fmt.Sprintf("there is an object %s of %s: %s", e.ID, who.machine(e.Owner, "ours"), stateText(e.State))
	case dpsp.ObjectUpdated:
		return fmt.Sprintf("the object %s of %s changed: %s", e.ID, who.machine(e.Owner, "ours"), stateText(e.State))
	case dpsp.ObjectMigrated:
		if e.From == e.To {
			return fmt.Sprintf("the object %s stays with %s: %s", e.ID, who.machine(e.To, "us"), stateText(e.State))
		}
		return fmt.Sprintf("the object %s went from %s to %s: %s", e.ID, who.machine(e.From, "us"), who.machine(e.To, "us"),
			stateText(e.State))
	case dpsp.ObjectDestroyed:
		return fmt.Sprintf("the object %s is gone, destroyed by %s", e.ID, who.machine(e.Owner, "us"))
	}
	return ""
}

// machine returns what people call a machine; ours is what ours is called here.
func (r *Roster) machine(id wire.PlayerID, ours string) string {
	if id == r.self {
		return ours
	}
	return "the machine " + id.String()
}

// stateText returns the size and the first octets of an object's state.
func stateText(state []byte) string {
	if len(state) == 0 {
		return "no octets"
	}
	return fmt.Sprintf("%d octets: %s", len(state), firstOctets(state))
}

// firstOctets returns the octets that a line shows.
func firstOctets(b []byte) string {
	if len(b) > shownPayload {
		return hex.EncodeToString(b[:shownPayload]) + "..."
	}
	return hex.EncodeToString(b)
}
