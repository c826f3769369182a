package playerlist

import "dplay4/wire"

// AddPlayer adds a player: a system player, or one that a system player in the list owns. A system player with
// NAMESERVER becomes the host if there is none, and is refused otherwise.
type AddPlayer struct{ Entry Entry }

func (o AddPlayer) check(l *List) error {
	e := &o.Entry
	const hostFlags = wire.PlayerSystem | wire.PlayerNameServer
	switch {
	case e.Flags&hostFlags == wire.PlayerNameServer:
		return &OpError{"AddPlayer", e.ID, ErrFlags}
	case e.Flags&wire.PlayerNameServer != 0 && l.host != nil:
		return &OpError{"AddPlayer", l.host.id, ErrHost}
	case e.Flags&wire.PlayerSystem == 0:
		if err := l.checkSystem("AddPlayer", e.System); err != nil {
			return err
		}
	}
	return l.checkNew("AddPlayer", e, false)
}

func (o AddPlayer) keep(*List) Op {
	e := o.Entry.clone()
	e.Flags &^= wire.PlayerLocal | wire.PlayerInGroup
	e.Parent, e.Added, e.Group = 0, 0, false
	if e.Flags&wire.PlayerSystem != 0 {
		e.System = e.ID
	} else {
		e.Dialect = 0
	}
	return AddPlayer{e}
}

func (o AddPlayer) do(l *List) {
	r := o.Entry.row(l.version)
	l.add(r)
	if o.Entry.Flags&wire.PlayerNameServer != 0 {
		l.host = r
	}
}

func (o AddPlayer) octets() int { return o.Entry.octets() }

// row gives the row of a kept entry, which shares its names and data.
func (e *Entry) row(version uint32) *row {
	return &row{
		id: e.ID, flags: e.Flags &^ wire.PlayerNameServer, system: e.System, dialect: e.Dialect, added: version,
		short: e.ShortName, long: e.LongName, sp: e.SPData, data: e.Data,
	}
}
