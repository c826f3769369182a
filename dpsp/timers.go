package dpsp

import "time"

// timers does what is due where we stand. The name table, audits, objects and claims have their turn after it, in Step.
func (e *Engine) timers() {
	switch e.state {
	case idle:
		e.search.timer()
	case joinState:
		e.join.timer()
	case member:
		e.requests.timer()
		if e.hosting() {
			e.admission.timers()
		}
		e.migration.candidateTimer()
		e.liveness.doubtTimer()
		e.fragmentTimers()
		e.dropEarly()
		e.liveness.pingTimer()
		e.arrivals.timer(e.now, e.peers.all)
		e.partition.askTimer()
	}
}

// wake returns the time of the next timer.
func (e *Engine) wake() time.Duration {
	w := e.framing.links.WakeUp()
	switch e.state {
	case idle:
		return min(w, e.search.next())
	case joinState:
		return min(w, e.join.next())
	case member:
		w = min(w, e.arrivals.at, e.liveness.pings.Next(), e.liveness.doubts.next(), e.liveness.asked.next(),
			e.partition.nextClaim(), e.partition.nextAsk(), e.views.next(), e.reconcile.audit.at,
			e.migration.candidateDue(), e.admission.next(), e.holdback.next(), e.fragments.next(), e.requests.next(), e.objects.Next())
		if e.reconcile.table != nil {
			w = min(w, e.reconcile.table.Next())
		}
	}
	return w
}
