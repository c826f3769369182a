package draw

import (
	"slices"
	"time"

	"dplay4/captures/doctor"
)

// steps makes the rows of a picture: items, silences between them, and findings that belong to no message.
func (b *Builder) steps(items []item) []Step {
	slices.SortStableFunc(items, func(x, y item) int { return x.N - y.N })
	notes := b.notes()
	var steps []Step
	spoke := time.Duration(0) // when the last thing was said
	for i := range items {
		at := items[i].At
		for len(notes) > 0 && notes[0].At <= at {
			steps = append(steps, notes[0])
			notes = notes[1:]
		}
		if i > 0 && at-spoke >= silence {
			steps = append(steps, Step{Kind: Silence, At: spoke, Last: at})
		}
		spoke = max(spoke, items[i].Last)
		steps = append(steps, items[i].step())
		steps[len(steps)-1].Others = b.hiddenNames(&items[i])
	}
	return append(steps, notes...)
}

// step makes a row of an item.
func (a *item) step() Step {
	s := a.Step
	slices.Sort(s.To)
	if s.Kind != Band && s.Count > 1 && (s.Count != len(s.To) || s.Text == "") {
		s.Kind = Fold
	}
	return s
}

// notes returns the findings that belong to no message, in the order of time.
func (b *Builder) notes() []Step {
	var notes []Step
	if b.opt.Partial || !b.started {
		return nil
	}
	b.marks.notes(func(f int, e *doctor.Evidence) {
		if len(notes) < maxFindings {
			at := b.since(e.Time)
			notes = append(notes, Step{Kind: Note, At: at, Last: at, Frame: e.Frame, Text: e.Value, Findings: []int{f}})
		}
	})
	slices.SortStableFunc(notes, func(x, y Step) int { return int(x.At - y.At) })
	return notes
}
