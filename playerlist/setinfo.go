package playerlist

import "dplay4/wire"

// SetInfo gives a player or group new names and new data under one number, as DN_UPDATE_INFO can
// ([MC-DPL8CS] 2.2.5.2). DirectPlay 4 has no message for it.
type SetInfo struct {
	ID                  wire.PlayerID
	ShortName, LongName wire.Text
	Data                []byte
}

func (o SetInfo) check(l *List) error {
	r := l.rows[o.ID]
	if r == nil {
		return &OpError{"SetInfo", o.ID, ErrUnknown}
	}
	e := Entry{ID: o.ID, ShortName: o.ShortName, LongName: o.LongName, SPData: r.sp, Data: o.Data}
	return l.checkContent("SetInfo", &e, r.octets())
}

func (o SetInfo) keep(*List) Op {
	return SetInfo{o.ID, wire.Text(duplicate(o.ShortName)), wire.Text(duplicate(o.LongName)), duplicate(o.Data)}
}

func (o SetInfo) do(l *List) {
	r := l.rows[o.ID]
	l.octets -= r.octets()
	r.short, r.long, r.data = o.ShortName, o.LongName, o.Data
	l.octets += r.octets()
}

func (o SetInfo) octets() int { return len(o.ShortName) + len(o.LongName) + len(o.Data) }
