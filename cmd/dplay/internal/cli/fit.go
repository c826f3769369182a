package cli

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// Fit returns a text whose lines are broken between words where an output is a terminal, which would break them within words.
func Fit(out any, text string) string {
	f := Terminal(out)
	if f == nil {
		return text
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return text
	}
	return fit(text, width)
}

// fit breaks lines that are longer than a width. What is longer without a space, such as a code, is left whole: it is to be copied.
func fit(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = ""
		used := 0
		for j, word := range strings.Split(line, " ") {
			n := ansi.StringWidth(word)
			switch {
			case j == 0:
			case used+1+n > width:
				lines[i] += "\n"
				used = 0
			default:
				lines[i] += " "
				used++
			}
			lines[i] += word
			used += n
		}
	}
	return strings.Join(lines, "\n")
}
