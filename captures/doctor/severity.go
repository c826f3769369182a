package doctor

import (
	"fmt"
	"strconv"
)

// A Severity says how much a finding matters. A greater one is more serious.
type Severity uint8

// The severities.
const (
	// Note is about the evidence rather than the session: a capture that lacks messages.
	Note Severity = iota + 1
	// Warning is about something that did not go right, or that will not everywhere, while the game went on.
	Warning
	// Failure is why somebody could not find, join, or go on with a session.
	Failure
)

// String gives the severity in one word: "note", "warning" or "failure".
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	case Failure:
		return "failure"
	}
	return "Severity(" + strconv.Itoa(int(s)) + ")"
}

// MarshalText gives the word that String gives.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads such a word.
func (s *Severity) UnmarshalText(b []byte) error {
	for _, v := range []Severity{Note, Warning, Failure} {
		if string(b) == v.String() {
			*s = v
			return nil
		}
	}
	return fmt.Errorf("severity %q: not note, warning or failure", b)
}
