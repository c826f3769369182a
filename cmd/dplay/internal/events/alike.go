package events

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dplay4/captures"
	"dplay4/playerlist"
	"dplay4/wire"
)

// likenesses knows which players and groups have names that people could take for each other.
type likenesses struct {
	of   map[wire.PlayerID]string   // what is left of a name
	with map[string][]wire.PlayerID // the players and groups of which that is left
}

// update stores the simplified name of a player or group, as its name is in the list. To compare all names for each line would take
// long in a large session.
func (l *likenesses) update(list *playerlist.List, id wire.PlayerID) {
	was := l.of[id]
	l.with[was] = slices.DeleteFunc(l.with[was], func(other wire.PlayerID) bool { return other == id })
	if len(l.with[was]) == 0 {
		delete(l.with, was)
	}
	delete(l.of, id)
	e, _ := list.Look(id)
	if like := likeness(name(&e)); like != "" {
		l.of[id], l.with[like] = like, append(l.with[like], id)
	}
}

// named returns the name of a player, group or machine for people, with the id behind it if another player or group has a name like
// it, or if a part of the name could be read as an id or as aside.
func (r *Roster) named(id wire.PlayerID, name string) string {
	like := likeness(name)
	taken := slices.ContainsFunc(r.alike.with[like], func(other wire.PlayerID) bool {
		p, _ := r.list.Look(other)
		return other != id && (p.Group || p.System != id) // a machine has the name of a player of its own
	})
	if taken || strings.Contains(like, "(ox") || strings.Contains(like, likeness(asideText)) {
		return captures.Shown(name) + " (" + id.String() + ")"
	}
	return captures.Shown(name)
}

// likeness returns what is left of a name without the differences that people do not see: case, accents, spaces, invisible characters,
// the script of letters that look the same, and what is beyond the letters that are shown.
func likeness(name string) string {
	name, _ = captures.Cut(name, captures.ShownName)
	return strings.Map(func(r rune) rune {
		r = unicode.ToLower(unicode.ToUpper(r)) // the long s is an s
		if r >= 0xFF01 && r <= 0xFF5E {
			r = unicode.ToLower(r - 0xFF01 + '!') // full width
		}
		if same, ok := lookalikes[r]; ok {
			r = same
		}
		if !unicode.IsGraphic(r) || unicode.In(r, unicode.Zs, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, name)
}

// lookalikes are characters, in small letters, that look like another one in small or capital letters.
var lookalikes = map[rune]rune{}

func init() {
	for _, same := range []string{ // each like the first one
		"aаαàáâãäåāăąǎ", "bвβьъ", "cсçćčϲ", "dԁďđð", "eеεèéêëēĕėęěё", "fϝ", "gɡğģг", "hнһη", "jјϳ", "kкκќ", "mмμϻ", "nпνñńňņй",
		"o0оοσòóôõöøōőœ", "pрρ", "qԛ", "rřŕ", "sѕ5śšşș$", "tтτťţț", "uυùúûüūůűų", "vѵ", "wωԝш", "xхχ", "yуγýÿў", "zζźžż2",
		"l1|!ⅼłĺľӏiіιìíîïīįıї", // a capital i looks like a small l
	} {
		first, _ := utf8.DecodeRuneInString(same)
		for _, r := range same {
			lookalikes[r] = first
		}
	}
}
