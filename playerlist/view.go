package playerlist

import (
	"slices"

	"dplay4/wire"
)

// A View is for whom and by whom a list is sent.
type View struct {
	// Sender is the host's system player: what it owns is marked LOCAL, with address 0.0.0.0.
	Sender wire.PlayerID
	// Newcomer is the system player of the machine that joins; 0: nobody does, the list was asked for.
	Newcomer wire.PlayerID
	// Keep, if not nil, says which players and groups are sent; it is told id, owner and flags. In a client/server
	// session a client gets only some. Newcomer and Sender are always sent.
	Keep func(id, system wire.PlayerID, flags wire.PlayerFlags) bool
}

// view gives what is sent, players and groups, in the order in which Windows sends it (facts, real-captures): the
// newcomer's system player, the host's, then all others in order of joining.
func (l *List) view(v View) (players, groups []*row) {
	players = make([]*row, 0, l.players.n)
	for _, id := range [...]wire.PlayerID{v.Newcomer, v.Sender} {
		if r := l.rows[id]; r != nil && r.isSystem() && !slices.Contains(players, r) {
			players = append(players, r)
		}
	}
	first := players
	for r := l.players.first; r != nil; r = r.next {
		if !slices.Contains(first, r) && l.kept(v, r) {
			players = append(players, r)
		}
	}
	groups = make([]*row, 0, l.groups.n)
	for r := l.groups.first; r != nil; r = r.next {
		if l.kept(v, r) {
			groups = append(groups, r)
		}
	}
	return players, groups
}

func (l *List) kept(v View, r *row) bool { return v.Keep == nil || v.Keep(r.id, r.system, l.flags(r)) }

// keptIDs gives the links to what is sent.
func (l *List) keptIDs(v View, links []link) []wire.PlayerID {
	var ids []wire.PlayerID
	for _, k := range links {
		if v.Keep == nil || k.id == v.Newcomer || k.id == v.Sender || l.kept(v, l.rows[k.id]) {
			ids = append(ids, k.id)
		}
	}
	return ids
}

// keptParent gives a group's parent if that is sent.
func (l *List) keptParent(v View, r *row) wire.PlayerID {
	if p := r.group.parent; p != 0 && l.kept(v, l.rows[p]) {
		return p
	}
	return 0
}
