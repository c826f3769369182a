package dpsp

import (
	"slices"
	"time"

	"dplay4/wire"
)

// A promise is an id that a member was given for a player or group which is not there yet.
type promise struct {
	id       wire.PlayerID
	to       wire.PlayerID // the member's system player
	group    bool
	deadline time.Duration
}

// Ids that are promised at a time are bounded, in all and for each member. Programs ask for one after the other.
const (
	maxPromises     = 1024
	maxPromisesEach = 64
)

// promise gives a member an id.
func (a *admission) promise(o origin, group bool) {
	to := a.e.peerOf(o).system
	if !a.mayPromise(to) {
		a.refuseID(o, wire.ErrNoNewPlayers)
		return
	}
	if id, ok := a.giveID(o); ok {
		a.promises = append(a.promises, promise{id, to, group, a.e.now + idLife})
	}
}

// mayPromise reports whether a member may be given one more id.
func (a *reservations) mayPromise(to wire.PlayerID) bool {
	n := 0
	for _, p := range a.promises {
		if p.to == to {
			n++
		}
	}
	return len(a.promises) < maxPromises && n < maxPromisesEach
}

// promised reports whether a machine was given an id that it has not used yet. What for does not matter: a member
// whose request timed out takes the late answer for the one to its next request.
func (a *admission) promised(id, to wire.PlayerID) bool {
	is := func(p promise) bool { return p.id == id && p.to == to }
	return slices.ContainsFunc(a.promises, is) || a.e.partition.readmitted.has(to, a.e.now) ||
		(slices.ContainsFunc(a.lapsed, is) || a.brings(to)) && a.mayStillUse(id)
}

// brings reports whether a machine of ours may announce an id that we did not give it: the host before us did, or we, and what
// announced it was lost.
func (a *admission) brings(to wire.PlayerID) bool {
	p := a.e.peerByID(to)
	return p != nil && p.modern && a.e.migrates()
}

// mayStillUse reports whether an id that is not kept for anybody may come into the list.
func (a *admission) mayStillUse(id wire.PlayerID) bool {
	d := a.e.list.Desc()
	return !a.ids.Reserved(id) && !a.full(&d) && d.Flags&wire.SessionNewPlayersDisabled == 0
}

// lapse takes back the ids that were not used in time, so that they take no place. They are not given again: a program that stood
// still, and uses its own after all, is believed while there is room.
func (a *reservations) lapse(now time.Duration) {
	old := func(p promise) bool { return p.deadline <= now }
	for _, p := range a.promises {
		if old(p) {
			a.lapsed = append(a.lapsed[max(0, len(a.lapsed)-maxPromises+1):], p)
		}
	}
	a.breakPromises(old)
}

// breakPromises takes back ids that were given and are not used.
func (a *reservations) breakPromises(which func(promise) bool) {
	a.promises = slices.DeleteFunc(a.promises, func(p promise) bool {
		broken := which(p)
		if broken {
			a.ids.Free(p.id)
		}
		return broken
	})
}

// keepPromise notes that an id is in use now.
func (a *reservations) keepPromise(id wire.PlayerID) {
	is := func(p promise) bool { return p.id == id }
	a.promises, a.lapsed = slices.DeleteFunc(a.promises, is), slices.DeleteFunc(a.lapsed, is)
	a.ids.Hold(id)
}

// full reports whether the session is full, counting ids that are promised to players.
func (a *reservations) full(d *wire.SessionDesc) bool {
	n := int(d.CurrentPlayers)
	for _, p := range a.promises {
		if !p.group {
			n++
		}
	}
	return d.MaxPlayers > 0 && n >= int(d.MaxPlayers)
}
