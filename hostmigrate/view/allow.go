package view

import (
	"time"

	"dplay4/wire"
)

// A spender is a program that has this one do something, and the step of which that is. A program that may make up its incarnation is
// counted by its address.
type spender struct {
	who     wire.Incarnation
	at      [4]byte
	what    wire.ViewStep
	changes bool // the view
}

// Allowances: so often at once, and then once in each of some periods, or so often in each period.
const (
	maxChanges    = 16   // promises to a candidate that is not the leader, views that a member or a lost program has changed, JOINs
	changePeriods = 8    // then one in so many periods
	maxServed     = 8    // in a period: lists and parts of logs that are sent, and OWNs that are read
	maxPassed     = 64   // in a period: messages of strangers at one address that are answered or passed on
	maxSpenders   = 4096 // that are kept; half of them by address
	maxClaimed    = 16   // members to which a leader sends a CLAIM in a period
	maxStrangers  = 16   // programs that were never met, and whose proof is awaited
)

// allows reports whether a spender may have its step once more: most times at once, and then once in each time every. It counts that.
func (c *Core) allows(s spender, most int, every time.Duration) bool {
	at, known := c.spent[s]
	at = max(at, c.now)
	room := maxSpenders
	if s.who == 0 {
		room /= 2
	}
	if at-c.now > time.Duration(most-1)*every || !known && len(c.spent) >= room {
		return false
	}
	c.spent[s] = at + every
	return true
}

// changes reports whether a spender may have the view changed.
func (c *Core) changes(s spender) bool {
	s.changes = true
	return c.allows(s, maxChanges, changePeriods*c.cfg.Period)
}

// serves reports whether a program may have a list sent, or read.
func (c *Core) serves(i wire.Incarnation, what wire.ViewStep) bool {
	return c.allows(spender{who: i, what: what}, maxServed, c.cfg.Period/maxServed)
}

// servesStranger reports whether a message of a program that is no member is answered, or passed on. Many programs can have one address.
func (c *Core) servesStranger(m *wire.ExtensionView) bool {
	return c.allows(spender{at: m.From.Stream.Addr, what: m.Step}, maxPassed, c.cfg.Period/maxPassed)
}

// claimant returns the spender of a view change by which another part comes in, for which a program vouched.
func claimant(i wire.Incarnation) spender {
	return spender{who: i, what: wire.ViewClaim, changes: true}
}

// joiner returns the spender of a JOIN.
func joiner(m wire.ViewMember) spender {
	return spender{at: m.Stream.Addr, what: wire.ViewJoin, changes: true}
}
