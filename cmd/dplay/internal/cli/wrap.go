package cli

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// TextWidth is how wide texts are where the screen does not say; beyond WidestText lines are hard to read.
const (
	TextWidth  = 80
	WidestText = 100
)

// Width returns how wide texts are on an output.
func Width(out any) int {
	if f := Terminal(out); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return min(width, WidestText)
		}
	}
	return TextWidth
}

// AppendWrapped writes words in lines that are no longer than the width, unless a single word is. What is given stands
// before the first line, and before the next ones.
func AppendWrapped(b []byte, first, next, text string, width int) []byte {
	const least = 16 // columns for words, on the narrowest screen
	line, used, fresh := first, utf8.RuneCountInString(first), true
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if !fresh && used+1+n > max(width, utf8.RuneCountInString(next)+least) {
			b = append(append(b, line...), '\n')
			line, used, fresh = next, utf8.RuneCountInString(next), true
		}
		if !fresh {
			line, used = line+" ", used+1
		}
		line, used, fresh = line+word, used+n, false
	}
	return append(append(b, strings.TrimRight(line, " ")...), '\n')
}
