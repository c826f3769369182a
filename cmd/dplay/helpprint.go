package main

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// The help texts of commands are written in lines of any length: what a reader sees is as wide as the screen. Lines of the same
// indent are a paragraph; one of a list has its words behind two spaces, and goes on below them; commands stay as they are.

// listed matches a line of a list: what it is about, and what is said.
var listed = regexp.MustCompile(`^( *\S+(?: \S+)*  +)(\S.*)$`)

// onItsOwn is how long a line can be without reaching where authors break: the next one begins anew, for it ended on purpose.
const onItsOwn = 72

// A paragraph is lines that belong together.
type paragraph struct {
	first, next string // what stands before its first line, and before the others
	words       string
	last        int // how long its last line was
}

// printHelp prints the help of a command, as wide as the screen.
func printHelp(cmd *cobra.Command, _ []string) {
	out := cmd.OutOrStdout()
	out.Write(appendHelp(nil, cmd, widthFor(out))) //nolint:errcheck // cobra's own help does not look, either
}

// appendHelp appends the help of a command for a screen so wide.
func appendHelp(b []byte, cmd *cobra.Command, width int) []byte {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	b = append(appendReflowed(b, strings.TrimSpace(text), width), '\n')
	usage := cmd.UsageString()
	for _, flags := range []interface {
		FlagUsages() string
		FlagUsagesWrapped(cols int) string
	}{cmd.LocalFlags(), cmd.InheritedFlags()} {
		if long := strings.TrimRight(flags.FlagUsages(), "\n"); long != "" {
			usage = strings.Replace(usage, long, strings.TrimRight(flags.FlagUsagesWrapped(width), "\n"), 1)
		}
	}
	example := false
	for line := range strings.Lines(usage) {
		switch {
		case line == "Examples:\n" || example && line != "\n":
			example = true // commands are there to be copied
			b = append(b, line...)
		case utf8.RuneCountInString(line) > width+1:
			b = appendReflowed(b, strings.TrimRight(line, "\n"), width)
		default:
			example = false
			b = append(b, line...)
		}
	}
	return b
}

// appendReflowed appends a text in lines no longer than the width, unless a single word is.
func appendReflowed(b []byte, text string, width int) []byte {
	var open *paragraph
	end := func() {
		if open != nil {
			b = appendWrapped(b, open.first, open.next, open.words, width)
			open = nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " ")
		words := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(words)]
		row := listed.FindStringSubmatch(line)
		switch {
		case words == "", isCommandLine(indent, words):
			end()
			b = append(append(b, line...), '\n')
		case open != nil && indent == open.next && open.goesOn(words) && (row == nil || open.first != open.next):
			open.words += " " + words
			open.last = utf8.RuneCountInString(line)
		default:
			end()
			open = newParagraph(indent, words, row)
			open.last = utf8.RuneCountInString(line)
		}
	}
	end()
	return b
}

// programs are those whose command lines help shows.
var programs = []string{"dplay", "reg", "tcpdump", "tshark", "curl", "$"}

// isCommandLine reports whether a line is there to be copied.
func isCommandLine(indent, words string) bool {
	if strings.HasPrefix(words, "\t") {
		return true
	}
	return indent != "" && slices.ContainsFunc(programs, func(p string) bool { return strings.HasPrefix(words, p+" ") })
}

// newParagraph begins a paragraph with a line, which may be one of a list.
func newParagraph(indent, words string, row []string) *paragraph {
	if row != nil {
		return &paragraph{first: row[1], next: strings.Repeat(" ", utf8.RuneCountInString(row[1])), words: row[2]}
	}
	if item, ok := strings.CutPrefix(words, "- "); ok {
		return &paragraph{first: indent + "- ", next: indent + "  ", words: item}
	}
	return &paragraph{first: indent, next: indent, words: words}
}

// goesOn reports whether a line with the same indent belongs to the paragraph: the one before has no room for its first word,
// or is one of a list, whose words stand nowhere else.
func (p *paragraph) goesOn(words string) bool {
	word, _, _ := strings.Cut(words, " ")
	return p.first != p.next || p.last+1+utf8.RuneCountInString(word) > onItsOwn
}
