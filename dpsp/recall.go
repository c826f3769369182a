package dpsp

import (
	"slices"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A recalled is a player of ours in a group that went because its machine was lost. It enters the group again if that comes
// back: nobody else knows that it was in it, for the machine that brings the group lost us as well.
type recalled struct {
	group, owner, player wire.PlayerID
}

// maxRecalled bounds the memberships that are remembered.
const maxRecalled = 4096

// recalledLinks are those of a session, in the order in which they went.
type recalledLinks []recalled

// keep notes one, once.
func (l *recalledLinks) keep(r recalled) {
	if !slices.Contains(*l, r) && len(*l) < maxRecalled {
		*l = append(*l, r)
	}
}

// take returns the players that were in a group of this owner, and forgets the group, whosever it was.
func (l *recalledLinks) take(group, owner wire.PlayerID) []wire.PlayerID {
	var players []wire.PlayerID
	*l = slices.DeleteFunc(*l, func(r recalled) bool {
		if r.group == group && r.owner == owner {
			players = append(players, r.player)
		}
		return r.group == group
	})
	return players
}

// keepLinks notes which players of ours are in a group that is about to go, and not because its owner said so.
func (pt *partition) keepLinks(group wire.PlayerID) {
	e := pt.e
	if !e.migrates() || !e.extended() {
		return
	}
	owner, _ := e.list.System(group)
	for _, id := range e.list.AppendMembers(nil, group) {
		if e.ours(id) && owner != e.self {
			pt.recalled.keep(recalled{group, owner, id})
		}
	}
}

// recall puts players of ours into a group that is there again, and tells the others. A group that has the id by now, and
// is another machine's, is another one.
func (pt *partition) recall(group wire.PlayerID) {
	owner, _ := pt.e.list.System(group)
	for _, id := range pt.recalled.take(group, owner) {
		if pt.e.ours(id) && pt.e.apply(playerlist.AddMember{Group: group, Player: id}) == nil {
			pt.e.announce(&wire.AddPlayerToGroup{Player: id, Group: group})
		}
	}
}
