package playerlist

import "dplay4/wire"

// SetName gives a player or group new names; nil: none.
type SetName struct {
	ID                  wire.PlayerID
	ShortName, LongName wire.Text
}

func (o SetName) check(l *List) error {
	r := l.rows[o.ID]
	if r == nil {
		return &OpError{"SetName", o.ID, ErrUnknown}
	}
	e := Entry{ID: o.ID, ShortName: o.ShortName, LongName: o.LongName, SPData: r.sp, Data: r.data}
	return l.checkContent("SetName", &e, r.octets())
}

func (o SetName) keep(*List) Op {
	return SetName{o.ID, wire.Text(duplicate(o.ShortName)), wire.Text(duplicate(o.LongName))}
}

func (o SetName) do(l *List) {
	r := l.rows[o.ID]
	l.octets -= r.octets()
	r.short, r.long = o.ShortName, o.LongName
	l.octets += r.octets()
}

func (o SetName) octets() int { return len(o.ShortName) + len(o.LongName) }
