package flags

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
)

// An Event is the name of an event that a command prints.
type Event struct {
	Name  string // "": none was given
	known []string
}

// String returns the name.
func (e *Event) String() string { return e.Name }

// Set takes a name.
func (e *Event) Set(name string) error {
	if !slices.Contains(e.known, name) {
		meant := cli.Nearest(name, e.known)
		if meant == "" {
			meant = ";"
		}
		return errors.New("this command prints no such event" + meant + ` "dplay help events" lists them`)
	}
	e.Name = name
	return nil
}

// Type returns what help shows for the value.
func (e *Event) Type() string { return "EVENT" }

// NewEvent returns the name of one of the events known.
func NewEvent(known ...string) Event { return Event{known: known} }

func (e *Event) offers() []cobra.Completion { return e.known }
