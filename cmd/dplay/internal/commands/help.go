package commands

import (
	"fmt"
	"strings"

	"dplay4/cmd/dplay/internal/cli"
)

// textWidth is how wide the lists of commands and keys are.
const textWidth = 78

// Reference returns the lists of EVENTS.md: the commands, each with its keys (those in brackets may be left out), what they do, what
// the keys say, and the codes of what fails.
func Reference() string {
	var b []byte
	row := func(width int, name, text string) {
		const margin = "    "
		b = cli.AppendWrapped(b, fmt.Sprintf("%s%-*s", margin, width, name), margin+strings.Repeat(" ", width), text, textWidth)
	}
	for _, s := range table {
		words := strings.Fields(s.needs)
		for _, w := range strings.Fields(s.may) {
			words = append(words, "["+w+"]")
		}
		row(16, s.name, strings.Join(words, " "))
	}
	b = append(b, "\nWhat they do:\n\n"...)
	for _, s := range table {
		row(16, s.name, s.about)
	}
	b = append(b, "\nThe keys:\n\n"...)
	row(20, "id", commandID.words+": the answer repeats it")
	for _, k := range keys {
		row(20, k.name, strings.TrimSuffix(k.kind.words+"; "+k.about, "; "))
	}
	b = append(b, "\nThe errors:\n\n"...)
	for _, c := range codes {
		row(17, string(c.code), c.about)
	}
	return string(b)
}
