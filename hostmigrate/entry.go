package hostmigrate

import (
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// toEntry returns an entry of a list as one of [MC-DPL8CS] 2.2.1.5, which shares names and data with it. Flags of
// DirectPlay 4, dialect, parent, long name and service provider data are in the URL.
func toEntry(e *playerlist.Entry, version uint32) dpl8.Entry {
	f := newForm()
	f.number("flags", uint32(e.Flags))
	f.number("dialect", e.Dialect)
	f.number("parent", uint32(e.Parent))
	f.octets("long", e.LongName)
	f.octets("sp", e.SPData)
	return dpl8.Entry{
		ID: dpl8.DPNID(e.ID), Owner: dpl8.DPNID(e.System), Flags: entryFlags(e), Version: version, DNETVersion: dpl8.DirectX80,
		Name: e.ShortName, Data: e.Data, URL: dpl8.URL(f.end()),
	}
}

// entryFlags says in the words of DirectPlay 8 what an entry is. Of these only GROUP is read again.
func entryFlags(e *playerlist.Entry) dpl8.EntryFlags {
	var f dpl8.EntryFlags
	switch {
	case e.Group:
		f = dpl8.EntryGroup
	case e.Flags&wire.PlayerSystem != 0:
		f = dpl8.EntryPeer
		if e.Flags&wire.PlayerNameServer != 0 {
			f |= dpl8.EntryHost
		}
	}
	return f
}

// fromEntry returns the entry back. It shares names and data with m.
func fromEntry(m *dpl8.Entry) (playerlist.Entry, error) {
	v, _, err := readForm(m.URL)
	if err != nil {
		return playerlist.Entry{}, &FieldError{"URL", err}
	}
	e := playerlist.Entry{
		ID: wire.PlayerID(m.ID), System: wire.PlayerID(m.Owner), Added: m.Version, Group: m.Flags&dpl8.EntryGroup != 0,
		Flags: wire.PlayerFlags(v.number("flags")), Dialect: v.number("dialect"), Parent: wire.PlayerID(v.number("parent")),
		ShortName: m.Name, LongName: wire.Text(v.octets("long")), SPData: v.octets("sp"), Data: m.Data,
	}
	return e, v.err
}

// sessionForm writes what of a session DirectPlay 8 has no field for.
func sessionForm(f *form, d *wire.SessionDesc) {
	f.number("flags", uint32(d.Flags))
	f.number("reserved1", d.Reserved1)
	f.number("reserved2", d.Reserved2)
	for i, key := range userKeys {
		f.number(key, d.User[i])
	}
}

// readSession reads it again.
func readSession(v *values, d *wire.SessionDesc) {
	d.Flags = wire.SessionFlags(v.number("flags"))
	d.Reserved1, d.Reserved2 = v.number("reserved1"), v.number("reserved2")
	for i, key := range userKeys {
		d.User[i] = v.number(key)
	}
}

var userKeys = [4]string{"user1", "user2", "user3", "user4"}
