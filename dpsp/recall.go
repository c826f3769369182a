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

// keepLinks notes which players of ours are in a group that is about to go, and not because its owner said so.
func (e *Engine) keepLinks(group wire.PlayerID) {
	if !e.migrates() || !e.extended() {
		return
	}
	owner, _ := e.list.System(group)
	for _, id := range e.list.AppendMembers(nil, group) {
		if r := (recalled{group, owner, id}); e.ours(id) && owner != e.self && !slices.Contains(e.recalled, r) && len(e.recalled) < maxRecalled {
			e.recalled = append(e.recalled, r)
		}
	}
}

// recall puts players of ours into a group that is there again, and tells the others. A group that has the id by now, and
// is another machine's, is another one.
func (e *Engine) recall(group wire.PlayerID) {
	owner, _ := e.list.System(group)
	mine := func(r recalled) bool { return r.group == group }
	for _, r := range slices.Clone(e.recalled) {
		if mine(r) && r.owner == owner && e.ours(r.player) && e.apply(playerlist.AddMember{Group: group, Player: r.player}) == nil {
			e.announce(&wire.AddPlayerToGroup{Player: r.player, Group: group})
		}
	}
	e.recalled = slices.DeleteFunc(e.recalled, mine)
}
