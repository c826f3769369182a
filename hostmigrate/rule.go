package hostmigrate

import (
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

// String gives "dplay4" or "modern".
func (r Rule) String() string {
	if r == Modern {
		return "modern"
	}
	return "dplay4"
}

// Candidate gives the system player of a list that is next to be host by a rule, but for some: the host that is gone,
// and candidates that are gone as well. It is false if none is left.
func Candidate(rule Rule, l *playerlist.List, except ...wire.PlayerID) (wire.PlayerID, bool) {
	if rule == Modern {
		return l.Oldest(except...)
	}
	return l.Lowest(except...)
}

// better says whether a is a better candidate than b by a rule. Who is not in the list joined after all who are: lists
// of a session differ only in how far they got. Without a list the lower id is better by either rule.
func better(rule Rule, l *playerlist.List, a, b wire.PlayerID) bool {
	if rule == DPlay4 || l == nil {
		return a < b
	}
	x, y := joined(l, a), joined(l, b)
	return x < y || x == y && a < b
}

// joined is the number of the operation that added a system player; beyond all numbers for anybody else.
func joined(l *playerlist.List, id wire.PlayerID) uint64 {
	if f, ok := l.Flags(id); !ok || f&wire.PlayerSystem == 0 {
		return 1 << 32
	}
	e, _ := l.Get(id)
	return uint64(e.Added)
}
