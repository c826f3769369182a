package model

// alive reports whether a program runs and is in no case a former one: it answers at its listener as inc.
func (s *state) alive(k int, inc int8) bool { return s.m[k].inc == inc && !s.m[k].left && inc != 0 }

// answers reports whether a member would answer, on a network that works. A legacy member answers without an incarnation.
func (s *state) answers(k int, inc int8) bool { return s.alive(k, inc) && !s.m[k].out }

// bad reports whether the connection between two machines never works.
func (w *world) badLink(i, k int) bool {
	return w.BadLink && (i == w.Bad[0] && k == w.Bad[1] || i == w.Bad[1] && k == w.Bad[0])
}

// silence is what it costs that i hears nothing of k when it asks: 0 if k is gone, or the connection is bad.
func (w *world) silence(s *state, i, k int, inc int8) int8 {
	if !s.answers(k, inc) || w.badLink(i, k) {
		return 0
	}
	return 1
}

// deliver has a message arrive. silent: a leader that is asked does not answer.
func (w *world) deliver(s *state, m *message, silent bool) {
	to := int(m.to)
	x := &s.m[to]
	if m.toInc != 0 && m.toInc != x.inc || x.left && !x.forger || x.out {
		return
	}
	switch m.kind {
	case mJoin:
		w.join(s, to, m)
	case mOp:
		w.changed(s, to, m)
	case mLog:
		w.logged(s, to, m)
	case mPrepare:
		w.prepared(s, to, m, silent)
	case mRefuse:
		if x.cand.epoch == 0 || x.cand != m.view {
			return
		}
		switch {
		case x.prom.newer(m.place) || m.place == x.prom: // a leader answers: it is ours, if its list has us
			if m.mine && m.place == x.view || !w.on(TheirLeader) {
				x.cand, x.got = view{}, gathered{}
			}
		case w.on(Above):
			w.prepare(s, to, x.got.whom, m.place.epoch)
		default:
			x.cand, x.got = view{}, gathered{}
		}
	case mAck:
		w.acked(s, to, m)
	case mInstall:
		if x.legacy || x.left || m.list.members[to].inc != x.inc || x.prom.newer(m.view) && w.on(Promise) {
			return
		}
		if x.view.epoch == 0 || x.prom == m.view && (m.view != x.view && !m.newcomer || m.view == x.view && m.index > x.index) || !w.on(Promise) && m.view != x.view {
			if m.kept && m.index <= x.index && m.view != x.view {
				s.violate("%d promised at index %d, and view %v begins at %d", to, x.index, m.view, m.index)
			}
			w.enter(s, to, m.view, m.index, m.list)
		}
	case mClaim:
		w.claimed(s, to, m)
	case mUnvouched:
		w.unvouched(s, to, m)
	}
}
