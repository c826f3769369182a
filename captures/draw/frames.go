package draw

import (
	"slices"

	"dplay4/captures"
	"dplay4/wire/reliable"
)

// frames are the Data frames of the reliable protocol of which later ones show that they stayed without an answer.
type frames struct {
	sent  []sentFrame       // a ring by the number of the message; nil: there was none
	lost  map[foldKey][]int // numbers of messages
	count int               // of them
}

// A sentFrame is one of which that may still turn out.
type sentFrame struct {
	n   int // 0: none
	key foldKey
}

// add takes a message, which is drawn as an item with a key.
func (f *frames) add(r *captures.Record, key foldKey) {
	if r.Step == nil {
		return
	}
	if f.sent == nil {
		f.sent, f.lost = make([]sentFrame, maxSent), map[foldKey][]int{}
	}
	if r.Frame.Kind() == reliable.KindData {
		f.sent[r.N%maxSent] = sentFrame{r.N, key}
	}
	for _, n := range r.Step.Lost {
		if s := f.sent[n%maxSent]; s.n == n && f.count < maxLost {
			f.lost[s.key] = append(f.lost[s.key], n)
			f.count++
		}
	}
}

// mark counts in each item the frames that stayed without an answer.
func (f *frames) mark(items []item) {
	for _, list := range f.lost {
		slices.Sort(list)
	}
	for i := range items {
		it := &items[i]
		if len(it.To) == 0 {
			continue // a band, or part of another item
		}
		list := f.lost[it.key()]
		from, _ := slices.BinarySearch(list, it.N)
		to, _ := slices.BinarySearch(list, it.LastN+1)
		it.Lost = len(slices.Compact(slices.Clone(list[from:to])))
	}
}
