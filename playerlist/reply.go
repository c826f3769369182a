package playerlist

import (
	"slices"

	"dplay4/wire"
)

// A View is for whom and by whom a list is sent.
type View struct {
	// Sender is the host's system player: what it owns is marked LOCAL, with address 0.0.0.0.
	Sender wire.PlayerID
	// Newcomer is the system player of the machine that joins; 0: nobody does, the list was asked for.
	Newcomer wire.PlayerID
	// Keep, if not nil, says which players and groups are sent; it is told id, owner and flags. In a client/server
	// session a client gets only some. Newcomer and Sender are always sent.
	Keep func(id, system wire.PlayerID, flags wire.PlayerFlags) bool
}

// view returns what is sent, players and groups, in the order in which Windows sends it (facts, real-captures): the
// newcomer's system player, the host's, then all others in order of joining.
func (l *List) view(v View) (players, groups []*row) {
	players = make([]*row, 0, l.players.n)
	for _, id := range [...]wire.PlayerID{v.Newcomer, v.Sender} {
		if r := l.rows[id]; r != nil && r.isSystem() && !slices.Contains(players, r) {
			players = append(players, r)
		}
	}
	first := players
	for r := l.players.first; r != nil; r = r.next {
		if !slices.Contains(first, r) && l.kept(v, r) {
			players = append(players, r)
		}
	}
	groups = make([]*row, 0, l.groups.n)
	for r := l.groups.first; r != nil; r = r.next {
		if l.kept(v, r) {
			groups = append(groups, r)
		}
	}
	return players, groups
}

func (l *List) kept(v View, r *row) bool { return v.Keep == nil || v.Keep(r.id, r.system, l.flags(r)) }

// keptIDs returns the links to what is sent.
func (l *List) keptIDs(v View, links []link) []wire.PlayerID {
	var ids []wire.PlayerID
	for _, k := range links {
		if v.Keep == nil || k.id == v.Newcomer || k.id == v.Sender || l.kept(v, l.rows[k.id]) {
			ids = append(ids, k.id)
		}
	}
	return ids
}

// keptParent returns a group's parent if that is sent.
func (l *List) keptParent(v View, r *row) wire.PlayerID {
	if p := r.group.parent; p != 0 && l.kept(v, l.rows[p]) {
		return p
	}
	return 0
}

// SuperEnumPlayersReply returns the list as the message that ends a join (2.2.53), laid out as Windows does
// (facts, real-captures). A group that shortcuts make groups visible in comes a second time among the shortcuts,
// with their ids. Nothing in the message is shared with the list.
func (l *List) SuperEnumPlayersReply(v View) *wire.SuperEnumPlayersReply {
	s := l.Session()
	players, groups := l.view(v)
	pack := func(r *row) wire.SuperPackedPlayer { return l.superPacked(v, r) }
	m := &wire.SuperEnumPlayersReply{Desc: s.Desc, Name: s.Name, Password: s.Password,
		Players: each(players, pack), Groups: each(groups, pack)}
	for i, r := range groups {
		if ids := l.keptIDs(v, r.group.shortcuts); ids != nil {
			m.Shortcuts = append(m.Shortcuts, wire.SuperPackedPlayer{
				Flags: m.Groups[i].Flags, ID: r.id, Owner: uint32(r.system), Shortcuts: ids,
			})
		}
	}
	return m
}

// each returns what f makes of each row; nil of none.
func each[T any](rows []*row, f func(*row) T) (all []T) {
	for _, r := range rows {
		if all == nil {
			all = make([]T, 0, len(rows))
		}
		all = append(all, f(r))
	}
	return all
}

// superPacked returns a row without shortcuts as the sender lists it. The fifth DWORD is the dialect of a system player and
// the owner of anything else (facts, 3.7).
func (l *List) superPacked(v View, r *row) wire.SuperPackedPlayer {
	e := l.entry(r)
	e = e.clone()
	e.local(v.Sender)
	p := wire.SuperPackedPlayer{
		Flags: e.Flags, ID: e.ID, Owner: uint32(e.System),
		ShortName: e.ShortName, LongName: e.LongName, Data: e.Data, SPData: e.SPData,
	}
	switch {
	case r.isSystem():
		p.Owner = e.Dialect
	case r.isGroup():
		p.PlayerIDs, p.Parent = l.keptIDs(v, r.group.members), l.keptParent(v, r)
	}
	return p
}

// SuperSize is the size in octets, with both headers, of the whole list's SUPERENUMPLAYERSREPLY. Beyond
// wire.MaxMessage nobody can be let in any more.
func (l *List) SuperSize() int {
	const fixed = wire.SPHeaderSize + wire.HeaderSize + 28 + wire.SessionDescSize
	n := fixed + l.octets + wire.SuperPackedFixed*len(l.rows) + 4*l.links
	for _, c := range [...]*chain{&l.players, &l.groups} {
		for r := c.first; r != nil; r = r.next {
			n += lengthSize(len(r.sp)) + lengthSize(len(r.data))
			if r.group == nil {
				continue
			}
			n += lengthSize(len(r.group.members))
			if r.group.parent != 0 {
				n += 4
			}
			if k := len(r.group.shortcuts); k > 0 {
				n += wire.SuperPackedFixed + lengthSize(k)
			}
		}
	}
	return n
}

// lengthSize is the size of a length or count that is as narrow as it can be (2.2.3).
func lengthSize(n int) int {
	switch {
	case n == 0:
		return 0
	case n <= 0xFF:
		return 1
	case n <= 0xFFFF:
		return 2
	}
	return 4
}

// EnumPlayersReply returns the list as the message that ends a join in a client/server session (2.2.28); shortcuts
// do not fit in it. Nothing in the message is shared with the list.
func (l *List) EnumPlayersReply(v View) *wire.EnumPlayersReply {
	s := l.Session()
	players, groups := l.view(v)
	pack := func(r *row) wire.PackedPlayer {
		p := l.packed(r, v.Sender)
		if r.isGroup() {
			p.PlayerIDs, p.Parent = l.keptIDs(v, r.group.members), l.keptParent(v, r)
		}
		return p
	}
	return &wire.EnumPlayersReply{Desc: s.Desc, Name: s.Name, Password: s.Password,
		Players: each(players, pack), Groups: each(groups, pack)}
}

// Packed returns the packed player that announces a player or group (2.2.2); ok is false if it is unknown. Sender is
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

// packed returns a row without links as sender lists it.
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

// EntryOf returns a packed player as an entry for [AddPlayer] or [AddGroup]. Names that lack a terminator, which a
// packed player does not need but a list does, get one, and what stands behind one is cut off. Everything else
// aliases p. A group's members, p.PlayerIDs, are left to the caller.
func EntryOf(p *wire.PackedPlayer) Entry {
	return Entry{
		ID: p.ID, Flags: p.Flags, System: p.System, Parent: p.Parent, Dialect: p.Version,
		ShortName: terminate(p.ShortName), LongName: terminate(p.LongName), SPData: p.SPData, Data: p.Data,
	}
}
