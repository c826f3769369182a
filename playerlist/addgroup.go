package playerlist

import "dplay4/wire"

// AddGroup adds a group without members that a system player in the list owns, at the top or in a group (Parent).
type AddGroup struct{ Entry Entry }

func (o AddGroup) check(l *List) error {
	e := &o.Entry
	if e.Flags&(wire.PlayerSystem|wire.PlayerNameServer) != 0 {
		return &OpError{"AddGroup", e.ID, ErrFlags}
	}
	if err := l.checkSystem("AddGroup", e.System); err != nil {
		return err
	}
	if e.Parent != 0 {
		if err := l.checkGroup("AddGroup", e.Parent); err != nil {
			return err
		}
	}
	return l.checkNew("AddGroup", e, true)
}

func (o AddGroup) keep(*List) Op {
	e := o.Entry.clone()
	e.Flags &^= wire.PlayerLocal | wire.PlayerInGroup
	e.Dialect, e.Added, e.Group = 0, 0, true
	return AddGroup{e}
}

func (o AddGroup) do(l *List) {
	r := o.Entry.row(l.version)
	r.group = &group{parent: o.Entry.Parent}
	if o.Entry.Parent != 0 {
		l.rows[o.Entry.Parent].group.children++
	}
	l.add(r)
}

func (o AddGroup) octets() int { return o.Entry.octets() }
