// Package games is what is known of games that play over DirectPlay 4: their names, the application GUIDs that their sessions
// are found by, how they write text, the flags of their sessions, and where they listen. A program gives [Game].GUID and Flags to dpsp.Host,
// the GUID to sock.Ask, [List.Encodings] to dpsp.Config, and the ports to sock.Options. It can put games of its users before [All].
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
	Short  string        // another name for it, in small letters and digits; "" without one
	GUID   wire.GUID     // its application; zero, which is GUID_NULL, for games without one of their own
	Source string        // where the GUID and what else is here was seen
	Text   wire.Encoding // what its names, passwords and chat are written in
	Note   string        // what else is to be known about it; "" without anything

	// Flags are those of the sessions that it hosts, Asking those with which it looks for them; zero: not known.
	Flags  wire.SessionFlags
	Asking wire.EnumFlags

	// StreamPorts and DatagramPorts are its TCP and UDP ports as it comes, which a player may have changed in it, on all
	// machines of a session alike; zero: those of every game.
	StreamPorts, DatagramPorts wire.Ports
}

// A List is games in the order in which they are listed for people. Of two with the same name or GUID the first one counts.
type List []Game

// All returns the games that this package knows.
func All() List { return slices.Clone(table) }

// ByName returns the game with a title or short name, in which only letters and digits count, in either case; false if none
// is called so. Its GUID is zero if it has none of its own.
func (l List) ByName(name string) (Game, bool) {
	name = Bare(name)
	return l.first(func(g Game) bool { return name != "" && slices.Contains([]string{Bare(g.Title), Bare(g.Short)}, name) })
}

// ByGUID returns the game with an application GUID; false if it is not known.
func (l List) ByGUID(guid wire.GUID) (Game, bool) {
	return l.first(func(g Game) bool { return g.GUID == guid && !guid.IsZero() })
}

// first returns the first game that is meant; false if there is none.
func (l List) first(meant func(Game) bool) (Game, bool) {
	i := slices.IndexFunc(l, meant)
	if i < 0 {
		return Game{}, false
	}
	return l[i], true
}

// Title returns the title of the game with an application GUID; "" if it is not known.
func (l List) Title(guid wire.GUID) string {
	g, _ := l.ByGUID(guid)
	return g.Title
}

// Encodings returns the encodings of the games that do not write UTF-16, for dpsp.Config.Text.
func (l List) Encodings() map[wire.GUID]wire.Encoding {
	all := map[wire.GUID]wire.Encoding{}
	for _, g := range slices.Backward(l) { // the first one counts
		all[g.GUID] = g.Text
	}
	delete(all, wire.GUID{})
	maps.DeleteFunc(all, func(_ wire.GUID, text wire.Encoding) bool { return text == wire.UTF16 })
	return all
}

// Bare returns what counts of a name: its letters and digits, in lower case.
func Bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Letter, unicode.Digit) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// ByName is [List.ByName] of [All].
func ByName(name string) (Game, bool) { return table.ByName(name) }
