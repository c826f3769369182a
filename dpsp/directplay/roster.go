package directplay

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	"dplay4/dpsp"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A roster is who is in the session, as far as the game was told.
type roster struct {
	playerlist.List // follows the events
	all             map[wire.PlayerID]*entry
	before          uint32                   // the version of the list when it had all that were there before us
	gone            []wire.PlayerID          // the last that were destroyed
	former          map[wire.PlayerID]*entry // those of gone that were ours
	host            wire.PlayerID
	at              map[wire.PlayerID]netip.Addr // machines, by their system players
}

func newRoster() roster {
	return roster{all: map[wire.PlayerID]*entry{}, former: map[wire.PlayerID]*entry{}, at: map[wire.PlayerID]netip.Addr{}}
}

// maxGone bounds how many destroyed players and groups are remembered.
const maxGone = 1024

// An entry is what this machine alone knows of a player or group.
type entry struct {
	id    wire.PlayerID
	mine  bool
	own   *Name   // as the game of this machine gave it; nil: as in the list
	given *Name   // for this machine alone
	local []byte  // the data of this machine alone
	wake  func()  // tells the game that a message came
	first bool    // it hears what DirectX 2 knew
	was   Subject // when it was destroyed
}

// name returns the name that all machines see, as far as the game of this one can tell.
func (r *roster) name(e *entry) Name {
	if e.own != nil {
		return *e.own
	}
	x, _ := r.Look(e.id)
	short, long := dpsp.Names(&x)
	return Name{textOrNull(short), textOrNull(long)}
}

// shown returns the name that this machine sees.
func (r *roster) shown(e *entry) Name {
	if e.given != nil {
		return *e.given
	}
	return r.name(e)
}

// subject returns what a system message tells.
func (r *roster) subject(e *entry) Subject {
	x, _ := r.Look(e.id)
	return Subject{Group: x.Group, ID: e.id, Parent: x.Parent, Flags: fromWire(x.Flags, e.mine), Name: r.shown(e), Remote: x.Data}
}

// get returns a player, or a group; nil if there is none.
func (r *roster) get(id wire.PlayerID, group bool) *entry {
	if x, _ := r.Look(id); x.Group == group {
		return r.all[id]
	}
	return nil
}

// our returns a player of this machine; nil if there is none of that ID.
func (r *roster) our(id wire.PlayerID) *entry {
	if e := r.get(id, false); e != nil && e.mine {
		return e
	}
	return nil
}

// hearers returns our players that a message to a player, a group or everybody reaches, the newest first. Its sender is none of them.
func (r *roster) hearers(from, to wire.PlayerID) []*entry {
	return slices.DeleteFunc(r.mine(), func(e *entry) bool {
		return e.id == from || to != wire.IDAll && to != e.id && !r.IsMember(to, e.id)
	})
}

// add follows the event by which a player or group comes. It returns false if that does not fit.
func (r *roster) add(c dpsp.Change, e *entry) bool {
	if dpsp.Follow(&r.List, c) != nil {
		return false
	}
	r.all[e.id] = e
	r.gone = slices.DeleteFunc(r.gone, func(id wire.PlayerID) bool { return id == e.id })
	delete(r.former, e.id)
	return true
}

// remove follows the event by which a player or group goes, and returns it; nil if there is none.
func (r *roster) remove(c dpsp.Change, id wire.PlayerID) *entry {
	e := r.all[id]
	if e == nil {
		return nil
	}
	e.was = r.subject(e)
	dpsp.Follow(&r.List, c) //nolint:errcheck // it is there
	delete(r.all, id)
	if e.mine {
		r.former[id] = e
	}
	if r.gone = append(r.gone, id); len(r.gone) > maxGone {
		delete(r.former, r.gone[0])
		r.gone = slices.Delete(r.gone, 0, 1)
	}
	return e
}

// players returns the players in the order in which Windows lists them: those that came after us, the newest in front, and then the
// others as they came.
func (r *roster) players() []wire.PlayerID { return r.ordered(false) }

// ordered returns the players, or ours alone, in that order.
func (r *roster) ordered(ours bool) []wire.PlayerID {
	var after, before []wire.PlayerID
	for p := range r.EachPlayer() {
		switch e := r.all[p.ID]; {
		case e == nil || ours && !e.mine: // the player of a machine; each message asks for ours, so no list of all is made
		case p.Added > r.before:
			after = append(after, p.ID)
		default:
			before = append(before, p.ID)
		}
	}
	slices.Reverse(after)
	return append(after, before...)
}

// below returns the groups in a group and those that shortcuts show there, the newest in front. Windows adds the shortcuts that were
// there before us after all groups.
func (r *roster) below(group wire.PlayerID) []wire.PlayerID {
	at := map[wire.PlayerID]uint64{} // in the order of coming
	for _, k := range r.State().Links {
		if x, _ := r.Look(k.Member); k.Group == group && x.Group {
			at[k.Member] = uint64(r.before) + uint64(k.Version)
		}
	}
	for g := range r.EachGroup() {
		if g.Parent != group {
			continue
		}
		at[g.ID] = uint64(g.Added)
		if g.Added > r.before {
			at[g.ID] += uint64(r.before)
		}
	}
	return slices.SortedFunc(maps.Keys(at), func(a, b wire.PlayerID) int { return cmp.Compare(at[b], at[a]) })
}

// mine returns our players, the newest first: in this order Windows tells them things.
func (r *roster) mine() []*entry {
	var all []*entry
	for _, id := range r.ordered(true) {
		all = append(all, r.all[id])
	}
	return all
}

// count returns how many players, or groups, there are.
func (r *roster) count(groups bool) uint32 {
	if _, n := r.Len(); groups {
		return uint32(n)
	}
	return uint32(r.Count())
}
