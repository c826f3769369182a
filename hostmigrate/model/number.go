package model

// broadcast sends a message to all modern members but its sender.
func (w *world) broadcast(s *state, i int, m message) {
	x := &s.m[i]
	m.from, m.fromInc = int8(i), x.inc
	for k := range x.list.members {
		if e := &x.list.members[k]; k != i && e.inc != 0 && !e.legacy {
			m.to, m.toInc = int8(k), e.inc
			s.send(m)
		}
	}
}

// say sends a change of a machine's own to the members. A change of the group counts once the leader has numbered it.
func (w *world) say(s *state, i int, o op) {
	x := &s.m[i]
	if x.leads() {
		w.number(s, i, o)
		return
	}
	if x.in() || x.legacy {
		w.broadcast(s, i, message{kind: mOp, view: x.view, op: o})
	}
}

// sayAll says again what is not confirmed.
func (w *world) sayAll(s *state, i int) {
	x := &s.m[i]
	e := &x.list.members[i]
	if e.inc != x.inc {
		return
	}
	for n := e.said; n < x.made; n++ {
		w.say(s, i, x.did[n])
	}
}

// number gives an operation the next index, and tells all. It is what the leader alone does.
func (w *world) number(s *state, i int, o op) {
	x := &s.m[i]
	if w.on(Frozen) && x.prom != x.view {
		return
	}
	e := &x.list.members[o.at]
	switch o.kind {
	case opOwn:
		if e.inc != o.inc || o.n <= e.data {
			return
		}
	case opData, opGroup:
		if e.legacy { // its connection keeps its changes in order
			if e.inc != o.inc || o.n <= e.data {
				return
			}
			break
		}
		if e.inc != o.inc || w.on(OnceEach) && o.n != e.said+1 || o.kind == opGroup && !w.on(Void) && x.list.members[o.target].inc == 0 {
			return
		}
	case opJoin:
		if e.inc == o.inc {
			break
		}
		if x.knowsLeft(int(o.at), o.inc) {
			return // it asked before it left
		}
		if e.inc != 0 && s.alive(int(o.at), e.inc) && !e.legacy {
			if w.on(Evict) { // its listener answers with another incarnation
				return
			}
			s.violate("%d/%d is thrown out by a word of %d/%d", o.at, e.inc, o.at, o.inc)
		}
	case opHost:
		if e.inc != o.inc {
			return
		}
	default:
		if e.inc != o.inc {
			return
		}
	}
	if o.kind != opJoin || e.inc != o.inc {
		x.index++
		w.apply(s, i, o)
		w.broadcast(s, i, message{kind: mLog, view: x.view, index: x.index, op: o})
	}
	if o.kind == opJoin && !o.legacy && int(o.at) != i {
		m := w.snapshot(s, i, int(o.at))
		m.newcomer = w.on(AnswersAck)
		s.send(m)
	}
}

// apply changes a machine's list.
func (w *world) apply(s *state, i int, o op) {
	l := &s.m[i].list
	e := &l.members[o.at]
	switch o.kind {
	case opJoin:
		l.remove(int(o.at))
		id := o.id
		if id == 0 {
			id = l.free()
		}
		if h := l.holder(id); h >= 0 && w.on(LegacyID) {
			l.members[h].id = 0
			l.members[o.at].inc, l.members[o.at].id = o.inc, id // so that it is not free
			l.members[h].id = l.free()
		}
		*e = member{inc: o.inc, id: id, join: s.m[i].index, data: o.n, legacy: o.legacy}
		if was := l.lost[o.at]; was.inc == o.inc && w.on(LostNumbers) { // what it asked may be old
			e.data, e.said = max(e.data, was.data), was.said
		}
		l.lost[o.at] = member{}
	case opLeave:
		l.left[o.at] = e.inc
		if !w.on(LostNotLeft) {
			l.lost[o.at] = *e
		}
		l.remove(int(o.at))
	case opOut:
		l.remove(int(o.at))
	case opLose:
		l.lost[o.at] = *e
		l.remove(int(o.at))
	case opOwn:
		e.data = max(e.data, o.n)
	case opData, opGroup:
		w.applyChange(s, i, o)
	case opHost:
		l.host = o.at + 1
	}
}

// applyChange applies a change that a member made.
func (w *world) applyChange(s *state, i int, o op) {
	l := &s.m[i].list
	e := &l.members[o.at]
	switch {
	case e.legacy:
	case e.said >= o.n:
		s.violate("%d has change %d by %d a second time", i, o.n, o.at)
	case e.said+1 < o.n:
		s.violate("%d has change %d by %d without the one before", i, o.n, o.at)
	case o.kind == opGroup && e.data < o.needs:
		s.violate("%d has change %d by %d without the data that it needs", i, o.n, o.at)
	}
	e.said = o.n
	switch {
	case o.kind == opData:
		if o.n > e.data || !w.on(OwnData) { // who promised may have had newer data already
			e.data = o.n
		}
	case o.add && l.members[o.target].inc != 0:
		l.group |= 1 << o.target
	case !o.add:
		l.group &^= 1 << o.target
	}
}

// changed takes a change that its maker sends to all.
func (w *world) changed(s *state, to int, m *message) {
	x := &s.m[to]
	o := m.op
	if x.legacy {
		return
	}
	if m.from != o.at && !(x.list.legacyHost() && x.list.host == m.from+1) {
		return // who is no host speaks for itself
	}
	if o.kind == opOut && o.at == m.to && o.inc == x.inc {
		x.out, x.view, x.cand, x.got = true, view{}, view{}, gathered{} // the legacy host threw it out
		return
	}
	if o.kind == opLeave && m.from == o.at {
		x.gone[o.at] = o.inc
	}
	if x.leads() || x.in() && !w.on(OneNumbers) && (o.kind == opJoin || o.kind == opOut) {
		if w.on(OneNumbers) || x.leads() {
			w.number(s, to, o)
		} else if x.list.members[o.at].inc == o.inc == (o.kind == opOut) {
			x.index++
			w.apply(s, to, o)
		}
		return
	}
	if o.kind == opData && x.list.members[o.at].inc == o.inc && o.n > x.list.members[o.at].data {
		x.ahead[o.at] = numbered{o.inc, o.n}.join(x.ahead[o.at]) // of another incarnation: not in the list any more
		if !w.on(OwnData) {
			x.ahead[o.at] = numbered{o.inc, o.n}
		}
	}
}

// logged takes an operation that the leader numbered.
func (w *world) logged(s *state, to int, m *message) {
	x := &s.m[to]
	if !x.in() || x.leads() {
		return
	}
	if w.on(OneView) && (m.view != x.view || m.index != x.index+1) {
		return
	}
	if w.on(Frozen) && x.prom != x.view {
		return
	}
	if !w.on(OneView) {
		if m.op.kind == opJoin || m.index <= x.index && m.view == x.view {
			return
		}
	}
	x.index = m.index
	w.apply(s, to, m.op)
	for k := range x.ahead {
		if e := x.list.members[k]; x.ahead[k].inc != e.inc || x.ahead[k].n <= e.data {
			x.ahead[k] = numbered{}
		}
	}
}

// join lets a newcomer in: the host does, and under a legacy host the leader numbers it.
func (w *world) join(s *state, to int, m *message) {
	x := &s.m[to]
	switch {
	case x.leads() && !x.list.legacyHost() && x.cand.epoch == 0:
		if e := x.list.members[m.from]; e.inc != 0 && e.inc != m.fromInc && w.on(Evict) && !s.alive(int(m.from), m.fromInc) {
			return // it does not answer as what it was
		}
		if m.view.epoch != 0 {
			if e := x.list.members[m.from]; e.inc != m.fromInc && s.m[m.from].in() && x.prom == x.view {
				who := x.list.incs()
				who[m.from] = m.fromInc
				w.prepare(s, to, who, m.view.epoch)
			}
			return
		}
		w.number(s, to, op{kind: opJoin, at: m.from, inc: m.fromInc, n: m.data, legacy: m.legacy})
	case x.legacy && x.list.host == m.to+1 && s.left.legacy > 0:
		s.left.legacy--
		o := op{kind: opJoin, at: m.from, inc: m.fromInc, n: m.data, id: x.list.free(), legacy: m.legacy}
		x.index++
		w.apply(s, to, o)
		w.broadcast(s, to, message{kind: mOp, op: o})
	}
}
