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

func (it *item) before(other *item) bool {
	return it.at < other.at || it.at == other.at && it.seq < other.seq
}

// add has something done at a time, and returns its number.
func (q *queue) add(at time.Duration, do func()) uint64 {
	q.seq++
	it := item{at, q.seq, do}
	q.items = append(q.items, it)
	i := len(q.items) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !it.before(&q.items[up]) {
			break
		}
		q.items[i] = q.items[up]
		i = up
	}
	q.items[i] = it
	return q.seq
}

// next takes out what is due first; false if there is nothing.
func (q *queue) next() (item, bool) {
	if len(q.items) == 0 {
		return item{}, false
	}
	first, n := q.items[0], len(q.items)-1
	it := q.items[n]
	q.items[n] = item{}
	q.items = q.items[:n]
	if n == 0 {
		return first, true
	}
	i := 0
	for c := 1; c < n; c = 2*i + 1 {
		if c+1 < n && q.items[c+1].before(&q.items[c]) {
			c++
		}
		if !q.items[c].before(&it) {
			break
		}
		q.items[i] = q.items[c]
		i = c
	}
	q.items[i] = it
	return first, true
}
