package dpsp

import "time"

// leaveGrace is how long a goodbye waits for messages that wait for a count. On a busy machine a count takes more than half a second.
const leaveGrace = 1500 * time.Millisecond

// A leaving is a Leave that waits. Its zero value is that of no such one.
type leaving struct {
	token uint64
	until time.Duration
}

// next returns when the wait ends.
func (l *leaving) next() time.Duration {
	if l.until == 0 {
		return Never
	}
	return l.until
}

// leave ends the session by our own will: our players first, then our system player, as Windows does. While messages to a peer wait for its
// count, so does the goodbye, which would be lost with them; Step calls it again.
func (e *Engine) leave(token uint64, mayWait bool) error {
	switch e.state {
	case idle:
		return ErrNoSession
	case joinState:
		e.joinFailed(ErrLeft)
		e.done(token, 0, nil)
		return nil
	}
	if mayWait && e.leaving.until == 0 && e.arrivals.waits(e.peers.all) {
		e.leaving = leaving{token, e.now + leaveGrace}
		e.arrivals.greet(e.now, e.peers.all)
		return nil
	}
	e.sayGoodbye()
	e.end(parting{e.peers.all, true, token}, ErrLeft, SessionClosed{})
	return nil
}

// A parting is the end of a session: from whom, and the token of Leave if our program wanted it.
type parting struct {
	peers []*peer
	leave bool
	token uint64
}

// end ends the session, and answers the requests that wait with an error.
func (e *Engine) end(x parting, err error, last Event) {
	later, requests, waited := e.part(x), e.requests.takeAll(), e.leaving
	e.reset()
	if waited.until != 0 { // the session ended before
		e.done(waited.token, 0, nil)
	}
	for _, r := range requests {
		e.requests.answer(r, 0, err)
	}
	e.event(last)
	if !later {
		e.gone(x)
	}
}

// gone ends a parting, when all has been said.
func (s *sender) gone(x parting) {
	s.closeAll(x.peers)
	if x.leave {
		s.done(x.token, 0, nil)
	}
}

// sayGoodbye tells everybody that our players are gone, and we are (3.1.5.14).
func (s *sender) sayGoodbye() {
	for _, op := range s.list.Departed(s.self) {
		s.announce(deletion(op))
	}
}

// toldToLeave ends the session because the host says so. Our players go first (3.1.5.14), but where parts of a session come
// together: there the others are to take us for lost, and remember us, for we may know the way to another part.
func (e *Engine) toldToLeave(why loss) {
	if !e.migrates() || !e.extended() {
		e.sayGoodbye()
	}
	e.sessionLost(why)
}

// closeAll closes the connections to machines, after what is still to be sent.
func (s *sender) closeAll(all []*peer) {
	for _, m := range all {
		if s.state != idle && (s.peerAt(m.stream) != nil && s.peerAt(m.stream) != m || s.way.want.Host == m.stream) {
			continue // of the next session
		}
		s.hangUpAt(m.stream)
	}
}
