package dpsp

import "time"

// timers does what is due where we stand. Views and objects have their turn after it, in Step.
func (e *Engine) timers() {
	switch e.state {
	case idle:
		e.search.timer()
	case joinState:
		if last, err := e.join.timer(); err != nil {
			e.joinFailed(err)
		} else if last != nil {
			e.enterSession(last.o, last.list)
		}
	case member:
		e.requests.timer()
		if e.hosting() {
			e.admission.timers()
		}
		e.candidateTimer()
		e.askedTimer()
		e.fragmentTimers()
		e.dropEarly()
		e.pingTimer()
		e.arrivals.timer(e.now, e.peers.all)
	}
}

// wake returns the time of the next timer.
func (s *sender) wake() time.Duration {
	w := s.framing.links.WakeUp()
	switch s.state {
	case idle:
		return min(w, s.search.next())
	case joinState:
		return min(w, s.join.next())
	case member:
		w = min(w, s.arrivals.at, s.liveness.pings.Next(), s.liveness.asked.next(), s.views.next(), s.leaving.next(),
			s.migration.candidateDue(), s.admission.Next(Never), s.holdback.next(), s.fragments.next(), s.requests.next(), s.objects.Next())
	}
	return w
}
