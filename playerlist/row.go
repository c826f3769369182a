package playerlist

import (
	"slices"

	"dplay4/wire"
)

// A row is a player or group in a list. Its names and data are never written to, only replaced, so the log may
// share them.
type row struct {
	id      wire.PlayerID
	flags   wire.PlayerFlags // without what is computed: LOCAL, INGROUP, NAMESERVER
	system  wire.PlayerID
	dialect uint32 // of a system player
	added   uint32
	owned   int32 // of a system player: players and groups that name it, without itself
	held    int   // of a system player: names and data of those and its own
	linked  int   // of a system player: memberships and shortcuts in those groups

	short, long wire.Text
	sp, data    []byte
	digest      uint64 // of what Digest counts; 0: not computed

	prev, next *row            // of the players, or of the groups
	in         []wire.PlayerID // the groups that hold it, by membership or shortcut, in order of joining
	group      *group          // nil: a player
}

// A group is what only groups have.
type group struct {
	parent    wire.PlayerID
	children  int32  // groups that have it as parent
	members   []link // players
	shortcuts []link // groups
}

// A link is a player or group in a group.
type link struct {
	id      wire.PlayerID
	version uint32 // of the operation that put it there
}

func (r *row) isSystem() bool { return r.flags&wire.PlayerSystem != 0 && r.group == nil }
func (r *row) isPlayer() bool { return r.group == nil }
func (r *row) isGroup() bool  { return r.group != nil }

// row returns the row of a kept entry, which shares its names and data.
func (e *Entry) row(version uint32) *row {
	return &row{
		id: e.ID, flags: e.Flags &^ wire.PlayerNameServer, system: e.System, dialect: e.Dialect, added: version,
		short: e.ShortName, long: e.LongName, sp: e.SPData, data: e.Data,
	}
}

// content returns the row's id, names and data, which the entry shares.
func (r *row) content() Entry {
	return Entry{ID: r.id, ShortName: r.short, LongName: r.long, SPData: r.sp, Data: r.data}
}

// octets is what the row's names and data take.
func (r *row) octets() int { return len(r.short) + len(r.long) + len(r.sp) + len(r.data) }

// A chain is rows in order of joining. Rows leave from anywhere, so it is linked.
type chain struct {
	first, last *row
	n           int
}

func (c *chain) add(r *row) {
	r.prev, r.next = c.last, nil
	if c.last == nil {
		c.first = r
	} else {
		c.last.next = r
	}
	c.last = r
	c.n++
}

func (c *chain) remove(r *row) {
	if r.prev == nil {
		c.first = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		c.last = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
	c.n--
}

// links is where the group holds r: a group by a shortcut, a player as a member.
func (g *group) links(r *row) *[]link {
	if r.group != nil {
		return &g.shortcuts
	}
	return &g.members
}

// isIn reports whether r is in the group g. It looks into the shorter one of the two lists that tell.
func (r *row) isIn(g *row) bool {
	links := *g.group.links(r)
	if len(r.in) < len(links) {
		return slices.Contains(r.in, g.id)
	}
	return slices.ContainsFunc(links, func(k link) bool { return k.id == r.id })
}

// cut takes the element i out of a list; nil if none is left.
func cut[T any](list []T, i int) []T {
	if len(list) == 1 {
		return nil
	}
	return slices.Delete(list, i, i+1)
}
