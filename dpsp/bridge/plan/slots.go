package plan

import (
	"cmp"
	"slices"
	"time"
)

// A resting slot is given only to the machine that left it.
type resting struct {
	id    ID
	until time.Time
}

// A claim speaks against giving a place to another machine.
type claim struct {
	Place
	weight int
}

// The weights of claims and of what else speaks against a place. A heavier one counts more than all lighter ones together.
const (
	odd      = 1 << iota // its ports are those of another slot
	unwished             // its ports are not those of the game that runs already
	rests                // a machine left it a moment ago
	claimed              // a machine that is not in says that it has it, as in a part of the session that we do not reach
	taken                // a member has it, is about to get it, or had it and vanished a moment ago
)

// claims returns the claims of all machines but one.
func (p *Plan) claims(but ID) (all []claim) {
	for slot, r := range p.rest {
		if r.id != but {
			all = append(all, claim{Place{Slot: slot}, rests})
		}
	}
	for id, q := range p.peers {
		weight := claimed
		if p.in[id] && (q.spoke || q.link != 0) { // what others say of it is no more than a claim
			weight = taken
		}
		all = append(all, claim{q.machine().Place, weight}, claim{Place{q.granted.Slot, q.granted.Ports}, taken})
	}
	return append(all, claim{p.self.Place, taken})
}

// free returns the place for a machine that has none, the first one of those against which the least speaks. Its game runs already on
// the ports that it wishes for, or does not run.
func (p *Plan) free(wish Ports, id ID) (best Place, ok bool) {
	claims, least := p.claims(id), taken
	for slot := range Slots {
		wish := cmp.Or(wish, At(slot))
		for _, c := range []claim{{Place{slot, wish}, odd}, {Place{slot, At(slot)}, unwished}} {
			if wish == At(slot) {
				c.weight = 0
			}
			for _, other := range claims {
				if other.clashes(c.Place) {
					c.weight |= other.weight
				}
			}
			if c.weight < least {
				best, least = c.Place, c.weight
			}
		}
	}
	return best, least < taken
}

// grant takes the place that the keeper gives. Its ports are the slot's, or our wish: what comes for our game goes to no other ones.
func (p *Plan) grant(q *peer, g grant) {
	if q.id != p.keeper || p.self.Slot >= 0 || g.Ports != At(g.Slot) && g.Ports != p.self.Ports {
		return
	}
	if p.self.Order == 0 {
		p.self.Order, p.since = g.Order, p.now
		p.admit(q.id)
	}
	p.orders = max(p.orders, g.Order)
	p.self.Place = Place{g.Slot, g.Ports}
}

// seat gives up our place if it is another machine's, and gives us one if we are keeper without. If we lost all others and are with
// some again, it is given up as well: our game has lost its connections, and another one may be connected from our place by now. Then
// its ports stay our wish, and we get it again if nobody has it.
func (p *Plan) seat() {
	with := slices.ContainsFunc(p.members(), func(q *peer) bool { return !q.heard.IsZero() })
	if with && p.lone {
		p.self.Slot = -1
	}
	p.lone = !with && len(p.in) > 0
	if !slices.ContainsFunc(p.seated(), func(m Machine) bool { return m.ID == p.self.ID }) {
		p.self.Place = Place{Slot: -1}
	}
	if p.self.Slot >= 0 || !p.keeps() {
		return
	}
	at, ok := p.free(p.self.Ports, p.self.ID)
	if !ok {
		p.end(End{Reason: Full})
		return
	}
	p.self.Place = at
}

// seated returns us and the members, the oldest first, without those whose place clashes with that of an older one.
func (p *Plan) seated() (seated []Machine) {
	all := []Machine{p.self}
	for _, q := range p.members() {
		all = append(all, q.machine())
	}
	slices.SortFunc(all, Machine.compare)
	for _, m := range all {
		if !slices.ContainsFunc(seated, func(older Machine) bool { return older.clashes(m.Place) }) {
			seated = append(seated, m)
		}
	}
	return seated
}

// stand tells the caller what is new of our place, and of the machines on the others.
func (p *Plan) stand() {
	next := p.placed
	if p.self.Slot >= 0 {
		next = p.self.Place
	}
	var stands []Stands
	for _, m := range p.seated() {
		if min(m.Slot, next.Slot) >= 0 && !m.clashes(next) {
			stands = append(stands, Stands{Machine: m, Link: p.peers[m.ID].link})
		}
	}
	for _, s := range without(p.stood, stands) {
		p.do(Falls{Machine: s.Machine})
	}
	switch {
	case next == p.placed:
	case p.placed.Slot < 0:
		p.do(Entered(next))
	default:
		p.do(Moved(next))
	}
	for _, s := range without(stands, p.stood) {
		p.do(s)
	}
	p.placed, p.stood = next, stands
}

// without returns the machines of a list that others does not have where they are.
func without(list, others []Stands) []Stands {
	return slices.DeleteFunc(slices.Clone(list), func(s Stands) bool { return slices.ContainsFunc(others, s.same) })
}

// same reports whether a machine is where it was, over the same link.
func (s Stands) same(other Stands) bool {
	return s.Link == other.Link && s.Machine.Place == other.Machine.Place
}
