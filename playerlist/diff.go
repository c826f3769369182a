package playerlist

import (
	"bytes"

	"dplay4/wire"
)

// Diff returns the operations that turn have into want, in an order in which each of them can be applied, also at the
// limits of a list: players are taken out of groups, players and groups are deleted, names and data shrink, players and
// groups are created, players are put into groups, names and data grow, the host changes, the description changes. Neither
// list is changed. The operations share names and data with want, which nobody may write to.
//
//   - A player or group is the same in both lists if kind, owner, flags and parent are equal. Another one with its id
//     replaces it, with its groups. A machine is known by its id alone: its system player stays, with the dialect and the
//     flags that it has in have.
//   - A player or group that is equal in both lists gives no operation. One whose names, data or service provider data
//     differ gives one for each of them; names and data together give SetInfo.
//   - If want has no host, that of have stays. What SetDesc leaves alone, such as the GUIDs, stays as well.
//   - The order of joining, and that of the members of a group, is not compared.
//
// Equal lists give equal operations in equal order, and after all of them are applied Diff returns none.
func Diff(have, want *List) []Op {
	d := differ{have: have, want: want}
	d.compare()
	d.unlinks()
	d.deletions()
	d.ops = append(d.ops, d.shrinks...)
	d.additions()
	d.links()
	d.ops = append(d.ops, d.grows...)
	if h := want.host; h != nil && (have.host == nil || have.host.id != h.id) {
		d.ops = append(d.ops, SetHost{h.id})
	}
	if s, differs := d.description(); differs && s.octets() >= have.session.octets() {
		d.ops = append(d.ops, SetDesc{s})
	}
	return d.ops
}

// A differ is a comparison of two lists.
type differ struct {
	have, want *List
	gone       map[wire.PlayerID]bool // rows of have that do not stay
	shrinks    []Op                   // changes of names and data that make room
	grows      []Op                   // all others
	ops        []Op
}

// compare finds the rows that do not stay, and what changes of those that do.
func (d *differ) compare() {
	for _, c := range [...]*chain{&d.have.players, &d.have.groups} {
		for r := c.first; r != nil; r = r.next {
			if w := d.want.rows[r.id]; d.stays(r, w) {
				d.changes(r, w)
			} else if d.gone == nil {
				d.gone = map[wire.PlayerID]bool{r.id: true}
			} else {
				d.gone[r.id] = true
			}
		}
	}
	if s, differs := d.description(); differs && s.octets() < d.have.session.octets() {
		d.shrinks = append(d.shrinks, SetDesc{s})
	}
}

// stays reports whether a row of have stays, w is the one with its id in want. Parents are compared before the groups in them.
func (d *differ) stays(r, w *row) bool {
	switch {
	case w == nil || r.isGroup() != w.isGroup() || r.isSystem() != w.isSystem():
		return false
	case r.isSystem():
		return true
	case r.isGroup() && (r.group.parent != w.group.parent || d.gone[r.group.parent]):
		return false
	}
	return r.system == w.system && r.flags == w.flags
}

// changes adds the operations that give a row the names and data of another one.
func (d *differ) changes(r, w *row) {
	names := !bytes.Equal(r.short, w.short) || !bytes.Equal(r.long, w.long)
	data := !bytes.Equal(r.data, w.data)
	n := len(w.short) + len(w.long) - len(r.short) - len(r.long)
	switch {
	case names && data:
		d.change(n+len(w.data)-len(r.data), SetInfo{r.id, w.short, w.long, w.data})
	case names:
		d.change(n, SetName{r.id, w.short, w.long})
	case data:
		d.change(len(w.data)-len(r.data), SetData{r.id, w.data})
	}
	if !bytes.Equal(r.sp, w.sp) {
		d.change(len(w.sp)-len(r.sp), SetSPData{r.id, w.sp})
	}
}

// change adds an operation that makes a list larger by some octets.
func (d *differ) change(octets int, op Op) {
	if octets < 0 {
		d.shrinks = append(d.shrinks, op)
	} else {
		d.grows = append(d.grows, op)
	}
}

// description returns the description that have is to get, and whether it is another one than it has.
func (d *differ) description() (s Session, differs bool) {
	s, h := d.want.session, &d.have.session
	s.Desc.Instance, s.Desc.Application, s.Desc.Reserved1 = h.Desc.Instance, h.Desc.Application, h.Desc.Reserved1
	return s, s.Desc != h.Desc || !bytes.Equal(s.Name, h.Name) || !bytes.Equal(s.Password, h.Password)
}

// linked reports whether l, one of the two lists, has a player or group in a group, and both of them stay.
func (d *differ) linked(l *List, group, id wire.PlayerID) bool {
	g, r := l.rows[group], l.rows[id]
	return g != nil && r != nil && !d.gone[group] && !d.gone[id] && r.isIn(g)
}

// unlinks takes out of groups what is not in them in want. What is deleted needs no operation.
func (d *differ) unlinks() {
	for g := d.have.groups.first; g != nil; g = g.next {
		for _, k := range g.group.members {
			if d.linked(d.have, g.id, k.id) && !d.linked(d.want, g.id, k.id) {
				d.ops = append(d.ops, RemoveMember{g.id, k.id})
			}
		}
		for _, k := range g.group.shortcuts {
			if d.linked(d.have, g.id, k.id) && !d.linked(d.want, g.id, k.id) {
				d.ops = append(d.ops, RemoveShortcut{g.id, k.id})
			}
		}
	}
}

// deletions deletes the rows that do not stay: groups before those that they were created in, players before their owners.
func (d *differ) deletions() {
	if len(d.gone) == 0 {
		return
	}
	for g := d.have.groups.last; g != nil; g = g.prev {
		if d.gone[g.id] {
			d.ops = append(d.ops, DeleteGroup{g.id})
		}
	}
	for _, system := range [...]bool{false, true} {
		for p := d.have.players.first; p != nil; p = p.next {
			if d.gone[p.id] && p.isSystem() == system {
				d.ops = append(d.ops, DeletePlayer{p.id})
			}
		}
	}
}

// additions creates the rows of want that have lacks, in order of joining: an owner comes before its players, a parent before
// the groups in it.
func (d *differ) additions() {
	for _, c := range [...]*chain{&d.want.players, &d.want.groups} {
		for w := c.first; w != nil; w = w.next {
			if d.have.rows[w.id] != nil && !d.gone[w.id] {
				continue
			}
			e := d.want.entry(w)
			e.Flags, e.Added = w.flags, 0 // who is host is said later
			d.ops = append(d.ops, e.add())
		}
	}
}

// links puts into groups what is in them in want.
func (d *differ) links() {
	for g := d.want.groups.first; g != nil; g = g.next {
		for _, k := range g.group.members {
			if !d.linked(d.have, g.id, k.id) {
				d.ops = append(d.ops, AddMember{g.id, k.id})
			}
		}
		for _, k := range g.group.shortcuts {
			if !d.linked(d.have, g.id, k.id) {
				d.ops = append(d.ops, AddShortcut{g.id, k.id})
			}
		}
	}
}
