package links

import (
	"slices"
	"time"
)

// Trips are the times between frames that ask for an ACK, with SAK or as the end of a reliable message, and the ACKs.
type Trips struct {
	Count   int
	Worst   time.Duration
	WorstAt Place // its ACK
	list    []time.Duration
	every   int // trips that one of the list stands for; 0: 1
	skip    int
}

func (t *Trips) add(d time.Duration, at Place) {
	if t.Count++; t.Count == 1 || d > t.Worst {
		t.Worst, t.WorstAt = d, at
	}
	if t.skip > 0 {
		t.skip--
		return
	}
	if len(t.list) == maxTrips {
		for i := range maxTrips / 2 {
			t.list[i] = t.list[2*i]
		}
		t.list = t.list[:maxTrips/2]
		t.every = 2 * max(t.every, 1)
	}
	t.list = append(t.list, d)
	t.skip = max(t.every, 1) - 1
}

// Median returns the median of the trips, of an even sample of them where there are many; 0 if there are none.
func (t *Trips) Median() time.Duration {
	if len(t.list) == 0 {
		return 0
	}
	list := slices.Clone(t.list)
	slices.Sort(list)
	return list[(len(list)-1)/2]
}

// Merge adds the trips of another link. It weighs them by how many of them are remembered.
func (t *Trips) Merge(o *Trips) {
	if o.Count > 0 && (t.Count == 0 || o.Worst > t.Worst) {
		t.Worst, t.WorstAt = o.Worst, o.WorstAt
	}
	t.Count += o.Count
	t.list = append(slices.Clip(t.list), o.list...)
}
