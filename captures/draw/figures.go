package draw

import (
	"slices"
	"strconv"
	"strings"

	"dplay4/captures"
)

// figures are a table of what a plot shows, for who cannot see it.
type figures struct {
	Title string
	Heads []string
	Rows  [][]string // the first of each is a name
}

// caller names a lane in a sentence: who, and where.
func (l *Lane) caller() string { return captures.Printable(l.Who()) + " " + l.Where() }

// rateFigures sums up a plot of rates, by sender.
func rateFigures(title, what string, d *Diagram, r *rateData, lines [][]float64) figures {
	f := figures{Title: title, Heads: []string{"Sender", what, "a second on average", "at most", "at"}}
	if len(r.X) < 2 {
		return f // there is no plot
	}
	for i, lane := range r.Lanes {
		sum, most := 0.0, peak(lines[i])
		for _, v := range lines[i] {
			sum += v * r.Step
		}
		f.Rows = append(f.Rows, []string{d.Lanes[lane].caller(), grouped(int(sum + .5)), decimal(sum / (r.Step * float64(len(r.X)))),
			decimal(lines[i][most]), decimal(r.X[most]) + " s"})
	}
	return f
}

// tripFigures sums up the plot of round trips, by pair of machines.
func tripFigures(d *Diagram, lines []tripLine) figures {
	f := figures{Title: "round trips, in milliseconds", Heads: []string{"From and to", "Answers", "shortest", "median", "longest", "at"}}
	for _, l := range lines {
		most, sorted := peak(l.MS), slices.Sorted(slices.Values(l.MS))
		f.Rows = append(f.Rows, []string{d.Lanes[l.From].caller() + " to " + d.Lanes[l.To].caller(), grouped(len(l.MS)), decimal(sorted[0]),
			decimal(sorted[len(sorted)/2]), decimal(l.MS[most]), decimal(l.T[most]) + " s"})
	}
	return f
}

// peak returns the place of the greatest value.
func peak(values []float64) int { return slices.Index(values, slices.Max(values)) }

// decimal writes a number with at most three decimals.
func decimal(v float64) string {
	if v >= 100 {
		return grouped(int(v + .5))
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 3, 64), "0"), ".")
}
