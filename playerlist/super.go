package playerlist

import "dplay4/wire"

// SuperEnumPlayersReply gives the list as the message that ends a join (2.2.53), laid out as Windows does
// (facts, real-captures). A group that shortcuts make groups visible in comes a second time among the shortcuts,
// with their ids. Nothing in the message is shared with the list.
func (l *List) SuperEnumPlayersReply(v View) *wire.SuperEnumPlayersReply {
	s := l.Session()
	players, groups := l.view(v)
	m := &wire.SuperEnumPlayersReply{Desc: s.Desc, Name: s.Name, Password: s.Password}
	if len(players) > 0 {
		m.Players = make([]wire.SuperPackedPlayer, len(players))
	}
	for i, r := range players {
		m.Players[i] = l.superPacked(r, v.Sender)
	}
	if len(groups) == 0 {
		return m
	}
	m.Groups = make([]wire.SuperPackedPlayer, len(groups))
	for i, r := range groups {
		m.Groups[i] = l.superPacked(r, v.Sender)
		m.Groups[i].PlayerIDs = l.keptIDs(v, r.group.members)
		m.Groups[i].Parent = l.keptParent(v, r)
		if ids := l.keptIDs(v, r.group.shortcuts); ids != nil {
			m.Shortcuts = append(m.Shortcuts, wire.SuperPackedPlayer{
				Flags: m.Groups[i].Flags, ID: r.id, Owner: uint32(r.system), Shortcuts: ids,
			})
		}
	}
	return m
}

// superPacked gives a row without links as sender lists it. The fifth DWORD is the dialect of a system player and
// the owner of anything else (facts, 3.7).
func (l *List) superPacked(r *row, sender wire.PlayerID) wire.SuperPackedPlayer {
	e := l.entry(r)
	e = e.clone()
	e.local(sender)
	p := wire.SuperPackedPlayer{
		Flags: e.Flags, ID: e.ID, Owner: uint32(e.System),
		ShortName: e.ShortName, LongName: e.LongName, Data: e.Data, SPData: e.SPData,
	}
	if r.isSystem() {
		p.Owner = e.Dialect
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
