package events

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"dplay4/captures"
	"dplay4/playerlist"
	"dplay4/wire"
)

// likenesses knows which players and groups have names that people could take for each other.
type likenesses struct {
	version uint32                   // of the list that it is about
	of      map[wire.PlayerID]string // what is left of a name; "" of some
	count   map[string]int           // of how many that is left
}

// likenesses returns those of the players and groups that there are.
func (r *Roster) likenesses() *likenesses {
	if r.alike.version != r.list.Version() {
		r.alike = likenesses{r.list.Version(), map[wire.PlayerID]string{}, map[string]int{}}
		for _, each := range []iter.Seq[playerlist.Entry]{r.list.EachPlayer(), r.list.EachGroup()} {
			for e := range each {
				like := likeness(name(&e))
				r.alike.of[e.ID] = like
				r.alike.count[like]++
			}
		}
		delete(r.alike.count, "")
	}
	return &r.alike
}

// named returns the name of a player, group or machine for people, with the id behind it if another player or group has a name like
// it, or if a part of the name could be read as an id or as aside.
func (r *Roster) named(id wire.PlayerID, name string) string {
	like, alike := likeness(name), r.likenesses()
	others := alike.count[like]
	if others > 0 && alike.of[id] == like {
		others--
	}
	if e, ok := r.list.Look(id); others > 0 && (!ok || isMachine(&e)) && others == r.playersOf(id, like) {
		others = 0 // a machine, and its own players
	}
	if others > 0 || strings.Contains(like, "(ox") || strings.Contains(like, likeness(asideText)) {
		return captures.Shown(name) + " (" + id.String() + ")"
	}
	return captures.Shown(name)
}

// playersOf returns how many players of a machine have names that leave the same.
func (r *Roster) playersOf(system wire.PlayerID, like string) (n int) {
	for p := range r.players() {
		if p.System == system && r.likenesses().of[p.ID] == like {
			n++
		}
	}
	return n
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
