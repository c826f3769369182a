package view

import (
	"maps"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// Handle handles a message. via is the peer that it came from; 0: it came from no peer. A member's message counts only from its peer. The
// caller has checked that a message from a peer names that peer as sender, unless it may be passed on ([Passes]).
func (c *Core) Handle(now time.Duration, via wire.PlayerID, m *wire.ExtensionView) {
	c.now = now
	from, in := c.member(m.From.Incarnation)
	its := in && via == from.System
	switch {
	case m.From.Incarnation == 0 || m.From.Incarnation == c.self.Incarnation:
		return
	case m.Index > maxIndex || m.View.Epoch > maxIndex || m.Place.Epoch > maxIndex:
		return
	case len(m.Members) > maxMembers || len(m.Lost) > maxLost || len(m.Left) > maxLost:
		return
	case in && !its && m.Step == wire.ViewAnswer:
		c.answersAnew(m)
		return
	case in && !its && (via == 0 || !Passes(m.Step)):
		return
	case its && m.Step != wire.ViewClaim:
		delete(c.suspected, from.Incarnation)
	case !in && via == 0 && c.mistaken(m):
		c.Unknown(now, m.From.Stream)
	}
	switch m.Step {
	case wire.ViewLog:
		c.logged(m)
	case wire.ViewPosition:
		c.positioned(m, via)
	case wire.ViewBehind:
		c.sendBehind(m)
	case wire.ViewPrepare:
		c.prepared(m, via)
	case wire.ViewRefuse:
		c.refusal(m)
	case wire.ViewFetch:
		c.fetch(m)
	case wire.ViewAsk:
		c.answer(m)
	case wire.ViewAnswer:
		c.answered(m)
	case wire.ViewAccuse:
		c.accused(m)
	case wire.ViewClaim:
		c.hears(m)
	case wire.ViewJoin:
		c.joins(m, via)
	case wire.ViewUnvouched:
		c.unvouched(m, via)
	case wire.ViewAck, wire.ViewState, wire.ViewInstall, wire.ViewOwn:
		if !c.expects(m, via) {
			return
		}
		a := c.assemble(m)
		if a == nil {
			return
		}
		f, ops := a.first, a.ops
		switch m.Step {
		case wire.ViewAck:
			c.acked(f, ops, a.octets)
		case wire.ViewState:
			c.fetched(f, ops)
		case wire.ViewInstall:
			c.installed(f, ops)
		case wire.ViewOwn:
			c.own(f, ops)
		}
	}
}

// Passes reports whether a peer may pass on another program's message of a step.
func Passes(s wire.ViewStep) bool {
	return s == wire.ViewPrepare || s == wire.ViewClaim || s == wire.ViewJoin || s == wire.ViewUnvouched
}

// assemble returns a message with its operations once all its parts have come, and nil before.
func (c *Core) assemble(m *wire.ExtensionView) *assembly {
	i := m.From.Incarnation
	a := c.parts[i]
	if a == nil {
		if m.Part > 1 || len(c.parts) >= maxMembers {
			return nil
		}
		a = &assembly{}
	}
	most := maxParts * maxPart
	if m.Step == wire.ViewAck || m.Step == wire.ViewOwn {
		most = maxOwn
	}
	delete(c.parts, i)
	if !a.add(m, min(most, maxKept-c.kept())) {
		return nil
	}
	if a.came < a.first.Parts {
		a.since = c.now
		c.parts[i] = a
		return nil
	}
	return a
}

// kept returns the octets of messages that are not whole yet, and of promises.
func (c *Core) kept() (octets int) {
	for _, a := range c.parts {
		octets += a.octets
	}
	if c.cand != nil {
		for i := range c.cand.acks {
			octets += c.cand.acks[i].octets
		}
	}
	return octets
}

// expects reports whether a program may send a message with operations now. Others are not read.
func (c *Core) expects(m *wire.ExtensionView, via wire.PlayerID) bool {
	_, in := c.member(m.From.Incarnation)
	k := c.cand
	switch m.Step {
	case wire.ViewInstall:
		return c.mayInstall(m, via)
	case wire.ViewAck:
		if k != nil && k.view == m.View {
			_, asked := find(k.whom, m.From.Incarnation)
			return asked && (in || m.Nonce == k.nonce)
		}
		return in && c.Leads() && m.View == c.view
	case wire.ViewState:
		return k != nil && k.view == m.View && k.fetched > 0 && k.newest().who.Incarnation == m.From.Incarnation
	}
	return in && c.Leads() && m.View == c.view
}

// accused handles an ACCUSE: the leader asks the accused member itself.
func (c *Core) accused(m *wire.ExtensionView) {
	if _, in := c.member(m.From.Incarnation); !in || !c.Leads() || c.frozen() || len(m.Members) != 1 {
		return
	}
	x, in := c.member(m.Members[0].Incarnation)
	if _, known := c.byID(m.Members[0].System); !in && !known {
		x, in = m.Members[0], isMachine(c.list, m.Members[0].System)
	}
	if in && x.System != c.self.System {
		c.effect(Ask{x.System})
	}
}

// Introduction returns a message with which a peer learns this program's incarnation.
func (c *Core) Introduction() *wire.ExtensionView {
	m := &wire.ExtensionView{Step: wire.ViewPosition, From: c.self, View: c.view, Place: c.promised}
	if c.list != nil {
		m.Index = c.list.Version()
	}
	return m
}

// Next returns when Tick is to be called.
func (c *Core) Next() time.Duration {
	next := min(c.tick, c.wait)
	if c.cand != nil {
		next = min(next, c.cand.due)
	}
	if c.asked != nil {
		next = min(next, c.asked.due)
	}
	return next
}

// Tick does all that is due.
func (c *Core) Tick(now time.Duration) {
	c.now = now
	if c.asked != nil && c.asked.due <= now {
		m := c.asked.prepare
		c.asked = nil
		c.promise(m)
	}
	if c.cand != nil && c.cand.due <= now {
		c.finish()
	}
	if c.wait <= now {
		c.impatient()
	}
	if c.tick > now {
		return
	}
	c.tick = now + c.cfg.Period
	if c.list == nil {
		return
	}
	c.proven = slices.DeleteFunc(c.proven, func(p proof) bool { return p.due <= now })
	maps.DeleteFunc(c.suspected, func(i wire.Incarnation, _ time.Duration) bool { return !c.suspects(i) })
	maps.DeleteFunc(c.spent, func(_ spender, at time.Duration) bool { return at <= now })
	maps.DeleteFunc(c.parts, func(_ wire.Incarnation, a *assembly) bool { return now-a.since >= c.cfg.Patience })
	c.age()
	position := func(to wire.ViewMember, digest uint32) {
		c.sendDatagram(to, &wire.ExtensionView{Step: wire.ViewPosition, View: c.view, Place: c.promised, Index: c.list.Version(), Nonce: digest})
	}
	if !c.Leads() {
		position(c.leader(), 0)
		return
	}
	d := c.digest()
	for _, m := range c.members {
		if m.Incarnation != c.self.Incarnation {
			position(m, d)
		}
	}
	if c.frozen() || c.cand != nil {
		return
	}
	for _, m := range slices.Clone(c.members) {
		p, other := c.places[m.Incarnation]
		switch {
		case other && !p.in && now-p.since >= c.cfg.Patience && (c.speaks(m.System) || c.keepsAlive()):
			delete(c.places, m.Incarnation)
			c.suspected[m.Incarnation] = now
			why := "it answers, and does not come to the view"
			if !c.speaks(m.System) {
				why = "it does not answer"
			}
			c.effect(Lose{m.System, why, false})
		case other && (!p.in && now-p.since > c.cfg.Probe || now-p.since > 2*c.cfg.Period): // its datagrams may be lost
			c.send(m, &wire.ExtensionView{Step: wire.ViewPrepare, View: c.view, Members: c.members})
		}
	}
	c.claim()
	c.doubles()
}

// impatient makes this program a candidate, because better ones did nothing, or because an INSTALL did not come.
func (c *Core) impatient() {
	c.wait = Never
	switch {
	case c.list == nil || c.cand != nil:
	case c.gone:
		c.effect(Candidate{c.self.System})
		c.depose()
	case c.frozen():
		c.depose()
	}
}

// positioned handles a POSITION. A leader learns which members are in its view, and a member what it lacks.
func (c *Core) positioned(m *wire.ExtensionView, via wire.PlayerID) {
	_, in := c.member(m.From.Incarnation)
	switch {
	case c.list == nil || c.frozen() || c.cand != nil:
	case !in && c.Leads() && via == m.From.System && m.View.Epoch != 0 && m.View.Incarnation == m.From.Incarnation && has(c.list, via) &&
		c.host().System != 0:
		// two began a view under one legacy host
		if c.view.Newer(m.View) {
			c.send(m.From, &wire.ExtensionView{Step: wire.ViewUnvouched, View: c.view, Members: []wire.ViewMember{c.self}})
		} else {
			c.unvouched(&wire.ExtensionView{Step: wire.ViewUnvouched, From: m.From, View: m.View, Members: []wire.ViewMember{m.From}}, via)
		}
	case !in && !c.Leads() && m.View.Incarnation == c.self.Incarnation: // it follows this program, which was let in elsewhere
		if known, follows := find(c.follow, m.From.Incarnation); follows {
			c.pass(known, &wire.ExtensionView{Step: wire.ViewUnvouched, From: c.leader(), View: c.view})
		}
	case !in && via == 0:
		c.anew(m.From)
	case !in:
	case c.Leads():
		switch {
		case m.Place.Newer(c.view):
			c.above(m)
		case m.View == c.view:
			now := place{in: true, since: c.now, index: m.Index, lags: c.now}
			if p := c.places[m.From.Incarnation]; m.Index < c.list.Version() && p.in && p.index == m.Index {
				if now.lags = p.lags; c.now-p.lags >= c.cfg.Period { // the operations that it lacks are lost
					c.sendBehind(m)
					now.lags = c.now
				}
			}
			c.places[m.From.Incarnation] = now
		case c.places[m.From.Incarnation].in:
			c.places[m.From.Incarnation] = place{since: c.now}
		}
	case m.From.Incarnation != c.view.Incarnation || m.View != c.view:
	case c.gone: // it answers again, before anybody else was asked to lead
		c.gone, c.awaited, c.wait = false, 0, Never
		c.rebase(Install{})
	case m.Index > c.list.Version():
		c.behind(c.list.Version())
	case m.Index == c.list.Version() && m.Nonce != c.digest():
		c.behind(0)
	case m.Index == c.list.Version():
		for i := range c.ahead {
			c.ahead[i].missed++
		}
	}
}

// age undoes changes of others that had no number for two periods, in which this program lacked no operation, and sends this program's own to
// the leader again. A player or group that its owner deleted does not come back: if the owner is lost, the leader deletes it as well.
func (c *Core) age() {
	old := c.now - 2*c.cfg.Period
	c.early = slices.DeleteFunc(c.early, func(x change) bool { return x.since <= old })
	if c.frozen() || c.gone || c.Leads() {
		return
	}
	n := len(c.ahead)
	c.ahead = slices.DeleteFunc(c.ahead, func(x change) bool {
		return x.since <= old && x.missed >= 2 && !x.own && !deletes(c.list, &x)
	})
	if len(c.ahead) < n {
		c.rebase(Install{})
	}
	if c.said.at <= old && slices.ContainsFunc(c.ahead, func(x change) bool { return x.since <= old && x.own || c.stuck(&x) }) {
		c.sayAgain()
	}
}

// deletes reports whether a change deletes a player or group of its maker.
func deletes(l *playerlist.List, x *change) bool {
	switch o := x.op.(type) {
	case playerlist.DeletePlayer:
		return owner(l, o.ID) == x.from
	case playerlist.DeleteGroup:
		return owner(l, o.ID) == x.from
	}
	return false
}

// speaks reports whether a machine said anything a short time ago.
func (c *Core) speaks(id wire.PlayerID) bool {
	return c.cfg.Silence == nil || c.cfg.Silence(id) < c.cfg.Patience
}

// keepsAlive reports whether the session loses members that are silent.
func (c *Core) keepsAlive() bool { return c.cfg.KeepsAlive == nil || c.cfg.KeepsAlive() }
