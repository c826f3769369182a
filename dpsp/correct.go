package dpsp

import (
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A correction says what a player or group is still called, or its data, after the host alone refused a change.
type correction struct {
	id   wire.PlayerID
	name bool // otherwise the data
	left int  // how often it is to be sent
}

const (
	// correctEvery is the time between two times at which corrections are sent, because they may be much larger than what they correct.
	correctEvery = 5 * time.Second
	// correctTimes is how often each one is sent: its owner may have made another change meanwhile, which the first one overtook.
	correctTimes = 2
)

// correct tells all members what the list says after the host alone refused a change.
func (a *admission) correct(op playerlist.Op) {
	switch op := op.(type) {
	case playerlist.SetName:
		a.correctEntry(op.ID, true)
	case playerlist.SetData:
		a.correctEntry(op.ID, false)
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

// correctEntry has the timer send a correction.
func (a *reservations) correctEntry(id wire.PlayerID, name bool) {
	i := slices.IndexFunc(a.corrections, func(c correction) bool { return c.id == id && c.name == name })
	if i < 0 {
		i = len(a.corrections)
		a.corrections = append(a.corrections, correction{id: id, name: name})
	}
	a.corrections[i].left = correctTimes
}

// correctTimer sends the corrections that are due.
func (a *admission) correctTimer() {
	if len(a.corrections) == 0 || a.correctAt > a.e.now {
		return
	}
	a.correctAt = a.e.now + correctEvery
	rest := a.corrections[:0]
	for _, c := range a.corrections {
		p, there := a.e.list.Get(c.id)
		if !there {
			continue
		}
		m := dataChange(&p)
		if c.name {
			m = nameChange(&p)
		}
		a.e.announce(m)
		if c.left--; c.left > 0 {
			rest = append(rest, c)
		}
	}
	a.corrections = rest
}

// nameChange returns the message that says what a player or group is called.
func nameChange(p *playerlist.Entry) wire.Message {
	if p.Group {
		return &wire.GroupNameChanged{Group: p.ID, ShortName: p.ShortName, LongName: p.LongName}
	}
	return &wire.PlayerNameChanged{Player: p.ID, ShortName: p.ShortName, LongName: p.LongName}
}

// dataChange returns the message that says what data a player or group has.
func dataChange(p *playerlist.Entry) wire.Message {
	if p.Group {
		return &wire.GroupDataChanged{Group: p.ID, Data: p.Data}
	}
	return &wire.PlayerDataChanged{Player: p.ID, Data: p.Data}
}
