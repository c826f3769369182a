package commands

import (
	"fmt"
	"strings"
)

// textWidth is how wide the lists of commands and keys are.
const textWidth = 78

// Reference returns the lists of EVENTS.md: the commands, each with its keys (those in brackets may be left out), what they do, what
// the keys say, and the codes of what fails.
func Reference() string {
	var b strings.Builder
	for i := range table {
		s := &table[i]
		words := strings.Fields(s.needs)
		for _, w := range strings.Fields(s.may) {
			words = append(words, "["+w+"]")
		}
		wrap(&b, fmt.Sprintf("%-15s ", s.name), 16, words)
	}
	b.WriteString("\nWhat they do:\n\n")
	for i := range table {
		wrap(&b, fmt.Sprintf("%-15s ", table[i].name), 16, strings.Fields(table[i].about))
	}
	b.WriteString("\nThe keys:\n\n")
	wrap(&b, fmt.Sprintf("%-19s ", "id"), 20, strings.Fields(idWords+": the answer repeats it"))
	for i := range keys {
		words := keys[i].kind.words()
		if keys[i].about != "" {
			words += "; " + keys[i].about
		}
		wrap(&b, fmt.Sprintf("%-19s ", keys[i].name), 20, strings.Fields(words))
	}
	b.WriteString("\nThe errors:\n\n")
	for _, c := range codes {
		wrap(&b, fmt.Sprintf("%-16s ", c.code), 17, strings.Fields(c.about))
	}
	return b.String()
}

// wrap writes words behind a first one, indented on the lines that follow.
func wrap(b *strings.Builder, first string, indent int, words []string) {
	const margin = "    "
	line := margin + first
	for i, w := range words {
		if len(line)+len(w) > textWidth {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = margin + strings.Repeat(" ", indent)
		}
		line += w
		if i < len(words)-1 {
			line += " "
		}
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
