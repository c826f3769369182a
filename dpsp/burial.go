package dpsp

import (
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A burial is an id that is not to come back: its owner, or the host, said that it is deleted. Somebody else may have
// announced it before and be heard after, over another connection: with CREATEPLAYERVERIFY (2.2.22), or, in a session
// with MULTICASTSERVER, where the host announces what the owner deletes itself (3.1.4.5).
type burial struct {
	id, system wire.PlayerID
	until      time.Duration
}

// Burials last longer than a connection that stands still holds back what was sent, and are bounded.
const (
	burialLife = 2 * time.Minute
	maxBurials = 4096
)

// bury remembers an id that another machine deleted.
func (e *Engine) bury(id, system wire.PlayerID) {
	e.buried = slices.DeleteFunc(e.buried, func(b burial) bool { return b.until <= e.now || b.id == id })
	if len(e.buried) >= maxBurials {
		e.buried = e.buried[1:]
	}
	e.buried = append(e.buried, burial{id, system, e.now + burialLife})
}

// unbury forgets what a machine had: it is back, and may bring it.
func (e *Engine) unbury(system wire.PlayerID) {
	e.buried = slices.DeleteFunc(e.buried, func(b burial) bool { return b.system == system })
}

// deletes gives the id that an operation deletes.
func deletes(op playerlist.Op) (wire.PlayerID, bool) {
	switch op := op.(type) {
	case playerlist.DeletePlayer:
		return op.ID, true
	case playerlist.DeleteGroup:
		return op.ID, true
	}
	return 0, false
}

// outdated says whether an announcement is older than what was said about the id since. An owner does not use an id
// twice; its own announcement is late if it came over a connection that it had before.
func (e *Engine) outdated(info *wire.PackedPlayer) bool {
	return slices.ContainsFunc(e.buried, func(b burial) bool {
		return b.id == info.ID && b.system == info.System && b.until > e.now
	})
}
