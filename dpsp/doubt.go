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

// The doubts are in order: all have as long.
type doubts []doubt

// add doubts a machine for a time, and reports whether it was not doubted already.
func (ds *doubts) add(system wire.PlayerID, now, wait time.Duration) bool {
	if slices.ContainsFunc(*ds, func(d doubt) bool { return d.system == system }) {
		return false
	}
	*ds = append(*ds, doubt{system, now, now + wait})
	return true
}

// forget forgets a machine that is gone.
func (ds *doubts) forget(system wire.PlayerID) {
	*ds = slices.DeleteFunc(*ds, func(d doubt) bool { return d.system == system })
}

// next returns when the first one is to be settled.
func (ds doubts) next() time.Duration {
	if len(ds) == 0 {
		return Never
	}
	return ds[0].until
}

// dropped takes that the table goes on without a machine. One that was silent about the table alone, for it waits for another
// candidate, or does not know yet that there is anything to answer, is passed over and stays: it hears who is host.
func (lv *liveness) dropped(ev hostmigrate.Drop) {
	e := lv.e
	p := e.peerByID(ev.ID)
	switch {
	case p == nil:
		return
	case !e.migration.running || ev.Err != hostmigrate.ErrSilent || !p.heard:
		e.lose(p, ev.Err.Error())
		return
	}
	if e.now-p.lastWord >= lv.answerTime() && lv.doubts.add(p.system, e.now, lv.answerTime()) {
		e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: lv.pings.Tick(e.now)})
	}
	if e.migration.isCandidate(p) {
		p.passed = true
		e.migration.elect(p.system)
	}
}

// answerTime is how long the table waits for an answer.
func (lv *liveness) answerTime() time.Duration {
	return min(hostmigrate.DefaultTimeout, lv.e.cfg.Period)
}

// doubtTimer loses those that said nothing.
func (lv *liveness) doubtTimer() {
	e := lv.e
	for e.state == member && lv.doubts.next() <= e.now {
		d := lv.doubts[0]
		lv.doubts = lv.doubts[1:]
		if p := e.peerByID(d.system); p != nil && p.lastWord < d.since {
			e.lose(p, hostmigrate.ErrSilent.Error())
		}
	}
}
