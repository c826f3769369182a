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

// An answerJSON is an event of "dplay sessions": what EVENTS.md says of session_found, host_moved and session_gone.
type answerJSON struct {
	events.Object
	RoundTrip *float64 `json:"round_trip,omitempty"`
	Dialect   uint16   `json:"dialect,omitempty"`
	Via       *string  `json:"via,omitempty"`
	OldAddr   *string  `json:"old_addr,omitempty"`
	LastSeen  *string  `json:"last_seen,omitempty"`
}

// describeAnswer returns the object of an answer. What is gone has no round trip.
func describeAnswer(now time.Time, a *answer, event string) *answerJSON {
	o := &answerJSON{Object: *events.ObjectOf(a.Found, nil)}
	o.Event, o.Time = event, now.UTC().Format(events.TimeFormat)
	if event == goneName {
		return o
	}
	if a.justMoved(now) {
		o.OldAddr = new(a.oldHost.String())
	}
	o.Dialect = uint16(a.dialect)
	if a.trip != noTrip {
		o.RoundTrip = new(math.Round(a.trip.Seconds()*1e6) / 1e6)
	}
	if a.via.IsValid() {
		o.Via = new(a.via.String())
	}
	return o
}
