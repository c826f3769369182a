package dpsp

import (
	"dplay4/playerlist"
	"dplay4/wire"
)

// createdGroup takes a CREATEGROUP, with the members it may list.
func (e *Engine) createdGroup(o origin, info *wire.PackedPlayer) {
	const name = "CREATEGROUP"
	members, add := info.PlayerIDs, playerlist.AddGroup{Entry: entryOf(info, e.peerByID(info.System))}
	if err := e.share(add); err != nil {
		e.refuseShare(o, name, &wire.DeleteGroup{Group: info.ID}, info.System, err)
		return
	}
	if err := e.apply(add); err != nil {
		e.drop(o, name, Conflict, err.Error())
		return
	}
	if e.hosting() {
		e.admission.Keep(info.ID)
	}
	for _, id := range members {
		if err := e.applyShared(playerlist.AddMember{Group: info.ID, Player: id}); err != nil {
			e.drop(o, name, Conflict, err.Error())
		}
	}
}

// deletedGroup takes a DELETEGROUP. Any member may delete any group, with the groups in it (facts, 10.5). Who deletes one
// of them, too, may do so at the same time.
func (e *Engine) deletedGroup(o origin, id wire.PlayerID) {
	const name = "DELETEGROUP"
	switch player, group := e.list.Kind(id); {
	case group:
		p := e.peerOf(o)
		for _, id := range e.list.Subtree(id) {
			if owner, _ := e.list.System(id); p == nil || p.system != owner {
				e.views.keepLinks(id) // perhaps its machine was lost, and comes back with it
			}
		}
		e.deleteGroup(id)
	case player:
		e.drop(o, name, Conflict, id.String()+" is a player")
	case !e.tombstones.has(id, e.now) && !e.repeated(o):
		e.drop(o, name, NoSuchID, id.String()+" is not in the session")
	}
}

// deleteGroup deletes a group with the groups in it, and returns their ids in the order in which that was done.
func (e *Engine) deleteGroup(id wire.PlayerID) []wire.PlayerID {
	all := e.list.Subtree(id)
	for _, id := range all {
		system, _ := e.list.System(id)
		e.apply(playerlist.DeleteGroup{ID: id})
		e.tombstones.add(id, system, e.now)
		if e.hosting() {
			e.admission.IDs.Free(id)
		}
	}
	return all
}

// destroyGroup deletes a group, whosever it is, for the program. The groups in it are named to the others as well, for not
// everybody may know that they go with it.
func (e *Engine) destroyGroup(id wire.PlayerID) error {
	if _, group := e.list.Kind(id); !group {
		return ErrNoID
	}
	for _, id := range e.deleteGroup(id) {
		e.announce(&wire.DeleteGroup{Group: id})
	}
	return nil
}
