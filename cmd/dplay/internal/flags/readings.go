package flags

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"dplay4/dpsp"
)

// Readings are answers to what [MC-DPL4R] leaves open: names with commas between.
type Readings struct {
	dpsp.Readings
	names []string
}

// readings are the names, in the order of the questions.
var readings = []struct {
	name string
	of   func(*dpsp.Readings) *bool
}{
	{"loose", func(r *dpsp.Readings) *bool { return &r.Loose }},
	{"shared", func(r *dpsp.Readings) *bool { return &r.Shared }},
	{"running", func(r *dpsp.Readings) *bool { return &r.Running }},
	{"each-player", func(r *dpsp.Readings) *bool { return &r.EachPlayer }},
	{"ids", func(r *dpsp.Readings) *bool { return &r.WithIDs }},
	{"no-nack", func(r *dpsp.Readings) *bool { return &r.NoNACK }},
}

// ReadingNames returns the names.
func ReadingNames() (all []string) {
	for _, r := range readings {
		all = append(all, r.name)
	}
	return all
}

func (f *Readings) offers() []cobra.Completion { return ReadingNames() }

// String returns the names that were given.
func (f *Readings) String() string { return strings.Join(f.names, ",") }

// Set takes names; repeated flags add up.
func (f *Readings) Set(s string) error {
next:
	for _, word := range strings.Split(s, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		for _, r := range readings {
			if r.name == word {
				*r.of(&f.Readings) = true
				f.names = append(f.names, word)
				continue next
			}
		}
		return fmt.Errorf("%q is no reading; they are %s (see dplay help reliable)", word, strings.Join(ReadingNames(), ", "))
	}
	return nil
}

// Type returns what help shows for the value.
func (f *Readings) Type() string { return "NAME,..." }
