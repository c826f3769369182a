// Package markdown writes Markdown for screens, as the other help texts are written.
package markdown

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"dplay4/cmd/dplay/internal/cli"
)

// The texts of topics are Markdown, so that they can be read in a repository as well. What they use of it is here: headings,
// paragraphs, lists, tables and code that is indented; code and links within a line.
var (
	program = regexp.MustCompile("`(dplay [^`]+)`")
	Code    = regexp.MustCompile("`([^`]+)`")
	link    = regexp.MustCompile(`\[([^]]+)\]\(([^)]+)\)`)
)

// printed are texts of the repository that links lead to and that are topics: readers of the program do not have the files.
var printed = map[string]string{"NDJSON.md": `"dplay help json"`, "EVENTS.md": `"dplay help events"`}

// plainLine writes a line of Markdown as the other help texts are written: commands in quotes, the rest bare.
func plainLine(line string) string {
	line = program.ReplaceAllString(line, `"$1"`)
	return PlainLinks(Code.ReplaceAllString(line, "$1"))
}

// PlainLinks replaces links by their texts, followed by the address if it is outside of the repository.
func PlainLinks(line string) string {
	return link.ReplaceAllStringFunc(line, func(text string) string {
		m := link.FindStringSubmatch(text)
		switch topic, ok := printed[path.Base(m[2])]; {
		case ok:
			return topic
		case strings.Contains(m[2], "://"):
			return m[1] + " (" + m[2] + ")"
		}
		return m[1]
	})
}

// alone matches lines that are no part of a paragraph or list item: headings, rows of tables, code and empty ones. begins matches lines that
// do not go on with the line before.
var (
	alone  = regexp.MustCompile(`^(#|\||    |$)`)
	begins = regexp.MustCompile(alone.String() + `|^- `)
)

// joined splits a text into lines, and joins the lines of each paragraph and list item.
func joined(text string) (list []string) {
	goesOn := false
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if goesOn && !begins.MatchString(line) {
			list[len(list)-1] += " " + strings.TrimSpace(line)
		} else {
			list = append(list, line)
		}
		goesOn = !alone.MatchString(line)
	}
	return list
}

// Append writes a text for a screen so wide.
func Append(b []byte, text string, width int) []byte {
	const inset = "  " // of what stands under a heading
	indent := ""
	lines := joined(text)
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		mark := marks.FindString(line)
		text := line[len(mark):]
		switch mark {
		case "## ":
			b, indent = append(b, strings.Replace(plainLine(text)+":\n", "?:", "?", 1)...), inset
		case "- ":
			b = cli.AppendWrapped(b, indent+"- ", indent+"  ", plainLine(text), width)
		case "    ":
			b = append(b, indent+"  "+text+"\n"...) // a command is not broken: it is there to be copied
		case "|":
			rest := lines[i:]
			end := slices.IndexFunc(append(rest, ""), func(line string) bool { return !strings.HasPrefix(line, "|") })
			b = AppendTable(b, indent, rest[:end], width)
			i += end - 1
		default: // also the title, before which nothing is indented
			b = cli.AppendWrapped(b, indent, indent, plainLine(text), width)
		}
	}
	return b
}

// marks matches what makes a line of Markdown more than text.
var marks = regexp.MustCompile(`^(# |## |- |    |\|)`)

// border matches what stands between two cells.
var border = regexp.MustCompile(` *\| *`)

// tableRows returns the cells of a table, without the line under the heading.
func tableRows(lines []string) (rows [][]string) {
	for _, line := range lines {
		if strings.HasPrefix(line, "|---") {
			continue
		}
		rows = append(rows, border.Split(strings.TrimSpace(strings.Trim(plainLine(line), "|")), -1))
	}
	return rows
}

// AppendTable writes a table; what stands in the last column is wrapped, or, where the others take more than three
// quarters of the screen, stands under them. A heading of which nothing is said is left out.
func AppendTable(b []byte, indent string, lines []string, width int) []byte {
	rows := tableRows(lines)
	widths, before := make([]int, len(rows[0])-1), 0
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		before += widths[i] + 2
	}
	if 4*before > 3*cli.TextWidth {
		return appendTall(b, indent, rows, width)
	}
	for _, row := range rows {
		last := len(row) - 1
		first, next := indent, indent
		for i, cell := range row[:last] {
			first += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
			next += strings.Repeat(" ", widths[i]+2)
		}
		b = cli.AppendWrapped(b, first, next, row[last], width)
	}
	return b
}

// appendTall writes a table with the last cell of each row under the others.
func appendTall(b []byte, indent string, rows [][]string, width int) []byte {
	for _, row := range rows[1:] { // a heading over both would help nobody
		last := len(row) - 1
		first := strings.TrimRight(indent+strings.Join(row[:last], "  "), " ")
		if len(row) > 2 {
			first = indent + row[0] + ": "
			b = cli.AppendWrapped(b, first, indent+"  ", strings.Join(row[1:last], "  "), width)
		} else {
			b = append(b, first+"\n"...)
		}
		if row[last] != "" {
			b = cli.AppendWrapped(b, indent+"    ", indent+"    ", row[last], width)
		}
	}
	return b
}
