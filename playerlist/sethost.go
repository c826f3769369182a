package playerlist

import "dplay4/wire"

// SetHost makes a system player the host, instead of the one before if there is one.
type SetHost struct{ ID wire.PlayerID }

func (o SetHost) check(l *List) error { return l.checkSystem("SetHost", o.ID) }

func (o SetHost) keep(*List) Op { return o }

func (o SetHost) do(l *List) { l.host = l.rows[o.ID] }

func (o SetHost) octets() int { return 0 }
