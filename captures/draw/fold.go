package draw

import (
	"slices"
	"time"
)

// An item is a row in the making: one message, or several that were folded.
type item struct {
	first, last time.Duration
	n, lastN    int
	frame       int
	from, to    int   // endpoints, later lanes
	all         []int // lanes, where it went to several
	udp         bool
	class       Class
	command     string
	text        string
	count       int // messages; 0: it became part of another item
	min, max    int
	octets      int64
	lost        int // messages without an answer
	findings    []int
	burst       int // which stretch of repeated traffic it is of; 0: none
	band        bool
	hidden      []int // endpoints of machines without a lane of their own, a few of them
}

// take makes another item part of this one.
func (a *item) take(b *item) {
	a.first, a.last = min(a.first, b.first), max(a.last, b.last)
	a.lastN = max(a.lastN, b.lastN)
	a.count += b.count
	a.min, a.max = min(a.min, b.min), max(a.max, b.max)
	a.octets += b.octets
	a.lost += b.lost
	for _, end := range b.hidden {
		a.hide(end)
	}
	a.text = ""
}

// whole returns the items without those that became part of others.
func whole(items []item) []item {
	return slices.DeleteFunc(items, func(it item) bool { return it.count == 0 })
}

// A foldKey says which messages are alike.
type foldKey struct {
	from, to int
	command  string
}

func (a *item) key() foldKey { return foldKey{a.from, a.to, a.command} }

// A folder gathers items and folds what repeats.
type folder struct {
	limit int // items kept
	items []item
	burst int
	quiet time.Duration // when the last message of the burst was
	open  map[foldKey][]int
}

// add takes an item. The text is asked for only where it is shown.
func (f *folder) add(it *item, repeats bool, text func() string) {
	if !repeats || len(it.findings) > 0 {
		f.open = nil
		it.text = text()
		f.append(it)
		return
	}
	if f.open == nil || it.first-f.quiet > burstSilence {
		f.burst++
		f.open = map[foldKey][]int{}
	}
	f.quiet = it.first
	it.burst = f.burst
	k := it.key()
	same := f.open[k]
	if len(same) < foldFrom-1 && (len(same) == 0 || f.items[same[0]].count == 1) {
		it.text = text()
		if f.append(it) {
			f.open[k] = append(same, len(f.items)-1)
		}
		return
	}
	a := &f.items[same[0]]
	for _, i := range same[1:] {
		a.take(&f.items[i])
		f.items[i] = item{}
	}
	a.take(it)
	f.open[k] = same[:1]
}

// append adds an item, and says whether the places of the items before it are still the same.
func (f *folder) append(it *item) bool {
	f.items = append(f.items, *it)
	if len(f.items) < f.limit {
		return true
	}
	f.items = shrink(f.items, f.limit/2)
	f.open = nil
	return false
}

// lanes returns the items with lanes in place of endpoints. What is alike now, because two sockets turned out to be one
// machine's, is folded.
func (f *folder) lanes(l *laner) []item {
	items := whole(f.items)
	for i := range items {
		it := &items[i]
		for _, end := range []int{it.from, it.to} {
			if l.lanes[l.of[end]].Kind == Others {
				it.hide(l.machine[end])
			}
		}
		it.from, it.to = l.of[it.from], l.of[it.to]
	}
	items = foldBursts(items)
	return several(items)
}

// foldBursts folds the alike items of each burst if they are many enough.
func foldBursts(items []item) []item {
	for from := 0; from < len(items); {
		to := from + 1
		if items[from].burst > 0 {
			for to < len(items) && items[to].burst == items[from].burst {
				to++
			}
			foldAlike(items[from:to], foldFrom)
		}
		from = to
	}
	return whole(items)
}

// foldAlike folds those of some items that are alike and without findings, if their messages are at least so many.
// What is folded has a count of zero afterwards.
func foldAlike(items []item, least int) {
	first := map[foldKey]int{}
	counts := map[foldKey]int{}
	for i := range items {
		if items[i].single() {
			counts[items[i].key()] += items[i].count
		}
	}
	for i := range items {
		it := &items[i]
		if !it.single() || counts[it.key()] < least {
			continue
		}
		if at, ok := first[it.key()]; ok {
			items[at].take(it)
			*it = item{}
		} else {
			first[it.key()] = i
		}
	}
}

// single reports whether an item may be folded with one that is alike.
func (a *item) single() bool {
	return a.count > 0 && len(a.findings) == 0 && !a.band && a.all == nil
}

// A sameness is what items have in common that are the same sent to several machines.
type sameness struct {
	from    int
	command string
	class   Class
	lost    int
}

func (a *item) same() sameness { return sameness{a.from, a.command, a.class, a.lost} }

// several makes one item of those in a row that say the same to several machines at once, and of the folds of a
// burst that went from one machine to many.
func several(items []item) []item {
	for i := range items {
		a := &items[i]
		if !a.single() {
			continue
		}
		for j := i + 1; j < len(items); j++ {
			b := &items[j]
			if b.count == 0 {
				continue
			}
			if !together(a, b) {
				if a.count > 1 && b.burst == a.burst && a.burst > 0 {
					continue // the folds of a burst stand in the order in which they began
				}
				break
			}
			merge(a, b)
		}
	}
	return whole(items)
}

// together reports whether two items are the same sent to two machines.
func together(a, b *item) bool {
	if !b.single() || a.same() != b.same() {
		return false
	}
	if a.to == b.to || slices.Contains(a.all, b.to) || a.from == b.to || a.from == a.to {
		return false
	}
	if a.burst > 0 && a.burst == b.burst && a.count > 1 && b.count > 1 {
		return true
	}
	return b.count == 1 && a.count == max(1, len(a.all)) && a.text == b.text && b.first-a.first <= atOnce
}

// merge makes b part of a, which goes to one lane more.
func merge(a, b *item) {
	if a.all == nil {
		a.all = []int{a.to}
	}
	a.all = append(a.all, b.to)
	text := a.text
	a.take(b)
	a.text = text
	*b = item{}
}
