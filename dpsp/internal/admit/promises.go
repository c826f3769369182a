package admit

import (
	"slices"
	"time"

	"dplay4/wire"
)

// A Promise is an id that a member was given for a player or group which is not there yet.
type Promise struct {
	ID       wire.PlayerID
	To       wire.PlayerID // the member's system player
	Group    bool
	Deadline time.Duration
}

// Ids that are promised at a time are bounded, in all and for each member. Programs ask for one after the other.
const (
	MaxPromises     = 1024
	MaxPromisesEach = 64
)

// MayPromise reports whether a member may be given one more id.
func (r *Reservations) MayPromise(to wire.PlayerID) bool {
	n := 0
	for _, p := range r.Promises {
		if p.To == to {
			n++
		}
	}
	return len(r.Promises) < MaxPromises && n < MaxPromisesEach
}

// Promised reports whether a machine was given an id that it has not used yet, and whether that lapsed. What for does not matter: a member
// whose request timed out takes the late answer for the one to its next request.
func (r *Reservations) Promised(id, to wire.PlayerID) (promised, lapsed bool) {
	is := func(p Promise) bool { return p.ID == id && p.To == to }
	return slices.ContainsFunc(r.Promises, is), slices.ContainsFunc(r.Lapsed, is)
}

// Lapse takes back the ids that were not used in time, so that they take no place. They are not given again: a program that stood
// still, and uses its own after all, is believed while there is room.
func (r *Reservations) Lapse(now time.Duration) {
	old := func(p Promise) bool { return p.Deadline <= now }
	for _, p := range r.Promises {
		if old(p) {
			r.Lapsed = append(r.Lapsed[max(0, len(r.Lapsed)-MaxPromises+1):], p)
		}
	}
	r.breakPromises(old)
}

// breakPromises takes back ids that were given and are not used.
func (r *Reservations) breakPromises(which func(Promise) bool) {
	r.Promises = slices.DeleteFunc(r.Promises, func(p Promise) bool {
		broken := which(p)
		if broken {
			r.IDs.Free(p.ID)
		}
		return broken
	})
}

// Keep notes that an id is in use now.
func (r *Reservations) Keep(id wire.PlayerID) {
	is := func(p Promise) bool { return p.ID == id }
	r.Promises, r.Lapsed = slices.DeleteFunc(r.Promises, is), slices.DeleteFunc(r.Lapsed, is)
	r.IDs.Hold(id)
}

// Full reports whether the session is full, counting ids that are promised to players.
func (r *Reservations) Full(d *wire.SessionDesc) bool {
	n := int(d.CurrentPlayers)
	for _, p := range r.Promises {
		if !p.Group {
			n++
		}
	}
	return d.MaxPlayers > 0 && n >= int(d.MaxPlayers)
}

// A Correction says what a player or group is still called, or its data, after the host alone refused a change.
type Correction struct {
	ID   wire.PlayerID
	Name bool // otherwise the data
	left int  // how often it is to be sent
}

const (
	// CorrectEvery is the time between two times at which corrections are sent, because they may be much larger than what they correct.
	CorrectEvery = 5 * time.Second
	// CorrectTimes is how often each one is sent: its owner may have made another change meanwhile, which the first one overtook.
	CorrectTimes = 2
)

// Correct has a correction sent.
func (r *Reservations) Correct(id wire.PlayerID, name bool) {
	i := slices.IndexFunc(r.corrections, func(c Correction) bool { return c.ID == id && c.Name == name })
	if i < 0 {
		i = len(r.corrections)
		r.corrections = append(r.corrections, Correction{ID: id, Name: name})
	}
	r.corrections[i].left = CorrectTimes
}

// Corrections returns the corrections that are due, of players and groups that are there.
func (r *Reservations) Corrections(now time.Duration, there func(wire.PlayerID) bool) []Correction {
	if len(r.corrections) == 0 || r.correctAt > now {
		return nil
	}
	r.correctAt = now + CorrectEvery
	r.corrections = slices.DeleteFunc(r.corrections, func(c Correction) bool { return !there(c.ID) })
	due := slices.Clone(r.corrections)
	for i := range r.corrections {
		r.corrections[i].left--
	}
	r.corrections = slices.DeleteFunc(r.corrections, func(c Correction) bool { return c.left <= 0 })
	return due
}
