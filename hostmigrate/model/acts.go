package model

import "fmt"

// Kinds of acts.
const (
	aDeliver = iota
	aSilent  // a message arrives, and the leader that is asked does not answer
	aJoin
	aData
	aGroup
	aDepose // a member takes its leader for gone
	aLose   // a leader takes a member for gone
	aAccuse // a member tells its leader that another one is gone
	aFinish
	aFinishLess // without those who did not promise
	aClaim
	aRestart
	aLeave
	aForge
	aForgePrepare
	aSpeak // a legacy candidate says that it is host
	aPassOver
	aThrowOut // a legacy host throws a member out
	aGiveUp
)

// An act is one thing that can happen.
type act struct {
	kind, i, k int8
	cost       int8
	m          int32 // the message
}

// acts appends all that can happen.
func (w *world) acts(s *state, all []act) []act {
	for m := range s.sent {
		x := &s.sent[m].message
		if w.badLink(int(x.from), int(x.to)) {
			continue
		}
		all = append(all, act{kind: aDeliver, m: int32(m)})
		if x.kind == mPrepare && s.left.suspicions > 0 {
			all = append(all, act{kind: aSilent, m: int32(m), cost: 1})
		} else if y := &s.m[x.to]; x.kind == mPrepare && w.BadLink {
			if l := y.list.leader(y.view); l >= 0 && w.badLink(int(x.to), l) {
				all = append(all, act{kind: aSilent, m: int32(m)})
			}
		}
	}
	for i := range int8(w.Machines) {
		all = w.own(s, i, all)
	}
	return all
}

// own appends what one machine can do by itself.
func (w *world) own(s *state, i int8, all []act) []act {
	x := &s.m[i]
	add := func(kind, k, cost int8) { all = append(all, act{kind: kind, i: i, k: k, cost: cost}) }
	if s.left.restarts > 0 {
		add(aRestart, 0, 0)
	}
	if x.left || x.out {
		if x.forger && s.left.forgeries > 0 {
			for k := range int8(w.Machines) {
				if k != i && s.m[k].in() {
					add(aForge, k, 0)
					add(aForgePrepare, k, 0)
				}
			}
		}
		return all
	}
	if x.legacy {
		return w.ofLegacy(s, i, all)
	}
	if !x.in() {
		for k := range int8(w.Machines) {
			if y := &s.m[k]; k != i && (y.leads() || y.legacy && y.list.host == k+1) {
				add(aJoin, k, 0)
			}
		}
		if !w.on(StayIn) && x.prom.epoch != 0 {
			add(aGiveUp, 0, 0)
		}
		return all
	}
	if s.left.changes > 0 && x.made < changes {
		add(aData, 0, 0)
	}
	for k := range int8(w.Machines) {
		e := &x.list.members[k]
		if s.left.groups > 0 && x.made < changes && e.inc != 0 {
			add(aGroup, k, 0)
		}
		if k == i {
			continue
		}
		if cost := w.silence(s, int(i), int(k), e.inc); e.inc != 0 && cost <= s.left.suspicions && (cost == 0 || !w.BadLink) {
			if x.leads() && x.prom == x.view {
				add(aLose, k, cost)
			} else if !w.on(AskAccused) && x.view.inc != e.inc {
				add(aAccuse, k, cost)
			}
		}
		if x.leads() && s.left.claims > 0 && x.list.lost[k].inc != 0 && !x.list.lost[k].legacy && w.on(Claims) {
			add(aClaim, k, 0)
		}
	}
	if !x.leads() {
		if _, cost := w.deposes(s, int(i)); cost <= s.left.suspicions && (cost == 0 || !w.BadLink) {
			add(aDepose, 0, cost)
		}
	}
	if x.cand.epoch != 0 {
		add(aFinish, 0, 0)
		cost := int8(0)
		for k := range x.got.whom {
			if x.got.whom[k] != 0 && x.got.acks[k] == 0 && !s.m[k].legacy {
				cost += w.silence(s, int(i), k, x.got.whom[k])
			}
		}
		if cost <= s.left.suspicions {
			add(aFinishLess, 0, cost)
		}
	}
	if x.leads() && x.list.host == 0 && s.left.suspicions > 0 {
		add(aPassOver, 0, 1)
	}
	if s.left.leaves > 0 {
		add(aLeave, 0, 0)
	}
	return all
}

// ofLegacy appends what a legacy machine can do.
func (w *world) ofLegacy(s *state, i int8, all []act) []act {
	x := &s.m[i]
	member := false
	for k := range int8(w.Machines) {
		y := &s.m[k]
		if y.leads() && y.list.members[i].inc == x.inc {
			member = true
			if y.list.host == 0 && y.list.before(int(i), int(k)) {
				all = append(all, act{kind: aSpeak, i: i, k: k})
			}
		}
		if s.left.legacy > 0 && x.list.host == i+1 && k != i && x.list.members[k].inc != 0 {
			all = append(all, act{kind: aThrowOut, i: i, k: k})
		}
	}
	if member && s.left.changes > 0 && x.made < changes {
		all = append(all, act{kind: aData, i: i})
	}
	for k := range int8(w.Machines) {
		if y := &s.m[k]; !member && k != i && y.leads() && !y.list.legacyHost() && x.list.host == 0 {
			all = append(all, act{kind: aJoin, i: i, k: k})
		}
	}
	return all
}

// deposes returns whom a member asks that takes its leader, and the candidates better than itself, for gone, and what that costs.
func (w *world) deposes(s *state, i int) (whom [machines]int8, cost int8) {
	l := &s.m[i].list
	whom = l.incs()
	for k := range l.members {
		e := &l.members[k]
		if e.inc == 0 || k == i {
			continue
		}
		if e.inc == s.m[i].view.inc && !e.legacy || !e.legacy && l.before(k, i) {
			whom[k] = 0
			cost += w.silence(s, i, k, e.inc)
		}
	}
	return whom, cost
}

// do has one thing happen.
func (w *world) do(was *state, a act) *state {
	s := was.clone()
	x := &s.m[a.i]
	s.left.suspicions -= a.cost
	i := int(a.i)
	switch a.kind {
	case aDeliver, aSilent:
		m := s.sent[a.m].message
		w.deliver(s, &m, a.kind == aSilent)
	case aJoin:
		s.send(message{kind: mJoin, from: a.i, fromInc: x.inc, to: a.k, data: x.data, legacy: x.legacy})
	case aData:
		s.left.changes--
		w.change(s, i, op{kind: opData})
	case aGroup:
		s.left.groups--
		w.change(s, i, op{kind: opGroup, needs: x.data, target: a.k, add: x.list.group&(1<<a.k) == 0})
	case aDepose:
		whom, _ := w.deposes(s, i)
		w.prepare(s, i, whom, 0)
	case aLose:
		e := x.list.members[a.k]
		w.number(s, i, op{kind: opLose, at: a.k, inc: e.inc})
	case aAccuse:
		if l := x.list.leader(x.view); l >= 0 && s.m[l].leads() {
			if e := s.m[l].list.members[a.k]; w.silence(s, l, int(a.k), e.inc) > 0 && a.cost == 0 {
				s.violate("%d is thrown out, though it answers its leader", a.k)
			}
		}
	case aFinish, aFinishLess:
		w.finish(s, i, a.kind == aFinishLess)
	case aClaim:
		s.left.claims--
		s.send(s.claim(i, int(a.k), x.list.lost[a.k].inc))
	case aRestart:
		s.left.restarts--
		s.lives++
		w.begin(s, i)
	case aLeave:
		s.left.leaves--
		w.broadcast(s, i, message{kind: mOp, view: x.view, op: op{kind: opLeave, at: a.i, inc: x.inc}})
		x.left, x.forger = true, true
		x.view, x.cand, x.got = view{}, view{}, gathered{}
	case aForge:
		w.forge(s, i, int(a.k))
	case aForgePrepare:
		s.left.forgeries--
		y := &s.m[a.k]
		v := view{epoch: y.prom.epoch + 1, id: 1, inc: x.inc}
		who := y.list.incs()
		who[i] = x.inc
		s.send(message{kind: mPrepare, from: a.i, fromInc: x.inc, to: a.k, toInc: y.inc, view: v, who: who, forged: true})
	case aSpeak:
		y := &s.m[a.k]
		x.list = y.list
		x.list.host = a.i + 1
		w.number(s, int(a.k), op{kind: opHost, at: a.i, inc: x.inc})
	case aPassOver:
		w.number(s, i, op{kind: opHost, at: a.i, inc: x.inc})
	case aThrowOut:
		s.left.legacy--
		e := x.list.members[a.k]
		w.broadcast(s, i, message{kind: mOp, op: op{kind: opOut, at: a.k, inc: e.inc}})
		x.list.remove(int(a.k))
	case aGiveUp:
		x.out = true
		s.violate("%d lost the session, and nothing died", i)
	}
	w.remember(s)
	return s
}

// change has a program change its own data or the group.
func (w *world) change(s *state, i int, o op) {
	x := &s.m[i]
	o.at, o.inc, o.n = int8(i), x.inc, x.made+1
	x.did[x.made] = o
	x.made++
	if o.kind == opData {
		x.data = x.made
	}
	w.say(s, i, o)
}

// begin has a program begin anew.
func (w *world) begin(s *state, i int) {
	x := &s.m[i]
	*x = machine{life: s.lives, inc: s.lives, legacy: x.legacy}
	if !w.on(Incarnations) {
		x.inc = int8(i + 1)
	}
}

// forge has a program that left claim that it is another part: as itself, and with the incarnation of somebody who was lost.
func (w *world) forge(s *state, i, k int) {
	s.left.forgeries--
	x, y := &s.m[i], &s.m[k]
	m := message{kind: mClaim, from: int8(i), fromInc: x.inc, to: int8(k), toInc: y.inc, view: view{epoch: 1, id: 9, inc: x.inc}, forged: true}
	for l := range y.list.lost {
		m.who[l] = y.list.lost[l].inc
	}
	m.who[i] = x.inc
	s.send(m)
}

// describe says what an act is.
func (w *world) describe(s *state, a act) string {
	switch a.kind {
	case aDeliver:
		return s.sent[a.m].String()
	case aSilent:
		return s.sent[a.m].String() + ", and the leader does not answer"
	case aJoin:
		return fmt.Sprintf("%d asks %d to join", a.i, a.k)
	case aData:
		return fmt.Sprintf("%d changes its data", a.i)
	case aGroup:
		return fmt.Sprintf("%d adds %d to the group, or removes it", a.i, a.k)
	case aDepose:
		return fmt.Sprintf("%d takes its leader for gone", a.i)
	case aLose:
		return fmt.Sprintf("leader %d takes %d for gone", a.i, a.k)
	case aAccuse:
		return fmt.Sprintf("%d accuses %d", a.i, a.k)
	case aFinish, aFinishLess:
		return fmt.Sprintf("%d installs view %v; it asked %v, and %v promised", a.i, s.m[a.i].cand, s.m[a.i].got.whom, s.m[a.i].got.acks)
	case aClaim:
		return fmt.Sprintf("%d claims to %d", a.i, a.k)
	case aRestart:
		return fmt.Sprintf("%d begins anew", a.i)
	case aLeave:
		return fmt.Sprintf("%d leaves", a.i)
	case aForge, aForgePrepare:
		return fmt.Sprintf("%d, which left, forges a message to %d", a.i, a.k)
	case aSpeak:
		return fmt.Sprintf("legacy machine %d says to %d that it is host", a.i, a.k)
	case aPassOver:
		return fmt.Sprintf("%d passes over a silent legacy candidate", a.i)
	case aThrowOut:
		return fmt.Sprintf("legacy host %d throws %d out", a.i, a.k)
	}
	return fmt.Sprintf("%d gives up", a.i)
}
