package dpsp

import (
	"bytes"
	"errors"
	"slices"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A Change is an event that changed the list of players and groups.
type Change interface {
	Event
	// Op returns the operation that makes the same change to a list of a program's own, see [Follow]. Names are in UTF-16.
	Op() playerlist.Op
}

// Op returns an AddPlayer.
func (e PlayerCreated) Op() playerlist.Op {
	return playerlist.AddPlayer{Entry: playerlist.Entry{ID: e.ID, System: e.System, Flags: e.Flags,
		ShortName: wire.NewText(e.ShortName), LongName: wire.NewText(e.LongName), Data: e.Data}}
}

// Op returns an AddGroup.
func (e GroupCreated) Op() playerlist.Op {
	return playerlist.AddGroup{Entry: playerlist.Entry{ID: e.ID, System: e.System, Flags: e.Flags, Parent: e.Parent,
		ShortName: wire.NewText(e.ShortName), LongName: wire.NewText(e.LongName), Data: e.Data}}
}

// Op returns a SetName or a SetData.
func (e PlayerChanged) Op() playerlist.Op {
	if e.Renamed {
		return playerlist.SetName{ID: e.ID, ShortName: wire.NewText(e.ShortName), LongName: wire.NewText(e.LongName)}
	}
	return playerlist.SetData{ID: e.ID, Data: e.Data}
}

// Op returns a SetName or a SetData.
func (e GroupChanged) Op() playerlist.Op { return PlayerChanged(e).Op() }

// Op returns a DeletePlayer.
func (e PlayerDeleted) Op() playerlist.Op { return playerlist.DeletePlayer{ID: e.ID} }

// Op returns a DeleteGroup.
func (e GroupDeleted) Op() playerlist.Op { return playerlist.DeleteGroup(e) }

// Op returns an AddMember.
func (e MemberAdded) Op() playerlist.Op {
	return playerlist.AddMember{Group: e.Group, Player: e.Player}
}

// Op returns a RemoveMember.
func (e MemberRemoved) Op() playerlist.Op {
	return playerlist.RemoveMember{Group: e.Group, Player: e.Player}
}

// Op returns an AddShortcut.
func (e ShortcutAdded) Op() playerlist.Op {
	return playerlist.AddShortcut{Parent: e.Parent, Child: e.Child}
}

// Op returns a RemoveShortcut.
func (e ShortcutRemoved) Op() playerlist.Op {
	return playerlist.RemoveShortcut{Parent: e.Parent, Child: e.Child}
}

// Follow applies an event to a list that a program keeps of the players and groups in its session. The zero [playerlist.List] is the
// list before the first event. Follow leaves the list as it is for an event that is no [Change]. It returns an *playerlist.OpError
// for a change that does not fit the list; the events of one engine fit. The list differs from the engine's as follows:
//
//   - Of machines it has those that own a player or group. No event tells when another machine leaves.
//   - It has no description, host or service provider data. Events such as [SessionOpened] and [HostChanged] tell the first two.
//   - Its order is that of the events. After a session healed, the engine's list has the order of the host's.
//   - Names are in UTF-16, see [Names]. 8-bit names take twice the octets, so a list near a limit of package playerlist may be too
//     large. Then Follow refuses the change.
func Follow(list *playerlist.List, e Event) error {
	c, ok := e.(Change)
	if !ok {
		return nil
	}
	op, deletes := c.Op(), false
	switch op := op.(type) {
	case playerlist.DeletePlayer, playerlist.DeleteGroup:
		deletes = true
	case playerlist.AddPlayer:
		addOwner(list, op.Entry.System)
	case playerlist.AddGroup:
		addOwner(list, op.Entry.System)
	}
	_, err := list.Apply(op)
	if err != nil || deletes { // else no machine lost its last row, and a look at all of them takes long in a large session
		for _, id := range list.AppendSystems(nil) {
			if rows, _, _ := list.Share(id); rows == 0 {
				list.Apply(playerlist.DeletePlayer{ID: id})
			}
		}
	}
	list.Forget(list.Version())
	return err
}

// addOwner adds the system player of a machine unless it is in the list.
func addOwner(list *playerlist.List, system wire.PlayerID) {
	if _, there := list.System(system); there {
		return
	}
	list.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{ID: system, Flags: wire.PlayerSystem}})
}

// Names returns the names of a player or group in a list that [Follow] keeps.
func Names(e *playerlist.Entry) (short, long string) {
	return e.ShortName.As(wire.OnlyUTF16), e.LongName.As(wire.OnlyUTF16)
}

// Compare returns an error for the first difference between the engine's list and one that [Follow] keeps, so that tests can tell
// whether the events told everything. Their order is not compared, nor is what Follow leaves out.
func (s *sessionState) Compare(list *playerlist.List) error {
	if s.list == nil {
		return nil
	}
	enc := s.encoding()
	if enc == wire.UTF16 && s.list.Digest() == list.Digest() {
		return nil
	}
	alike := func(p *playerlist.Entry) bool {
		q, _ := list.Look(p.ID)
		short, long := Names(&q)
		return q.ID == p.ID && q.System == p.System && q.Group == p.Group && q.Parent == p.Parent && q.Flags == p.Flags &&
			short == p.ShortName.As(enc) && long == p.LongName.As(enc) && bytes.Equal(q.Data, p.Data)
	}
	for p := range s.list.EachPlayer() {
		if p.Flags&wire.PlayerSystem == 0 && !alike(&p) {
			return errors.New("player " + p.ID.String() + " is not as the events told it")
		}
	}
	for g := range s.list.EachGroup() {
		has, is := groupRows(s.list, g.ID), groupRows(list, g.ID)
		if !alike(&g) || !slices.Equal(has, is) {
			return errors.New("group " + g.ID.String() + " is not as the events told it")
		}
	}
	_, groups := s.list.Len()
	if _, n := list.Len(); list.Count() != s.list.Count() || n != groups {
		return errors.New("the events told of players or groups that are not there")
	}
	return nil
}

// groupRows returns the players in a group and the groups that shortcuts show in it, in order of their ids.
func groupRows(list *playerlist.List, group wire.PlayerID) []wire.PlayerID {
	ids := list.AppendShortcuts(list.AppendMembers(nil, group), group)
	slices.Sort(ids)
	return ids
}
