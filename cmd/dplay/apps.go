package main

import (
	"fmt"
	"strings"
	"unicode"

	"dplay4/wire"
)

// A game is one that --app knows by name.
type game struct {
	title  string
	short  string // another name for it; "" for none
	guid   string // "" where no capture or published source that this project works from gives it
	source string // where the GUID comes from
}

// games are the games that people ask for. A GUID is here only if somebody has seen it in the game's own traffic.
var games = []game{
	{"Lords of the Realm II", "lotr2", "{1c8248c0-9772-11cf-b74f-00c0df413ed1}",
		"a capture of two Windows machines that play it, 2 of 2 session descriptions"},
	{title: "Age of Empires II", short: "aoe2"},
	{title: "Anno 1602", short: "anno1602"},
	{title: "Jedi Knight", short: "jk"},
	{title: "Stronghold Crusader", short: "shc"},
	{title: "Total Annihilation", short: "ta"},
}

// parseApp reads a GUID, or the name of a game whose GUID is known.
func parseApp(s string) (wire.GUID, error) {
	if g, err := wire.ParseGUID(s); err == nil {
		if g.IsZero() {
			return g, fmt.Errorf("%s is no game's GUID", s)
		}
		return g, nil
	}
	var known []string
	for _, g := range games {
		if bareName(s) != bareName(g.title) && bareName(s) != g.short {
			if g.guid != "" {
				known = append(known, g.short+" for "+g.title)
			}
			continue
		}
		if g.guid == "" {
			return wire.GUID{}, fmt.Errorf("the GUID of %s is needed, no source of this project gives it: run \"dplay sessions\" "+
				"while the game hosts, and give what stands there", g.title)
		}
		return wire.ParseGUID(g.guid)
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

// gameTitle gives the name of the game with a GUID; "" if it is not known.
func gameTitle(guid wire.GUID) string {
	for _, g := range games {
		if g.guid == guid.String() {
			return g.title
		}
	}
	return ""
}

// gamesHelp lists the games for a command's help.
func gamesHelp() string {
	var b strings.Builder
	b.WriteString("Games that --app knows by name:\n")
	var missing []string
	for _, g := range games {
		if g.guid == "" {
			missing = append(missing, g.title)
			continue
		}
		fmt.Fprintf(&b, "  %s, or %s: %s\n    source: %s\n", g.title, g.short, g.guid, g.source)
	}
	fmt.Fprintf(&b, "  Not known yet: %s.\n  Run \"dplay sessions\" without --app while such a game hosts: it shows the GUID.", strings.Join(missing, ", "))
	return b.String()
}

// An appFlag is the value of --app.
type appFlag struct {
	text string
	guid wire.GUID // zero: not given
}

// String gives what was given.
func (a *appFlag) String() string { return a.text }

// Set takes a GUID or a name.
func (a *appFlag) Set(s string) error {
	g, err := parseApp(s)
	if err == nil {
		a.text, a.guid = s, g
	}
	return err
}

// Type gives what help shows for the value.
func (a *appFlag) Type() string { return "GUID|NAME" }
