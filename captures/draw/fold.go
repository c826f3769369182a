package draw

import (
	"slices"
	"time"
)

// An item is a row in the making: one message, or several that were folded. Its Count is 0 once it is part of another item. From and
// To are endpoints, later lanes.
type item struct {
	Step
	burst  int   // which stretch of repeated traffic it is of; 0: none
	hidden []int // endpoints of machines without a lane of their own, a few of them
}

// take makes another item part of this one.
func (a *item) take(b *item) {
	a.At, a.Last = min(a.At, b.At), max(a.Last, b.Last)
	a.LastN = max(a.LastN, b.LastN)
	a.Count += b.Count
	a.Min, a.Max = min(a.Min, b.Min), max(a.Max, b.Max)
	a.Octets += b.Octets
	a.Lost += b.Lost
	for _, end := range b.hidden {
		a.hide(end)
	}
	a.Text = ""
}

// whole returns the items without those that became part of others.
func whole(items []item) []item {
	return slices.DeleteFunc(items, func(it item) bool { return it.Count == 0 })
}

// A foldKey says which messages are alike.
type foldKey struct {
	from, to int
	command  string
}

func (a *item) key() foldKey { return foldKey{a.From, a.To[0], a.Command} }

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
	if !repeats || len(it.Findings) > 0 {
		f.open = nil
		it.Text = text()
		f.append(it)
		return
	}
	if f.open == nil || it.At-f.quiet > burstSilence {
		f.burst++
		f.open = map[foldKey][]int{}
	}
	f.quiet = it.At
	it.burst = f.burst
	k := it.key()
	same := f.open[k]
	if len(same) < foldFrom-1 && (len(same) == 0 || f.items[same[0]].Count == 1) {
		it.Text = text()
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
		for _, end := range append([]int{it.From}, it.To...) {
			if l.lanes[l.of[end]].Kind == Others {
				it.hide(l.machine[end])
			}
		}
		it.From = l.of[it.From]
		for i, end := range it.To {
			it.To[i] = l.of[end]
		}
	}
	return several(foldBursts(items))
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
			counts[items[i].key()] += items[i].Count
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
	return len(a.Findings) == 0 && len(a.To) == 1
}

// A sameness is what items have in common that are the same sent to several machines.
type sameness struct {
	from    int
	command string
	class   Class
	lost    int
}

func (a *item) same() sameness { return sameness{a.From, a.Command, a.Class, a.Lost} }

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
			if b.Count == 0 {
				continue
			}
			if !together(a, b) {
				if a.Count > 1 && b.burst == a.burst && a.burst > 0 {
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
	if !b.single() || a.same() != b.same() || slices.Contains(a.To, b.To[0]) || slices.Contains([]int{a.To[0], b.To[0]}, a.From) {
		return false
	}
	if a.burst > 0 && a.burst == b.burst && a.Count > 1 && b.Count > 1 {
		return true
	}
	return b.Count == 1 && a.Count == len(a.To) && a.Text == b.Text && b.At-a.At <= atOnce
}

// merge makes b part of a, which goes to one lane more.
func merge(a, b *item) {
	a.To = append(a.To, b.To...)
	text := a.Text
	a.take(b)
	a.Text = text
	*b = item{}
}
