package playerlist

import "dplay4/wire"

// FromSuperEnumPlayersReply makes a list of the message that ends a join. Self is the system player of whoever
// joins: it stands first in the message, but is the youngest. Otherwise the order is the message's, except that
// nothing comes before its owner or parent. The numbers are the list's own, and its log begins after them.
//
// The list is always usable. What of the message did not fit is in the error, a [Refused]; the caller decides
// whether it joins all the same. An entry whose owner is not listed is taken for the host's, a group whose parent is
// not listed stands at the top, and both are reported.
//
// The message is only read, and nothing is shared with it.
func FromSuperEnumPlayersReply(m *wire.SuperEnumPlayersReply, self wire.PlayerID) (*List, error) {
	d := newLoader(Session{Desc: m.Desc, Name: m.Name, Password: m.Password}, self, len(m.Players)+len(m.Groups))
	for i := range m.Players {
		d.rows = append(d.rows, listed{list: "Players", index: i, entry: superEntry(&m.Players[i], false)})
	}
	for i := range m.Groups {
		p := &m.Groups[i]
		d.rows = append(d.rows, listed{list: "Groups", index: i, entry: superEntry(p, true), members: p.PlayerIDs, shortcuts: p.Shortcuts})
	}
	d.load()
	for i := range m.Shortcuts {
		d.shortcuts("Shortcuts", i, m.Shortcuts[i].ID, m.Shortcuts[i].Shortcuts)
	}
	return d.done()
}

// FromEnumPlayersReply does the same for the message that ends a join in a client/server session.
func FromEnumPlayersReply(m *wire.EnumPlayersReply, self wire.PlayerID) (*List, error) {
	d := newLoader(Session{Desc: m.Desc, Name: m.Name, Password: m.Password}, self, len(m.Players)+len(m.Groups))
	for i := range m.Players {
		d.rows = append(d.rows, listed{list: "Players", index: i, entry: EntryOf(&m.Players[i])})
	}
	for i := range m.Groups {
		p := &m.Groups[i]
		e := EntryOf(p)
		e.Group = true
		d.rows = append(d.rows, listed{list: "Groups", index: i, entry: e, members: p.PlayerIDs})
	}
	d.load()
	return d.done()
}

// superEntry gives a super packed player as an entry that aliases it.
func superEntry(p *wire.SuperPackedPlayer, isGroup bool) Entry {
	e := Entry{
		ID: p.ID, Flags: p.Flags, System: wire.PlayerID(p.Owner), Parent: p.Parent, Group: isGroup,
		ShortName: terminate(p.ShortName), LongName: terminate(p.LongName), SPData: p.SPData, Data: p.Data,
	}
	if p.Flags&wire.PlayerSystem != 0 {
		e.System, e.Dialect = p.ID, p.Owner
	}
	return e
}
