package main

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The texts of topics are Markdown, so that they can be read in a repository as well. What they use of it is here: headings,
// paragraphs, lists, tables and code that is indented; code and links within a line.
var (
	topicProgram = regexp.MustCompile("`(dplay [^`]+)`")
	topicCode    = regexp.MustCompile("`([^`]+)`")
	topicLink    = regexp.MustCompile(`\[([^]]+)\]\(([^)]+)\)`)
)

// plainLine writes a line of Markdown as the other help texts are written: commands in quotes, the rest bare.
func plainLine(line string) string {
	line = topicProgram.ReplaceAllString(line, `"$1"`)
	line = topicCode.ReplaceAllString(line, "$1")
	return topicLink.ReplaceAllString(line, "$1 ($2)")
}

// appendTopic writes a text for a screen so wide.
func appendTopic(b []byte, text string, width int) []byte {
	const inset = "  " // of what stands under a heading
	indent := ""
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		heading, isHeading := strings.CutPrefix(line, "## ")
		title, isTitle := strings.CutPrefix(line, "# ")
		item, isItem := strings.CutPrefix(line, "- ")
		switch {
		case isTitle:
			b = appendWrapped(b, "", "", title, width)
		case isHeading:
			b, indent = append(b, heading+":\n"...), inset
		case isItem:
			b = appendWrapped(b, indent+"- ", indent+"  ", plainLine(item), width)
		case strings.HasPrefix(line, "    "):
			b = append(b, indent+line[2:]+"\n"...) // a command is not broken: it is there to be copied
		case strings.HasPrefix(line, "|"):
			end := i
			for end < len(lines) && strings.HasPrefix(lines[end], "|") {
				end++
			}
			b = appendTable(b, indent, lines[i:end], width)
			i = end - 1
		case line == "":
			b = append(b, '\n')
		default:
			b = appendWrapped(b, indent, indent, plainLine(line), width)
		}
	}
	return b
}

// appendTable writes a table; what stands in the last column is wrapped. The line under the heading is left out, and so
// is a heading of which nothing is said.
func appendTable(b []byte, indent string, lines []string, width int) []byte {
	var rows [][]string
	for _, line := range lines {
		if strings.HasPrefix(line, "|---") {
			continue
		}
		row := strings.Split(strings.Trim(line, "|"), "|")
		for i := range row {
			row[i] = plainLine(strings.TrimSpace(row[i]))
		}
		rows = append(rows, row)
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		last := len(row) - 1
		first, next := indent, indent
		for i, cell := range row[:last] {
			first += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
			next += strings.Repeat(" ", widths[i]+2)
		}
		b = appendWrapped(b, first, next, row[last], width)
	}
	return b
}

// appendWrapped writes words in lines that are no longer than the width, unless a single word is. What is given stands
// before the first line, and before the next ones.
func appendWrapped(b []byte, first, next, text string, width int) []byte {
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
