package model

import "fmt"

// fair lets a network without faults do: what is on its way is lost, and whoever is asked answers. It reports after how many periods
// all are in one view, -1 if they never are.
func (w *world) fair(from *state) (periods int, end *state) {
	f := *w
	f.Epochs, f.BadLink = 120, false
	s := from.clone()
	s.sent = nil
	s.left = left{legacy: 100}
	var waited [machines]patience
	for period := range 16 {
		f.pump(s)
		if f.whole(s) {
			return period, s
		}
		for i := range f.Machines {
			f.period(s, i, &waited[i])
			f.pump(s)
		}
		f.reopen(s)
	}
	return -1, s
}

// describe says where each machine is.
func (s *state) describe(w *world) (lines []string) {
	for i := range w.Machines {
		x := &s.m[i]
		lines = append(lines, fmt.Sprintf("%d: life %d legacy %v left %v view %v index %d promise %v list %v data %d", i, x.life, x.legacy, x.left, x.view, x.index,
			x.prom, x.list, x.data))
	}
	return lines
}

// patience is how many periods a machine has waited.
type patience struct {
	leader  int           // for a better candidate
	members [machines]int // for each member to promise
}

// pump delivers all messages, in order.
func (w *world) pump(s *state) {
	for next := 0; ; {
		for ; next < len(s.sent) && next < 4000; next++ {
			m := s.sent[next].message
			w.deliver(s, &m, false)
		}
		made := false
		for i := range w.Machines {
			if s.m[i].cand.epoch != 0 {
				w.finish(s, i, true)
				made = true
			}
		}
		if !made {
			break
		}
	}
	s.sent = nil
}

// period is what one machine does once a period: who is silent is noticed, and pings say (view, promise, index).
func (w *world) period(s *state, i int, waited *patience) {
	x := &s.m[i]
	switch {
	case x.left || x.out:
	case x.legacy || !x.in():
		w.asks(s, i)
	case x.leads():
		w.leading(s, i, waited)
	default:
		w.following(s, i, waited)
	}
}

// asks has a machine that is in no session ask the newest leader, or its legacy host, to let it in.
func (w *world) asks(s *state, i int) {
	x := &s.m[i]
	best := -1
	if x.legacy && x.list.host == int8(i+1) { // it hosts, and tells those that it does not have
		for k := range w.Machines {
			y := &s.m[k]
			if !y.in() || y.list.hostInc() != x.inc {
				if !y.legacy { // it has another host, and answers no ping
					x.list.remove(k)
				}
				continue
			}
			say := message{kind: mOp, from: int8(i), fromInc: x.inc, to: int8(k), toInc: y.inc, op: op{kind: opOut, at: int8(k), inc: y.inc}}
			if x.list.members[k].inc != y.inc {
				s.send(say)
				continue
			}
			for o, e := range x.list.members { // its connections lose nothing, in truth
				if e.inc != 0 && y.leads() && y.list.members[o].inc == 0 && s.answers(o, e.inc) {
					say.op = op{kind: opJoin, at: int8(o), inc: e.inc, id: e.id, n: e.data, legacy: e.legacy}
					s.send(say)
				}
			}
		}
		return
	}
	for k := range w.Machines {
		y := &s.m[k]
		if x.legacy && y.leads() && y.list.members[i].inc == x.inc {
			return
		}
		if k != i && y.leads() && (best < 0 || y.view.newer(s.m[best].view)) {
			best = k
		}
	}
	if best < 0 {
		return
	}
	if y := &s.m[best]; y.list.legacyHost() {
		best = int(y.list.host - 1)
	}
	s.send(message{kind: mJoin, from: int8(i), fromInc: x.inc, to: int8(best), data: x.data, legacy: x.legacy})
}

func (w *world) leading(s *state, i int, waited *patience) {
	x := &s.m[i]
	for k := range w.Machines {
		e := x.list.members[k]
		y := &s.m[k]
		elsewhere := y.in() && y.view != x.view && y.list.hostInc() != x.list.hostInc() && (y.list.legacyHost() || x.list.legacyHost())
		if k != i && e.inc != 0 && (!s.answers(k, e.inc) || elsewhere) {
			w.number(s, i, op{kind: opLose, at: int8(k), inc: e.inc})
		}
	}
	if x.list.host == 0 && w.on(SilentLegacy) {
		w.number(s, i, op{kind: opHost, at: int8(i), inc: x.inc})
	}
	promised := x.prom
	for k := range w.Machines {
		y := &s.m[k]
		if e := x.list.members[k]; k == i || e.inc == 0 || e.legacy || y.inc != e.inc {
			continue
		}
		if waited.members[k]++; y.view == x.view {
			waited.members[k] = 0
		} else if waited.members[k] > 2 && w.on(LoseDeserter) { // it answers, and is in another part for good
			waited.members[k] = 0
			w.number(s, i, op{kind: opLose, at: int8(k), inc: y.inc})
			continue
		}
		if y.prom.newer(promised) {
			promised = y.prom
		}
		if w.on(Again) && y.view != x.view && !y.prom.newer(x.view) {
			s.send(message{kind: mPrepare, from: int8(i), fromInc: x.inc, to: int8(k), toInc: y.inc, view: x.view, who: x.list.incs()})
		} else if y.view == x.view && y.index < x.index {
			w.install(s, i, k)
		}
	}
	switch {
	case promised != x.view && w.on(Again):
		w.prepare(s, i, x.list.incs(), promised.epoch)
	case w.on(SayAgain):
		w.sayAll(s, i)
	}
	for k := range w.Machines {
		if l := x.list.lost[k]; l.inc != 0 && !l.legacy && w.on(Claims) {
			s.send(s.claim(i, k, l.inc))
		}
	}
}

// following has a member whose leader does not answer ask for another view, if it is the best candidate, or better ones do nothing.
func (w *world) following(s *state, i int, waited *patience) {
	x := &s.m[i]
	if w.leaderAnswers(s, i) {
		waited.leader = 0
		if w.on(SayAgain) && x.prom == x.view {
			w.sayAll(s, i)
		}
		return
	}
	whom := x.list.incs()
	better, l := 0, x.list.leader(x.view)
	lost := l >= 0 && s.answers(l, x.view.inc) && s.m[l].view == x.view // it leads, but not us
	for k := range whom {
		y := &s.m[k]
		switch {
		case k == i || whom[k] == 0 || y.legacy:
		case s.answers(k, whom[k]) && y.leads() && y.list.members[i].inc == x.inc && y.view.newer(x.view):
			return // it leads, and asks us
		case k == l || !s.answers(k, whom[k]) || y.view != x.view || lost && s.m[l].list.members[k].inc == whom[k]:
			whom[k] = 0
		case x.list.before(k, i):
			better++
		}
	}
	if waited.leader++; better > 0 && (waited.leader <= better || !w.on(Impatience)) {
		return // two that are at different indices may wait for each other
	}
	waited.leader = 0
	w.prepare(s, i, whom, 0)
}

// reopen has somebody open a new session where nobody is in one.
func (w *world) reopen(s *state) {
	for i := range w.Machines {
		if s.m[i].in() {
			return
		}
	}
	for i := range w.Machines {
		if x := &s.m[i]; !x.legacy && !x.left && !x.out {
			w.open(s, i, 1)
			return
		}
	}
}

// whole reports whether all are in one view, and know the same, which is the truth. Parts with different hosts stay apart if one of
// these is a legacy host: it steps down for nobody. So do those of which none knows anybody in the other.
func (w *world) whole(s *state) bool {
	var parts []*machine
	for i := range w.Machines {
		x := &s.m[i]
		switch {
		case x.legacy || x.left || x.out:
			continue
		case !x.in() || x.prom != x.view || x.cand.epoch != 0 || !w.right(s, i):
			return false
		}
		for _, y := range parts {
			if y.list.host == x.list.host || !y.list.legacyHost() && !x.list.legacyHost() && (s.knows(x, y) || s.knows(y, x)) {
				if y.view != x.view || y.index != x.index || y.list != x.list {
					return false
				}
			}
		}
		parts = append(parts, x)
	}
	return true
}

// knows reports whether a machine knows anybody who is in another one's part: without that two parts cannot find each other.
func (s *state) knows(x, y *machine) bool {
	for k, e := range y.list.members {
		if e.inc != 0 && s.answers(k, e.inc) && s.m[k].view == y.view && (x.list.lost[k].inc == e.inc || x.list.members[k].inc == e.inc) {
			return true
		}
	}
	return false
}

// right reports whether a machine's list is the truth.
func (w *world) right(s *state, i int) bool {
	x := &s.m[i]
	for k := range w.Machines {
		e, y := x.list.members[k], &s.m[k]
		switch {
		case e.inc == 0:
		case !s.answers(k, e.inc) || !e.legacy && (y.view != x.view || e.data != y.data || e.said != y.made):
			return false
		}
	}
	return x.list.members[i].inc == x.inc && x.list.host != 0 && x.list.members[x.list.host-1].inc != 0
}
