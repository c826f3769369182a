package draw

import (
	"slices"
	"time"

	"dplay4/captures"
)

// A Severity says how much a finding matters. A greater one is more serious.
type Severity uint8

// The severities.
const (
	Notice Severity = iota + 1
	Warning
	Failure
)

// String returns the severity in one word.
func (s Severity) String() string { return [...]string{"note", "note", "warning", "failure"}[s] }

// A Search says whether anybody looked for findings: that there are none means something only then.
type Search uint8

// The searches.
const (
	NotLooked Search = iota // nobody looked
	Looked
)

// A Finding is something that went wrong, to be marked where it shows.
type Finding struct {
	Severity Severity
	Code     string
	Text     string  // one sentence
	Cause    string  // "" where there is nothing to say
	Advice   string  // likewise
	Places   []Place // where it shows
	More     int     // places beyond those
}

// A Place is where a finding shows: at a message, in a frame, at a time. What is not known is zero.
type Place struct {
	N     int // number of the message
	Frame int
	Time  time.Time
	What  string // what there is to see
}

// cleaned returns a copy of findings whose texts can do no harm: they may quote the capture.
func cleaned(list []Finding) []Finding {
	out := slices.Clone(list)
	for i := range out {
		f := &out[i]
		f.Code, f.Text, f.Cause, f.Advice = captures.Printable(f.Code), captures.Printable(f.Text), captures.Printable(f.Cause), captures.Printable(f.Advice)
		f.Places = slices.Clone(f.Places)
		for j := range f.Places {
			f.Places[j].What = captures.Printable(f.Places[j].What)
		}
	}
	return out
}

// marks knows which findings belong to a message.
type marks struct {
	byMessage, byFrame map[int][]int
	taken              map[[2]int]bool // finding and place, once it was found among the messages
	findings           []Finding
}

func newMarks(list []Finding) *marks {
	m := &marks{byMessage: map[int][]int{}, byFrame: map[int][]int{}, taken: map[[2]int]bool{}, findings: list}
	for i := range list {
		for _, p := range list[i].Places {
			switch {
			case p.N > 0:
				m.byMessage[p.N] = addOnce(m.byMessage[p.N], i)
			case p.Frame > 0:
				m.byFrame[p.Frame] = addOnce(m.byFrame[p.Frame], i)
			}
		}
	}
	return m
}

// of returns the findings of a message with this number, that came in these frames.
func (m *marks) of(n int, frames []int) []int {
	found := append([]int(nil), m.byMessage[n]...)
	if len(m.byFrame) == 0 {
		return found
	}
	for _, f := range frames {
		for _, i := range m.byFrame[f] {
			found = addOnce(found, i)
			m.taken[[2]int{i, f}] = true
		}
	}
	return found
}

// notes calls f for each place that belongs to no message but has a time.
func (m *marks) notes(f func(finding int, p *Place)) {
	for i := range m.findings {
		for j := range m.findings[i].Places {
			p := &m.findings[i].Places[j]
			if p.N == 0 && !p.Time.IsZero() && !m.taken[[2]int{i, p.Frame}] {
				f(i, p)
			}
		}
	}
}

func addOnce(list []int, v int) []int {
	if slices.Contains(list, v) {
		return list
	}
	return append(list, v)
}
