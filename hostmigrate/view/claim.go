package view

import (
	"maps"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A proof shows that a program is in another part of the session: a member that was lost, and then the leader that it names, answer at
// their listeners.
type proof struct {
	from     wire.Incarnation    // whose message is proven
	voucher  wire.Incarnation    // the lost program or member that was asked first
	asked    wire.ViewMember     // the program that has to answer next, or answered
	nonce    uint32              // 0: it answered
	due      time.Duration       // when the answer is overdue, or the proof ends
	prepare  *wire.ExtensionView // that waits for the proof
	stranger bool                // from was not met, at the listener that it states
	anew     bool                // asked is a member, at whose listener another program seems to be
}

// claimMembers bounds the members that a CLAIM names, because it goes in one datagram.
const claimMembers = 16

// claimPeriods bounds the wait between two CLAIMs to a lost member.
const claimPeriods = 8

// claim sends a CLAIM to the lost members for which it is time: by a datagram and over a connection in turn, because one of both may be
// blocked.
func (c *Core) claim() {
	n := 0
	for _, m := range c.lost {
		b, ok := c.claims[m.Incarnation]
		if !ok {
			b = backoff{due: c.now, wait: c.cfg.Period}
		}
		if b.due <= c.now && n < maxClaimed {
			n++
			c.effect(Send{To: m, Datagram: !b.stream, Message: c.claimed()})
			b = backoff{c.now + b.wait, min(2*b.wait, claimPeriods*c.cfg.Period), !b.stream}
		}
		c.claims[m.Incarnation] = b
	}
	maps.DeleteFunc(c.claims, func(i wire.Incarnation, _ backoff) bool {
		return !slices.ContainsFunc(c.lost, func(m wire.ViewMember) bool { return m.Incarnation == i })
	})
}

func (c *Core) claimed() *wire.ExtensionView {
	return &wire.ExtensionView{Step: wire.ViewClaim, From: c.self, View: c.view,
		Members: c.withHost(c.members[:min(len(c.members), claimMembers)])}
}

// Miss notes the host that was gone before this program had a view, maybe before its incarnation was known: this program claims from it.
func (c *Core) Miss(host wire.ViewMember) {
	c.lost = bounded(append(without(c.lost, host.Incarnation), host))
}

// missing returns the member that was lost which a program is: by its incarnation, or by its listener where that is all that is known.
func (c *Core) missing(m wire.ViewMember) (wire.ViewMember, bool) {
	if known, ok := find(c.lost, m.Incarnation); ok {
		return known, true
	}
	return m, slices.ContainsFunc(c.lost, func(x wire.ViewMember) bool { return x.Incarnation == 0 && oneListener(x.Stream, m.Stream) })
}

// hears handles a CLAIM: of another part's leader, of a leader that lost this program, or of a member of another part.
func (c *Core) hears(m *wire.ExtensionView) {
	_, in := c.member(m.From.Incarnation)
	switch {
	case c.list == nil || c.frozen() || c.cand != nil || slices.Contains(c.left, m.From.Incarnation) || m.View == c.view && in && c.Leads():
	case len(m.Ops)+len(m.Lost)+len(m.Left) > 0 || len(m.Members) > 2*claimMembers || !in && !c.servesStranger(m): // it may be passed on
	case c.prove(m.From, nil, m.Members):
	case c.Leads() && c.apart(m.Members):
	case c.Leads(): // nobody can vouch for them: they may ask to be let in
		c.send(m.From, &wire.ExtensionView{Step: wire.ViewUnvouched, View: c.view})
	default: // this program's leader may have lost one of them, or they this program
		c.pass(c.leader(), m)
		if m.View.Incarnation == m.From.Incarnation { // two members would answer each other for ever
			c.send(m.From, c.here())
		}
	}
}

// here returns the CLAIM of a member, which names its leader.
func (c *Core) here() *wire.ExtensionView {
	return &wire.ExtensionView{Step: wire.ViewClaim, View: c.view, Members: c.withHost([]wire.ViewMember{c.leader(), c.self})}
}

// prove asks a lost member whether a program is in another part, and reports whether there is one to ask. members are those that the
// program names.
func (c *Core) prove(from wire.ViewMember, prepare *wire.ExtensionView, members []wire.ViewMember) bool {
	if slices.ContainsFunc(c.proven, func(p proof) bool { return p.from == from.Incarnation && p.due > c.now && p.nonce != 0 }) {
		return true // somebody is asked
	}
	met, ok := c.missing(from)
	if !ok {
		met, ok = c.member(from.Incarnation)
	}
	stranger, waiting := !ok || met.Stream != from.Stream, 0
	for _, p := range c.proven {
		if p.stranger && p.nonce != 0 && p.due > c.now {
			waiting++
		}
	}
	if stranger && waiting >= maxStrangers {
		return true // it sends another one
	}
	for _, x := range append([]wire.ViewMember{from}, members...) {
		known, ok := c.missing(x)
		if !ok {
			known, ok = c.member(x.Incarnation)
		}
		if !ok && c.list == nil && c.isProven(x) { // it was asked to let this program in, and may follow another leader by now
			known, ok = x, true
		}
		if ok && !slices.Contains(c.left, x.Incarnation) && x.Incarnation != c.self.Incarnation {
			c.ask(proof{from: from.Incarnation, voucher: known.Incarnation, prepare: prepare, stranger: stranger}, known)
			return true
		}
	}
	return false
}

// ask sends ASK to a member, or to the leader that one named, at its listener.
func (c *Core) ask(p proof, who wire.ViewMember) {
	p.asked, p.nonce, p.due = who, c.cfg.Random()|1, c.now+c.cfg.Probe
	c.send(who, &wire.ExtensionView{Step: wire.ViewAsk, View: c.view, Nonce: p.nonce})
	c.keepProof(p)
}

func (c *Core) keepProof(p proof) {
	c.proven = append(c.proven, p)
	c.proven = c.proven[max(0, len(c.proven)-maxProven):]
}

// isProven reports whether a program proved lately that it is in another part, or was asked to let this one in.
func (c *Core) isProven(m wire.ViewMember) bool {
	return slices.ContainsFunc(c.proven, func(p proof) bool {
		return p.nonce == 0 && p.due > c.now && p.asked.Stream == m.Stream && (p.asked.Incarnation == m.Incarnation || p.asked.Incarnation == 0)
	})
}

// answer answers an ASK. ANSWER has the view, with its members if this program leads it, and else with its leader. A program whose leader
// is gone names itself alone.
func (c *Core) answer(m *wire.ExtensionView) {
	_, in := c.member(m.From.Incarnation)
	if !in && !c.servesStranger(m) {
		return
	}
	a := &wire.ExtensionView{Step: wire.ViewAnswer, View: c.view, Place: c.promised, Nonce: m.Nonce}
	if c.list == nil {
		c.send(m.From, a)
		return
	}
	switch {
	case c.Leads() && (in || len(c.lost) > 0): // nobody else has a part to bring in
		a.Members = c.withHost(c.members)
	case c.Leads():
		a.Members = c.withHost([]wire.ViewMember{c.self})
	case c.gone:
		a.Members = c.withHost([]wire.ViewMember{c.self})
	default:
		a.Members = c.withHost([]wire.ViewMember{c.leader()})
	}
	if in {
		a.Index = 1
	}
	c.send(m.From, a)
}

// answered handles an ANSWER: of the leader that a PREPARE would depose, of another part, or of another program at a member's listener.
func (c *Core) answered(m *wire.ExtensionView) {
	if c.answersAnew(m) {
		return
	}
	if q := c.asked; q != nil && m.Nonce == q.nonce && m.From.Incarnation == c.view.Incarnation {
		c.asked = nil
		if m.View == c.view && m.Index != 0 {
			why := uint32(otherPart)
			if _, mine := c.member(q.prepare.From.Incarnation); mine {
				why = leaderAnswers
			}
			c.refuse(q.prepare, c.view, why)
			return
		}
		c.promise(q.prepare)
		return
	}
	k := slices.IndexFunc(c.proven, func(p proof) bool {
		return p.nonce != 0 && p.nonce == m.Nonce && p.asked.Incarnation == m.From.Incarnation && p.due > c.now
	})
	if k < 0 || len(m.Members) == 0 {
		return
	}
	p := c.proven[k]
	c.proven = slices.Delete(c.proven, k, k+1)
	leader := m.View.Incarnation
	_, ours := c.member(leader)
	named, led := find(m.Members, leader)
	switch {
	case p.prepare != nil && p.prepare.From.Incarnation == m.From.Incarnation && m.Place != p.prepare.View: // it did not send that PREPARE, or has sent another one
	case p.prepare != nil && p.prepare.From.Incarnation == m.From.Incarnation:
		p.prepare.From = p.asked // not the address of the PREPARE
		c.trust(p.asked)
		c.prepared(p.prepare, 0)
	case p.prepare == nil && (leader == m.From.Incarnation || c.Leads() && (ours || !led)):
		c.trust(p.asked)
		c.meets(m, p.voucher)
	default: // it names its leader
		if led && !slices.Contains(c.left, leader) && leader != c.self.Incarnation && leader != m.From.Incarnation &&
			(p.prepare == nil || leader == p.prepare.From.Incarnation) {
			c.ask(p, named)
		}
	}
}

// AskIn sends JOIN to a peer, so that its leader lets this program in. This program has no view, or its part was told UNVOUCHED.
func (c *Core) AskIn(now time.Duration, to wire.ViewMember) {
	c.now = now
	s := c.cfg.List().Session()
	c.trust(to)
	m := &wire.ExtensionView{Step: wire.ViewJoin, View: c.promised, Ops: [][]byte{pack(playerlist.Numbered{Op: playerlist.SetDesc{Session: s}})}}
	if c.list != nil {
		m.Members = c.withHost(nil)
	}
	c.send(to, m)
}

// trust makes a PREPARE of a program count, for Config.Patience.
func (c *Core) trust(m wire.ViewMember) {
	delete(c.suspected, m.Incarnation)
	c.proven = slices.DeleteFunc(c.proven, func(p proof) bool { return p.nonce == 0 && p.asked.Incarnation == m.Incarnation })
	c.keepProof(proof{from: m.Incarnation, asked: m, due: c.now + c.cfg.Patience})
}

// joins handles a JOIN: the leader brings its sender into the view, if that has the session's password.
func (c *Core) joins(m *wire.ExtensionView, via wire.PlayerID) {
	switch {
	case c.list == nil || slices.Contains(c.left, m.From.Incarnation):
	case len(m.Ops) != 1 || len(m.Lost)+len(m.Left) > 0 || via == 0 && !c.servesStranger(m):
	case !c.Leads():
		c.pass(c.leader(), m)
		c.send(m.From, c.Introduction()) // the leader may be gone: another one is about to answer
	case c.frozen() || c.cand != nil:
	default:
		if from, in := c.member(m.From.Incarnation); in && m.View.Epoch == 0 {
			if c.serves(from.Incarnation, m.Step) {
				c.install(from, 0)
			}
			return
		}
		_, known := c.byID(m.From.System)
		listed := via == m.From.System && !known && isMachine(c.list, via)
		switch {
		case listed && m.View.Epoch == 0: // a host before, or a legacy host, let it in
			c.Meet(c.now, m.From)
			return
		case m.View.Epoch != 0 && c.apart(m.Members), m.View.Epoch > c.promised.Epoch && m.View.Epoch-c.promised.Epoch > maxEpochs:
			return
		}
		n, err := unpack(m.Ops[0])
		if d, ok := n.Op.(playerlist.SetDesc); err != nil || !ok || !listed && !c.cfg.Admit(d.Session) || !c.changes(joiner(m.From)) {
			return
		}
		if by, in := c.byID(via); in && !c.changes(spender{who: by.Incarnation, what: m.Step}) { // which may make up its sender
			return
		}
		c.trust(m.From)
		c.prepare(append(without(c.members, m.From.Incarnation), m.From), m.View.Epoch, true, m.From.Incarnation)
	}
}

// unvouched handles UNVOUCHED: this program asks to be let in, and passes the message on to its members.
func (c *Core) unvouched(m *wire.ExtensionView, via wire.PlayerID) {
	switch {
	case c.list == nil || c.frozen():
		return
	case !c.Leads():
		if via != c.view.Leader || via == 0 {
			return
		}
	default:
		// A program that left has the incarnations of lost members, but is not at their listeners.
		if known, lost := c.missing(m.From); !c.isProven(m.From) && (!lost || known.Stream != m.From.Stream) &&
			!(via == m.From.System && isMachine(c.list, via) && c.host().System != 0) {
			return
		}
		if !c.serves(m.From.Incarnation, m.Step) {
			return
		}
		for _, x := range c.members {
			c.pass(x, m)
		}
	}
	c.AskIn(c.now, m.From)
}

// meets brings two parts together, after a program of the other one proved itself. The leader of the newer view sends PREPARE to the
// members of both. A member only names its leader. The view change counts for the voucher.
func (c *Core) meets(m *wire.ExtensionView, voucher wire.Incarnation) {
	switch {
	case c.frozen() || c.cand != nil || m.View.Epoch > c.promised.Epoch && m.View.Epoch-c.promised.Epoch > maxEpochs:
	case c.apart(m.Members):
	case !c.Leads():
		if m.Index == 0 {
			c.send(m.From, c.here())
		}
	case m.View.Incarnation == m.From.Incarnation && m.View.Newer(c.view):
		c.send(m.From, c.claimed())
	default:
		whom, theirs := slices.Clone(c.members), m.Members
		if m.View.Incarnation != m.From.Incarnation { // it follows one of ours, and was lost, or its leader is gone
			theirs = []wire.ViewMember{m.From}
		}
		for _, x := range theirs {
			if _, in := find(whom, x.Incarnation); !in && !slices.Contains(c.left, x.Incarnation) && x.Incarnation != 0 {
				whom = append(whom, x)
			}
		}
		if len(whom) > len(c.members) && len(whom) <= maxMembers && c.changes(claimant(voucher)) {
			c.prepare(whom, m.View.Epoch, true, 0)
		}
	}
}
