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

// verifyFor is how long a player of ours counts as new (2.2.22).
const verifyFor = 40 * time.Second

// made notes a player of ours as new.
func (e *Engine) made(id wire.PlayerID) {
	e.players++
	e.verify = append(e.recent(), recent{id, e.now, e.players})
}

// recent returns our new players, and forgets those that no longer are.
func (e *Engine) recent() []recent {
	e.verify = slices.DeleteFunc(e.verify, func(r recent) bool { return e.now-r.at > verifyFor })
	return e.verify
}

// sendVerify announces our new players once more to a machine that has just announced one of its own: it may
// have come into the session at the same moment (2.2.22). Where there are audits, each of our own peers is told once of
// a player: when the parts of a session come together, many announce many, and that times that is a flood.
func (e *Engine) sendVerify(system wire.PlayerID) {
	p := e.peerByID(system)
	if p == nil {
		return
	}
	for _, r := range e.recent() {
		if info, ok := e.list.Packed(r.id, e.self); ok && (!p.modern || !e.migrates() || r.nth > p.verified) {
			e.sendTCP(p.stream, &wire.CreatePlayerVerify{Player: r.id, Info: info})
		}
	}
	p.verified = e.players
}
