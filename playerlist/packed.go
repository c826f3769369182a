package playerlist

import "dplay4/wire"

// Packed gives the packed player that announces a player or group (2.2.2); ok is false if it is unknown. Sender is
// the system player of the machine that announces. Its own come as Windows announces them, with LOCAL and, of
// players, without INGROUP (0x9, 0x8; facts, 4.5), and with address 0.0.0.0: ADDFORWARDREQUEST, CREATEPLAYER,
// CREATEGROUP. Those of others come as a host forwards them, with INGROUP: ADDFORWARD. Nothing in it is shared with
// the list.
func (l *List) Packed(id, sender wire.PlayerID) (p wire.PackedPlayer, ok bool) {
	r := l.rows[id]
	if r == nil {
		return wire.PackedPlayer{}, false
	}
	p = l.packed(r, sender)
	switch {
	case r.group != nil:
		p.PlayerIDs = appendIDs(nil, r.group.members)
	case r.system == sender:
		p.Flags &^= wire.PlayerInGroup
	}
	return p, true
}

// packed gives a row without links as sender lists it.
func (l *List) packed(r *row, sender wire.PlayerID) wire.PackedPlayer {
	e := l.entry(r)
	e = e.clone()
	e.local(sender)
	return wire.PackedPlayer{
		Flags: e.Flags, ID: e.ID, System: e.System, Version: e.Dialect, Parent: e.Parent,
		ShortName: e.ShortName, LongName: e.LongName, SPData: e.SPData, Data: e.Data,
	}
}

// local marks an entry, which must share nothing, as sender's if it is: LOCAL, and address 0.0.0.0, which 2.2.2
// demands with it.
func (e *Entry) local(sender wire.PlayerID) {
	if e.System != sender {
		return
	}
	e.Flags |= wire.PlayerLocal
	if d, ok := wire.ParseSPData(e.SPData); ok {
		d.Stream.Addr, d.Datagram.Addr = [4]byte{}, [4]byte{}
		e.SPData = d.Append(e.SPData[:0])
	}
}

// EntryOf gives a packed player as an entry for [AddPlayer] or [AddGroup]. Names that lack a terminator, which a
// packed player does not need but a list does, get one, and what stands behind one is cut off. Everything else
// aliases p. A group's members, p.PlayerIDs, are left to the caller.
func EntryOf(p *wire.PackedPlayer) Entry {
	return Entry{
		ID: p.ID, Flags: p.Flags, System: p.System, Parent: p.Parent, Dialect: p.Version,
		ShortName: terminate(p.ShortName), LongName: terminate(p.LongName), SPData: p.SPData, Data: p.Data,
	}
}
