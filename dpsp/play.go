package dpsp

import (
	"dplay4/playerlist"
	"dplay4/wire"
)

// players returns our players but one, valid until it is called again.
func (s *sessionState) players(but wire.PlayerID) []wire.PlayerID {
	return s.own.but(s.list, s.self, but)
}

// ownPlayers are the players of our machine in a list. The list is gone through only when it changed: a session can have many
// players, and messages to everybody are the rule.
type ownPlayers struct {
	list    *playerlist.List
	version uint32 // of list, when ids were looked for
	ids     []wire.PlayerID
	scratch []wire.PlayerID
}

// but returns them without one, valid until it is called again.
func (o *ownPlayers) but(list *playerlist.List, self, but wire.PlayerID) []wire.PlayerID {
	if v := list.Version(); o.list != list || o.version != v {
		o.list, o.version, o.ids = list, v, o.ids[:0]
		o.scratch = list.AppendPlayers(o.scratch[:0])
		for _, id := range o.scratch {
			if isOwnPlayer(list, self, id) {
				o.ids = append(o.ids, id)
			}
		}
	}
	o.scratch = o.scratch[:0]
	for _, id := range o.ids {
		if id != but {
			o.scratch = append(o.scratch, id)
		}
	}
	return o.scratch
}

// isPlayer reports whether an id is that of a player that programs know: not of a machine, or a group.
func isPlayer(list *playerlist.List, id wire.PlayerID) bool {
	player, _ := list.Kind(id)
	f, _ := list.Flags(id)
	return player && f&wire.PlayerSystem == 0
}

// isOwnPlayer reports whether an id is a player of a machine; its system player is none.
func isOwnPlayer(list *playerlist.List, machine, id wire.PlayerID) bool {
	player, _ := list.Kind(id)
	system, _ := list.System(id)
	return player && id != machine && system == machine
}
