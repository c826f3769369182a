// Package markdown writes Markdown for screens, as the other help texts are written.
package markdown

import (
	"path"
	"regexp"
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

// joined splits a text into lines, and joins the lines of each paragraph and list item.
func joined(text string) (list []string) {
	goesOn := false
	for line := range strings.Lines(strings.TrimSpace(text) + "\n") {
		line = strings.TrimSuffix(line, "\n")
		item := strings.HasPrefix(line, "- ")
		plain := line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "    ")
		if plain && !item && goesOn {
			list[len(list)-1] += " " + strings.TrimSpace(line)
			continue
		}
		list, goesOn = append(list, line), plain
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
		heading, isHeading := strings.CutPrefix(line, "## ")
		title, isTitle := strings.CutPrefix(line, "# ")
		item, isItem := strings.CutPrefix(line, "- ")
		switch {
		case isTitle:
			b = cli.AppendWrapped(b, "", "", plainLine(title), width)
		case isHeading:
			b, indent = append(b, strings.Replace(plainLine(heading)+":\n", "?:", "?", 1)...), inset
		case isItem:
			b = cli.AppendWrapped(b, indent+"- ", indent+"  ", plainLine(item), width)
		case strings.HasPrefix(line, "    "):
			b = append(b, indent+line[2:]+"\n"...) // a command is not broken: it is there to be copied
		case strings.HasPrefix(line, "|"):
			end := i
			for end < len(lines) && strings.HasPrefix(lines[end], "|") {
				end++
			}
			b = AppendTable(b, indent, lines[i:end], width)
			i = end - 1
		case line == "":
			b = append(b, '\n')
		default:
			b = cli.AppendWrapped(b, indent, indent, plainLine(line), width)
		}
	}
	return b
}

// tableRows returns the cells of a table, without the line under the heading.
func tableRows(lines []string) (rows [][]string) {
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
	return rows
}

// AppendTable writes a table; what stands in the last column is wrapped, or, where the others take more than three
// quarters of the screen, stands under them. A heading of which nothing is said is left out.
func AppendTable(b []byte, indent string, lines []string, width int) []byte {
	rows := tableRows(lines)
	widths, before := make([]int, len(rows[0])), 0
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		if i < len(widths)-1 {
			before += widths[i] + 2
		}
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
