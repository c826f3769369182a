// Package games is what is known of games that play over DirectPlay 4: their names, the application GUIDs that their sessions
// are found by, how they write text, and where they listen. A program gives [Game].GUID to dpsp.Host or sock.Ask, [Encodings] to
// dpsp.Config, and the ports to sock.Options.
package games

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"dplay4/wire"
)

// A Game is one that people ask for.
type Game struct {
	Title  string
	Short  string        // another name for it
	GUID   wire.GUID     // its application; zero where no capture or published source that this project works from gives it
	Source string        // where the GUID comes from; "" without one
	Text   wire.Encoding // what its names, passwords and chat are written in

	// StreamPorts and DatagramPorts are its TCP and UDP ports as it comes, which a player may have changed in it, on all
	// machines of a session alike; zero: those of every game.
	StreamPorts, DatagramPorts wire.Ports
}

// table has a GUID only if somebody has seen it in the game's own traffic.
var table = []Game{
	{Title: "Lords of the Realm II", Short: "lotr2", GUID: guid("{1c8248c0-9772-11cf-b74f-00c0df413ed1}"),
		Source: "a capture of two Windows machines that play it, 2 of 2 session descriptions", Text: wire.EightBit},
	{Title: "Age of Empires", Short: "aoe", GUID: guid("{3422e982-1a89-11d1-b093-00a024c74776}"),
		// The text is as in its successor, which has the same engine.
		Source: "its enumeration as opengsq-python prints it", Text: wire.EightBit},
	{Title: "Age of Empires II", Short: "aoe2", GUID: guid("{fb69a260-5031-11d3-a2d4-006097ba6550}"),
		Source: "its enumeration as opengsq-python prints it", Text: wire.EightBit},
	{Title: "Lego Loco", Short: "loco", GUID: guid("{f9cd2546-577f-11d2-9426-00a0244bda7a}"),
		Source:      "the configuration of symmetrical-train, a host for it, whose port is that of lego.ini",
		StreamPorts: onePort(31415), DatagramPorts: onePort(31415)},
	{Title: "Anno 1602", Short: "anno1602"},
	{Title: "Jedi Knight", Short: "jk"},
	{Title: "Stronghold Crusader", Short: "shc"},
	{Title: "Total Annihilation", Short: "ta"},
}

// guid reads a GUID of the table.
func guid(s string) wire.GUID {
	g, err := wire.ParseGUID(s)
	if err != nil {
		panic(err)
	}
	return g
}

// onePort is the range of a game that has one number to set.
func onePort(n uint16) wire.Ports { return wire.Ports{First: n, Last: n} }

// encodings are those of the table that are not UTF-16.
var encodings = func() map[wire.GUID]wire.Encoding {
	all := map[wire.GUID]wire.Encoding{}
	for _, g := range table {
		if !g.GUID.IsZero() && g.Text != wire.UTF16 {
			all[g.GUID] = g.Text
		}
	}
	return all
}()

// All returns the games, in the order in which they are listed for people.
func All() []Game { return slices.Clone(table) }

// ByName returns the game with a title or short name, in which only letters and digits count, in either case; false if none
// is called so. Its GUID may be zero.
func ByName(name string) (Game, bool) {
	name = bare(name)
	i := slices.IndexFunc(table, func(g Game) bool { return name == bare(g.Title) || name == g.Short })
	if i < 0 {
		return Game{}, false
	}
	return table[i], true
}

// bare returns what counts of a name.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// ByGUID returns the game with an application GUID; false if it is not known.
func ByGUID(guid wire.GUID) (Game, bool) {
	i := slices.IndexFunc(table, func(g Game) bool { return g.GUID == guid && !guid.IsZero() })
	if i < 0 {
		return Game{}, false
	}
	return table[i], true
}

// Title returns the title of the game with an application GUID; "" if it is not known.
func Title(guid wire.GUID) string {
	g, _ := ByGUID(guid)
	return g.Title
}

// Encodings returns the encodings of the games that do not write UTF-16, for dpsp.Config.Text. The map is the caller's.
func Encodings() map[wire.GUID]wire.Encoding { return maps.Clone(encodings) }
