package draw

import (
	"slices"
	"time"
)

// steps makes the rows of a picture: items, silences between them, and findings that belong to no message.
func (b *Builder) steps(items []item) []Step {
	slices.SortStableFunc(items, func(x, y item) int { return x.n - y.n })
	notes := b.notes()
	var steps []Step
	spoke := time.Duration(0) // when the last thing was said
	for i := range items {
		at := items[i].first
		for len(notes) > 0 && notes[0].At <= at {
			steps = append(steps, notes[0])
			notes = notes[1:]
		}
		if i > 0 && at-spoke >= silence {
			steps = append(steps, Step{Kind: Silence, At: spoke, Last: at})
		}
		spoke = max(spoke, items[i].last)
		steps = append(steps, items[i].step())
		steps[len(steps)-1].Others = b.hiddenNames(&items[i])
	}
	return append(steps, notes...)
}

// step makes a row of an item.
func (a *item) step() Step {
	s := Step{
		Kind: Message, At: a.first, Last: a.last, N: a.n, LastN: a.lastN, Frame: a.frame, From: a.from, To: a.all,
		UDP: a.udp, Class: a.class, Command: a.command, Text: a.text, Count: a.count, Min: a.min, Max: a.max,
		Octets: a.octets, Lost: a.lost, Findings: a.findings,
	}
	if s.To == nil {
		s.To = []int{a.to}
	}
	slices.Sort(s.To)
	switch {
	case a.band:
		s.Kind, s.To = Band, nil
	case a.count > 1 && (a.count != len(a.all) || a.text == ""):
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
	b.marks.notes(func(f int, p *Place) {
		if len(notes) < maxFindings {
			at := b.since(p.Time)
			notes = append(notes, Step{Kind: Note, At: at, Last: at, Frame: p.Frame, Text: p.What, Findings: []int{f}})
		}
	})
	slices.SortStableFunc(notes, func(x, y Step) int { return int(x.At - y.At) })
	return notes
}
