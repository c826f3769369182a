package browse

import (
	"math"
	"time"

	"dplay4/cmd/dplay/internal/events"
	"dplay4/dpsp"
)

// The names of the events.
var foundName = events.NameOf(dpsp.SessionFound{})

const (
	movedName = "host_moved"
	goneName  = "session_gone"
)

// Names returns the names of all events.
func Names() []string { return append(WatchedNames(), foundName) }

// WatchedNames returns the names of those that come with Watch alone.
func WatchedNames() []string { return []string{movedName, goneName} }

// describeAnswer appends the object of an answer, as EVENTS.md has session_found, host_moved and session_gone. What is gone has no
// round trip.
func describeAnswer(b []byte, now time.Time, a *answer, event string) events.Object {
	o := events.Begin(b, now, event).Fields(a.Found, events.Object.Add)
	if event == goneName {
		return o
	}
	if a.trip != 0 {
		o = o.Add("round_trip", math.Round(a.trip.Seconds()*1e6)/1e6)
	}
	if a.dialect != 0 {
		o = o.Add("dialect", uint16(a.dialect))
	}
	if a.via.IsValid() {
		o = o.Add("via", a.via)
	}
	if a.justMoved(now) {
		o = o.Add("old_addr", a.oldHost)
	}
	return o
}
