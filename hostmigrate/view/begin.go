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

// begin makes the list of the new view and sends it to all that promised. base is the newest log, and best the promise that has it.
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
	for _, x := range c.ahead { // the other members send theirs in OWN
		switch from, in := c.byID(x.from); {
		case x.own || !in:
			c.redo(d, moved(x.op, d.renamed[c.self.Incarnation]))
		case d.renamed[from.Incarnation] == nil && deletes(d.list, &x) && touched(x.op)[0] != x.from: // after its promise
			_, _ = d.list.Apply(x.op)
		}
	}
	me, ok := find(d.members, c.self.Incarnation)
	if !ok { // the list is full
		c.cand, c.wait = nil, c.now+c.cfg.Patience
		return
	}
	c.ahead = nil
	c.self, c.base, c.lost = me, d.base, nil
	for _, m := range slices.Concat(d.lost, k.whom) { // a member that was asked and is silent gets a CLAIM
		if _, in := find(d.members, m.Incarnation); !in && !slices.Contains(c.left, m.Incarnation) {
			c.lost = bounded(append(without(c.lost, m.Incarnation), m))
		}
	}
	for _, m := range d.members {
		if k.ack(m.Incarnation) != nil {
			c.found(m)
			delete(c.spent, claimant(m.Incarnation)) // it came back
		}
	}
	if m, in := find(d.members, k.joiner); in { // its JOIN was granted
		delete(c.spent, joiner(m))
	}
	if legacyHost(d.list, d.members).System == 0 && (d.list.Host() != 0 || !mixed(d.list, d.members)) { // otherwise a legacy machine may be next
		_, _ = d.list.Apply(playerlist.SetHost{ID: c.self.System})
	}
	if d.list.Version() == top {
		d.list = at(d.list, top+1)
	}
	c.installAll(d, top)
	c.enter(k.view, d.list, d.members, d.renamed[c.self.Incarnation], k.merges && k.joiner == 0) // a joiner is no other part
	c.doubles()
}

// speak adds promises for silent members of the candidate's view, where the base is another log.
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

// gather collects the programs that left and the members that were lost, and returns the highest index of all promises. Only the lists of
// the leader of a part count, because each lost member gets a CLAIM, and one that left does not.
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
		_, ours := c.member(p.who.Incarnation)
		for _, x := range p.left {
			_, in := c.member(x)
			_, lost := find(c.lost, x)
			if p.place == c.view || !in && k.ack(x) == nil && !(ours && lost) { // its word about those that this candidate knows does not count
				c.leaves(x)
			}
		}
		theirs := p.lost
		if p.place != d.base.place { // members of its part that are not asked get a CLAIM
			theirs = slices.Concat(theirs, p.members)
		}
		d.lost = slices.Concat(theirs, d.lost) // this candidate's are kept if there are too many
	}
	return top
}

// drop removes the members of the base that are gone.
func (c *Core) drop(d *draft) {
	for _, m := range slices.Clone(d.members) {
		p := c.cand.ack(m.Incarnation)
		switch {
		case slices.Contains(c.left, m.Incarnation) || p == nil && c.cand.gone(c, m):
			d.remove(m.System)
			d.lost = append(d.lost, m)
		case p != nil && p.who.System != m.System && p.place.Epoch != 0: // it was not told yet that it has another id
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

// redo repeats a change that this program made since it promised. A machine that it removed, and that promised since, stays.
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

// partsOf returns the promises of members in the base's log, and those of members from other logs by log, the newest view first.
func (c *Core) partsOf(d *draft) (stay []*promise, parts [][]*promise) {
	for i := range d.acks {
		p := &d.acks[i]
		if slices.Contains(c.left, p.who.Incarnation) {
			continue
		}
		taken := func(m wire.ViewMember) bool { return m.Incarnation == p.who.Incarnation || m.System == p.who.System }
		// A joiner that the leader let in, and that answers at that machine's listener, is that machine.
		joins := p.who.Incarnation == c.cand.joiner && !listens(d.list, p.who.System, p.at)
		here := !joins && (listens(d.list, p.who.System, p.who.Stream) || p.place.Epoch == 0 && isMachine(d.list, p.who.System))
		if here && !slices.ContainsFunc(d.members, taken) {
			d.members, p.in = append(d.members, p.who), true // the leader before let it in, and did not tell its incarnation
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

// joinPart adds the members of another log to the view, with their own parts of the list.
func (c *Core) joinPart(d *draft, part []*promise) {
	for _, p := range part {
		d.evict(p.who.System, p.at)
	}
	for i, r := range c.bring(d.list, part, c.cfg.IDs(d.list)) {
		d.renamed[i] = r
	}
	for _, p := range part {
		if isMachine(d.list, p.who.System) && !p.in && !p.void {
			d.members = append(d.members, p.who)
		}
	}
}

// installAll sends the view to all that promised: the operations since the base to those that have the base, and the whole list to others.
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

// moved returns an operation with the new ids of players and groups.
func moved(op playerlist.Op, renamed []wire.ViewRenamed) playerlist.Op {
	return replaced(op, func(old wire.PlayerID) wire.PlayerID {
		if k := slices.IndexFunc(renamed, func(r wire.ViewRenamed) bool { return r.Old == old }); k >= 0 {
			return renamed[k].New
		}
		return old
	})
}

// evict removes other machines at a listener at which a program answered. A listener that a program only states evicts nobody.
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

// bring makes the own parts of members, as their promises have them, part of a list. It returns the ids that it replaced.
//
//   - Without ids the members are of the list's log. What the list lacks of what they had by their index was deleted by others, and what
//     has an id of somebody else is void.
//   - With ids they are of another log. Their memberships and shortcuts come along. An id of somebody else is replaced, also that of a
//     member's system player.
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
				r.version = 0 // a system player comes first
			}
			if keeps[e.ID] = true; ids != nil {
				ids.Hold(e.ID)
			}
			rows = append(rows, r)
		}
		if p.in {
			forget(l, p.who.System, keeps)
		} else { // its id may be another machine's
			p.void = !keeps[p.who.System]
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
		case ids == nil && (there || e.ID == wire.IDAll || r.version <= r.p.index):
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

// forget deletes the players and groups of a machine that are not in keeps.
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

// room returns Config.Room of a list, or a function that allows everything.
func (c *Core) room(l *playerlist.List) func(playerlist.Op) bool {
	if c.cfg.Room == nil {
		return func(playerlist.Op) bool { return true }
	}
	return c.cfg.Room(l)
}

// put adds an entry, or gives the present one its names and data. A group whose parent is not there gets none.
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
	shorter := len(e.Data) < len(is.Data) // room for the names comes first
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
