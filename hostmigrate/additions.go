package hostmigrate

import (
	"bytes"

	"dplay4/playerlist"
	"dplay4/wire"
)

// Additions returns the operations that add to one list what only another one has, in an order in which they can be
// applied to have: players whose owner is there or added too, groups (at the top if their parent is not there),
// memberships and shortcuts; and where both lists have an entry of the same kind with other names or data, those of
// from. Keep says which players and groups of from count; nil: all.
//
// Nothing is removed; who is host, and what describes the session, stays; ids that are a player's in one list and a
// group's in the other are left alone, and so is what the list has no room for. Neither list is changed.
func Additions(have, from *playerlist.List, keep func(id wire.PlayerID) bool) []playerlist.Op {
	if have == nil || from == nil {
		return nil
	}
	trial, err := playerlist.Load(have.State())
	if err != nil { // no list's state is refused
		return nil
	}
	a := adder{trial: trial}
	s := from.State()
	for i := range s.Entries {
		if e := &s.Entries[i]; keep == nil || keep(e.ID) {
			a.entry(e)
		}
	}
	for _, k := range s.Links {
		if keep != nil && (!keep(k.Group) || !keep(k.Member)) {
			continue
		}
		if _, group := trial.Kind(k.Member); group {
			a.do(playerlist.AddShortcut{Parent: k.Group, Child: k.Member})
		} else {
			a.do(playerlist.AddMember{Group: k.Group, Player: k.Member})
		}
	}
	return a.ops
}

// An adder tries operations on a copy of a list and keeps those that are possible.
type adder struct {
	trial *playerlist.List
	ops   []playerlist.Op
}

func (a *adder) do(op playerlist.Op) {
	if _, err := a.trial.Apply(op); err == nil {
		a.ops = append(a.ops, op)
	}
}

// entry adds an entry, or brings its names and data up to date.
func (a *adder) entry(e *playerlist.Entry) {
	old, ok := a.trial.Get(e.ID)
	switch {
	case ok && old.Group != e.Group:
		return
	case ok:
		a.change(&old, e)
		return
	case !e.Group:
		e.Flags &^= wire.PlayerNameServer
		a.do(playerlist.AddPlayer{Entry: *e})
		return
	}
	if _, group := a.trial.Kind(e.Parent); !group {
		e.Parent = 0
	}
	a.do(playerlist.AddGroup{Entry: *e})
}

// change gives an entry the names and data of another one.
func (a *adder) change(old, e *playerlist.Entry) {
	names := !bytes.Equal(old.ShortName, e.ShortName) || !bytes.Equal(old.LongName, e.LongName)
	data := !bytes.Equal(old.Data, e.Data)
	switch {
	case names && data:
		a.do(playerlist.SetInfo{ID: e.ID, ShortName: e.ShortName, LongName: e.LongName, Data: e.Data})
	case names:
		a.do(playerlist.SetName{ID: e.ID, ShortName: e.ShortName, LongName: e.LongName})
	case data:
		a.do(playerlist.SetData{ID: e.ID, Data: e.Data})
	}
	if !bytes.Equal(old.SPData, e.SPData) {
		a.do(playerlist.SetSPData{ID: e.ID, SPData: e.SPData})
	}
}
