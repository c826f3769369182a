package dpsp

import (
	"cmp"
	"slices"
	"time"

	"dplay4/hostmigrate"
	"dplay4/wire"
)

// A question to a machine is whether it is there: somebody accuses it, or a connection to it broke. Without an answer until then it is
// accused.
type question struct {
	system wire.PlayerID
	until  time.Duration
}

// The questions are in the order of their deadlines.
type questions []question

// add notes a question with its time, and reports whether the machine was not asked already.
func (qs *questions) add(system wire.PlayerID, now, wait time.Duration) bool {
	if qs.has(system) {
		return false
	}
	*qs = append(*qs, question{system, now + wait})
	qs.sort()
	return true
}

// sort orders the questions by deadline, and those of one deadline as they came.
func (qs questions) sort() {
	slices.SortStableFunc(qs, func(a, b question) int { return cmp.Compare(a.until, b.until) })
}

// hasten makes the deadline of a machine that is asked no later than a time.
func (qs questions) hasten(system wire.PlayerID, until time.Duration) {
	for i := range qs {
		if qs[i].system == system {
			qs[i].until = min(qs[i].until, until)
		}
	}
	qs.sort()
}

// has reports whether a machine is asked.
func (qs questions) has(system wire.PlayerID) bool {
	return slices.ContainsFunc(qs, func(q question) bool { return q.system == system })
}

// forget removes the question to a machine, which answered or is gone.
func (qs *questions) forget(system wire.PlayerID) {
	*qs = slices.DeleteFunc(*qs, func(q question) bool { return q.system == system })
}

// next returns the first deadline.
func (qs questions) next() time.Duration {
	if len(qs) == 0 {
		return Never
	}
	return qs[0].until
}

// answerTime returns how long an answer may take.
func (s *sessionState) answerTime() time.Duration {
	return min(hostmigrate.DefaultTimeout, s.cfg.Period)
}

// due removes and returns the first question whose time is over.
func (qs *questions) due(now time.Duration) (q question, ok bool) {
	if qs.next() > now {
		return q, false
	}
	q, *qs = (*qs)[0], (*qs)[1:]
	return q, true
}

// askedTimer accuses the machines that were asked and did not answer.
func (e *Engine) askedTimer() {
	for e.state == member {
		q, ok := e.signs.asked.due(e.now)
		if !ok {
			return
		}
		if p := e.peerByID(q.system); e.admission.Newcomer(q.system) != nil { // it answers nothing until it has its list
			e.signs.asked.add(q.system, e.now, hostmigrate.DefaultTimeout)
		} else if p != nil && !p.answered {
			p.spent, p.renewing = false, false // should the leader decide that it stays
			e.unreachable(p, loss{CauseClosed, ClosedConnection})
		}
	}
}
