package dpsp

import (
	"slices"
	"time"

	"dplay4/wire"
)

// A partition is what a member has to remember for the time when the session is in two parts, and does to make them one:
// whom it lost, what proves that somebody was in the session, who else says that it is host, and what came and went with the
// other part. The zero partition, with its engine, is that of a session that was never apart.
type partition struct {
	e          *Engine
	secrets    secrets
	lost       lostPeers
	former     formerConnections
	rival      wire.PlayerID // another host of this session; 0: none known
	mergedFrom wire.PlayerID // the last rival whose machines came over
	challenged challenge     // of a host that claims the session
	vouched    voucher       // for another host of the session
	strangers  time.Duration // when a host of which we know nothing is answered again
	readmitted readmissions
	recalled   recalledLinks   // of players of ours
	misled     []wire.PlayerID // who follow us, and are to hear who is host once that one spoke
	back       *rejoining      // after coming back: what we remember
	askedBack  askedBack
}

// A readmission is of a machine that was taken back. Its players come with the ids that they had.
type readmission struct {
	system   wire.PlayerID
	deadline time.Duration
}

// readmissions are those of the last time, one a machine.
type readmissions []readmission

// add notes that a machine was taken back.
func (r *readmissions) add(system wire.PlayerID, now time.Duration) {
	*r = slices.DeleteFunc(*r, func(r readmission) bool { return r.deadline <= now || r.system == system })
	*r = append(*r, readmission{system, now + idLife})
}

// has reports whether a machine may announce players with the ids that they had before it was lost.
func (r readmissions) has(system wire.PlayerID, now time.Duration) bool {
	return slices.ContainsFunc(r, func(r readmission) bool { return r.system == system && r.deadline > now })
}

// askedBack is what a host that we came back to says of having lost us. It asks for us once for each thing that we said to it when
// it did not know us, over connections of their own, and what is late of that looks as if it had lost us again. To come once more for
// it is no small thing: all links begin anew, and those who know no greetings say again what we have (seed 378084069).
type askedBack struct {
	until time.Duration // it may be late
	again bool          // it said so: it is greeted then, and asks once more if it does not know us
}

// askedLate is how late that may be: as late as a connection whose first packets got lost.
const askedLate = 5 * time.Second

// mayBeOld notes that our host asks us to come back, and reports whether that may be of before we did.
func (pt *partition) mayBeOld() bool {
	late := pt.e.now < pt.askedBack.until
	pt.askedBack.again = pt.askedBack.again || late
	return late
}

// askTimer greets a host that asked us to come back when we may have been there already.
func (pt *partition) askTimer() {
	if pt.nextAsk() > pt.e.now {
		return
	}
	pt.askedBack.again = false
	if h := pt.e.peerByID(pt.e.host); h != nil {
		pt.e.sayHello(h, false)
	}
}

// nextAsk is when askTimer has something to do.
func (pt *partition) nextAsk() time.Duration {
	if !pt.askedBack.again {
		return Never
	}
	return pt.askedBack.until
}
