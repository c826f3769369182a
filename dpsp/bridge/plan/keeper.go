package plan

import (
	"slices"
	"time"
)

// letIn has the keeper decide on who is linked and not in yet, and gives slots to those without.
func (p *Plan) letIn() bool {
	if !p.keeps() {
		return false
	}
	changed := false
	for _, q := range p.known() {
		if q.link == 0 || q.said == nil {
			continue
		}
		if !p.in[q.id] {
			if p.ask {
				p.askAbout(q)
				continue
			}
			p.admit(q.id)
			changed = true
		}
		if q.said.Slot < 0 && (q.granted == nil || p.due(q.grantedAt.Add(grantAgain))) {
			p.give(q)
		}
	}
	return changed
}

// askAbout asks the user whether a machine may come in.
func (p *Plan) askAbout(q *peer) {
	if !p.asking(q.id) {
		p.asked = append(p.asked, q.machine())
		p.do(Asked{Machine: q.machine()})
	}
	if !q.waited {
		q.waited = true
		p.send(q, message{Wait: true})
	}
}

// asking reports whether the user is asked about a machine.
func (p *Plan) asking(id ID) bool {
	return slices.ContainsFunc(p.asked, func(m Machine) bool { return m.ID == id })
}

// unask ends the questions about machines that are gone, and all of them if another machine is to answer.
func (p *Plan) unask() {
	p.asked = slices.DeleteFunc(p.asked, func(m Machine) bool {
		q := p.peers[m.ID]
		switch {
		case !p.keeps():
			p.do(Unasked{Machine: m, Reason: Elsewhere})
		case q == nil || q.link == 0:
			p.do(Unasked{Machine: m, Reason: Lost})
		default:
			return false
		}
		return true
	})
}

// answer takes what the user said.
func (p *Plan) answer(in Answer) {
	i := slices.IndexFunc(p.asked, func(m Machine) bool { return m.ID == in.ID })
	switch {
	case i < 0:
		return
	case in.Yes:
		p.admit(in.ID)
	default:
		p.do(Unasked{Machine: p.asked[i], Reason: Refused})
		p.ban(in.ID, Refused)
	}
	p.asked = slices.Delete(p.asked, i, i+1)
}

// kick sends a machine away: for all that believe us if we are keeper, otherwise from us alone.
func (p *Plan) kick(in Kick) {
	if in.ID == p.self.ID || p.peers[in.ID] == nil {
		return
	}
	reason := Cut
	if p.keeps() {
		reason = Kicked
		p.kicked = append(p.kicked, in.ID)
		p.kicked = p.kicked[max(0, len(p.kicked)-maxKicked):]
	}
	if in.Reason != "" {
		reason += ": " + CleanName(in.Reason)
	}
	p.ban(in.ID, reason)
}

// give grants a slot.
func (p *Plan) give(q *peer) {
	where, ok := p.free(q.said.Ports, q)
	if !ok {
		p.hangUp(q, Full)
		delete(p.in, q.id)
		delete(p.peers, q.id)
		return
	}
	order := q.said.Order
	if order == 0 && q.granted != nil {
		order = q.granted.Order
	}
	if order == 0 {
		p.orders = min(p.orders+1, maxOrder) // a member may have said that there are as many; then IDs decide
		order = p.orders
	}
	q.granted, q.grantedAt = &grant{Slot: where.slot, Order: order, Ports: where.ports}, p.now
	p.send(q, message{Grant: q.granted})
}

// free returns a place for a machine whose game runs already on the ports that it wishes, or does not run: the slot that has
// those ports anyway, otherwise the lowest. Slots that rest, or that others say are in use, are the last choice.
func (p *Plan) free(wish Ports, q *peer) (place, bool) {
	used := p.used(q)
	could := func(at place) bool {
		return !slices.ContainsFunc(used, at.clashes)
	}
	best, found, badness := place{}, false, 0
	for slot := range Slots {
		for _, ports := range []Ports{wish, At(slot)} {
			at := place{slot: slot, ports: ports}
			if ports == (Ports{}) || !could(at) {
				continue
			}
			bad := p.reserved(at, q)
			if wish != (Ports{}) && ports != wish {
				bad += 4
			}
			if wish == ports && wish != At(slot) {
				bad++
			}
			if !found || bad < badness {
				best, found, badness = at, true, bad
			}
		}
	}
	return best, found
}

// reserved says how much speaks against giving a place: that a machine left it a moment ago, or that another one says that it has it,
// or others of one, as in a part of the session that we do not reach.
func (p *Plan) reserved(at place, q *peer) int {
	bad := 0
	if r := p.rest[at.slot]; p.now.Before(r.until) && (q == nil || r.id != q.id) {
		bad += 8
	}
	for _, r := range p.peers {
		claim := r.hint.place()
		if r.said != nil {
			claim = place{r.said.Slot, r.said.Ports}
		}
		if claim.slot >= 0 && claim.clashes(at) {
			bad += 16
			break
		}
	}
	return bad
}

// used returns the places of all but q: ours, those of members that are here or vanished a moment ago, and what was granted.
func (p *Plan) used(q *peer) []place {
	var used []place
	if p.self.Slot >= 0 && q != nil {
		used = append(used, place{p.self.Slot, p.self.Ports})
	}
	for _, r := range p.peers {
		switch {
		case r == q || !p.in[r.id]:
		case r.granted != nil:
			used = append(used, place{r.granted.Slot, r.granted.Ports})
		case r.said != nil && r.said.Slot >= 0:
			used = append(used, place{r.said.Slot, r.said.Ports})
		}
	}
	return used
}

// grant takes a slot that the keeper gives. Its ports are the slot's, or our wish: what comes for our game goes to no other ones.
func (p *Plan) grant(q *peer, g grant) {
	switch {
	case q.id != p.keeper && (p.self.Order > 0 || !q.said.Keeper), p.self.Slot >= 0, g.Ports != At(g.Slot) && g.Ports != p.self.Ports:
		return
	}
	if p.self.Order == 0 {
		p.self.Order = g.Order
		p.keeper = q.id
		p.do(Keeps{ID: q.id})
		p.admit(q.id)
		p.follow()
		p.since = p.now
	}
	p.orders = max(p.orders, g.Order)
	p.sit(place{g.Slot, g.Ports})
}

// sit has us be on a place.
func (p *Plan) sit(at place) {
	p.self.Slot, p.self.Ports = at.slot, at.ports
	if at == p.placed {
		return
	}
	first := p.placed.slot < 0
	for _, q := range p.known() {
		if q.stood != nil && q.stood.Machine.place().clashes(at) {
			p.fall(q)
		}
	}
	p.placed = at
	if first {
		p.do(Entered{Slot: at.slot, Ports: at.ports})
		return
	}
	p.do(Moved{Slot: at.slot, Ports: at.ports})
}

// reunite has us be without a slot if we lost all others and are with some again: our game has lost its connections, and another one
// may be connected from our place by now. So it is a wish, and if nobody has it we get it again.
func (p *Plan) reunite() {
	before := p.with
	p.with = false
	for id, q := range p.peers {
		p.with = p.with || p.in[id] && q.link != 0 && !p.links[q.link].heard.IsZero()
	}
	switch {
	case p.with && p.lone:
		p.lone, p.self.Slot = false, -1
	case before && !p.with:
		p.lone = true
	}
}

// seat gives ourselves a slot if we are keeper without one, and gives up ours if it is another one's.
func (p *Plan) seat() bool {
	if p.self.Order == 0 {
		return false
	}
	if p.self.Slot < 0 {
		if !p.keeps() {
			return false
		}
		at, ok := p.free(p.self.Ports, nil)
		if !ok {
			p.end(End{Reason: Full})
			return false
		}
		p.sit(at)
		return true
	}
	for _, m := range p.seated() {
		if m.ID == p.self.ID {
			return false
		}
	}
	p.self.Slot, p.self.Ports = -1, Ports{}
	return true
}

// seated returns who is on their slots: those that came first have theirs, and whoever clashes with one of them has none.
func (p *Plan) seated() []Machine {
	var all []Machine
	if p.self.Slot >= 0 {
		all = append(all, p.self)
	}
	for _, q := range p.peers {
		if q.link != 0 && q.said != nil && p.in[q.id] && q.said.Slot >= 0 {
			all = append(all, q.machine())
		}
	}
	slices.SortFunc(all, func(a, b Machine) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	var seated []Machine
	for _, m := range all {
		if !slices.ContainsFunc(seated, m.clashes) {
			seated = append(seated, m)
		}
	}
	return seated
}

// stand tells the caller who is on which slot now.
func (p *Plan) stand() {
	if p.placed.slot < 0 {
		return
	}
	stands := map[ID]bool{}
	for _, m := range p.seated() {
		if m.ID != p.self.ID && !m.place().clashes(p.placed) {
			stands[m.ID] = true
		}
	}
	all := p.known()
	for _, q := range all {
		s := q.stood
		if s != nil && (!stands[q.id] || s.Link != q.link || s.Machine.Slot != q.said.Slot || s.Machine.Ports != q.said.Ports) {
			p.fall(q)
		}
	}
	for _, q := range all {
		if stands[q.id] && q.stood == nil {
			q.stood = &Stands{Machine: q.machine(), Link: q.link}
			p.do(*q.stood)
		}
	}
}

// fall tells the caller that nobody is on the peer's slot.
func (p *Plan) fall(q *peer) {
	if q.stood != nil {
		p.do(Falls{Machine: q.stood.Machine})
		q.stood = nil
	}
}

// dial calls the machines that are said to be there, and those that vanished.
func (p *Plan) dial() {
	const most = 16
	busy := 0
	for _, q := range p.peers {
		if q.dialing {
			busy++
		}
	}
	for _, q := range p.known() {
		if q.link != 0 || q.dialing || busy >= most || !p.due(q.dialAt) {
			continue
		}
		at := q.hint.At
		if q.said != nil && len(q.said.At) > 0 && q.hinted.Before(q.lost) {
			at = q.said.At
		}
		q.dialing, q.dialAt = true, p.now.Add(p.jitter(min(dialLate, dialSoon<<min(q.tries, 5))))
		q.tries++
		busy++
		p.do(Dial{ID: q.id, At: slices.Clone(at)})
	}
}

// knock looks who answers newcomers: as a joiner, to come in; as keeper, so that it is us. If another one does, the two are
// linked then, and one of them stops to be keeper.
func (p *Plan) knock() {
	newcomer := p.self.Order == 0 && len(p.links) == 0
	if p.knocking || !newcomer && !p.keeps() {
		return
	}
	if p.keeps() && p.orders == 1 && !p.meets && len(p.peers) == 0 && p.knockAt.IsZero() {
		p.meet() // the session is new
	}
	if !p.due(p.knockAt) {
		return
	}
	p.knocking = true
	p.do(Knock{})
}

// unanswered takes that nobody answers, or that it is us.
func (p *Plan) unanswered(in Unanswered) {
	p.knocking, p.excuse = false, in.Reason
	switch {
	case p.self.Order == 0:
		p.knockAt = p.now.Add(p.jitter(knockAgain))
	case in.Ourselves:
		p.strikes, p.knockAt = 0, p.now.Add(p.jitter(knockLate))
	case p.keeps():
		p.meet()
	}
}

// answered takes that another machine answers. As keeper we give it time to see that it is not; then we take the address over.
func (p *Plan) answered() {
	p.knocking, p.knockAt = false, p.now.Add(p.jitter(knockSoon))
	if !p.keeps() {
		return
	}
	if p.strikes++; p.strikes > 1 {
		p.meet()
	}
}

// meet has newcomers come to us.
func (p *Plan) meet() {
	p.meets, p.strikes, p.knockAt = true, 0, p.now.Add(p.jitter(knockSoon))
	p.do(Meet{On: true})
}

// jitter returns about as much time, so that machines that saw the same do not all act at once.
func (p *Plan) jitter(d time.Duration) time.Duration {
	return d*3/4 + time.Duration(p.random.Int64N(int64(d)/2))
}
