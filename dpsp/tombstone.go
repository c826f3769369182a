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

// tombstones are those of the last time, in order.
type tombstones []tombstone

// add remembers an id that was deleted.
func (t *tombstones) add(id, system wire.PlayerID, now time.Duration) {
	*t = slices.DeleteFunc(*t, func(b tombstone) bool { return b.until <= now || b.id == id })
	if len(*t) >= maxTombstones {
		*t = (*t)[1:]
	}
	*t = append(*t, tombstone{id, system, now + tombstoneLife})
}

// ofPeer remembers what a modern peer deleted by the leader's word. The peer's own announcement can come after that.
func (t *tombstones) ofPeer(p *peer, id wire.PlayerID, now time.Duration) {
	if p != nil && p.modern {
		t.add(id, p.system, now)
	}
}

// drop forgets what a machine had: it is back, and may bring it.
func (t *tombstones) drop(system wire.PlayerID) {
	*t = slices.DeleteFunc(*t, func(b tombstone) bool { return b.system == system })
}

// has reports whether an id was deleted lately.
func (t tombstones) has(id wire.PlayerID, now time.Duration) bool {
	return slices.ContainsFunc(t, func(b tombstone) bool { return b.id == id && b.until > now })
}

// outdate reports whether an announcement is older than what was said about the id since. An owner does not use an id
// twice; its own announcement is late if it came over a connection that it had before.
func (t tombstones) outdate(info *wire.PackedPlayer, now time.Duration) bool {
	return slices.ContainsFunc(t, func(b tombstone) bool {
		return b.id == info.ID && b.system == info.System && b.until > now
	})
}
