package directplay

import (
	"net/netip"
	"slices"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A roster is who is in the session, as far as the game was told.
type roster struct {
	all     map[wire.PlayerID]*entry
	players []wire.PlayerID          // in the order in which Windows lists them: who comes after us stands first
	groups  []wire.PlayerID          // in order of coming
	gone    []wire.PlayerID          // the last that were destroyed
	former  map[wire.PlayerID]*entry // those of gone that were ours
	host    wire.PlayerID
	at      map[wire.PlayerID]netip.Addr // machines, by their system players
	open    bool                         // all that were there before us are in
}

// maxGone bounds how many destroyed players and groups are remembered.
const maxGone = 1024

// An entry is a player or group.
type entry struct {
	Subject
	mine   bool
	system wire.PlayerID // of its machine
	local  []byte        // the data of this machine alone
	given  *Name         // the name of this machine alone
	wake   func()        // tells the game that a message came
	first  bool          // it hears what DirectX 2 knew
	member []wire.PlayerID
	below  []wire.PlayerID // groups in it and shortcuts; the newest stands first
}

// playerEntry returns a player as it came.
func playerEntry(e *dpsp.PlayerCreated) *entry {
	return &entry{Subject: Subject{ID: e.ID, Flags: fromWire(e.Flags, e.Local), Remote: e.Data,
		Name: Name{textOrNull(e.ShortName), textOrNull(e.LongName)}}, system: e.System, mine: e.Local}
}

// groupEntry returns a group as it came.
func groupEntry(e *dpsp.GroupCreated) *entry {
	return &entry{Subject: Subject{ID: e.ID, Flags: fromWire(e.Flags, e.Local), Remote: e.Data, Group: true, Parent: e.Parent,
		Name: Name{textOrNull(e.ShortName), textOrNull(e.LongName)}}, mine: e.Local}
}

// name returns the name that this machine sees.
func (e *entry) name() Name {
	if e.given != nil {
		return *e.given
	}
	return e.Name
}

// subject returns a copy of what a system message tells.
func (e *entry) subject() Subject {
	s := e.Subject
	s.Name = e.name()
	return s
}

// get returns a player, or a group; nil if there is none.
func (r *roster) get(id wire.PlayerID, group bool) *entry {
	if e := r.all[id]; e != nil && e.Group == group {
		return e
	}
	return nil
}

// add puts a player or group in.
func (r *roster) add(e *entry) {
	if r.all == nil {
		r.all = map[wire.PlayerID]*entry{}
	}
	r.all[e.ID] = e
	r.gone = slices.DeleteFunc(r.gone, func(id wire.PlayerID) bool { return id == e.ID })
	delete(r.former, e.ID)
	switch {
	case e.Group:
		r.groups = append(r.groups, e.ID)
		if p := r.get(e.Parent, true); p != nil {
			p.below = slices.Insert(p.below, 0, e.ID)
		}
	case r.open:
		r.players = slices.Insert(r.players, 0, e.ID)
	default:
		r.players = append(r.players, e.ID)
	}
}

// complete is called when all are in who were there before us. Windows puts shortcuts into a group after the groups that were
// made there, and so lists them before those.
func (r *roster) complete() {
	r.open = true
	for _, id := range r.groups {
		slices.SortStableFunc(r.all[id].below, func(a, b wire.PlayerID) int {
			return bornIn(r.all[a], id) - bornIn(r.all[b], id)
		})
	}
}

// bornIn returns 1 for a group that was made in another one, 0 for a shortcut there.
func bornIn(e *entry, in wire.PlayerID) int {
	if e != nil && e.Parent == in {
		return 1
	}
	return 0
}

// remove takes a player or group out, and returns it; nil if there is none.
func (r *roster) remove(id wire.PlayerID) *entry {
	e := r.all[id]
	if e == nil {
		return nil
	}
	delete(r.all, id)
	is := func(x wire.PlayerID) bool { return x == id }
	r.players, r.groups = slices.DeleteFunc(r.players, is), slices.DeleteFunc(r.groups, is)
	for _, g := range r.groups {
		r.all[g].member, r.all[g].below = slices.DeleteFunc(r.all[g].member, is), slices.DeleteFunc(r.all[g].below, is)
	}
	if e.mine {
		if r.former == nil {
			r.former = map[wire.PlayerID]*entry{}
		}
		r.former[id] = e
	}
	if r.gone = append(r.gone, id); len(r.gone) > maxGone {
		delete(r.former, r.gone[0])
		r.gone = slices.Delete(r.gone, 0, 1)
	}
	return e
}

// joined notes where a machine is.
func (r *roster) joined(system wire.PlayerID, at netip.Addr) {
	if r.at == nil {
		r.at = map[wire.PlayerID]netip.Addr{}
	}
	r.at[system] = at
}

// mine returns our players, the newest first: in this order Windows tells them things.
func (r *roster) mine() []*entry {
	var all []*entry
	for _, id := range r.players {
		if e := r.all[id]; e.mine {
			all = append(all, e)
		}
	}
	return all
}

// count returns how many players, or groups, there are.
func (r *roster) count(groups bool) uint32 {
	if groups {
		return uint32(len(r.groups))
	}
	return uint32(len(r.players))
}
