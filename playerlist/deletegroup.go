package playerlist

import "dplay4/wire"

// DeleteGroup removes a group with its memberships and the shortcuts in it and to it. Its members stay, and so do
// groups that were created in it: they move to the top (see the package documentation).
type DeleteGroup struct{ ID wire.PlayerID }

func (o DeleteGroup) check(l *List) error { return l.checkGroup("DeleteGroup", o.ID) }

func (o DeleteGroup) keep(*List) Op { return o }

func (o DeleteGroup) do(l *List) {
	r := l.rows[o.ID]
	g := r.group
	for _, links := range [][]link{g.members, g.shortcuts} {
		for _, k := range links {
			in := l.rows[k.id]
			in.in = without(in.in, r.id)
		}
		l.links -= len(links)
	}
	for c := l.groups.first; c != nil && g.children > 0; c = c.next {
		if c.group.parent == r.id {
			c.group.parent = 0
			g.children--
		}
	}
	if g.parent != 0 {
		l.rows[g.parent].group.children--
	}
	l.remove(r)
}

func (o DeleteGroup) octets() int { return 0 }
