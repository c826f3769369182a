package playerlist

import (
	"iter"
	"slices"

	"dplay4/wire"
)

// Session is the session's description with its name and password; the number of current players is that of the
// normal players in the list.
func (l *List) Session() Session {
	s := l.session.clone()
	s.Desc = l.Desc()
	return s
}

// Desc is the description of Session alone.
func (l *List) Desc() wire.SessionDesc {
	d := l.session.Desc
	d.CurrentPlayers = uint32(l.normal)
	return d
}

// SessionFlags is the flags in Desc.
func (l *List) SessionFlags() wire.SessionFlags { return l.session.Desc.Flags }

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

// Share returns what of the list is a machine's, by its system player: its players and groups, without that one, their
// names and data and its own in octets, and how many memberships and shortcuts are in its groups.
func (l *List) Share(system wire.PlayerID) (rows, octets, links int) {
	r := l.rows[system]
	if r == nil || !r.isSystem() {
		return 0, 0, 0
	}
	return int(r.owned), r.held, r.linked
}

// Get returns the player or group with an id, as a copy.
func (l *List) Get(id wire.PlayerID) (Entry, bool) {
	e, ok := l.Look(id)
	return e.clone(), ok
}

// Look returns the player or group with an id, which shares names and data with the list, as those of EachPlayer do.
func (l *List) Look(id wire.PlayerID) (Entry, bool) {
	r := l.rows[id]
	if r == nil {
		return Entry{}, false
	}
	return l.entry(r), true
}

// EachPlayer returns all players in order of joining. They share names and data with the list, which never writes to
// them; nor may the caller.
func (l *List) EachPlayer() iter.Seq[Entry] { return l.each(&l.players) }

// EachGroup returns all groups as EachPlayer does players.
func (l *List) EachGroup() iter.Seq[Entry] { return l.each(&l.groups) }

func (l *List) each(c *chain) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for r := c.first; r != nil && yield(l.entry(r)); r = r.next {
		}
	}
}

// Players returns all players in order of joining, as copies.
func (l *List) Players() []Entry { return l.entries(&l.players) }

// Groups returns all groups in order of joining.
func (l *List) Groups() []Entry { return l.entries(&l.groups) }

func (l *List) entries(c *chain) []Entry {
	all := make([]Entry, 0, c.n)
	for r := c.first; r != nil; r = r.next {
		e := l.entry(r)
		all = append(all, e.clone())
	}
	return all
}

// entry returns a row as an entry that shares its names and data.
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

// flags returns a row's flags with those that are computed, but for LOCAL.
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

// Flags returns the flags of a player or group; ok is false if it is unknown.
func (l *List) Flags(id wire.PlayerID) (f wire.PlayerFlags, ok bool) {
	r := l.rows[id]
	if r == nil {
		return 0, false
	}
	return l.flags(r), true
}

// System returns the system player of the machine that owns a player or group, of a system player itself; ok is
// false if it is unknown.
func (l *List) System(id wire.PlayerID) (system wire.PlayerID, ok bool) {
	r := l.rows[id]
	if r == nil {
		return 0, false
	}
	return r.system, true
}

// EachOwner returns the ids of all players in order of joining, each with the system player of its machine.
func (l *List) EachOwner() iter.Seq2[wire.PlayerID, wire.PlayerID] {
	return func(yield func(id, system wire.PlayerID) bool) {
		for r := l.players.first; r != nil && yield(r.id, r.system); r = r.next {
		}
	}
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

// IsMember reports whether a player is in a group.
func (l *List) IsMember(group, player wire.PlayerID) bool {
	g, r := l.rows[group], l.rows[player]
	return g != nil && g.group != nil && r != nil && r.group == nil && r.isIn(g)
}

// Lowest returns the system player with the lowest id but for some, the next host by the rule of DirectPlay 4
// ([MC-DPL4CS] 3.1.7.1); ok is false if there is none.
func (l *List) Lowest(except ...wire.PlayerID) (system wire.PlayerID, ok bool) {
	for r := l.players.first; r != nil; r = r.next {
		if r.isSystem() && (!ok || r.id < system) && !slices.Contains(except, r.id) {
			system, ok = r.id, true
		}
	}
	return system, ok
}

// Subtree returns the groups that [DeleteGroup] removes, in an order in which they can be removed one by one: those that
// were created in the group, in any depth, youngest first, and then itself. Nil if there is no such group.
func (l *List) Subtree(id wire.PlayerID) []wire.PlayerID {
	r := l.rows[id]
	switch {
	case r == nil || r.group == nil:
		return nil
	case r.group.children == 0:
		return []wire.PlayerID{id}
	}
	return l.within(r, func(x *row) bool { return x == r })
}

// within returns the groups from r on that roots is true for and those in them, youngest first. A group is always younger
// than the one that it was created in.
func (l *List) within(r *row, roots func(*row) bool) []wire.PlayerID {
	var all []wire.PlayerID
	in := map[wire.PlayerID]bool{}
	for ; r != nil; r = r.next {
		if roots(r) || in[r.group.parent] {
			in[r.id] = true
			all = append(all, r.id)
		}
	}
	slices.Reverse(all)
	return all
}

// Departed returns the operations that remove what a machine owned and then its system player: its groups and those in
// them, from the youngest to the oldest, so that none goes before one created in it; its players in order of joining (a
// Windows machine that leaves deletes its player before its system player, too: facts, real-captures); the system player.
// Nil if there is no such system player.
func (l *List) Departed(system wire.PlayerID) []Op {
	s := l.rows[system]
	if s == nil || !s.isSystem() {
		return nil
	}
	ops := make([]Op, 0, int(s.owned)+1)
	for _, id := range l.within(l.groups.first, func(r *row) bool { return r.system == system }) {
		ops = append(ops, DeleteGroup{id})
	}
	for r := l.players.first; r != nil; r = r.next {
		if r.system == system && r != s {
			ops = append(ops, DeletePlayer{r.id})
		}
	}
	return append(ops, DeletePlayer{system})
}
