package dpsp

import (
	"slices"
	"time"

	"dplay4/dpsp/internal/admit"
	"dplay4/wire"
)

// An admission is the host's side of the way into its session (3.1.4.2): who is on its way in, and which ids are given.
type admission struct {
	e *sender
	*admit.Reservations
}

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

// makeRoom reports whether there may be one more newcomer where a message came from, and makes room for it if it must.
func (a *admission) makeRoom(o origin) bool {
	ok, last := a.Room(o.from.Addr().Unmap())
	if last != nil {
		a.e.drop(origin{from: last.Listener}, "REQUESTPLAYERID", LimitReached, "others of more addresses ask for ids, and it did not go on")
		a.expire(last)
	}
	return ok
}

// expire takes back the id of a newcomer that did not go on.
func (a *admission) expire(n *admit.Newcomer) {
	a.IDs.Free(n.ID)
	a.Remove(n)
	a.e.hangUpUnknown(n.Listener)
}

// departed forgets a machine that is gone, and lets newcomers in that waited only for it.
func (a *admission) departed(system wire.PlayerID) {
	a.Depart(system)
	for _, p := range a.e.peers.all {
		p.acknowledges(system)
	}
	for _, n := range slices.Clone(a.Newcomers) {
		a.admit(n)
	}
}

// end forgets all, with what members owe, because we are not the host any more.
func (a *admission) end() {
	for _, p := range a.e.peers.all {
		p.owes, p.silent = nil, false
	}
	*a.Reservations = admit.Reservations{}
}

// awaited returns the members that have not acknowledged a newcomer, without those that let another one wait in vain.
func (a *admission) awaited(n *admit.Newcomer) (all []*peer) {
	for _, p := range a.e.peers.all {
		if !p.silent && slices.Contains(p.owes, n.ID) {
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

// timers ends what waited too long: newcomers are let in without the acknowledgements that are
// missing (3.2.6.1), ids that nobody used go back, corrections are sent.
func (a *admission) timers() {
	for _, n := range slices.Clone(a.Newcomers) {
		if n.Deadline > a.e.now {
			continue
		}
		if n.Told {
			for _, p := range a.awaited(n) {
				p.silent = true
			}
			a.admit(n)
			continue
		}
		a.expire(n)
	}
	a.Lapse(a.e.now)
	a.correctTimer()
}
