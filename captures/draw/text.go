package draw

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/captures/show"
)

// TextOptions steer AppendText.
type TextOptions struct {
	Width int  // columns of a line; 0: 120. A picture with many lanes takes more.
	Color bool // with escape sequences of terminals
	ASCII bool // without box drawing characters
}

// The measures of a picture in text, in columns.
const (
	textTime    = 11 // of the times, with six decimals
	textDetails = 44 // what the fields have at least, before lanes stand closer
	textLane    = 24 // between two lanes at most
	textNarrow  = 8  // and at least
	textLast    = 3  // behind the last lane
)

// sketch is a picture in text in the making.
type sketch struct {
	d    *Diagram
	opt  TextOptions
	lane int // columns between lanes
	b    []byte
	told map[int]bool // findings written in full
}

// ascii has plain characters for those that draw lines.
var ascii = strings.NewReplacer("│", "|", "┼", "+", "─", "-", "▶", ">", "◀", "<", "●", "o", "┆", ":", "▲", "!", "×", "x", "…", "~",
	"═", "=")

// AppendText appends the picture as plain text: a legend of the lanes, and a line a step.
func (d *Diagram) AppendText(b []byte, opt TextOptions) []byte {
	if opt.Width <= 0 {
		opt.Width = 120
	}
	s := &sketch{d: d, opt: opt, told: map[int]bool{}}
	s.lane = min(max((opt.Width-textTime-2-textDetails-textLast)/max(len(d.Lanes)-1, 1), textNarrow), textLane)
	s.legend()
	if len(d.Steps) > 0 {
		s.heads()
	}
	for i := range d.Steps {
		s.step(&d.Steps[i])
	}
	s.rest()
	if opt.ASCII {
		s.b = []byte(ascii.Replace(string(s.b)))
	}
	return append(b, s.b...)
}

// letter returns the short name of a lane.
func letter(lane int) string { return string(rune('A' + lane)) }

func (s *sketch) line(format string, args ...any) {
	s.b = fmt.Appendf(s.b, format, args...)
	s.b = append(s.b, '\n')
}

// legend says which machine each lane is.
func (s *sketch) legend() {
	d := s.d
	s.line("%s: %s", d.Title, d.Caption())
	for i := range d.Lanes {
		l := &d.Lanes[i]
		if d.Messages == 0 {
			break // there are no machines
		}
		host := ""
		if l.Host {
			host = ", host"
		}
		if l == d.Rest() {
			s.others(i)
			continue
		}
		s.line("  %s  %-21s  %s%s; sent %s", letter(i), l.Where(), captures.Printable(l.Who()), host, counted(l.Messages, "message"))
	}
	s.b = append(s.b, '\n')
}

// others lists the machines that have no lanes of their own, in as many lines as that takes.
func (s *sketch) others(lane int) {
	l := &s.d.Lanes[lane]
	head := fmt.Sprintf("  %s  others, %s; sent %s:", letter(lane), counted(l.Machines, "machine"), counted(l.Messages, "message"))
	s.line("%s", head)
	for _, line := range wrap(captures.Printable(l.rest()), s.opt.Width-5) {
		s.line("     %s", line)
	}
}

// Caption says in one line what a picture is of.
func (d *Diagram) Caption() string {
	if d.Messages == 0 {
		return "no messages"
	}
	c := counted(d.Messages, "message") + " in " + Span(d.Duration) + ", from " + d.Start.UTC().Format("2006-01-02 15:04:05") + " UTC on"
	if n := len(d.Findings) + d.Left; n > 0 {
		c += "; " + counted(n, "finding")
	}
	return c
}

// heads writes the lanes' letters and who is there, as far as there is place.
func (s *sketch) heads() {
	line := strings.Repeat(" ", textTime+2)
	for i := range s.d.Lanes {
		l := &s.d.Lanes[i]
		if i == len(s.d.Lanes)-1 { // nothing is to its right
			line += letter(i) + " " + captures.Printable(l.Who())
			break
		}
		head := fit(letter(i)+" "+captures.Printable(l.Who()), s.lane-1)
		line += head + strings.Repeat(" ", s.lane-columns(head))
	}
	s.line("%s", fit(line, max(s.opt.Width, len(s.rails(' ')))))
}

// rails returns the lanes without anything between them.
func (s *sketch) rails(rail rune) []rune {
	row := []rune(strings.Repeat(" ", (len(s.d.Lanes)-1)*s.lane+textLast))
	for i := range s.d.Lanes {
		row[i*s.lane] = rail
	}
	return row
}

// lineOver is what a line makes of a place: it only crosses a lane.
var lineOver = map[rune]rune{' ': '─', '│': '┼'}

// arrow draws a message between its lanes.
func (s *sketch) arrow(st *Step) []rune {
	row := s.rails('│')
	low, high := min(st.From, slices.Min(st.To)), max(st.From, slices.Max(st.To))
	if st.stopped() && low < high {
		return s.stopped(row, st.From, low+high-st.From)
	}
	for c := low * s.lane; c < high*s.lane; c++ {
		row[c] = lineOver[row[c]]
	}
	for _, to := range st.To {
		row[to*s.lane] = '│'
	}
	row[st.From*s.lane] = '●'
	for _, to := range st.To {
		switch {
		case to > st.From:
			row[to*s.lane-1] = '▶'
		case to < st.From:
			row[to*s.lane+1] = '◀'
		default: // to itself, as machines behind one address seem to
			row[to*s.lane+1] = '◀'
			row[to*s.lane+2] = '─'
		}
	}
	return row
}

// stopped draws a message that does not arrive.
func (s *sketch) stopped(row []rune, from, to int) []rune {
	ahead := 1
	if to < from {
		ahead = -1
	}
	at := from * s.lane
	row[at] = '●'
	for range ahead*(to-from)*s.lane*2/3 - 1 {
		at += ahead
		row[at] = lineOver[row[at]]
	}
	row[at+ahead] = '×'
	return row
}

// band draws a stretch of any messages.
func (s *sketch) band() []rune {
	row := s.rails('│')
	for c := range len(row) - textLast {
		row[c] = '═'
	}
	return row
}

// step writes the line of a step, and its findings under it.
func (s *sketch) step(st *Step) {
	at := strings.Repeat(" ", textTime)
	var row []rune
	details := ""
	switch st.Kind {
	case Silence:
		row, details = s.rails('┆'), "┆ "+st.Details()
	case Note:
		row, at = s.rails('│'), seconds(st.At)
		details = strings.TrimSpace("▲ " + st.Text)
	case Band:
		row, at, details = s.band(), seconds(st.At), st.Details()
	default:
		row, at = s.arrow(st), seconds(st.At)
		details = s.paint(st, st.Command) + " " + st.Details()
	}
	room := max(s.opt.Width-textTime-2-len(row), textDetails/2)
	if s.opt.Color {
		room += len("\x1b[36m\x1b[0m")
	}
	details = fit(details, room)
	s.line("%s", strings.TrimRight(fmt.Sprintf("%*s  %s%s", textTime, at, string(row), details), " "))
	s.findings(st)
}

// paint gives a command its colour.
func (s *sketch) paint(st *Step, text string) string {
	if !s.opt.Color {
		return text
	}
	color := map[Class]string{System: "\x1b[36m", Game: "\x1b[32m", Ping: "\x1b[90m", Failed: "\x1b[31m",
		Answer: "\x1b[90m", Again: "\x1b[33m", Missed: "\x1b[35m"}[st.Class]
	return color + text + "\x1b[0m"
}

// findings writes what is wrong with a step: in full where it shows first.
func (s *sketch) findings(st *Step) {
	for _, i := range st.Findings {
		f := &s.d.Findings[i]
		text := fmt.Sprintf("▲ %d %s %s", i+1, f.Severity, f.Code)
		if !s.told[i] {
			text += ": " + f.Text
			s.told[i] = true
		} else {
			text += ", as above"
		}
		if s.opt.Color {
			text = "\x1b[33m" + text + "\x1b[0m"
		}
		s.line("%*s  %s%s", textTime, "", string(s.rails('│')), text)
	}
}

// rest writes the findings that show nowhere in the picture.
func (s *sketch) rest() {
	head := "\nShown at no message of this picture:"
	for i := range s.d.Findings {
		if f := &s.d.Findings[i]; !s.told[i] {
			if head != "" {
				s.line("%s", head)
				head = ""
			}
			s.line("  ▲ %d %s %s: %s", i+1, f.Severity, f.Code, f.Text)
		}
	}
	if s.d.Left > 0 {
		s.line("  %s more", counted(s.d.Left, "finding"))
	}
}

func seconds(d time.Duration) string { return string(show.AppendSeconds(nil, d)) }
