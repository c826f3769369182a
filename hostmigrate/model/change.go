package model

// prepare has a machine ask others for a new view, which it is to lead.
func (w *world) prepare(s *state, i int, whom [machines]int8, above int8) {
	x := &s.m[i]
	e := x.list.members[i]
	v := view{epoch: max(x.view.epoch, above) + 1, join: e.join, id: e.id, inc: x.inc}
	if w.on(Above) {
		v.epoch = max(v.epoch, x.prom.epoch+1)
	}
	if x.list.mixed() {
		v.join = 0
	}
	if v.epoch > w.Epochs || !v.newer(x.prom) && w.on(Promise) {
		return
	}
	x.prom, x.cand = v, v
	whom[i] = x.inc
	x.got = gathered{whom: whom}
	w.gather(s, i, i, message{fromInc: x.inc, place: x.view, index: x.index, list: x.list, ahead: x.ahead, data: x.data, gone: x.gone})
	for k := range whom {
		if whom[k] != 0 && k != i && !s.m[k].legacy {
			s.send(message{kind: mPrepare, from: int8(i), fromInc: x.inc, to: int8(k), toInc: whom[k], view: v, who: whom})
		}
	}
}

// prepared takes a PREPARE: it is refused, or promised.
func (w *world) prepared(s *state, to int, m *message, silent bool) {
	x := &s.m[to]
	refuse := func(of view, mine bool) {
		s.send(message{kind: mRefuse, from: m.to, fromInc: x.inc, to: m.from, toInc: m.fromInc, view: m.view, place: of, mine: mine})
	}
	switch {
	case x.legacy:
		return
	case x.forger:
		s.send(message{kind: mAck, from: m.to, fromInc: x.inc, to: m.from, toInc: m.fromInc, view: m.view, place: x.view, list: x.list, data: x.data})
		return
	case !x.in():
		return
	case x.list.members[m.from].inc != m.fromInc && w.on(ProvenPrepare) && !w.proof(s, to, m, w.on(Listener)):
		return
	case m.view == x.prom && (m.view == x.view || x.prom.inc == x.inc):
		return
	case x.prom.newer(m.view):
		refuse(x.prom, false)
		return
	}
	if l := x.list.leader(x.view); w.on(AskLeader) && (l < 0 || m.who[l] != x.view.inc) && w.leaderAnswers(s, to) && !silent {
		refuse(x.view, x.list.members[m.from].inc == m.fromInc)
		return
	}
	if m.forged && x.list.members[m.from].inc != m.fromInc && (x.knowsLeft(int(m.from), m.fromInc) || !w.proof(s, to, m, true)) {
		s.violate("%d promises view %v to %d, which left", to, m.view, m.from)
	}
	x.prom, x.cand, x.got = m.view, view{}, gathered{}
	s.send(message{kind: mAck, from: m.to, fromInc: x.inc, to: m.from, toInc: m.fromInc, view: m.view, place: x.view, index: x.index,
		list: x.list, data: x.data, ahead: x.ahead, gone: x.gone})
	if !w.on(StayIn) {
		x.view, x.list, x.index = view{}, list{}, 0
	}
}

// leaderAnswers reports whether the leader of a machine's view would say that it leads that view, and has that machine in it.
func (w *world) leaderAnswers(s *state, i int) bool {
	x := &s.m[i]
	l := x.list.leader(x.view)
	return l >= 0 && s.answers(l, x.view.inc) && s.m[l].view == x.view && s.m[l].list.members[i].inc == x.inc
}

// gather takes in what one of those who promised has.
func (w *world) gather(s *state, i, from int, m message) {
	g := &s.m[i].got
	g.acks[from] = m.fromInc
	if g.place.epoch == 0 || w.on(NewestLog) && (m.place.newer(g.place) || m.place == g.place && m.index > g.index) {
		g.place, g.index, g.list = m.place, m.index, m.list
	}
	if w.on(NewestLog) || from == i {
		g.top = max(g.top, m.index)
	}
	take := func(k int, v numbered) {
		if v.inc == 0 {
			return
		}
		if w.on(OwnData) {
			v = v.join(g.data[k])
		}
		if g.data[k].inc != 0 && g.data[k].inc != v.inc && g.acks[k] == g.data[k].inc {
			return // its own word says which incarnation it is
		}
		g.data[k] = v
	}
	for k := range m.list.members {
		if k != from {
			take(k, numbered{m.list.members[k].inc, m.list.members[k].data}.join(m.ahead[k]))
		}
	}
	g.data[from] = numbered{m.fromInc, m.data}.join(g.data[from])
	if !w.on(OwnData) {
		g.data[from] = numbered{m.fromInc, m.list.members[from].data}
	}
	for k := range m.gone {
		if m.gone[k] != 0 {
			g.gone[k] = m.gone[k]
		} else if m.list.left[k] != 0 {
			g.gone[k] = m.list.left[k]
		}
	}
	own := m.list.members[from]
	g.id[from], g.said[from], g.places[from], g.hosts[from] = own.id, own.said, m.place, m.list.hostInc()
	g.group &^= 1 << from
	g.group |= m.list.group & (1 << from)
}

// acked takes a promise. One that comes late is of a member that did not get the view.
func (w *world) acked(s *state, to int, m *message) {
	x := &s.m[to]
	switch {
	case x.cand.epoch != 0 && x.cand == m.view:
		w.gather(s, to, int(m.from), *m)
	case x.leads() && x.view == m.view && x.list.members[m.from].inc == m.fromInc && x.prom == x.view:
		for k := range m.list.members {
			if v := (numbered{m.list.members[k].inc, m.list.members[k].data}).join(m.ahead[k]); v.inc != 0 && w.on(LateAck) {
				w.number(s, to, op{kind: opOwn, at: int8(k), inc: v.inc, n: v.n})
			}
		}
		w.number(s, to, op{kind: opOwn, at: m.from, inc: m.fromInc, n: m.data})
		w.install(s, to, int(m.from))
	}
}

// finish makes the view of those who promised. Without lose those who did not, and are not proved gone, stay members.
func (w *world) finish(s *state, i int, lose bool) {
	x := &s.m[i]
	g, v := x.got, x.cand
	for k := range g.acks {
		for o := range g.whom {
			if w.on(AskLeader) && g.acks[k] != 0 && g.whom[o] != 0 && g.whom[o] == g.places[k].inc && g.acks[o] == 0 && !s.m[o].legacy {
				whom := g.whom // k did not ask its leader, as that was to be in the view: it is asked again without it
				whom[o] = 0
				w.prepare(s, i, whom, 0)
				return
			}
		}
	}
	l := g.list
	index := g.top + 1
	for k := range l.members {
		e := &l.members[k]
		gone := g.whom[k] != e.inc || lose && g.acks[k] == 0 && !e.legacy
		if e.legacy && g.whom[k] == e.inc && !w.on(Gone) {
			gone = true // it did not promise: it never does
		}
		if e.inc == 0 || !gone {
			continue
		}
		if e.legacy && g.whom[k] == e.inc {
			s.violate("legacy member %d, which nobody took for gone, is not in view %v", k, v)
		}
		who, comes := *e, g.gone[k] != e.inc || !w.on(LostNotLeft)
		l.remove(k)
		if comes {
			l.lost[k] = who
		}
	}
	for k := range g.gone {
		if g.gone[k] != 0 && w.on(LostNotLeft) {
			if l.left[k] = g.gone[k]; l.lost[k].inc == g.gone[k] {
				l.lost[k] = member{}
			}
		}
	}
	for k := range g.acks {
		if g.acks[k] == 0 || l.members[k].inc == g.acks[k] || w.on(Goodbye) && (x.knowsLeft(k, g.acks[k]) || g.gone[k] == g.acks[k]) {
			continue // it may have left since
		}
		if l.legacyHost() && g.hosts[k] != l.hostInc() {
			if k == i { // the part that it asked has a legacy host since: it goes on without
				whom := g.whom
				for o := range whom {
					if g.hosts[o] == l.hostInc() && g.acks[o] != 0 {
						whom[o] = 0
					}
				}
				w.prepare(s, i, whom, 0)
				return
			}
			continue
		}
		if s.m[k].forger && x.knowsLeft(k, g.acks[k]) && !s.known(k, g.acks[k]) {
			s.violate("%d, which left, is let in by %d without a word about a password", k, i)
		}
		l.remove(k)
		id := g.id[k]
		if l.holder(id) >= 0 && w.on(OneID) || id == 0 {
			id = l.free()
		}
		l.members[k] = member{inc: g.acks[k], id: id, join: index, said: g.said[k]}
		l.group |= g.group & (1 << k)
		l.lost[k] = member{}
	}
	for k := range l.members {
		if e := &l.members[k]; e.inc != 0 && g.data[k].inc == e.inc && (g.data[k].n > e.data || !w.on(OwnData)) {
			e.data = g.data[k].n
		}
	}
	if l.host == 0 || !l.legacyHost() {
		l.host = int8(i + 1)
		for k := range l.members {
			if e := &l.members[k]; e.legacy && l.before(k, i) {
				l.host = 0 // by its rule it is host next, and says so
			}
		}
	}
	if v.newer(x.prom) || v != x.prom {
		s.violate("%d installs view %v after it promised %v", i, v, x.prom)
	}
	x.cand, x.got = view{}, gathered{}
	w.enter(s, i, v, index, l)
	for k := range g.acks {
		if k != i && g.acks[k] != 0 && g.acks[k] == l.members[k].inc {
			m := w.snapshot(s, i, k)
			m.kept = !g.place.newer(g.places[k])
			s.send(m)
		}
	}
}

// known reports whether some machine's list has a member.
func (s *state) known(k int, inc int8) bool {
	for i := range s.m {
		if i != k && s.m[i].in() && s.m[i].list.members[k].inc == inc {
			return true
		}
	}
	return false
}

// enter has a machine take over a list in a view.
func (w *world) enter(s *state, i int, v view, index int8, l list) {
	x := &s.m[i]
	if v.newer(x.prom) || x.view.epoch == 0 {
		x.prom = v
	}
	x.view, x.index, x.list, x.cand = v, index, l, view{}
	for k := range x.ahead {
		if e := l.members[k]; x.ahead[k].inc != e.inc || x.ahead[k].n <= e.data || !w.on(OwnData) {
			x.ahead[k] = numbered{}
		}
	}
	w.sayAll(s, i)
}

// install sends a machine all of the leader's list.
func (w *world) install(s *state, i, k int) {
	x := &s.m[i]
	if e := x.list.members[k]; e.inc != 0 && !e.legacy && k != i {
		s.send(w.snapshot(s, i, k))
	}
}

func (w *world) snapshot(s *state, i, k int) message {
	x := &s.m[i]
	return message{kind: mInstall, from: int8(i), fromInc: x.inc, to: int8(k), toInc: x.list.members[k].inc, view: x.view, index: x.index, list: x.list}
}
