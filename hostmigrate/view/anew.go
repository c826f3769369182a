package view

import (
	"slices"
	"time"

	"dplay4/wire"
)

// Unknown introduces this program to one that is no member and addresses it like a member, at that one's listener. This program may have
// begun anew at the listener of a member there.
func (c *Core) Unknown(now time.Duration, at wire.SockAddr) {
	c.now = now
	if c.allows(spender{at: at.Addr, what: wire.ViewPosition}, maxServed, c.cfg.Period/maxServed) {
		c.send(wire.ViewMember{Stream: at}, c.Introduction())
	}
}

// mistaken reports whether a message is for a member other than this program.
func (c *Core) mistaken(m *wire.ExtensionView) bool {
	_, me := find(m.Members, c.self.Incarnation)
	return m.Step == wire.ViewLog || m.Step == wire.ViewPrepare && !me
}

// anew sends ASK to the members at a program's listener, because their programs may have ended. Only an ANSWER proves that.
func (c *Core) anew(from wire.ViewMember) {
	for _, m := range c.members {
		if m.Incarnation != c.self.Incarnation && oneListener(m.Stream, from.Stream) && c.serves(m.Incarnation, wire.ViewAsk) {
			c.ask(proof{from: from.Incarnation, anew: true}, m)
		}
	}
}

// doubles sends ASK to each listener that a member shares with a machine of the list that is no member. A program that began anew in another
// part can bring such a pair, because its leader passed the PREPARE on. If the member answers, the machine has ended. This program's own
// listener needs no answer.
func (c *Core) doubles() {
	for _, id := range c.list.AppendSystems(nil) {
		if _, in := c.byID(id); in {
			continue
		}
		for _, m := range c.members {
			switch {
			case !listens(c.list, id, m.Stream):
			case m.Incarnation == c.self.Incarnation: // this program is there
				c.ended(wire.ViewMember{System: id})
			case c.serves(m.Incarnation, wire.ViewAsk):
				c.ask(proof{from: m.Incarnation, anew: true}, wire.ViewMember{System: id, Stream: m.Stream, Datagram: m.Datagram})
			}
		}
	}
}

// answersAnew handles an ANSWER to the ASK of anew or doubles, and reports whether it is one. Its nonce proves the listener. So it counts also
// where it does not come from the member's peer, because another machine of the list is at that listener.
func (c *Core) answersAnew(m *wire.ExtensionView) bool {
	k := slices.IndexFunc(c.proven, func(p proof) bool { return p.anew && p.nonce == m.Nonce && p.due > c.now })
	if k < 0 {
		return false
	}
	p := c.proven[k]
	c.proven = slices.Delete(c.proven, k, k+1)
	if p.asked.Incarnation != m.From.Incarnation && (p.asked.Incarnation != 0 || p.from == m.From.Incarnation) {
		c.ended(p.asked)
	}
	return true
}

// ended removes a machine at whose listener another program answered.
func (c *Core) ended(m wire.ViewMember) {
	if _, met := c.byID(m.System); m.Incarnation == 0 && !met && c.Leads() && !c.frozen() && isMachine(c.list, m.System) {
		c.effect(Lose{m.System, "its program began anew", true})
	}
	if _, in := c.member(m.Incarnation); !in {
		return
	}
	c.leaves(m.Incarnation) // it gets no CLAIM
	switch {
	case c.Leads() && !c.frozen():
		c.effect(Lose{m.System, "its program began anew", true})
	case m.Incarnation == c.view.Incarnation:
		c.Suspect(c.now, m.System)
	default:
		c.send(c.leader(), &wire.ExtensionView{Step: wire.ViewAccuse, View: c.view, Members: []wire.ViewMember{m}})
	}
}
