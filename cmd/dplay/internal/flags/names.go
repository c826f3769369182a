package flags

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp"
	"dplay4/internal/sim"
	"dplay4/wire"
)

// A Choice is one of a list of words, which the tag "choice" has.
type Choice struct {
	Value   string
	allowed []string // the first one is the default
}

// String returns the word chosen.
func (c *Choice) String() string { return c.Value }

// Set takes a word.
func (c *Choice) Set(v string) error {
	if !slices.Contains(c.allowed, v) {
		last := len(c.allowed) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(c.allowed[:last], ", "), c.allowed[last])
	}
	c.Value = v
	return nil
}

// Type returns what help shows for the value.
func (c *Choice) Type() string { return strings.Join(c.allowed, "|") }

func (c *Choice) prepare(_ *cobra.Command, _ string, tag reflect.StructTag) {
	c.allowed = strings.Split(tag.Get("choice"), ",")
	c.Value = c.allowed[0]
}

func (c *Choice) offers() []cobra.Completion { return c.allowed }

// A Text is how names, passwords and chat are written: a Choice of auto, utf16 and 8bit.
type Text struct{ Choice }

// Encodings returns what the engine is to know: one encoding for every game, or those of the games that are known.
func (f *Text) Encodings() map[wire.GUID]wire.Encoding {
	if one, ok := map[string]wire.Encoding{"utf16": wire.UTF16, "8bit": wire.EightBit}[f.Value]; ok {
		return map[wire.GUID]wire.Encoding{{}: one}
	}
	return gamelist.Games().Encodings()
}

// Of returns the encoding for a game.
func (f *Text) Of(app wire.GUID) wire.Encoding {
	known := f.Encodings()
	return cmp.Or(known[wire.GUID{}], known[app])
}

// An Event is the name of an event that a command prints.
type Event struct {
	Name  string // "": none was given
	known []string
}

// NewEvent returns the name of one of the events known.
func NewEvent(known ...string) Event { return Event{known: known} }

// String returns the name.
func (e *Event) String() string { return e.Name }

// Set takes a name.
func (e *Event) Set(name string) error {
	if !slices.Contains(e.known, name) {
		return fmt.Errorf(`this command prints no such event%s "dplay help events" lists them`, cmp.Or(cli.Nearest(name, e.known), ";"))
	}
	e.Name = name
	return nil
}

// Type returns what help shows for the value.
func (e *Event) Type() string { return "EVENT" }

func (e *Event) offers() []cobra.Completion { return e.known }

// Faults are the faults of a simulated network: names with commas between.
type Faults struct{ sim.Faults }

// Set takes names with commas between.
func (f *Faults) Set(s string) (err error) {
	f.Faults, err = sim.ParseFaults(s)
	return err
}

// Type returns what help shows for the value.
func (f *Faults) Type() string { return "NAME,..." }

func (f *Faults) offers() []cobra.Completion {
	return append([]string{"none", "all"}, sim.FaultNames()...)
}

// A Session is the flags of a session: names with commas between.
type Session struct{ wire.SessionFlags }

// String returns the names.
func (f *Session) String() string { return cli.SessionFlagsText(f.SessionFlags) }

// Set takes names; repeated flags add up.
func (f *Session) Set(s string) error {
	got, err := cli.ParseSessionFlags(s)
	f.SessionFlags |= got
	return err
}

// Type returns what help shows for the value.
func (f *Session) Type() string { return "NAME,..." }

func (f *Session) offers() []cobra.Completion {
	names, _ := cli.FlagNames(cli.AllSession)
	return names
}

// Readings are answers to what [MC-DPL4R] leaves open: names with commas between.
type Readings struct {
	dpsp.Readings
	names []string
}

// readings has the names in the order of the questions, and the answer that each stands for.
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

// String returns the names that were given.
func (f *Readings) String() string { return strings.Join(f.names, ",") }

// Set takes names; repeated flags add up.
func (f *Readings) Set(s string) error {
	names := f.offers()
	for word := range strings.SplitSeq(s, ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		i := slices.Index(names, word)
		if i < 0 {
			return fmt.Errorf("%q is no reading; they are %s (see dplay help reliable)", word, strings.Join(names, ", "))
		}
		*readings[i].of(&f.Readings) = true
		f.names = append(f.names, word)
	}
	return nil
}

// Type returns what help shows for the value.
func (f *Readings) Type() string { return "NAME,..." }

func (f *Readings) offers() (names []cobra.Completion) {
	for _, r := range readings {
		names = append(names, r.name)
	}
	return names
}
