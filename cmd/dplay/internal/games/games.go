// Package games knows games by their names.
package games

import (
	"fmt"
	"strings"
	"unicode"

	"dplay4/wire"
)

// A Game is one that --app knows by name.
type Game struct {
	Title  string
	Short  string        // another name for it; "" for none
	GUID   string        // "" where no capture or published source that this project works from gives it
	Source string        // where the GUID comes from
	Text   wire.Encoding // what its names, passwords and chat are written in
}

// All are the games that people ask for. A GUID is here only if somebody has seen it in the game's own traffic.
var All = []Game{
	{"Lords of the Realm II", "lotr2", "{1c8248c0-9772-11cf-b74f-00c0df413ed1}",
		"a capture of two Windows machines that play it, 2 of 2 session descriptions", wire.EightBit},
	{"Age of Empires", "aoe", "{3422e982-1a89-11d1-b093-00a024c74776}",
		"its enumeration as opengsq-python prints it", wire.EightBit}, // the text as in its successor, which has the same engine
	{"Age of Empires II", "aoe2", "{fb69a260-5031-11d3-a2d4-006097ba6550}",
		"its enumeration as opengsq-python prints it", wire.EightBit},
	{Title: "Anno 1602", Short: "anno1602"},
	{Title: "Jedi Knight", Short: "jk"},
	{Title: "Stronghold Crusader", Short: "shc"},
	{Title: "Total Annihilation", Short: "ta"},
}

// Parse reads a GUID, or the name of a game whose GUID is known.
func Parse(s string) (wire.GUID, error) {
	if g, err := wire.ParseGUID(s); err == nil {
		if g.IsZero() {
			return g, fmt.Errorf("%s is no game's GUID", s)
		}
		return g, nil
	}
	var known []string
	for _, g := range All {
		if bareName(s) != bareName(g.Title) && bareName(s) != g.Short {
			if g.GUID != "" {
				known = append(known, g.Short+" for "+g.Title)
			}
			continue
		}
		if g.GUID == "" {
			return wire.GUID{}, fmt.Errorf("the GUID of %s is needed, no source of this project gives it: run \"dplay sessions\" "+
				"while the game hosts, and give what stands there", g.Title)
		}
		return wire.ParseGUID(g.GUID)
	}
	return wire.GUID{}, fmt.Errorf("no game is known by this name, only %s; any other is taken by its GUID, "+
		"{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}, which \"dplay sessions\" shows while it hosts", strings.Join(known, ", "))
}

// bareName leaves of a name what matters when names are compared.
func bareName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// Title returns the name of the game with a GUID; "" if it is not known.
func Title(guid wire.GUID) string {
	for _, g := range All {
		if g.GUID == guid.String() {
			return g.Title
		}
	}
	return ""
}

// Help lists the games for a command's help.
func Help() string {
	var b strings.Builder
	b.WriteString("Games that --app knows by name:\n")
	var missing []string
	for _, g := range All {
		if g.GUID == "" {
			missing = append(missing, g.Title)
			continue
		}
		fmt.Fprintf(&b, "  %s, or %s: %s\n    text: %s; source: %s\n", g.Title, g.Short, g.GUID, g.Text, g.Source)
	}
	fmt.Fprintf(&b, "  Not known yet: %s.\n  Run \"dplay sessions\" without --app while such a game hosts: it shows the GUID.", strings.Join(missing, ", "))
	return b.String()
}

// Encodings returns the games that are known to write 8-bit text.
func Encodings() map[wire.GUID]wire.Encoding {
	known := map[wire.GUID]wire.Encoding{}
	for _, g := range All {
		if id, err := wire.ParseGUID(g.GUID); err == nil && g.Text == wire.EightBit {
			known[id] = g.Text
		}
	}
	return known
}
