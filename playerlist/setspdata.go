package playerlist

import "dplay4/wire"

// SetSPData gives a player or group new service provider data; nil: none. IAMNAMESERVER carries that of a new host.
type SetSPData struct {
	ID     wire.PlayerID
	SPData []byte
}

func (o SetSPData) check(l *List) error {
	r := l.rows[o.ID]
	if r == nil {
		return &OpError{"SetSPData", o.ID, ErrUnknown}
	}
	e := Entry{ID: o.ID, ShortName: r.short, LongName: r.long, SPData: o.SPData, Data: r.data}
	return l.checkContent("SetSPData", &e, r.octets())
}

func (o SetSPData) keep(*List) Op { return SetSPData{o.ID, duplicate(o.SPData)} }

func (o SetSPData) do(l *List) {
	r := l.rows[o.ID]
	l.octets -= r.octets()
	r.sp = o.SPData
	l.octets += r.octets()
}

func (o SetSPData) octets() int { return len(o.SPData) }
