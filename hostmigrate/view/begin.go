package view

import (
	"bytes"
	"cmp"
	"slices"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A draft is the view that a candidate makes of the promises.
type draft struct {
	base    promise // of the newest log
	acks    []promise
	list    *playerlist.List
	members []wire.ViewMember
	lost    []wire.ViewMember
	renamed map[wire.Incarnation][]wire.ViewRenamed
}

// begin makes the view's list of a base, the newest log of all who promised, and has everybody install it.
func (c *Core) begin(base *playerlist.List, best *promise) {
	k := c.cand
	k.ack(c.self.Incarnation).own, _ = unpackAll(packState(c.seen(), c.self.System))
	d := &draft{base: *best, members: slices.Clone(best.members), lost: c.lost, renamed: map[wire.Incarnation][]wire.ViewRenamed{}}
	c.speak(d)
	d.acks = k.acks
	slices.SortFunc(d.acks, func(a, b promise) int { return cmp.Compare(a.who.System, b.who.System) })
	top := c.gather(d)
	d.list = at(base, top)
	c.drop(d)
	stay, parts := c.partsOf(d)
	c.bring(d.list, stay, nil)
	for _, part := range parts {
		c.joinPart(d, part)
	}
	for _, x := range c.ahead { // the other members say theirs again
		if _, in := c.byID(x.from); x.own || !in {
			c.redo(d, moved(x.op, d.renamed[c.self.Incarnation]))
		}
	}
	c.ahead = nil
	me, ok := find(d.members, c.self.Incarnation)
	if !ok { // the list is full
		c.cand, c.wait = nil, c.now+c.cfg.Patience
		return
	}
	c.self, c.base, c.lost = me, d.base, nil
	for _, m := range slices.Concat(d.lost, k.whom) { // who was asked and is silent hears of this view by a claim
		if _, in := find(d.members, m.Incarnation); !in && !slices.Contains(c.left, m.Incarnation) {
			c.lost = bounded(append(without(c.lost, m.Incarnation), m))
		}
	}
	for _, m := range d.members {
		if k.ack(m.Incarnation) != nil {
			c.found(m)
		}
	}
	if m, in := find(d.members, k.joiner); in { // what it asked for is done
		delete(c.spent, joiner(m))
	}
	if legacyHost(d.list, d.members).System == 0 && (d.list.Host() != 0 || !mixed(d.list, d.members)) { // otherwise a legacy machine may be next
		_, _ = d.list.Apply(playerlist.SetHost{ID: c.self.System})
	}
	if d.list.Version() == top {
		d.list = at(d.list, top+1)
	}
	c.installAll(d, top)
	c.enter(k.view, d.list, d.members, d.renamed[c.self.Incarnation], k.merges)
}

// speak has a candidate that joins another log bring those of its members along that are silent.
func (c *Core) speak(d *draft) {
	k := c.cand
	for _, m := range c.members {
		there := func(x wire.ViewMember) bool { return x.Incarnation == m.Incarnation || x.Stream == m.Stream }
		if slices.ContainsFunc(d.members, there) || k.ack(m.Incarnation) != nil || k.gone(c, m) {
			continue
		}
		own, _ := unpackAll(packState(c.list, m.System))
		k.acks = append(k.acks, promise{who: m, place: c.view, index: c.list.Version(), own: own, silent: true})
	}
}

// gather collects who left and who was lost, and returns the highest index of all who promised. The leader of a part knows who left it and
// whom it lost. Nobody else's word of that counts, because a CLAIM goes to each who was lost, and none to who left.
func (c *Core) gather(d *draft) (top uint32) {
	k := c.cand
	for i := range d.acks {
		p := &d.acks[i]
		if p.who.Incarnation == k.joiner {
			continue
		}
		top = max(top, p.index)
		base := p.who.Incarnation == d.base.who.Incarnation && p.place != c.view // its list and members count as well
		if p.who.Incarnation != c.self.Incarnation && p.who.Incarnation != p.place.Incarnation && !base {
			continue
		}
		for _, x := range p.left {
			_, in := c.member(x)
			if p.place == c.view || !in && k.ack(x) == nil { // of ours it does not know better
				c.leaves(x)
			}
		}
		d.lost = slices.Concat(d.lost, p.lost)
		if p.place != d.base.place { // who of its part is not asked hears of this view by a claim
			d.lost = append(d.lost, p.members...)
		}
	}
	return top
}

// drop takes those members of the base out of the view who are gone.
func (c *Core) drop(d *draft) {
	for _, m := range slices.Clone(d.members) {
		p := c.cand.ack(m.Incarnation)
		switch {
		case slices.Contains(c.left, m.Incarnation) || p == nil && c.cand.gone(c, m):
			d.remove(m.System)
			d.lost = append(d.lost, m)
		case p != nil && p.who.System != m.System && p.place.Epoch != 0: // it does not know yet that it has another id
			d.remove(m.System)
		case p != nil:
			p.in = true
		}
	}
}

// remove removes a machine.
func (d *draft) remove(system wire.PlayerID) {
	for _, op := range d.list.Departed(system) {
		_, _ = d.list.Apply(op)
	}
	d.members = slices.DeleteFunc(slices.Clone(d.members), func(m wire.ViewMember) bool { return m.System == system })
}

// redo repeats what this program did since it promised. A machine that it removed, and that promised since, stays.
func (c *Core) redo(d *draft, op playerlist.Op) {
	o, ok := op.(playerlist.DeletePlayer)
	owner, _ := d.list.System(o.ID)
	k := slices.IndexFunc(d.members, func(m wire.ViewMember) bool { return m.System == owner })
	switch {
	case ok && k >= 0 && d.members[k].Incarnation != c.self.Incarnation && c.cand.ack(d.members[k].Incarnation) != nil:
	case ok && owner == o.ID:
		if k >= 0 {
			d.lost = append(d.lost, d.members[k])
		}
		d.remove(o.ID)
	default:
		_, _ = d.list.Apply(op)
	}
}

// partsOf returns the promises of those who are in the base's log, and of those who come over from others, that of the newest view
// first.
func (c *Core) partsOf(d *draft) (stay []*promise, parts [][]*promise) {
	for i := range d.acks {
		p := &d.acks[i]
		if slices.Contains(c.left, p.who.Incarnation) {
			continue
		}
		taken := func(m wire.ViewMember) bool { return m.Incarnation == p.who.Incarnation || m.System == p.who.System }
		// A joiner that the leader let in, and that answers at the listener of that machine, is that machine.
		joins := p.who.Incarnation == c.cand.joiner && !listens(d.list, p.who.System, p.at)
		here := !joins && (listens(d.list, p.who.System, p.who.Stream) || p.place.Epoch == 0 && isMachine(d.list, p.who.System))
		if here && !slices.ContainsFunc(d.members, taken) {
			d.members, p.in = append(d.members, p.who), true // the leader before let it in, and did not tell who it is
		}
		switch k := slices.IndexFunc(parts, func(part []*promise) bool { return part[0].place == p.place }); {
		case p.in && p.place.Epoch == 0: // it has nothing yet
		case p.in && p.place == d.base.place:
			stay = append(stay, p)
		case k < 0:
			parts = append(parts, []*promise{p})
		default:
			parts[k] = append(parts[k], p)
		}
	}
	slices.SortFunc(parts, func(a, b []*promise) int { return b[0].place.Compare(a[0].place) })
	return stay, parts
}

// joinPart brings a part of the session into the view.
func (c *Core) joinPart(d *draft, part []*promise) {
	for _, p := range part {
		d.evict(p.who.System, p.at)
	}
	for i, r := range c.bring(d.list, part, c.cfg.IDs(d.list)) {
		d.renamed[i] = r
	}
	for _, p := range part {
		if isMachine(d.list, p.who.System) && !p.in {
			d.members = append(d.members, p.who)
		}
	}
}

// installAll sends the view to all who promised: what changed since the base to those who have it, the whole list to others.
func (c *Core) installAll(d *draft, top uint32) {
	since, known := d.list.Since(top)
	ops := [][]byte{}
	for _, n := range since {
		ops = append(ops, pack(n))
	}
	for i := range d.acks {
		p := &d.acks[i]
		m, in := find(d.members, p.who.Incarnation)
		if !in || p.silent || m.Incarnation == c.self.Incarnation { // an INSTALL answers an ACK
			continue
		}
		i := wire.ExtensionView{Step: wire.ViewInstall, View: c.cand.view, Place: d.base.place, Index: d.list.Version(), Nonce: p.token, Members: d.members,
			Lost: c.lost, Left: c.left, Renamed: d.renamed[m.Incarnation]}
		if known && p.index > 0 && p.place == d.base.place && p.index == d.base.index {
			i.Base = p.index
			c.inParts(m, i, ops)
		} else {
			c.inParts(m, i, packState(d.list, 0))
		}
	}
}

// moved returns an operation by the new ids of players and groups.
func moved(op playerlist.Op, renamed []wire.ViewRenamed) playerlist.Op {
	return replaced(op, func(old wire.PlayerID) wire.PlayerID {
		if k := slices.IndexFunc(renamed, func(r wire.ViewRenamed) bool { return r.Old == old }); k >= 0 {
			return renamed[k].New
		}
		return old
	})
}

// evict removes machines at whose listener another program answered. That it says that it listens there is not enough.
func (d *draft) evict(system wire.PlayerID, at wire.SockAddr) {
	for _, id := range d.list.AppendSystems(nil) {
		if id != system && listens(d.list, id, at) {
			d.remove(id)
		}
	}
}

// listens reports whether a list has a machine at a listener.
func listens(l *playerlist.List, system wire.PlayerID, at wire.SockAddr) bool {
	e, _ := l.Look(system)
	d, ok := wire.ParseSPData(e.SPData)
	return ok && oneListener(d.Stream, at)
}

// isMachine reports whether an id is that of a system player in a list.
func isMachine(l *playerlist.List, id wire.PlayerID) bool {
	f, _ := l.Flags(id)
	return f&wire.PlayerSystem != 0
}

func has(l *playerlist.List, id wire.PlayerID) bool {
	player, group := l.Kind(id)
	return player || group
}

// bring makes what members say that is their own part of a list. Without ids they are of the list's log: what the list lacks of what they
// had by their index was deleted by somebody else, and what has an id of somebody else is void. With ids they are of another log: their
// memberships and shortcuts come along, and ids of somebody else are replaced, also those of the members' system players.
func (c *Core) bring(l *playerlist.List, part []*promise, ids *playerlist.IDs) map[wire.Incarnation][]wire.ViewRenamed {
	type row struct {
		p       *promise
		entry   playerlist.Entry
		link    playerlist.Op
		version uint32
	}
	var rows []row
	for _, p := range part {
		keeps := map[wire.PlayerID]bool{}
		for _, n := range p.own {
			r := row{p: p, version: n.Version}
			switch o := n.Op.(type) {
			case playerlist.AddPlayer:
				r.entry = o.Entry
				r.entry.Group = false
			case playerlist.AddGroup:
				r.entry = o.Entry
				r.entry.Group = true
			case playerlist.AddMember, playerlist.AddShortcut:
				if r.link = o; ids != nil {
					rows = append(rows, r)
				}
				continue
			default:
				continue
			}
			e := &r.entry
			system := e.Flags&wire.PlayerSystem != 0
			if system != (e.ID == p.who.System) || system && e.Group || !system && e.System != p.who.System {
				continue
			}
			if e.Flags &^= wire.PlayerNameServer; system {
				r.version = 0 // it comes first
			}
			if keeps[e.ID] = true; ids != nil {
				ids.Hold(e.ID)
			}
			rows = append(rows, r)
		}
		if p.in {
			forget(l, p.who.System, keeps)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.version, b.version) })
	fits := c.room(l)
	apply := func(op playerlist.Op) {
		if fits(op) {
			_, _ = l.Apply(op)
		}
	}
	renamed := map[wire.Incarnation][]wire.ViewRenamed{}
	var all []wire.ViewRenamed
	id := func(old wire.PlayerID) wire.PlayerID {
		if k := slices.IndexFunc(all, func(r wire.ViewRenamed) bool { return r.Old == old }); k >= 0 {
			return all[k].New
		}
		return old
	}
	for _, r := range rows {
		if r.link != nil || r.p.void {
			continue
		}
		e := r.entry
		is, there := l.Look(e.ID)
		mine := there && is.Group == e.Group && is.System == id(r.p.who.System) && (r.p.in || e.Flags&wire.PlayerSystem == 0)
		switch {
		case mine:
		case ids == nil && (there || r.version <= r.p.index):
			continue
		case there || e.ID == wire.IDAll:
			fresh, err := ids.Reserve()
			if err != nil {
				r.p.void = r.p.void || e.ID == r.p.who.System
				continue
			}
			n := wire.ViewRenamed{Old: e.ID, New: fresh}
			all = append(all, n)
			renamed[r.p.who.Incarnation] = append(renamed[r.p.who.Incarnation], n)
		}
		e.ID, e.System, e.Parent = id(e.ID), id(r.p.who.System), id(e.Parent)
		put(l, e, apply)
	}
	for _, r := range rows {
		if r.link != nil {
			apply(moved(r.link, all))
		}
	}
	for _, p := range part {
		p.who.System = id(p.who.System)
	}
	return renamed
}

// forget deletes a machine's players and groups but for some.
func forget(l *playerlist.List, system wire.PlayerID, keeps map[wire.PlayerID]bool) {
	for _, p := range l.Players() {
		if p.System == system && p.Flags&wire.PlayerSystem == 0 && !keeps[p.ID] {
			_, _ = l.Apply(playerlist.DeletePlayer{ID: p.ID})
		}
	}
	for _, g := range l.Groups() {
		if g.System == system && !keeps[g.ID] && has(l, g.ID) {
			_, _ = l.Apply(playerlist.DeleteGroup{ID: g.ID})
		}
	}
}

// room returns for a list whether a change fits into what its owner may have.
func (c *Core) room(l *playerlist.List) func(playerlist.Op) bool {
	if c.cfg.Room == nil {
		return func(playerlist.Op) bool { return true }
	}
	return c.cfg.Room(l)
}

// put adds an entry, or gives the one that is there its names and data. A group whose parent is not there stands at the top.
func put(l *playerlist.List, e playerlist.Entry, apply func(playerlist.Op)) {
	is, there := l.Look(e.ID)
	if !there {
		if _, group := l.Kind(e.Parent); !group {
			e.Parent = 0
		}
		apply(adds(&e))
		return
	}
	data := func() {
		if !bytes.Equal(is.Data, e.Data) {
			apply(playerlist.SetData{ID: e.ID, Data: e.Data})
		}
	}
	shorter := len(e.Data) < len(is.Data) // makes room for the names
	if shorter {
		data()
	}
	if !bytes.Equal(is.ShortName, e.ShortName) || !bytes.Equal(is.LongName, e.LongName) {
		apply(playerlist.SetName{ID: e.ID, ShortName: e.ShortName, LongName: e.LongName})
	}
	if !shorter {
		data()
	}
	if !bytes.Equal(is.SPData, e.SPData) {
		apply(playerlist.SetSPData{ID: e.ID, SPData: e.SPData})
	}
}
