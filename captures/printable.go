package captures

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable makes a text for people of one that may hold anything, such as a name from the network: it stays on its line,
// and what could command a terminal, turn the direction of writing or make a document invalid is U+FFFD.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.Is(unicode.Zs, r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// What a name and another text take on a screen, in letters. Names of players may have hundreds of thousands; JSON has all of them.
const (
	ShownName = 64
	ShownText = 1000
)

// Shown is Printable for a name, of which it returns the first ShownName letters.
func Shown(name string) string {
	text, more := Cut(name, ShownName)
	return Printable(text) + more
}

// Cut returns the first letters of a text that has more than most, and a note that says how many it has: "... (250000 letters)".
func Cut(s string, most int) (text, more string) {
	if len(s) <= most {
		return s, ""
	}
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i], fmt.Sprintf("... (%d letters)", utf8.RuneCountInString(s))
		}
	}
	return s, ""
}
