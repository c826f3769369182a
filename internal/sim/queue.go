package sim

import "time"

// A queue holds what is to be done, by time; at the same time what came first comes first.
type queue struct {
	items []item
	seq   uint64
}

type item struct {
	at  time.Duration
	seq uint64
	do  func()
}

func (q *queue) less(i, j int) bool {
	a, b := &q.items[i], &q.items[j]
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

// add has something done at a time.
func (q *queue) add(at time.Duration, do func()) {
	q.seq++
	q.items = append(q.items, item{at, q.seq, do})
	for i := len(q.items) - 1; i > 0; {
		up := (i - 1) / 2
		if !q.less(i, up) {
			return
		}
		q.items[i], q.items[up] = q.items[up], q.items[i]
		i = up
	}
}

// next takes out what is due first; false if there is nothing.
func (q *queue) next() (item, bool) {
	if len(q.items) == 0 {
		return item{}, false
	}
	first, last := q.items[0], len(q.items)-1
	q.items[0] = q.items[last]
	q.items[last] = item{}
	q.items = q.items[:last]
	for i := 0; ; {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < last && q.less(c, least) {
				least = c
			}
		}
		if least == i {
			return first, true
		}
		q.items[i], q.items[least] = q.items[least], q.items[i]
		i = least
	}
}
