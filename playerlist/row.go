package playerlist

import "dplay4/wire"

// A row is a player or group in a list. Its names and data are never written to, only replaced, so the log may
// share them.
type row struct {
	id      wire.PlayerID
	flags   wire.PlayerFlags // without what is computed: LOCAL, INGROUP, NAMESERVER
	system  wire.PlayerID
	dialect uint32 // of a system player
	added   uint32
	owned   int32 // of a system player: players and groups that name it, without itself

	short, long wire.Text
	sp, data    []byte

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

// isIn says whether r is in the group g, whichever of the two lists is shorter.
func (r *row) isIn(g *row, links []link) bool {
	if len(r.in) < len(links) {
		for _, id := range r.in {
			if id == g.id {
				return true
			}
		}
		return false
	}
	for _, k := range links {
		if k.id == r.id {
			return true
		}
	}
	return false
}

// unlink gives links without the one to id, in the same order.
func unlink(links []link, id wire.PlayerID) []link {
	for i, k := range links {
		if k.id == id {
			links = append(links[:i], links[i+1:]...)
			break
		}
	}
	if len(links) == 0 {
		return nil
	}
	return links
}

// without gives ids without one of them, in the same order.
func without(ids []wire.PlayerID, id wire.PlayerID) []wire.PlayerID {
	for i, x := range ids {
		if x == id {
			ids = append(ids[:i], ids[i+1:]...)
			break
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return ids
}
