package playerlist

import "dplay4/wire"

// AddMember adds a player to a group.
type AddMember struct{ Group, Player wire.PlayerID }

func (o AddMember) check(l *List) error {
	if err := l.checkGroup("AddMember", o.Group); err != nil {
		return err
	}
	if err := l.checkPlayer("AddMember", o.Player); err != nil {
		return err
	}
	g := l.rows[o.Group]
	switch {
	case l.rows[o.Player].isIn(g, g.group.members):
		return &OpError{"AddMember", o.Player, ErrMember}
	case l.links >= MaxLinks:
		return &OpError{"AddMember", o.Player, ErrFull}
	}
	return nil
}

func (o AddMember) keep(*List) Op { return o }

func (o AddMember) do(l *List) {
	g, r := l.rows[o.Group].group, l.rows[o.Player]
	g.members = append(g.members, link{o.Player, l.version})
	r.in = append(r.in, o.Group)
	l.links++
}

func (o AddMember) octets() int { return 0 }
