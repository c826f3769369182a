package model

import "fmt"

// shows returns the number of a member's data that the program of x sees.
func (x *machine) shows(k int) int8 {
	e := x.list.members[k]
	return numbered{e.inc, e.data}.join(x.ahead[k]).n
}

// check says what must not be, and is, after a step from one state to another; "" if all is well.
func (w *world) check(a, b *state) string {
	if b.bad != "" {
		return b.bad
	}
	for i := range w.Machines {
		x, was := &b.m[i], &a.m[i]
		if x.legacy {
			continue
		}
		if x.life == was.life && !x.left && !x.out {
			if bad := w.forward(i, was, x); bad != "" {
				return bad
			}
		}
		if !x.in() {
			continue
		}
		if bad := w.inside(b, i); bad != "" {
			return bad
		}
		for k := range i {
			if y := &b.m[k]; y.in() && y.view == x.view && y.index == x.index && y.list != x.list {
				return fmt.Sprintf("%d and %d are at index %d of view %v with %+v and %+v", i, k, x.index, x.view, x.list, y.list)
			}
		}
	}
	return ""
}

// forward says how a program went back.
func (w *world) forward(i int, was, x *machine) string {
	switch {
	case was.view.epoch != 0 && x.view.epoch == 0:
		return fmt.Sprintf("%d is in no view any more", i)
	case was.view.newer(x.view) && x.view.epoch != 0:
		return fmt.Sprintf("%d went back from view %v to %v", i, was.view, x.view)
	case x.view == was.view && x.index < was.index:
		return fmt.Sprintf("%d went back from index %d to %d", i, was.index, x.index)
	}
	return ""
}

// remember notes what each program sees of others. It must not go back, even if a member was lost in between.
func (w *world) remember(s *state) {
	for i := range w.Machines {
		x := &s.m[i]
		for k := range w.Machines {
			e := x.list.members[k]
			switch n := x.shows(k); {
			case k == i || !x.in() || e.inc == 0:
			case e.inc == x.seen[k].inc && n < x.seen[k].n:
				s.violate("%d forgot what %d said: it had %d, and has %d", i, k, x.seen[k].n, n)
			default:
				x.seen[k] = numbered{e.inc, n}
			}
		}
	}
}

// inside says what is wrong with one machine's list.
func (w *world) inside(s *state, i int) string {
	x := &s.m[i]
	if x.list.members[i].inc != x.inc {
		return fmt.Sprintf("%d is in view %v, which does not have it", i, x.view)
	}
	for k := range w.Machines {
		e := &x.list.members[k]
		switch {
		case e.inc == 0:
			continue
		case e.inc == s.m[k].inc && x.shows(k) > s.m[k].data:
			return fmt.Sprintf("%d has %d of %d, which that one never said: it is at %d", i, x.shows(k), k, s.m[k].data)
		case x.list.holder(e.id) != k:
			return fmt.Sprintf("%d has two members with id %d", i, e.id)
		}
	}
	if w.BadLink {
		return w.oneBadLink(s, i)
	}
	return ""
}

// oneBadLink says who is thrown out by one connection that does not work: who cannot reach the leader is lost, nobody else.
func (w *world) oneBadLink(s *state, i int) string {
	x := &s.m[i]
	out := -1 // it may be lost
	for n, k := range w.Bad {
		if s.m[k].life == 1 {
			out = w.Bad[1-n]
		}
	}
	if i == out {
		return ""
	}
	for k := range w.Machines {
		if k != out && x.list.members[k].inc == 0 {
			return fmt.Sprintf("%d has lost %d for one connection, which is not the leader's", i, k)
		}
	}
	if x.view.inc != 1 {
		return fmt.Sprintf("%d has deposed the leader for one connection", i)
	}
	return ""
}
