package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// elect sets the keeper: of us and the members that are not quiet, the oldest one. A newcomer takes the oldest of those that say that
// they are keeper.
func (p *Plan) elect() {
	first := Machine{}
	if p.self.Order > 0 {
		first = p.self
	}
	for _, q := range p.members() {
		if !q.quiet && (p.self.Order > 0 || q.said.Keeper) && q.machine().compare(first) < 0 {
			first = q.machine()
		}
	}
	if first.ID == p.keeper {
		return
	}
	p.keeper = first.ID
	p.do(Keeps{ID: p.keeper})
	if p.keeps() {
		p.knockAt = time.Time{}
	} else {
		p.do(Meet{})
	}
}

// keeps reports whether we are keeper.
func (p *Plan) keeps() bool { return p.keeper == p.self.ID && p.self.Order > 0 }

// follow takes from our keeper who is in, who is sent away, and whether users are asked. Machines that were here before the keeper are
// not sent away by it.
func (p *Plan) follow() {
	k := p.peer(p.keeper, 0)
	p.ask = p.ask || k.said.Ask
	for _, h := range k.said.Peers {
		p.admit(h.ID)
	}
	for _, id := range k.said.Kicked {
		if q := p.peer(id, 0); q != k && q.met >= k.met {
			p.ban(id, Kicked)
		}
	}
}

// letIn has the keeper decide about the machines that are linked and not in, and give slots to those without.
func (p *Plan) letIn() {
	if !p.keeps() {
		return
	}
	for _, q := range p.those((*peer).talks) {
		switch {
		case !p.in[q.id] && p.ask:
			p.askAbout(q)
		case !p.in[q.id]:
			p.admit(q.id)
		case q.said.Slot < 0 && p.due(q.grantAt):
			p.give(q)
		}
	}
}

// give grants a place.
func (p *Plan) give(q *peer) {
	order := cmp.Or(q.said.Order, q.granted.Order, min(p.orders+1, maxOrder)) // a member may have said maxOrder; then IDs decide
	q.granted = ungranted
	at, ok := p.free(q.said.Ports, q.id)
	if !ok {
		p.cut(q.line, Full)
		delete(p.in, q.id)
		delete(p.peers, q.id)
		p.moves++
		return
	}
	p.orders = max(p.orders, order)
	q.granted, q.grantAt = grant{Slot: at.Slot, Order: order, Ports: at.Ports}, p.now.Add(grantAgain)
	p.send(q, message{Grant: &q.granted})
	p.due(q.grantAt) // it is given again then, unless it says that it has it
}

// askAbout asks the user whether a machine may come in.
func (p *Plan) askAbout(q *peer) {
	if !slices.ContainsFunc(p.asked, q.is) {
		p.asked = append(p.asked, q.machine())
		p.do(Asked{Machine: q.machine()})
	}
	if !q.waits {
		q.waits = true
		p.send(q, message{Wait: true})
	}
}

// unask ends the questions about machines that are gone, and all of them if another machine decides now.
func (p *Plan) unask() {
	p.asked = slices.DeleteFunc(p.asked, func(m Machine) bool {
		reason := Lost
		if !p.keeps() {
			reason = Elsewhere
		} else if p.peer(m.ID, 0).link != 0 {
			return false
		}
		p.do(Unasked{Machine: m, Reason: reason})
		return true
	})
}

func (in Answer) input(p *Plan) {
	i := slices.IndexFunc(p.asked, func(m Machine) bool { return m.ID == in.ID })
	if i < 0 {
		return
	}
	if in.Yes {
		p.admit(in.ID)
	} else {
		p.do(Unasked{Machine: p.asked[i], Reason: Refused})
		p.ban(in.ID, Refused)
	}
	p.asked = slices.Delete(p.asked, i, i+1)
}

func (in Kick) input(p *Plan) {
	if p.peers[in.ID] == nil {
		return
	}
	reason := Cut
	if p.keeps() {
		reason = Kicked
		p.kicked = append(p.kicked, in.ID)
		p.kicked = p.kicked[max(0, len(p.kicked)-maxKicked):]
	}
	p.ban(in.ID, strings.TrimSuffix(reason+": "+CleanName(in.Reason), ": "))
}

// knock connects to whatever machine answers newcomers: as a newcomer, to come in; as keeper, to find another part of the session.
// Then the two are linked, and the older one is keeper.
func (p *Plan) knock() {
	newcomer := p.self.Order == 0 && len(p.links) == 0
	if (newcomer || p.keeps()) && p.due(p.knockAt) {
		p.knockAt = p.now.Add(answering)
		p.do(Knock{})
	}
}

func (in Unanswered) input(p *Plan) {
	p.excuse = in.Reason
	switch {
	case p.self.Order == 0:
		p.knockAt = p.now.Add(p.jitter(knockAgain))
	case in.Ourselves:
		p.strikes, p.knockAt = 0, p.now.Add(p.jitter(knockLate))
	case p.keeps():
		p.meet()
	}
}

// answered notes that another machine answers newcomers. It has time to see that it is not keeper; then we take the address over.
func (p *Plan) answered() {
	p.knockAt = p.now.Add(p.jitter(knockSoon))
	if !p.keeps() {
		return
	}
	if p.strikes++; p.strikes > 1 {
		p.meet()
	}
}

// meet has newcomers come to us.
func (p *Plan) meet() {
	p.strikes, p.knockAt = 0, p.now.Add(p.jitter(knockSoon))
	p.do(Meet{On: true})
}
