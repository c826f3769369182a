package playerlist

import "dplay4/wire"

// AddShortcut makes a group visible inside another one.
type AddShortcut struct{ Parent, Child wire.PlayerID }

func (o AddShortcut) check(l *List) error {
	if err := l.checkGroup("AddShortcut", o.Parent); err != nil {
		return err
	}
	if err := l.checkGroup("AddShortcut", o.Child); err != nil {
		return err
	}
	g := l.rows[o.Parent]
	switch {
	case o.Parent == o.Child:
		return &OpError{"AddShortcut", o.Child, ErrSelf}
	case l.rows[o.Child].isIn(g, g.group.shortcuts):
		return &OpError{"AddShortcut", o.Child, ErrMember}
	case l.links >= MaxLinks:
		return &OpError{"AddShortcut", o.Child, ErrFull}
	}
	return nil
}

func (o AddShortcut) keep(*List) Op { return o }

func (o AddShortcut) do(l *List) {
	g, r := l.rows[o.Parent].group, l.rows[o.Child]
	g.shortcuts = append(g.shortcuts, link{o.Child, l.version})
	r.in = append(r.in, o.Parent)
	l.links++
}

func (o AddShortcut) octets() int { return 0 }
