package playerlist

import (
	"slices"

	"dplay4/wire"
)

// Lowest gives the system player with the lowest id but for some, the next host by the rule of DirectPlay 4
// ([MC-DPL4CS] 3.1.7.1); ok is false if there is none.
func (l *List) Lowest(except ...wire.PlayerID) (system wire.PlayerID, ok bool) {
	for r := l.players.first; r != nil; r = r.next {
		if r.isSystem() && (!ok || r.id < system) && !slices.Contains(except, r.id) {
			system, ok = r.id, true
		}
	}
	return system, ok
}

// Oldest gives the system player that joined first but for some, the next host by the rule of DirectPlay 8
// ([MC-DPL8CS] 1.3.6); ok is false if there is none.
func (l *List) Oldest(except ...wire.PlayerID) (system wire.PlayerID, ok bool) {
	for r := l.players.first; r != nil; r = r.next {
		if r.isSystem() && !slices.Contains(except, r.id) {
			return r.id, true
		}
	}
	return 0, false
}
