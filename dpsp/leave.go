package dpsp

import "dplay4/wire"

// leave ends the session by our own will: our players first, then our system player, as Windows does.
func (e *Engine) leave(token uint64) error {
	switch e.state {
	case idle:
		return ErrNoSession
	case joinState:
		if e.join.back == nil {
			e.join.failed(ErrLeft)
			e.done(token, 0, nil)
			return nil
		}
		e.sendTCP(e.join.want.Host, &wire.DeletePlayer{Player: e.self}) // it may have taken us back, and not told us yet
		e.hangUpAt(e.join.want.Host)
	}
	e.sayGoodbye()
	all := e.peers.all
	if !e.part(func() { e.closeAll(all); e.done(token, 0, nil) }) {
		e.closeAll(all)
		defer e.done(token, 0, nil)
	}
	requests := e.requests.takeAll()
	e.reset()
	for _, r := range requests {
		e.requests.answer(r, 0, ErrLeft)
	}
	e.event(SessionClosed{})
	return nil
}

// sayGoodbye tells everybody that our players are gone, and we are (3.1.5.14).
func (e *Engine) sayGoodbye() {
	for _, op := range e.list.Departed(e.self) {
		e.announce(deletion(op))
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
func (e *Engine) closeAll(all []*peer) {
	for _, m := range all {
		if e.state != idle && (e.peerAt(m.stream) != nil && e.peerAt(m.stream) != m || e.join.want.Host == m.stream) {
			continue // of the next session
		}
		e.hangUpAt(m.stream)
	}
}
