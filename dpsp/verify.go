package dpsp

import (
	"slices"
	"time"

	"dplay4/wire"
)

// A recent player of ours may be unknown to somebody who was joining when it was announced.
type recent struct {
	id wire.PlayerID
	at time.Duration
}

// verification has our players that CREATEPLAYERVERIFY may announce again.
type verification struct {
	recent []recent // those that are new
}

// verifyFor is how long a player of ours counts as new (2.2.22).
const verifyFor = 40 * time.Second

// made notes a player of ours as new.
func (v *verification) made(id wire.PlayerID, now time.Duration) {
	v.recent = append(v.fresh(now), recent{id, now})
}

// fresh returns our new players, and forgets the others.
func (v *verification) fresh(now time.Duration) []recent {
	v.recent = slices.DeleteFunc(v.recent, func(r recent) bool { return now-r.at > verifyFor })
	return v.recent
}

// verifyPlayers announces our new players once more to a machine that has just announced one of its own: it may
// have come into the session at the same moment (2.2.22). Our own peers have them from the leader of the view.
func (s *sender) verifyPlayers(system wire.PlayerID) {
	p := s.peerByID(system)
	if p == nil || p.modern {
		return
	}
	for _, r := range s.verify.fresh(s.now) {
		if info, ok := s.list.Packed(r.id, s.self); ok {
			s.sendTCP(p.stream, &wire.CreatePlayerVerify{Player: r.id, Info: info})
		}
	}
}
