package playerlist

import "dplay4/wire"

// RemoveMember takes a player out of a group.
type RemoveMember struct{ Group, Player wire.PlayerID }

func (o RemoveMember) check(l *List) error {
	if err := l.checkGroup("RemoveMember", o.Group); err != nil {
		return err
	}
	if err := l.checkPlayer("RemoveMember", o.Player); err != nil {
		return err
	}
	if g := l.rows[o.Group]; !l.rows[o.Player].isIn(g, g.group.members) {
		return &OpError{"RemoveMember", o.Player, ErrNotMember}
	}
	return nil
}

func (o RemoveMember) keep(*List) Op { return o }

func (o RemoveMember) do(l *List) {
	g, r := l.rows[o.Group].group, l.rows[o.Player]
	g.members, r.in = unlink(g.members, o.Player), without(r.in, o.Group)
	l.links--
}

func (o RemoveMember) octets() int { return 0 }
