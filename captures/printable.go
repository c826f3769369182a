package captures

import (
	"strings"
	"unicode"
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
