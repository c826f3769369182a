package dpsp

import (
	"slices"

	"dplay4/playerlist"
	"dplay4/wire"
)

// recalled is a player of ours that was in a group of a lost machine. It enters the group again if the machine brings the group back. No
// other machine restores the membership, because the machine that brings the group lost us as well.
type recalled struct {
	group, owner, player wire.PlayerID
}

// maxRecalled bounds the memberships that are remembered.
const maxRecalled = 4096

// recalledLinks are those of a session, in the order in which they went.
type recalledLinks []recalled

// keep remembers one, once.
func (l *recalledLinks) keep(r recalled) {
	if !slices.Contains(*l, r) && len(*l) < maxRecalled {
		*l = append(*l, r)
	}
}

// take returns the players that were in this group of this owner, and forgets the group.
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

// keepOurs remembers the players of this machine in another machine's group, which is about to go without a word of its owner.
func (l *recalledLinks) keepOurs(list *playerlist.List, self, group wire.PlayerID) {
	owner, _ := list.System(group)
	for _, id := range list.AppendMembers(nil, group) {
		if system, _ := list.System(id); system == self && owner != self {
			l.keep(recalled{group, owner, id})
		}
	}
}

// keepLinks is keepOurs for the list of the session.
func (v *viewSender) keepLinks(group wire.PlayerID) {
	if v.on() {
		v.recalled.keepOurs(v.e.list, v.e.self, group)
	}
}

// recall puts players of ours into a group that is there again, and announces that. A group with its id that another machine owns is another
// group.
func (v *views) recall(group wire.PlayerID) {
	owner, _ := v.e.list.System(group)
	maker := v.maker
	v.maker = 0 // not the machine that brings the group
	defer func() { v.maker = maker }()
	for _, id := range v.recalled.take(group, owner) {
		add := playerlist.AddMember{Group: group, Player: id}
		if v.e.ours(id) && v.e.apply(add) == nil {
			v.e.announce(v.e.messageOf(add))
		}
	}
}
