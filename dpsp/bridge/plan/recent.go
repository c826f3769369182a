package plan

// recent is a set of the last IDs that were put into it.
type recent struct {
	ids  map[ID]bool
	ring [1024]ID
	next int
}

func (r *recent) has(id ID) bool { return r.ids[id] }

func (r *recent) add(id ID) {
	if r.has(id) {
		return
	}
	delete(r.ids, r.ring[r.next])
	r.ring[r.next], r.ids[id] = id, true
	r.next = (r.next + 1) % len(r.ring)
}
