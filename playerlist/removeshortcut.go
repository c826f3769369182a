package playerlist

import "dplay4/wire"

// RemoveShortcut takes a group out of another one that a shortcut made visible there. A group that was created in
// the other one (Parent) is not in it by a shortcut.
type RemoveShortcut struct{ Parent, Child wire.PlayerID }

func (o RemoveShortcut) check(l *List) error {
	if err := l.checkGroup("RemoveShortcut", o.Parent); err != nil {
		return err
	}
	if err := l.checkGroup("RemoveShortcut", o.Child); err != nil {
		return err
	}
	if g := l.rows[o.Parent]; !l.rows[o.Child].isIn(g, g.group.shortcuts) {
		return &OpError{"RemoveShortcut", o.Child, ErrNotMember}
	}
	return nil
}

func (o RemoveShortcut) keep(*List) Op { return o }

func (o RemoveShortcut) do(l *List) {
	g, r := l.rows[o.Parent].group, l.rows[o.Child]
	g.shortcuts, r.in = unlink(g.shortcuts, o.Child), without(r.in, o.Parent)
	l.links--
}

func (o RemoveShortcut) octets() int { return 0 }
