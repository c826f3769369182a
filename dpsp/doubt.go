package dpsp

import (
	"cmp"
	"slices"
	"time"

	"dplay4/hostmigrate"
	"dplay4/wire"
)

// A doubt is about a machine that did not answer in the name table's time, or to which a connection broke: it was asked whether it
// is there, and is lost if it says nothing until then.
type doubt struct {
	system       wire.PlayerID
	since, until time.Duration
}

// The doubts are in the order in which their time is over.
type doubts []doubt

// add doubts a machine for a time, and reports whether it was not doubted already.
func (ds *doubts) add(system wire.PlayerID, now, wait time.Duration) bool {
	if ds.has(system) {
		return false
	}
	*ds = append(*ds, doubt{system, now, now + wait})
	ds.sort()
	return true
}

// sort brings the doubts in order, those of one time in the order in which they came.
func (ds doubts) sort() {
	slices.SortStableFunc(ds, func(a, b doubt) int { return cmp.Compare(a.until, b.until) })
}

// hasten gives a machine that is doubted no longer than until a time.
func (ds doubts) hasten(system wire.PlayerID, until time.Duration) {
	for i := range ds {
		if ds[i].system == system {
			ds[i].until = min(ds[i].until, until)
		}
	}
	ds.sort()
}

// has reports whether a machine is doubted.
func (ds doubts) has(system wire.PlayerID) bool {
	return slices.ContainsFunc(ds, func(d doubt) bool { return d.system == system })
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
		e.lose(p, droppedBy(ev.Err))
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

// due takes out the first doubt whose time is over.
func (ds *doubts) due(now time.Duration) (d doubt, ok bool) {
	if ds.next() > now {
		return d, false
	}
	d, *ds = (*ds)[0], (*ds)[1:]
	return d, true
}

// doubtTimer loses those that said nothing, and accuses those that were asked over a new connection and did not answer.
func (lv *liveness) doubtTimer() {
	e := lv.e
	for e.state == member {
		if d, ok := lv.doubts.due(e.now); ok {
			if p := e.peerByID(d.system); p != nil && p.lastWord < d.since {
				e.lose(p, droppedBy(hostmigrate.ErrSilent))
			}
		} else if d, ok = lv.asked.due(e.now); ok {
			if p := e.peerByID(d.system); e.admission.admitting(d.system) { // it answers nothing until it has its list
				lv.asked.add(d.system, e.now, hostmigrate.DefaultTimeout)
			} else if p != nil && !p.answered {
				p.spent = false // should the host decide that it stays
				lv.unreachable(p, loss{CauseClosed, ClosedConnection})
			}
		} else {
			return
		}
	}
}
