package dpsp

import (
	"slices"
	"time"

	"dplay4/wire"
)

// A recent player of ours may be unknown to somebody who was joining when it was announced.
type recent struct {
	id  wire.PlayerID
	at  time.Duration
	nth uint64 // of all players that we made
}

// A verification is what CREATEPLAYERVERIFY may have to say again.
type verification struct {
	count  uint64   // how many players of ours were announced
	recent []recent // those that are new
}

// verifyFor is how long a player of ours counts as new (2.2.22).
const verifyFor = 40 * time.Second

// made notes a player of ours as new.
func (v *verification) made(id wire.PlayerID, now time.Duration) {
	v.count++
	v.recent = append(v.fresh(now), recent{id, now, v.count})
}

// fresh returns our new players, and forgets those that no longer are.
func (v *verification) fresh(now time.Duration) []recent {
	v.recent = slices.DeleteFunc(v.recent, func(r recent) bool { return now-r.at > verifyFor })
	return v.recent
}

// verifyPlayers announces our new players once more to a machine that has just announced one of its own: it may
// have come into the session at the same moment (2.2.22). Where there are audits, each of our own peers is told once of
// a player: when the parts of a session come together, many announce many, and that times that is a flood.
func (e *Engine) verifyPlayers(system wire.PlayerID) {
	v, p := &e.verify, e.peerByID(system)
	if p == nil {
		return
	}
	for _, r := range v.fresh(e.now) {
		if info, ok := e.list.Packed(r.id, e.self); ok && (!p.modern || !e.migrates() || r.nth > p.verified) {
			e.sendTCP(p.stream, &wire.CreatePlayerVerify{Player: r.id, Info: info})
		}
	}
	p.verified = v.count
}
