package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// An admission is a newcomer on its way in, seen from the host: an id was given, then the members were told.
type admission struct {
	id       wire.PlayerID
	listener netip.AddrPort  // at the address that its packets come from
	from     netip.Addr      // that address
	text     heard           // of its encoding
	waiting  []wire.PlayerID // members that have not acknowledged it yet; nil before ADDFORWARDREQUEST
	told     bool            // the members were told: it is in the list
	deadline time.Duration
}

// Newcomers that are on their way in at a time are bounded, for each holds an id and anybody can ask for one.
const (
	// maxAdmissions is how many there are in all: more than machines ever join one session within a minute, and 100 kB.
	// Beyond it the one that has waited longest makes room, of the address that has the most: so strangers at few
	// addresses keep nobody out, and those at many only who does not go on before they have asked that often. A game
	// goes on as soon as it has its id.
	maxAdmissions = 1024
	// maxAdmissionsEach is how many there are of one address: as many machines can be behind one, in a laboratory or
	// behind a router, before they have to wait for each other.
	maxAdmissionsEach = 64
)

// idLife is how long a system player's id stays reserved for a machine that asks for it and then says nothing.
// Wine waits 30 and 60 s for the answers that it needs, so a slower one has given up.
const idLife = 60 * time.Second

// roomForNewcomer reports whether there may be one more newcomer from an address, and makes room for it if it must.
func (e *Engine) roomForNewcomer(o origin) bool {
	each := map[netip.Addr]int{}
	for _, a := range e.admits {
		each[a.from]++
	}
	mine := each[o.from.Addr().Unmap()]
	if mine >= maxAdmissionsEach {
		return false
	}
	if len(e.admits) < maxAdmissions {
		return true
	}
	var last *admission
	for _, a := range e.admits {
		if !a.told && each[a.from] > mine && (last == nil || each[a.from] > each[last.from]) {
			last = a
		}
	}
	if last == nil {
		return false
	}
	e.drop(origin{from: last.listener}, "REQUESTPLAYERID", LimitReached, "others of more addresses ask for ids, and it did not go on")
	e.expire(last)
	return true
}

// is reports whether a message is from the newcomer.
func (a *admission) is(o origin) bool { return a.listener == o.direct().listener }

func newAdmission(id wire.PlayerID, o origin, deadline time.Duration) *admission {
	at := o.direct().listener
	return &admission{id: id, listener: at, from: at.Addr(), deadline: deadline}
}

// expire takes back the id of a newcomer that did not go on.
func (e *Engine) expire(a *admission) {
	e.ids.Free(a.id)
	e.removeAdmission(a)
	e.hangUpUnknown(a.listener)
}

// admitting reports whether a machine is still to get its list.
func (e *Engine) admitting(system wire.PlayerID) bool {
	return slices.ContainsFunc(e.admits, func(a *admission) bool { return a.id == system })
}

func (e *Engine) removeAdmission(a *admission) {
	e.admits = slices.DeleteFunc(e.admits, func(x *admission) bool { return x == a })
}

// admissionTimers ends what waited too long: newcomers are let in without the acknowledgements that are
// missing (3.2.6.1), ids that nobody used go back.
func (e *Engine) admissionTimers() {
	for _, a := range slices.Clone(e.admits) {
		if a.deadline > e.now {
			continue
		}
		if a.told {
			for _, id := range a.waiting {
				if p := e.peerByID(id); p != nil {
					p.silent = true
				}
			}
			a.waiting = nil
			e.admit(a)
			continue
		}
		e.expire(a)
	}
	e.promises = slices.DeleteFunc(e.promises, func(p promise) bool {
		if p.deadline > e.now {
			return false
		}
		e.ids.Free(p.id)
		return true
	})
}
