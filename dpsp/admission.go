package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// An admission is the host's side of the way into its session (3.1.4.2): who is on its way in, and which ids are given.
type admission struct {
	e *Engine
	reservations
}

// The reservations are the ids and newcomers that a host keeps track of. They have no pointer to the engine.
type reservations struct {
	ids       *playerlist.IDs // nil: we are not the host
	newcomers []*newcomer     // in the order in which they asked
	promises  []promise       // ids given to members
	lapsed    []promise       // and too long ago
	asked     strangerLists

	corrections []correction // in the order of the refusals
	correctAt   time.Duration
}

// strangerLists counts the lists of players that strangers were sent in the second that began at since.
type strangerLists struct {
	since time.Duration
	all   int
	each  map[netip.Addr]int
}

const (
	// maxAskersEach is how many lists the strangers of an address are sent in a second. DirectPlay asks once for each call of a
	// program, and a program that shows sessions to a player calls every few seconds.
	maxAskersEach = 8
	// maxAskers is how many all strangers are sent in a second.
	maxAskers = 64
)

// take reports whether a stranger is sent one more list, and counts that.
func (k *strangerLists) take(from netip.Addr, now time.Duration) bool {
	if k.each == nil || now >= k.since+time.Second {
		*k = strangerLists{since: now, each: map[netip.Addr]int{}}
	}
	if k.all >= maxAskers || k.each[from] >= maxAskersEach {
		return false
	}
	k.all++
	k.each[from]++
	return true
}

// A newcomer is on its way in: an id was given, then the members were told.
type newcomer struct {
	id       wire.PlayerID
	listener netip.AddrPort // at the address that its packets come from
	from     netip.Addr     // that address
	text     heard          // of its encoding
	told     bool           // the members were told: it is in the list
	latest   time.Duration  // then it gets the list in any case, once told
	deadline time.Duration  // latest or earlier; before it is told, when its id is taken back
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

// A newcomer gets the list when its members have acknowledged it, and without those that take too long: Wine 10 acknowledges to the former
// host after a migration, and anybody can join and go quiet.

// firstAck is how long a newcomer waits while nobody has acknowledged it, 5 s by default: on a slow line, a round trip and a packet that
// Windows sends again after its first timeout of 3 s.
func (c *Config) firstAck() time.Duration { return c.Populate / 3 }

// laterAck is how long it waits after each acknowledgement for the next one, 2 s by default. ADDFORWARD went out to all at once.
func (c *Config) laterAck() time.Duration { return multiple(c.Populate, 2) / 15 }

// room reports whether there may be one more newcomer from an address, and which other one has to go for it; nil: none.
func (a *reservations) room(from netip.Addr) (ok bool, last *newcomer) {
	each := map[netip.Addr]int{}
	for _, n := range a.newcomers {
		each[n.from]++
	}
	mine := each[from]
	if mine >= maxAdmissionsEach || len(a.newcomers) < maxAdmissions {
		return mine < maxAdmissionsEach, nil
	}
	for _, n := range a.newcomers {
		if !n.told && each[n.from] > mine && (last == nil || each[n.from] > each[last.from]) {
			last = n
		}
	}
	return last != nil, last
}

// makeRoom reports whether there may be one more newcomer where a message came from, and makes room for it if it must.
func (a *admission) makeRoom(o origin) bool {
	ok, last := a.room(o.from.Addr().Unmap())
	if last != nil {
		a.e.drop(origin{from: last.listener}, "REQUESTPLAYERID", LimitReached, "others of more addresses ask for ids, and it did not go on")
		a.expire(last)
	}
	return ok
}

// is reports whether a message is from the newcomer.
func (n *newcomer) is(o origin) bool { return n.listener == o.direct().listener }

func newNewcomer(id wire.PlayerID, o origin, deadline time.Duration) *newcomer {
	at := o.direct().listener
	return &newcomer{id: id, listener: at, from: at.Addr(), deadline: deadline}
}

// expire takes back the id of a newcomer that did not go on.
func (a *admission) expire(n *newcomer) {
	a.ids.Free(n.id)
	a.remove(n)
	a.e.hangUpUnknown(n.listener)
}

// admitting reports whether a machine is still to get its list.
func (a *reservations) admitting(system wire.PlayerID) bool {
	return slices.ContainsFunc(a.newcomers, func(n *newcomer) bool { return n.id == system })
}

func (a *reservations) remove(n *newcomer) {
	a.newcomers = slices.DeleteFunc(a.newcomers, func(x *newcomer) bool { return x == n })
}

// departed forgets a machine that is gone, and lets newcomers in that waited only for it.
func (a *admission) departed(system wire.PlayerID) {
	itsOwn := func(p promise) bool { return p.to == system }
	a.breakPromises(itsOwn)
	a.lapsed = slices.DeleteFunc(a.lapsed, itsOwn)
	a.newcomers = slices.DeleteFunc(a.newcomers, func(n *newcomer) bool { return n.id == system })
	for _, p := range a.e.peers.all {
		p.acknowledges(system)
	}
	for _, n := range slices.Clone(a.newcomers) {
		a.admit(n)
	}
}

// end forgets all, with what members owe, because we are not the host any more.
func (a *admission) end() {
	for _, p := range a.e.peers.all {
		p.owes, p.silent = nil, false
	}
	*a = admission{e: a.e}
}

// awaited returns the members that have not acknowledged a newcomer, without those that let another one wait in vain.
func (a *admission) awaited(n *newcomer) (all []*peer) {
	for _, p := range a.e.peers.all {
		if !p.silent && slices.Contains(p.owes, n.id) {
			all = append(all, p)
		}
	}
	return all
}

// acknowledges notes that a member knows of a newcomer, and reports whether its acknowledgement was due.
func (m *peer) acknowledges(newcomer wire.PlayerID) bool {
	i := slices.Index(m.owes, newcomer)
	if i < 0 {
		return false
	}
	m.owes = slices.Delete(m.owes, i, i+1)
	return true
}

// next returns the time of the next timer.
func (a *reservations) next() time.Duration {
	next := Never
	for _, n := range a.newcomers {
		next = min(next, n.deadline)
	}
	for _, p := range a.promises {
		next = min(next, p.deadline)
	}
	if len(a.corrections) > 0 {
		next = min(next, a.correctAt)
	}
	return next
}

// timers ends what waited too long: newcomers are let in without the acknowledgements that are
// missing (3.2.6.1), ids that nobody used go back, corrections are sent.
func (a *admission) timers() {
	for _, n := range slices.Clone(a.newcomers) {
		if n.deadline > a.e.now {
			continue
		}
		if n.told {
			for _, p := range a.awaited(n) {
				p.silent = true
			}
			a.admit(n)
			continue
		}
		a.expire(n)
	}
	a.lapse(a.e.now)
	a.correctTimer()
}
