package doctor

import (
	"fmt"

	"dplay4/captures/links"
)

// A repeats is what is known of the frames that a machine sent another one again.
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

// bothRepeats adds up the links of a traffic, and of that in the other direction, which is one of all.
func (t *traffic) bothRepeats(all []*traffic) (r, back repeats) {
	for _, x := range all {
		if x.from == t.to && x.to == t.from {
			back = x.repeats()
		}
	}
	return t.repeats(), back
}

// repeats adds up the links.
func (t *traffic) repeats() (r repeats) {
	for _, l := range t.links {
		r.data += l.Data
		r.still += l.InStalls()
		r.twice += l.Twice
		r.early += l.Early
		r.arrived += l.Arrived
		r.copies += l.Copies
		r.unseen += l.LostFirst
		r.missing += l.Missing()
		if m := &l.Repeated; m.Count > 0 {
			if r.Count == 0 || m.First.N < r.First.N {
				r.First = m.First
			}
			if m.Last.N > r.Last.N {
				r.Last = m.Last
			}
			r.Count += m.Count
			r.Places = append(r.Places, m.Places...)
		}
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
func (r *repeats) tooEarly(back *repeats) bool {
	return r.arrived >= 2*r.lost() && (r.early > 0 || r.arrived >= badCount && r.arrived >= 4*back.lost())
}

// words tells how many frames were sent again.
func (r *repeats) words(c *facts, t *traffic) string {
	text := fmt.Sprintf("%s sent %d of %d frames to %s again (%.1f %%)", c.who(t.from), r.Count, r.data, c.who(t.to), percent(r.Count, r.data))
	switch at := seconds(r.First.Time.Sub(c.Begin)); r.Count {
	case 0:
	case 1:
		text += ", at " + at
	default:
		text += ", from " + at + " to " + seconds(r.Last.Time.Sub(c.Begin))
	}
	return text
}

// reliableEarly adds what sent-again-too-early finds in a capture.
func reliableEarly(c *facts, out *findings) {
	all := c.traffics()
	for _, t := range all {
		r, back := t.bothRepeats(all)
		if !r.tooEarly(&back) {
			continue
		}
		f := out.add(r.words(c, t)+" although the first sending had arrived, "+itoa(r.arrived)+" of them for certain", showMarks(&r.Marks, "sent again")...)
		if trips := t.trips(); trips.Count > 0 {
			f.Text += "; acknowledgements took " + millis(trips.Median()) + " in the middle, " + millis(trips.Worst) + " at worst"
		}
		f.more(r.Count-len(f.Evidence)).felt(r.arrived, r.data)
	}
}
