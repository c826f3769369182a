package main

import (
	"bytes"
	"encoding/json"
	"math"
	"time"
)

// An answerJSON is an event of "dplay sessions": what EVENTS.md says of session_found and session_gone.
type answerJSON struct {
	eventJSON
	RoundTrip *float64 `json:"round_trip,omitempty"`
	Dialect   uint16   `json:"dialect,omitempty"`
	Via       *string  `json:"via,omitempty"`
	LastSeen  *string  `json:"last_seen,omitempty"`
}

// describeAnswer gives the object of an answer. What is gone has no round trip.
func describeAnswer(now time.Time, a *answer, event string) *answerJSON {
	o := &answerJSON{eventJSON: *eventObject(a.Found, nil)}
	o.Event, o.Time = event, now.UTC().Format(eventTime)
	if event != "session_found" {
		return o
	}
	o.Dialect = uint16(a.dialect)
	if a.trip != noTrip {
		o.RoundTrip = ptr(math.Round(a.trip.Seconds()*1e6) / 1e6)
	}
	if a.via.IsValid() {
		o.Via = ptr(a.via.String())
	}
	return o
}

// appendJSON appends an object as a line.
func appendJSON(b []byte, o any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		panic(err) // strings and numbers cannot fail
	}
	return append(b, buf.Bytes()...)
}
