package playerlist

import "dplay4/wire"

// SetData gives a player or group new data of the game's; nil: none.
type SetData struct {
	ID   wire.PlayerID
	Data []byte
}

func (o SetData) check(l *List) error {
	r := l.rows[o.ID]
	if r == nil {
		return &OpError{"SetData", o.ID, ErrUnknown}
	}
	e := Entry{ID: o.ID, ShortName: r.short, LongName: r.long, SPData: r.sp, Data: o.Data}
	return l.checkContent("SetData", &e, r.octets())
}

func (o SetData) keep(*List) Op { return SetData{o.ID, duplicate(o.Data)} }

func (o SetData) do(l *List) {
	r := l.rows[o.ID]
	l.octets -= r.octets()
	r.data = o.Data
	l.octets += r.octets()
}

func (o SetData) octets() int { return len(o.Data) }
