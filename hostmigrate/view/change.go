package view

import (
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A candidacy is an attempt of this program to lead a view.
type candidacy struct {
	view    wire.View
	whom    []wire.ViewMember // the programs that are asked, and this one
	nonce   uint32            // of the PREPARE, which an ACK returns
	direct  []wire.ViewMember // those that the PREPARE went to directly, not through their leader
	acks    []promise
	refused map[wire.Incarnation]bool // those whose leader answers, and lacks this program
	due     time.Duration             // when the wait for promises ends
	fetched int                       // how many FETCHes were sent
	merges  bool                      // with another part
	joiner  wire.Incarnation          // a program that asked to be let in, whose lists do not count; 0: there is none
}

// A promise is an ACK.
type promise struct {
	who     wire.ViewMember
	place   wire.View
	index   uint32
	members []wire.ViewMember
	lost    []wire.ViewMember
	left    []wire.Incarnation
	own     []playerlist.Numbered
	octets  int  // of memory
	in      bool // its system player is in the list
	silent  bool // it did not promise: the candidate brings its part
	void    bool // there is no id for its system player
	token   uint32
	at      wire.SockAddr // the listener at which it answered; zero: it did not prove one
}

func (k *candidacy) ack(i wire.Incarnation) *promise {
	n := slices.IndexFunc(k.acks, func(p promise) bool { return p.who.Incarnation == i })
	if n < 0 {
		return nil
	}
	return &k.acks[n]
}

// forget removes the program that was at the listener of a machine which has joined since. It promised before it ended.
func (k *candidacy) forget(e playerlist.Entry) {
	d, ok := wire.ParseSPData(e.SPData)
	if !ok || e.Flags&wire.PlayerSystem == 0 {
		return
	}
	former := func(m wire.ViewMember) bool {
		return oneListener(m.Stream, d.Stream) && m.System != e.ID && m.Incarnation != k.view.Incarnation
	}
	k.whom = slices.DeleteFunc(slices.Clone(k.whom), former)
	k.acks = slices.DeleteFunc(k.acks, func(p promise) bool { return former(p.who) })
}

// Suspect notes that a member does not answer: it is gone, or the network between it and this program is.
func (c *Core) Suspect(now time.Duration, id wire.PlayerID) {
	c.now = now
	m, ok := c.byID(id)
	switch {
	case c.list == nil || id == c.self.System:
		return
	case !ok && c.Leads() && !c.frozen():
		c.effect(Lose{id, "it does not answer", false})
		return
	case !ok && !c.gone && !c.frozen():
		c.send(c.leader(), &wire.ExtensionView{Step: wire.ViewAccuse, View: c.view, Members: []wire.ViewMember{{System: id}}})
		return
	case !ok:
		return
	}
	c.suspected[m.Incarnation] = now
	if q := c.asked; q != nil && m.Incarnation == c.view.Incarnation {
		c.asked = nil
		c.promise(q.prepare)
		return
	}
	switch {
	case c.Leads() && !c.frozen():
		c.effect(Lose{id, "it does not answer", false})
	case m.Incarnation == c.view.Incarnation:
		if !c.gone {
			c.gone = true
			c.effect(LeaderGone{id})
		}
		c.elect()
	case c.gone, c.cand != nil, c.frozen():
		c.elect()
	default:
		c.send(c.leader(), &wire.ExtensionView{Step: wire.ViewAccuse, View: c.view, Members: []wire.ViewMember{m}})
	}
	if c.cand != nil && c.cand.ack(m.Incarnation) == nil {
		c.tryFinish()
	}
}

// elect waits for the best candidate that answers, or becomes it. It does nothing unless the leader is gone, or the candidate that was
// promised is.
func (c *Core) elect() {
	orphaned := c.frozen() && c.absent(c.promised.Incarnation)
	if c.cand != nil || !orphaned && (!c.gone || c.frozen() && c.promised.Incarnation != c.self.Incarnation) {
		return
	}
	order := c.order()
	for i, m := range order {
		switch {
		case m.Incarnation == c.self.Incarnation:
			c.effect(Candidate{c.self.System})
			c.depose()
			return
		case c.gone && m.Incarnation == c.view.Incarnation || c.absent(m.Incarnation):
		case m.Incarnation == c.awaited:
			return
		default:
			c.effect(Candidate{m.System})
			for _, x := range order[i:] { // all at once, because each that is gone takes a timeout
				if x.Incarnation == c.self.Incarnation {
					break
				}
				c.effect(Ask{x.System})
			}
			c.awaited, c.wait = m.Incarnation, c.now+c.cfg.Patience
			return
		}
	}
}

// suspects reports whether a member did not answer within the last Config.Patience.
func (c *Core) suspects(i wire.Incarnation) bool {
	at, ok := c.suspected[i]
	return ok && c.now-at <= c.cfg.Patience
}

// absent reports whether a member is suspected, or left.
func (c *Core) absent(i wire.Incarnation) bool { return c.suspects(i) || slices.Contains(c.left, i) }

// depose sends a PREPARE to all members that are not absent.
func (c *Core) depose() {
	whom := slices.DeleteFunc(append(slices.Clone(c.members), c.newcomers()...), func(m wire.ViewMember) bool {
		return c.absent(m.Incarnation) || c.gone && m.Incarnation == c.view.Incarnation
	})
	c.prepare(whom, 0, false, 0)
}

// prepare begins a candidacy, an epoch above all that this program has seen and above. If joiner is not 0, it is in whom.
func (c *Core) prepare(whom []wire.ViewMember, above uint32, merges bool, joiner wire.Incarnation) {
	v := wire.View{Epoch: max(c.view.Epoch, c.promised.Epoch, above) + 1, Leader: c.self.System, Incarnation: c.self.Incarnation}
	if !mixed(c.list, c.members) {
		v.Join = joined(c.list, c.self.System)
	}
	c.promised, c.wait, c.asked = v, Never, nil
	if c.cand != nil && joiner == 0 {
		joiner = c.cand.joiner
	}
	k := &candidacy{joiner: joiner, view: v, whom: whom, nonce: c.cfg.Random(), refused: map[wire.Incarnation]bool{}, due: c.now + c.cfg.Probe, merges: merges}
	c.cand = k
	k.acks = append(k.acks, promise{who: c.self, place: c.view, index: c.list.Version(), members: c.members, lost: c.lost, left: c.left})
	for _, m := range whom {
		if _, ours := c.member(m.Incarnation); !ours && merges && !c.isProven(m) {
			continue // its leader passes it on
		}
		k.direct = append(k.direct, m)
		c.send(m, &wire.ExtensionView{Step: wire.ViewPrepare, View: v, Nonce: k.nonce, Members: whom})
	}
	c.tryFinish()
}

// prepared handles a PREPARE: it refuses or promises, or asks its own leader first. via is the peer that the PREPARE came from: the candidate,
// or the leader that passes it on.
func (c *Core) prepared(m *wire.ExtensionView, via wire.PlayerID) {
	from, known := find(append(slices.Clone(c.members), c.newcomers()...), m.From.Incarnation)
	known = known && via == from.System
	_, me := find(m.Members, c.self.Incarnation)
	_, leader := find(m.Members, c.view.Incarnation)
	switch {
	case c.tick == Never || m.View.Incarnation != m.From.Incarnation || !me || c.Leads() && !leader:
	case m.View.Epoch > c.promised.Epoch && m.View.Epoch-c.promised.Epoch > maxEpochs:
	case !known && (via == 0 || via != c.view.Leader) && !c.isProven(m.From):
		c.prove(m.From, m, m.Members)
	case m.View == c.promised:
		if c.view != m.View {
			if c.serves(m.From.Incarnation, m.Step) {
				c.sendAck(m)
			}
		} else { // datagrams with its position may be lost
			c.send(m.From, c.Introduction())
		}
	case c.promised.Newer(m.View):
		c.refuse(m, c.promised, promisedNewer)
	case m.From.Incarnation != c.view.Incarnation && !c.changes(spender{who: m.From.Incarnation, what: m.Step}):
	case c.list != nil && !leader && !c.suspects(c.view.Incarnation) && !c.gone && !c.silent():
		c.asked = &question{m, c.cfg.Random(), c.now + c.cfg.Probe}
		c.send(c.leader(), &wire.ExtensionView{Step: wire.ViewAsk, View: c.view, Nonce: c.asked.nonce})
		c.effect(Ask{c.view.Leader})
	default:
		c.promise(m)
	}
}

// Why a PREPARE is refused.
const (
	promisedNewer = iota // its receiver promised a newer view
	leaderAnswers        // its receiver's leader answers, and its list has the candidate
	otherPart            // that leader answers, and its list lacks the candidate
)

// silentPeriods is after how many periods of silence a leader is deposed without a question.
const silentPeriods = 3

// silent reports whether the leader has been silent for so long.
func (c *Core) silent() bool {
	return c.cfg.Silence != nil && c.cfg.Silence(c.view.Leader) >= silentPeriods*c.cfg.Period
}

func (c *Core) refuse(m *wire.ExtensionView, of wire.View, why uint32) {
	c.send(m.From, &wire.ExtensionView{Step: wire.ViewRefuse, View: m.View, Place: of, Index: why})
}

// promise sends an ACK. This program then numbers nothing and promises no older view, but stays in its view.
func (c *Core) promise(m *wire.ExtensionView) {
	if !m.View.Newer(c.promised) {
		return
	}
	led := c.Leads()
	c.promised, c.cand, c.asked, c.wait = m.View, nil, nil, c.now+c.cfg.Patience
	c.token = c.cfg.Random()
	c.sendAck(m)
	if _, known := c.member(m.From.Incarnation); led && !known {
		for _, x := range c.members {
			if _, asked := find(m.Members, x.Incarnation); asked {
				c.pass(x, m)
			}
		}
	}
}

// pass passes another program's message on to a member.
func (c *Core) pass(to wire.ViewMember, m *wire.ExtensionView) {
	if to.Incarnation != c.self.Incarnation && to.Incarnation != m.From.Incarnation {
		c.effect(Send{To: to, Message: m})
	}
}

func (c *Core) sendAck(m *wire.ExtensionView) {
	a := wire.ExtensionView{Step: wire.ViewAck, View: m.View, Place: c.view, Base: c.token, Nonce: m.Nonce, Members: c.members, Lost: c.lost, Left: c.left}
	l := c.cfg.List()
	if c.list != nil {
		l = c.seen()
		a.Index = c.list.Version()
	}
	c.inParts(m.From, a, packState(l, c.self.System))
}

// refusal handles a REFUSE.
func (c *Core) refusal(m *wire.ExtensionView) {
	k := c.cand
	if k == nil && m.View == c.view && m.Index == promisedNewer {
		c.above(m) // it promised a candidate that installed no view
		return
	}
	if k == nil || k.view != m.View {
		return
	}
	_, asked := find(k.whom, m.From.Incarnation)
	switch {
	case !asked:
	case m.Index == promisedNewer && c.changes(spender{who: m.From.Incarnation, what: m.Step}):
		if m.Place.Newer(c.promised) && m.Place.Epoch-c.promised.Epoch <= maxEpochs {
			c.prepare(k.whom, m.Place.Epoch, k.merges, 0)
		}
	case m.Index == leaderAnswers && !k.merges && c.changes(spender{who: m.From.Incarnation, what: m.Step}): // that leader has this program in its view
		c.cand, c.gone, c.awaited, c.wait = nil, false, 0, c.now+c.cfg.Patience
	default:
		k.refused[m.From.Incarnation] = true
		c.tryFinish()
	}
}

// above makes a leader send PREPARE for a view above the one that a member promised.
func (c *Core) above(m *wire.ExtensionView) {
	if _, in := c.member(m.From.Incarnation); in && c.Leads() && !c.frozen() && m.Place.Newer(c.view) && m.Place.Epoch-c.view.Epoch <= maxEpochs &&
		c.changes(spender{who: m.From.Incarnation, what: wire.ViewRefuse}) {
		c.prepare(c.members, m.Place.Epoch, false, 0)
	}
}

// acked handles an ACK. A late one is of a member that did not get the view.
func (c *Core) acked(m *wire.ExtensionView, ops []playerlist.Numbered, octets int) {
	p := promise{who: m.From, place: m.Place, index: m.Index, token: m.Base, members: m.Members, lost: m.Lost, left: m.Left, own: ops, octets: octets}
	switch k := c.cand; {
	case c.list == nil || m.Index > c.list.Version() && (m.Index-c.list.Version() > maxAbove || c.Leads() && m.Place == c.view): // nobody has more of this leader's log
	case k != nil && k.view == m.View && k.view.Newer(m.Place):
		if _, asked := find(k.whom, m.From.Incarnation); asked && k.ack(m.From.Incarnation) == nil {
			if d, ok := find(k.direct, m.From.Incarnation); ok && m.Nonce == k.nonce {
				p.at = d.Stream
			}
			k.acks = append(k.acks, p)
			c.tryFinish()
		}
	case c.Leads() && !c.frozen() && m.View == c.view:
		from, ok := c.member(m.From.Incarnation)
		if !ok {
			return
		}
		same := m.Place == c.base.place && m.Index <= c.base.index || m.Place == c.view || m.Place == wire.View{}
		switch {
		case !same && c.changes(spender{who: m.From.Incarnation, what: m.Step}): // it comes from another log
			c.prepare(c.members, 0, true, 0)
		case same && c.serves(m.From.Incarnation, m.Step):
			c.install(from, m.Base)
		}
	}
}

// tryFinish finishes a candidacy if nobody is left to wait for.
func (c *Core) tryFinish() {
	k := c.cand
	for _, m := range k.whom {
		if k.ack(m.Incarnation) == nil && !k.refused[m.Incarnation] && !c.suspects(m.Incarnation) {
			return
		}
	}
	c.finish()
}

// gone reports whether a member that did not promise is left out: it is not asked, does not answer, has another leader, or another program
// at its listener promised.
func (k *candidacy) gone(c *Core, m wire.ViewMember) bool {
	_, asked := find(k.whom, m.Incarnation)
	return !asked || c.suspects(m.Incarnation) || k.refused[m.Incarnation] ||
		slices.ContainsFunc(k.acks, func(p promise) bool { return p.who.Stream == m.Stream && p.who.Incarnation != m.Incarnation })
}

// newest returns the promise of the newest log: of the members, and of a part of the session that is proven.
func (k *candidacy) newest() *promise {
	best := &k.acks[0]
	for i := range k.acks {
		p := &k.acks[i]
		if p.who.Incarnation == k.joiner {
			continue
		}
		if by := p.place.Compare(best.place); by > 0 || by == 0 && p.index > best.index {
			best = p
		}
	}
	return best
}

// finish makes the new view. If another member has the newest log, or members are missing among those that were asked, it asks them first.
func (c *Core) finish() {
	k := c.cand
	for i := range k.acks {
		p := &k.acks[i]
		if _, asked := find(k.whom, p.place.Incarnation); asked && p.who.Incarnation != k.joiner && k.ack(p.place.Incarnation) == nil {
			c.prepare(without(k.whom, p.place.Incarnation), 0, k.merges, 0) // without it, because its members did not ask whether it answers
			return
		}
	}
	best := k.newest()
	if more := c.unasked(best); len(more) > 0 {
		c.prepare(append(slices.Clone(k.whom), more...), 0, k.merges, 0)
		return
	}
	if best.place == c.view && best.index == c.list.Version() {
		c.begin(c.list, best)
		return
	}
	gone := c.suspects(best.who.Incarnation) || k.fetched == maxFetches && k.due <= c.now
	switch {
	case gone:
		c.prepare(without(k.whom, best.who.Incarnation), 0, k.merges, 0)
		return
	case k.fetched > 0 && c.now < k.due:
		return
	}
	k.fetched, k.due = k.fetched+1, c.now+c.cfg.Probe
	c.send(best.who, &wire.ExtensionView{Step: wire.ViewFetch, View: k.view, Place: best.place, Index: best.index, Nonce: best.token})
}

// unasked returns members that this program did not know: those of the newest log, and of a part whose leader promised. They joined just
// before. Each promise that names such members costs its sender a view change, because it delays the view. A promise adds some of them at a
// time, because anybody can make them up.
func (c *Core) unasked(best *promise) (more []wire.ViewMember) {
	for i := range c.cand.acks {
		p := &c.cand.acks[i]
		if p.who.Incarnation == c.cand.joiner || p.who.Incarnation != best.who.Incarnation && p.who.Incarnation != p.place.Incarnation {
			continue
		}
		var news []wire.ViewMember
		for _, m := range p.members {
			knows := func(all []wire.ViewMember) bool { _, ok := find(all, m.Incarnation); return ok }
			if len(news) < maxStrangers && m.Incarnation != 0 && !knows(c.cand.whom) && !knows(c.members) && !knows(c.lost) && !knows(more) && !knows(news) && !c.absent(m.Incarnation) {
				news = append(news, m)
			}
		}
		if len(news) > 0 && len(c.cand.whom)+len(more)+len(news) <= maxMembers && c.changes(spender{who: p.who.Incarnation, what: wire.ViewAck}) {
			more = append(more, news...)
		}
	}
	return more
}

// fetch handles a FETCH: it sends the whole list to the candidate that this program promised.
func (c *Core) fetch(m *wire.ExtensionView) {
	if c.list != nil && c.frozen() && m.From.Incarnation == c.promised.Incarnation && m.View == c.promised && m.Nonce == c.token && m.Place == c.view && m.Index == c.list.Version() &&
		c.serves(m.From.Incarnation, m.Step) {
		c.inParts(m.From, wire.ExtensionView{Step: wire.ViewState, View: m.View, Place: c.view, Index: m.Index}, packState(c.list, 0))
	}
}

// fetched handles a STATE.
func (c *Core) fetched(m *wire.ExtensionView, ops []playerlist.Numbered) {
	k := c.cand
	if k == nil || k.view != m.View || k.fetched == 0 {
		return
	}
	best := k.newest()
	l, err := unpackState(ops, m.Index)
	if err != nil || m.From.Incarnation != best.who.Incarnation || m.Place != best.place || m.Index != best.index {
		return
	}
	c.begin(l, best)
}

// install sends a member the view that this program leads, with the whole list, and with the token of its promise if it made one.
func (c *Core) install(to wire.ViewMember, token uint32) {
	c.inParts(to, wire.ExtensionView{Step: wire.ViewInstall, View: c.view, Place: c.view, Index: c.list.Version(), Nonce: token, Members: c.members,
		Lost: c.lost, Left: c.left}, packState(c.list, 0))
}

// mayInstall reports whether the sender of an INSTALL may give this program a view: its leader, the program that it promised to, and for a
// newcomer the session's host or a program that it asked.
func (c *Core) mayInstall(m *wire.ExtensionView, via wire.PlayerID) bool {
	_, in := c.member(m.From.Incarnation)
	switch {
	case m.View.Incarnation != m.From.Incarnation:
		return false
	case c.list != nil || c.promised.Epoch != 0:
		return m.View == c.promised && (in || m.Nonce == c.token)
	}
	return c.tick != Never && (via != 0 && via == c.cfg.List().Host() || c.isProven(m.From))
}

// installed handles an INSTALL.
func (c *Core) installed(m *wire.ExtensionView, ops []playerlist.Numbered) {
	newcomer := c.list == nil
	switch {
	case !newcomer && m.View == c.view && (c.Leads() || m.Index < c.list.Version()):
		return
	case !newcomer && m.Index > c.list.Version() && m.Index-c.list.Version() > maxAbove: // the numbers would end
		return
	}
	me, in := find(m.Members, c.self.Incarnation)
	if !in {
		return
	}
	var l *playerlist.List
	var err error
	switch {
	case m.Base == 0:
		l, err = unpackState(ops, m.Index)
	case newcomer || m.Place != c.view || m.Base != c.list.Version() || len(ops) == 0 || ops[0].Version <= m.Base:
		return // the leader sends PREPARE again
	default:
		l = at(c.list, ops[0].Version-1)
		for _, n := range ops {
			if err == nil {
				err = l.ApplyAt(n.Version, n.Op)
			}
		}
	}
	if err != nil || l.Version() != m.Index || !isMachine(l, me.System) {
		return
	}
	if c.Leads() {
		c.follow = c.members
	}
	back := func(x wire.ViewMember) bool { _, lost := find(c.lost, x.Incarnation); return lost }
	merged := !newcomer && m.View != c.view && (m.Place != c.view || m.Base == 0 || slices.ContainsFunc(m.Members, back) ||
		joined(c.list, c.self.System) != joined(l, me.System)) // the others had lost this program
	c.self, c.lost, c.left = me, m.Lost, m.Left
	c.enter(m.View, l, m.Members, m.Renamed, merged)
}

// enter makes a view this program's, with its list.
func (c *Core) enter(v wire.View, l *playerlist.List, members []wire.ViewMember, renamed []wire.ViewRenamed, merged bool) {
	if len(renamed) > 0 {
		c.ahead = slices.DeleteFunc(c.ahead, func(x change) bool { return !x.own })
		for i := range c.ahead {
			c.ahead[i].op, c.ahead[i].from = moved(c.ahead[i].op, renamed), c.self.System
		}
	}
	c.ahead = slices.DeleteFunc(c.ahead, func(x change) bool {
		switch o := x.op.(type) {
		case playerlist.AddPlayer: // a newcomer of the leader before has to ask again
			return o.Entry.Flags&wire.PlayerSystem != 0
		case playerlist.DeletePlayer: // this program or the host before lost its machine, and the view has it
			owner, there := l.System(o.ID)
			return there && x.from != owner && (x.own || x.from != v.Leader && x.from != legacyHost(l, members).System)
		case playerlist.DeleteGroup: // likewise its groups, where this program had no view
			owner, there := l.System(o.ID)
			return c.list == nil && x.own && there && owner != c.self.System
		}
		return false
	})
	away := c.list != nil && joined(c.list, c.self.System) != joined(l, c.self.System)
	c.view, c.promised, c.list, c.members = v, v, l, slices.Clone(members)
	c.cand, c.asked, c.wait, c.gone, c.awaited, c.early, c.lacks = nil, nil, Never, false, 0, nil, 0
	clear(c.places)
	clear(c.claims)
	clear(c.parts)
	for i := range c.suspected {
		if _, in := c.member(i); !in {
			delete(c.suspected, i)
		}
	}
	c.rebase(Install{Renamed: renamed, Merged: merged, Away: away})
	if c.Leads() {
		for _, m := range c.members {
			if m.Incarnation != c.self.Incarnation {
				c.places[m.Incarnation] = place{since: c.now}
			}
		}
	}
	c.sayAgain()
}
