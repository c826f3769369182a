package dpsp

import (
	"dplay4/dpsp/internal/admit"
	"dplay4/wire"
)

// promise gives a member an id.
func (a *admission) promise(o origin, group bool) {
	to := a.e.peerOf(o).system
	if !a.MayPromise(to) {
		a.refuseID(o, wire.ErrNoNewPlayers)
		return
	}
	if id, ok := a.giveID(o); ok {
		a.Promises = append(a.Promises, admit.Promise{ID: id, To: to, Group: group, Deadline: a.e.now + idLife})
	}
}

// promised reports whether a machine may announce what has an id.
func (s *sessionState) promised(id, to wire.PlayerID) bool {
	promised, lapsed := s.reserved.Promised(id, to)
	return promised || (lapsed || s.brings(to)) && s.mayStillUse(id)
}

// brings reports whether a machine of ours may announce an id that we did not give it: the host before us did, or we, and what
// announced it was lost.
func (s *sessionState) brings(to wire.PlayerID) bool {
	p := s.peerByID(to)
	return p != nil && p.modern && s.migrates()
}

// mayStillUse reports whether an id that is not kept for anybody may come into the list.
func (s *sessionState) mayStillUse(id wire.PlayerID) bool {
	d := s.list.Desc()
	return !s.reserved.IDs.Reserved(id) && !s.reserved.Full(&d) && d.Flags&wire.SessionNewPlayersDisabled == 0
}
