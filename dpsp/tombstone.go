package dpsp

import (
	"slices"
	"time"

	"dplay4/wire"
)

// A tombstone is an id that is not to come back: its owner or the host said that it is deleted, or, of a group, anybody. Somebody
// else may have announced it before and be heard after, over another connection: with CREATEPLAYERVERIFY (2.2.22), or, in
// a session with MULTICASTSERVER, where the host announces what the owner deletes itself (3.1.4.5). A group's own announcement
// is late where another machine deletes it.
type tombstone struct {
	id, system wire.PlayerID
	until      time.Duration
}

// Tombstones last longer than a connection that stands still holds back what was sent, and are bounded.
const (
	tombstoneLife = 2 * time.Minute
	maxTombstones = 4096
)

// addTombstone remembers an id that was deleted.
func (e *Engine) addTombstone(id, system wire.PlayerID) {
	e.tombstones = slices.DeleteFunc(e.tombstones, func(b tombstone) bool { return b.until <= e.now || b.id == id })
	if len(e.tombstones) >= maxTombstones {
		e.tombstones = e.tombstones[1:]
	}
	e.tombstones = append(e.tombstones, tombstone{id, system, e.now + tombstoneLife})
}

// dropTombstones forgets what a machine had: it is back, and may bring it.
func (e *Engine) dropTombstones(system wire.PlayerID) {
	e.tombstones = slices.DeleteFunc(e.tombstones, func(b tombstone) bool { return b.system == system })
}

// hasTombstone reports whether an id was deleted lately.
func (e *Engine) hasTombstone(id wire.PlayerID) bool {
	return slices.ContainsFunc(e.tombstones, func(b tombstone) bool { return b.id == id && b.until > e.now })
}

// outdated reports whether an announcement is older than what was said about the id since. An owner does not use an id
// twice; its own announcement is late if it came over a connection that it had before.
func (e *Engine) outdated(info *wire.PackedPlayer) bool {
	return slices.ContainsFunc(e.tombstones, func(b tombstone) bool {
		return b.id == info.ID && b.system == info.System && b.until > e.now
	})
}
