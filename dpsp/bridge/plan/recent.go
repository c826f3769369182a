package plan

// recent is a set of the last IDs that were put into it.
type recent struct {
	ids  map[ID]bool
	ring []ID
	next int
}

func (r *recent) has(id ID) bool { return r.ids[id] }

func (r *recent) add(id ID) {
	const most = 1024
	switch {
	case r.ids[id]:
		return
	case r.ids == nil:
		r.ids = map[ID]bool{}
	}
	if len(r.ring) < most {
		r.ring = append(r.ring, id)
	} else {
		delete(r.ids, r.ring[r.next])
		r.ring[r.next] = id
		r.next = (r.next + 1) % most
	}
	r.ids[id] = true
}
