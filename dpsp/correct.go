package dpsp

import (
	"slices"

	"dplay4/playerlist"
	"dplay4/wire"
)

// correct tells all members what the list says after the host alone refused a change.
func (a *admission) correct(op playerlist.Op) {
	switch op := op.(type) {
	case playerlist.SetName:
		a.Correct(op.ID, true)
	case playerlist.SetData:
		a.Correct(op.ID, false)
	case playerlist.AddMember:
		if !a.e.list.IsMember(op.Group, op.Player) {
			a.e.announce(&wire.DeletePlayerFromGroup{Player: op.Player, Group: op.Group})
		}
	case playerlist.AddShortcut:
		if !slices.Contains(a.e.list.AppendShortcuts(nil, op.Parent), op.Child) {
			a.e.announce(&wire.DeleteGroupFromGroup{Child: op.Child, Parent: op.Parent})
		}
	}
}

// correctTimer sends the corrections that are due.
func (a *admission) correctTimer() {
	there := func(id wire.PlayerID) bool { _, ok := a.e.list.Look(id); return ok }
	for _, c := range a.Corrections(a.e.now, there) {
		p, _ := a.e.list.Get(c.ID)
		m := dataChange(&p)
		if c.Name {
			m = nameChange(&p)
		}
		a.e.announce(m)
	}
}
