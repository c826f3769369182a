package playerlist

import "dplay4/wire"

// Session is the session's description with its name and password; the number of current players is that of the
// normal players in the list.
func (l *List) Session() Session {
	s := l.session.clone()
	s.Desc.CurrentPlayers = uint32(l.normal)
	return s
}

// Host is the host's system player; 0: there is none.
func (l *List) Host() wire.PlayerID {
	if l.host == nil {
		return 0
	}
	return l.host.id
}

// Len is the number of players, system players among them, and of groups.
func (l *List) Len() (players, groups int) { return l.players.n, l.groups.n }

// Count is the number of normal players.
func (l *List) Count() int { return l.normal }

// Octets is what the names and data in the list take; it is at most MaxOctets.
func (l *List) Octets() int { return l.octets }

// Get gives the player or group with an id.
func (l *List) Get(id wire.PlayerID) (Entry, bool) {
	r := l.rows[id]
	if r == nil {
		return Entry{}, false
	}
	e := l.entry(r)
	return e.clone(), true
}

// Players gives all players in order of joining. To look at many of them, AppendPlayers is cheaper.
func (l *List) Players() []Entry { return l.entries(&l.players) }

// Groups gives all groups in order of joining.
func (l *List) Groups() []Entry { return l.entries(&l.groups) }

func (l *List) entries(c *chain) []Entry {
	all := make([]Entry, 0, c.n)
	for r := c.first; r != nil; r = r.next {
		e := l.entry(r)
		all = append(all, e.clone())
	}
	return all
}

// entry gives a row as an entry that shares its names and data.
func (l *List) entry(r *row) Entry {
	e := Entry{
		ID: r.id, Flags: l.flags(r), System: r.system, Dialect: r.dialect, Added: r.added,
		ShortName: r.short, LongName: r.long, SPData: r.sp, Data: r.data,
	}
	if !r.isSystem() {
		e.Dialect = l.rows[r.system].dialect
	}
	if r.group != nil {
		e.Group, e.Parent = true, r.group.parent
	}
	return e
}

// flags gives a row's flags with those that are computed, but for LOCAL.
func (l *List) flags(r *row) wire.PlayerFlags {
	f := r.flags
	if r.group == nil || len(r.in) > 0 {
		f |= wire.PlayerInGroup
	}
	if r == l.host {
		f |= wire.PlayerNameServer
	}
	return f
}

// Kind says what an id is; both are false if it is unknown.
func (l *List) Kind(id wire.PlayerID) (player, group bool) {
	r := l.rows[id]
	if r == nil {
		return false, false
	}
	return r.group == nil, r.group != nil
}

// Flags gives the flags of a player or group; ok is false if it is unknown.
func (l *List) Flags(id wire.PlayerID) (f wire.PlayerFlags, ok bool) {
	r := l.rows[id]
	if r == nil {
		return 0, false
	}
	return l.flags(r), true
}

// System gives the system player of the machine that owns a player or group, of a system player itself; ok is
// false if it is unknown.
func (l *List) System(id wire.PlayerID) (system wire.PlayerID, ok bool) {
	r := l.rows[id]
	if r == nil {
		return 0, false
	}
	return r.system, true
}

// AppendPlayers appends the ids of all players to dst, in order of joining.
func (l *List) AppendPlayers(dst []wire.PlayerID) []wire.PlayerID {
	for r := l.players.first; r != nil; r = r.next {
		dst = append(dst, r.id)
	}
	return dst
}

// AppendSystems appends the ids of all system players to dst, in order of joining.
func (l *List) AppendSystems(dst []wire.PlayerID) []wire.PlayerID {
	for r := l.players.first; r != nil; r = r.next {
		if r.isSystem() {
			dst = append(dst, r.id)
		}
	}
	return dst
}

// AppendGroups appends the ids of all groups to dst, in order of joining.
func (l *List) AppendGroups(dst []wire.PlayerID) []wire.PlayerID {
	for r := l.groups.first; r != nil; r = r.next {
		dst = append(dst, r.id)
	}
	return dst
}

// AppendMembers appends the players in a group to dst, in the order in which they came into it; none if there is
// no such group.
func (l *List) AppendMembers(dst []wire.PlayerID, group wire.PlayerID) []wire.PlayerID {
	if r := l.rows[group]; r != nil && r.group != nil {
		dst = appendIDs(dst, r.group.members)
	}
	return dst
}

// AppendShortcuts appends the groups that shortcuts make visible in a group to dst, in the order in which they
// came into it; none if there is no such group.
func (l *List) AppendShortcuts(dst []wire.PlayerID, group wire.PlayerID) []wire.PlayerID {
	if r := l.rows[group]; r != nil && r.group != nil {
		dst = appendIDs(dst, r.group.shortcuts)
	}
	return dst
}

func appendIDs(dst []wire.PlayerID, links []link) []wire.PlayerID {
	for _, k := range links {
		dst = append(dst, k.id)
	}
	return dst
}

// AppendGroupsOf appends the groups that a player is in, or where a shortcut shows a group, to dst, in the order
// in which it came into them.
func (l *List) AppendGroupsOf(dst []wire.PlayerID, id wire.PlayerID) []wire.PlayerID {
	if r := l.rows[id]; r != nil {
		dst = append(dst, r.in...)
	}
	return dst
}

// IsMember says whether a player is in a group.
func (l *List) IsMember(group, player wire.PlayerID) bool {
	g, r := l.rows[group], l.rows[player]
	return g != nil && g.group != nil && r != nil && r.group == nil && r.isIn(g, g.group.members)
}
