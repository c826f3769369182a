package doctor

import (
	"cmp"
	"fmt"
	"slices"

	"dplay4/captures/links"
)

// A repeats counts the frames that a machine sent another one again.
type repeats struct {
	links.Marks     // all of them
	data        int // Data frames in all
	still       int // sent again while nothing was acknowledged at all
	twice       int // had been acknowledged
	early       int // came before the acknowledgement of the sending before, or at once behind it
	arrived     int // are in twice or in early
	copies      int // are copies that the network or the capture made
	unseen      int // sendings that did not reach the capture
	missing     int // messageids that never did
}

// repeatsOf adds up the repeats of links.
func repeatsOf(list []*links.Link) (r repeats) {
	for _, l := range list {
		r.data += l.Data
		r.still += l.InStalls()
		r.twice += l.Twice
		r.early += l.Early
		r.arrived += l.Arrived
		r.copies += l.Copies
		r.unseen += l.LostFirst
		r.missing += l.Missing()
		r.Count += l.Repeated.Count
		r.Places = append(r.Places, l.Repeated.Places...)
	}
	again := mapped(where(list, func(l *links.Link) bool { return l.Repeated.Count > 0 }), func(l *links.Link) links.Marks { return l.Repeated })
	if len(again) > 0 {
		r.First = slices.MinFunc(again, func(a, b links.Marks) int { return a.First.N - b.First.N }).First
		r.Last = slices.MaxFunc(again, func(a, b links.Marks) int { return a.Last.N - b.Last.N }).Last
	}
	return r
}

// lost returns how many sendings were lost, as far as that shows.
func (r *repeats) lost() int {
	return max(r.Count-r.still-r.copies-r.arrived, r.missing+r.unseen, 0)
}

// tooEarly reports whether most of the frames that were sent again had arrived. Where that shows by acknowledgements before the repeats
// alone, these may have been lost: back is what the other machine sent again, and a network that loses acknowledgements loses its
// frames as well.
func (c *facts) tooEarly(t *traffic) bool {
	r, back := &t.again, cmp.Or(find(c.traffic, func(x *traffic) bool { return x.way == t.back() }), new(traffic)).again
	return r.arrived >= 2*r.lost() && (r.early > 0 || r.arrived >= badCount && r.arrived >= 4*back.lost())
}

// words returns the number of frames that were sent again, in words.
func (r *repeats) words(c *facts, t *traffic) string {
	text := fmt.Sprintf("%s sent %d of %d frames to %s again (%.1f %%)", c.who(t.from), r.Count, r.data, c.who(t.to), percent(r.Count, r.data))
	first, last := seconds(r.First.Time.Sub(c.Begin)), seconds(r.Last.Time.Sub(c.Begin))
	return text + []string{"", ", at " + first, ", from " + first + " to " + last}[min(r.Count, 2)]
}

// reliableEarly is the rule sent-again-too-early for captures.
var reliableEarly = eachTraffic(func(c *facts, t *traffic) *Finding {
	r := &t.again
	if !c.tooEarly(t) {
		return nil
	}
	f := found(r.words(c, t)+" although the first sending had arrived, "+itoa(r.arrived)+" of them for certain", showMarks(&r.Marks, "sent again")...)
	if t.trips.Count > 0 {
		f.Text += "; acknowledgements took " + millis(t.trips.Median()) + " in the middle, " + millis(t.trips.Worst) + " at worst"
	}
	return f.more(r.Count-len(f.Evidence)).felt(r.arrived, r.data)
})
