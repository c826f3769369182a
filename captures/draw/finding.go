package draw

import (
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/captures/doctor"
)

// cleaned returns a copy of findings whose texts can do no harm: they may quote the capture. Information is a note in a picture. The
// Value of a piece of evidence has all that there is to see.
func cleaned(list []doctor.Finding) []doctor.Finding {
	out := slices.Clone(list)
	for i := range out {
		f := &out[i]
		f.Severity = max(f.Severity, doctor.Note)
		f.Code = doctor.Code(captures.Printable(string(f.Code)))
		f.Text, f.Cause, f.Advice = captures.Printable(f.Text), captures.Printable(f.Cause), captures.Printable(f.Advice)
		f.Evidence = slices.Clone(f.Evidence)
		for j := range f.Evidence {
			e := &f.Evidence[j]
			if e.Field != "" {
				e.Value = e.Field + "=" + e.Value
			}
			e.Value = captures.Printable(strings.TrimSpace(e.Message + " " + e.Value))
		}
	}
	return out
}

// marks knows which findings belong to a message.
type marks struct {
	byMessage, byFrame map[int][]int
	taken              map[[2]int]bool // finding and frame, once it was found among the messages
	findings           []doctor.Finding
}

func newMarks(list []doctor.Finding) *marks {
	m := &marks{byMessage: map[int][]int{}, byFrame: map[int][]int{}, taken: map[[2]int]bool{}, findings: list}
	for i := range list {
		for _, e := range list[i].Evidence {
			switch {
			case e.N > 0:
				m.byMessage[e.N] = addOnce(m.byMessage[e.N], i)
			case e.Frame > 0:
				m.byFrame[e.Frame] = addOnce(m.byFrame[e.Frame], i)
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
func (m *marks) notes(f func(finding int, e *doctor.Evidence)) {
	for i := range m.findings {
		for j := range m.findings[i].Evidence {
			e := &m.findings[i].Evidence[j]
			if e.N == 0 && !e.Time.IsZero() && !m.taken[[2]int{i, e.Frame}] {
				f(i, e)
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
