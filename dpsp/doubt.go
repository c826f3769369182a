package dpsp

import (
	"slices"
	"time"

	"dplay4/hostmigrate"
	"dplay4/wire"
)

// A doubt is about a machine that did not answer in the name table's time: it was pinged, and is lost if it says nothing
// until then.
type doubt struct {
	system       wire.PlayerID
	since, until time.Duration
}

// dropped takes that the table goes on without a machine. One that was silent about the table alone, for it waits for another
// candidate, or does not know yet that there is anything to answer, is passed over and stays: it hears who is host.
func (e *Engine) dropped(ev hostmigrate.Drop) {
	p := e.peerByID(ev.ID)
	switch {
	case p == nil:
		return
	case !e.migration.running || ev.Err != hostmigrate.ErrSilent || !p.heard:
		e.lose(p, ev.Err.Error())
		return
	}
	if e.now-p.lastWord >= e.answerTime() && !slices.ContainsFunc(e.doubts, func(d doubt) bool { return d.system == p.system }) {
		e.doubts = append(e.doubts, doubt{p.system, e.now, e.now + e.answerTime()})
		e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: e.pings.Tick(e.now)})
	}
	if e.migration.isCandidate(p) {
		p.passed = true
		e.migration.elect(p.system)
	}
}

// answerTime is how long the table waits for an answer.
func (e *Engine) answerTime() time.Duration { return min(hostmigrate.DefaultTimeout, e.cfg.Period) }

// doubtTimer loses those that said nothing.
func (e *Engine) doubtTimer() {
	for e.state == member && len(e.doubts) > 0 && e.doubts[0].until <= e.now { // all have as long: they are in order
		d := e.doubts[0]
		e.doubts = e.doubts[1:]
		if p := e.peerByID(d.system); p != nil && p.lastWord < d.since {
			e.lose(p, hostmigrate.ErrSilent.Error())
		}
	}
}

// nextDoubt is when doubtTimer has something to do.
func (e *Engine) nextDoubt() time.Duration {
	if len(e.doubts) == 0 {
		return Never
	}
	return e.doubts[0].until
}
