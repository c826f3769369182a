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
func (a *admission) mayPromise(to wire.PlayerID) bool {
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
	return slices.ContainsFunc(a.promises, func(p promise) bool { return p.id == id && p.to == to }) || a.e.partition.readmitted.has(to, a.e.now) ||
		a.brings(id, to)
}

// brings reports whether a machine of ours may announce an id that nobody has: the host before us gave it, or we did, and
// what announced it was lost.
func (a *admission) brings(id, to wire.PlayerID) bool {
	p, d := a.e.peerByID(to), a.e.list.Desc()
	return p != nil && p.modern && a.e.migrates() && !a.ids.Reserved(id) &&
		!a.full(&d) && d.Flags&wire.SessionNewPlayersDisabled == 0
}

// breakPromises takes back ids that were given and are not used: of a machine that is gone, or too old.
func (a *admission) breakPromises(which func(promise) bool) {
	a.promises = slices.DeleteFunc(a.promises, func(p promise) bool {
		broken := which(p)
		if broken {
			a.ids.Free(p.id)
		}
		return broken
	})
}

// keepPromise notes that an id is in use now.
func (a *admission) keepPromise(id wire.PlayerID) {
	a.promises = slices.DeleteFunc(a.promises, func(p promise) bool { return p.id == id })
	a.ids.Hold(id)
}

// full reports whether the session is full, counting ids that are promised to players.
func (a *admission) full(d *wire.SessionDesc) bool {
	n := int(d.CurrentPlayers)
	for _, p := range a.promises {
		if !p.group {
			n++
		}
	}
	return d.MaxPlayers > 0 && n >= int(d.MaxPlayers)
}
