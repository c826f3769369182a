package links

import (
	"slices"
	"time"
)

// Trips are the times between frames that ask for an ACK, with SAK or as the end of a reliable message, and the ACKs.
type Trips struct {
	Count   int
	Worst   time.Duration
	WorstAt Place // its ACK; zero: there are no trips
	list    []time.Duration
	halved  int // how often each second one was left out
}

func (t *Trips) add(d time.Duration, at Place) {
	t.worst(d, at)
	t.Count++
	if (t.Count-1)%(1<<t.halved) != 0 {
		return
	}
	if len(t.list) == maxTrips {
		for i := range maxTrips / 2 {
			t.list[i] = t.list[2*i]
		}
		t.list = t.list[:maxTrips/2]
		t.halved++
	}
	t.list = append(t.list, d)
}

// worst takes a trip if none was as long.
func (t *Trips) worst(d time.Duration, at Place) {
	if d > t.Worst || t.Count == 0 {
		t.Worst, t.WorstAt = d, at
	}
}

// Median returns the median of the trips, of an even sample of them where there are many; 0 if there are none.
func (t *Trips) Median() time.Duration {
	if len(t.list) == 0 {
		return 0
	}
	list := slices.Sorted(slices.Values(t.list))
	return list[(len(list)-1)/2]
}

// Merge adds the trips of another link. It weighs them by how many of them are remembered.
func (t *Trips) Merge(o *Trips) {
	t.worst(o.Worst, o.WorstAt)
	t.Count += o.Count
	t.list = append(slices.Clip(t.list), o.list...)
}
