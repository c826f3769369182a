package model

// claim returns the CLAIM of a leader, or of a member that its leader lost.
func (s *state) claim(i, to int, inc int8) message {
	x := &s.m[i]
	return message{kind: mClaim, from: int8(i), fromInc: x.inc, to: int8(to), toInc: inc, view: x.view, who: x.list.incs(),
		host: x.list.hostInc(), legacy: x.list.legacyHost()}
}

// claimed takes a CLAIM of another part's leader: who is asked passes it on to its own leader.
func (w *world) claimed(s *state, to int, m *message) {
	x := &s.m[to]
	switch {
	case !x.in():
	case !x.leads() && m.fromInc == x.view.inc: // our leader lost us
		c := s.claim(to, int(m.from), m.fromInc)
		c.who = [machines]int8{}
		c.who[to] = x.inc
		s.send(c)
	case !x.leads():
		if l := x.list.leader(x.view); l >= 0 && l != int(m.from) {
			c := *m
			c.to, c.toInc = int8(l), x.view.inc
			s.send(c)
		}
	case x.cand.epoch != 0 || x.prom != x.view:
	case m.host != x.list.hostInc() && (m.legacy || x.list.legacyHost()): // a legacy host steps down for nobody
	case x.list.members[m.from].inc != m.fromInc && !w.proof(s, to, m, w.on(Listener)):
		s.send(message{kind: mUnvouched, from: m.to, fromInc: x.inc, to: m.from, toInc: m.fromInc, view: x.view, who: x.list.incs()})
	case m.view.newer(x.view):
		s.send(s.claim(to, int(m.from), m.fromInc))
	default:
		who := x.list.incs()
		for k := range who {
			if m.who[k] != 0 && !x.knowsLeft(k, m.who[k]) && (who[k] == 0 || s.alive(k, m.who[k])) {
				who[k] = m.who[k]
			}
		}
		w.prepare(s, to, who, m.view.epoch)
	}
}

// proof reports whether a claim, or a PREPARE of who is no member, is one of another part: its sender, or somebody in it who names its
// sender as leader, was lost. Both say so themselves when they are asked at their listeners.
func (w *world) proof(s *state, i int, m *message, listener bool) bool {
	l := &s.m[i].list
	from := int(m.from)
	if w.on(LostNotLeft) && s.m[i].knowsLeft(from, m.fromInc) {
		return false
	}
	for k := range m.who {
		if l.lost[k].inc == 0 || l.lost[k].legacy || l.lost[k].inc != m.who[k] || w.on(LostNotLeft) && s.m[i].knowsLeft(k, m.who[k]) {
			continue
		}
		if !listener {
			return true
		}
		y := &s.m[k]
		if !s.alive(from, m.fromInc) && !(s.m[from].forger && s.m[from].inc == m.fromInc) { // a forger answers as it likes
			continue
		}
		if k == from || s.alive(k, m.who[k]) && y.view.inc == m.fromInc && !y.knowsLeft(from, m.fromInc) {
			return true
		}
	}
	return false
}

// unvouched has the members of a part whose claim nobody can vouch for ask the other part to let them in, like newcomers. They stay
// in their view until the next one is installed.
func (w *world) unvouched(s *state, to int, m *message) {
	x := &s.m[to]
	if !x.in() || !w.on(Unvouched) || x.list.members[m.from].inc != m.fromInc && !w.proof(s, to, m, w.on(Listener)) {
		return
	}
	if x.leads() {
		for k, e := range x.list.members {
			if c := *m; k != to && e.inc != 0 && !e.legacy {
				c.to, c.toInc = int8(k), e.inc
				s.send(c)
			}
		}
	}
	s.send(message{kind: mJoin, from: m.to, fromInc: x.inc, to: m.from, toInc: m.fromInc, view: x.prom, data: x.data})
}
