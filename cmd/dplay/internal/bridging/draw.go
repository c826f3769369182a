package bridging

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"dplay4/captures"
)

// A part is some lines of the screen.
type part struct {
	lines []string
	room  int // how many are shown
}

// take gives a part room for some of its lines, as far as there is some, and returns what is left.
func (p *part) take(left, most int) int {
	n := max(0, min(len(p.lines)-p.room, most, left))
	p.room += n
	return left - n
}

// shown returns the lines for which there is room.
func (p *part) shown() []string { return p.lines[:p.room] }

// draw returns what the screen shows. Where that is low, what happened goes first, and the question goes last.
func (m *model) draw() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.width <= 0 || m.height <= 0 {
		return "" // the size is not known yet
	}
	table := &part{lines: tableLines(m.members, m.width)}
	table.lines[0] = m.style(bold, table.lines[0])
	code, join := &part{lines: codeLines(m.code, m.width)}, m.wrapped(dim, "Who has it can join: dplay bridge join, and the code.")
	hosts := m.wrapped(0, m.hosts(m.members, "j"))
	waiting, question := &part{}, &part{}
	if m.waiting != "" {
		waiting = m.wrapped(bold, "waiting: "+captures.Printable(m.waiting))
	}
	if len(m.asked) > 0 {
		question = m.wrapped(bold, m.question())
	}
	if m.blocked && !m.letting {
		hosts.lines = append(hosts.lines, m.wrapped(dim, "h has a game here host nonetheless.").lines...)
	}
	help := m.wrapped(dim, helpText(m.members))

	const fewest = 4 // of the table: its titles, this machine and two more
	left := table.take(question.take(m.height, m.height), fewest)
	for _, p := range []*part{waiting, code, hosts, help, table, join} {
		left = p.take(left, m.height)
	}
	blank := [3]*part{}
	for i := range blank {
		blank[i] = &part{lines: []string{""}}
		left = blank[i].take(left, 1)
	}
	events := m.latest(left)
	if more := len(table.lines) - table.room; more > 0 && table.room > 1 {
		table.lines[table.room-1] = fmt.Sprintf("... and %d more", more+1)
	}
	var lines []string
	for _, p := range []*part{code, join, blank[0], table, blank[1], hosts, waiting, events, blank[2], question, help} {
		lines = append(lines, p.shown()...)
	}
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], m.width, "~")
	}
	return strings.Join(lines, "\n")
}

// latest returns of what happened what came last, in whole lines, as far as there is room; of the very last one what fits.
func (m *model) latest(room int) *part {
	p := &part{}
	for _, l := range slices.Backward(m.lines) {
		lines := m.wrapped(0, l).lines
		if len(p.lines) > 0 && len(p.lines)+len(lines) > room {
			break
		}
		p.lines = slices.Concat(lines, p.lines)
	}
	p.take(room, room)
	return p
}

// wrapped breaks lines that are wider than the screen: what a line names last is often what matters.
func (m *model) wrapped(style int, lines ...string) *part {
	p := &part{}
	for _, l := range lines {
		for w := range strings.SplitSeq(ansi.Wrap(l, m.width, ""), "\n") {
			p.lines = append(p.lines, m.style(style, w))
		}
	}
	return p
}

// question asks about the newcomer who waits.
func (m *model) question() string {
	m.drawn = m.asked[0].ID
	text := Question(m.asked[0], "y lets in, n does not")
	if more := len(m.asked) - 1; more > 0 {
		text += fmt.Sprintf(" (%d more wait)", more)
	}
	return text
}

// codeLines returns the code, which is broken only between its groups.
func codeLines(code string, width int) (lines []string) {
	line := "Code: "
	for group := range strings.SplitAfterSeq(code, "-") {
		if line != "" && ansi.StringWidth(line+group) > width {
			lines = append(lines, strings.TrimRight(line, " "))
			line = ""
		}
		line += group
	}
	return append(lines, line)
}

// The styles, as the numbers that terminals know them by.
const (
	bold = 1
	dim  = 2
)

func (m *model) style(n int, text string) string {
	if !m.styled || n == 0 || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[m", n, text)
}
