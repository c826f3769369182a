package view

import (
	"time"

	"dplay4/wire"
)

// A spender is somebody who has this program do something, and what that is. Where an incarnation may be made up, it is an address.
type spender struct {
	who  wire.Incarnation
	at   [4]byte
	what wire.ViewStep
}

// How often somebody may have this program do something: so often at once, and then once in each of some periods, or so often in each.
const (
	maxChanges    = 16   // PREPAREs that are promised a candidate which is not the leader, views above the one that somebody promised, JOINs
	changePeriods = 8    // then one in so many periods
	maxServed     = 8    // lists and parts of logs in a period, and what a member says again
	maxSpenders   = 4096 // that are kept
	maxClaimed    = 16   // members to which a leader sends a CLAIM in a period
	maxStrangers  = 16   // programs that were never met of which a proof is awaited
)

// allows reports whether a spender may go on, most times at once and then once in each time every, and counts that.
func (c *Core) allows(s spender, most int, every time.Duration) bool {
	at, known := c.spent[s]
	at = max(at, c.now)
	if at-c.now > time.Duration(most-1)*every || !known && len(c.spent) >= maxSpenders {
		return false
	}
	c.spent[s] = at + every
	return true
}

// changes reports whether somebody may have the view changed.
func (c *Core) changes(s spender) bool { return c.allows(s, maxChanges, changePeriods*c.cfg.Period) }

// serves reports whether somebody may have a list sent, or read.
func (c *Core) serves(i wire.Incarnation, what wire.ViewStep) bool {
	return c.allows(spender{who: i, what: what}, maxServed, c.cfg.Period/maxServed)
}

// joiner returns the spender of a JOIN.
func joiner(m wire.ViewMember) spender { return spender{at: m.Stream.Addr, what: wire.ViewJoin} }
