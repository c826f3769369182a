package hostmigrate

import (
	"math"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A Rule says who is host when the host is gone.
type Rule uint8

// The rules.
const (
	// DPlay4 is that of DirectPlay 4: the lowest system player id ([MC-DPL4CS] 3.1.7.1). It is for every session with a
	// member that knows no other.
	DPlay4 Rule = iota
	// Modern is that of DirectPlay 8: the system player that joined first ([MC-DPL8CS] 1.3.6).
	Modern
)

// String returns "dplay4" or "modern".
func (r Rule) String() string {
	if r == Modern {
		return "modern"
	}
	return "dplay4"
}

// Candidate returns the system player of a list that is next to be host by a rule, but for some: the host that is gone,
// and candidates that are gone as well. It is false if none is left.
func Candidate(rule Rule, l *playerlist.List, except ...wire.PlayerID) (wire.PlayerID, bool) {
	if rule == Modern {
		return l.Oldest(except...)
	}
	return l.Lowest(except...)
}

// A claim is what candidates are compared by: the lower number wins, then the lower id. Each candidate says its own
// number, so that all who hear of two of them make the same choice, however far their replicas got.
type claim struct {
	number uint32
	id     wire.PlayerID
}

// unlisted is the number of a machine that its own replica does not have: all others joined before it, as far as it can
// know.
const unlisted = math.MaxUint32

// better reports whether a candidate is better than another one.
func (c claim) better(than claim) bool {
	return c.number < than.number || c.number == than.number && c.id < than.id
}

// claimOf returns a candidate's claim as this machine sees it. By the rule of DirectPlay 4 it is 0: members that know no
// other rule wait for that candidate, so it comes before all that others elect who do not know those members yet.
// Otherwise it is the number of the operation that added the system player.
func (t *Table) claimOf(id wire.PlayerID) claim {
	if t.cfg.Rule == DPlay4 {
		return claim{0, id}
	}
	if t.list != nil {
		if e, ok := t.list.Look(id); ok && e.Flags&wire.PlayerSystem != 0 {
			return claim{e.Added, id}
		}
	}
	return claim{unlisted, id}
}
