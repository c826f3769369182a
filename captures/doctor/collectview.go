package doctor

import (
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/playerlist"
	"dplay4/wire"
)

// An unheard is a member of a view whose positions do not get to the leader: it sends one by UDP each period, and the leader checks over
// TCP whether it is there after three periods in which none came.
type unheard struct {
	Leader, Member netip.AddrPort
	Marks          []mark // the first checks
	Count          int
	Positions      int  // of the member by UDP, since the last check
	Sent           int  // those between checks
	Position       mark // the last of them
	Answer         mark // the member's last answer by UDP to a ping of the leader, since the first check
	told           bool
}

// checkedPeriods is how many periods pass between two checks if no position arrives. A member sends a position in each. At an end, one of
// the same instant may come on either side of the check, so that all periods together have one more.
const checkedPeriods = 3

// view stores the positions, questions and acts of a host in a message about views.
func (c *collector) view(r *captures.Record, m mark, from netip.AddrPort, x *wire.Extension, b *wire.ExtensionView) {
	switch {
	case b.Step == wire.ViewPosition && r.Transport == captures.UDP:
		if u := c.unheard[runKey{r.To.At, from}]; u != nil {
			u.Positions++
			u.Position = m
		}
	case (b.Step == wire.ViewClaim || b.Step == wire.ViewAnswer) && b.View.Leader == x.From && len(b.Members) > 0 &&
		b.Members[0].Incarnation != 0: // a legacy host is the first one
		c.acts(r, m, from, true)
	case b.Step == wire.ViewInstall && b.View.Leader == x.From && makesHost(b, x.From):
		c.acts(r, m, from, true)
	case b.Step == wire.ViewPrepare && b.View.Leader == x.From && b.Nonce == 0: // a candidate's PREPARE has a number
		c.check(runKey{from, r.To.At}, m)
	}
}

// check stores a PREPARE with which a leader asks a member of its view whether it is there.
func (c *collector) check(k runKey, m mark) {
	if _, known := c.checks[k]; !known && len(c.checks) >= maxFacts {
		return
	}
	c.checks[k] = m
	u := c.unheard[k]
	if u == nil || u.Positions == 0 || u.Sent+u.Positions > checkedPeriods*u.Count+1 { // none was sent, or one arrived
		u = &unheard{Leader: k[0], Member: k[1]}
		c.unheard[k] = u
	}
	u.Sent, u.Positions = u.Sent+u.Positions, 0
	if u.Count++; u.Count <= maxPieces {
		u.Marks = append(u.Marks, m)
	}
	if back := c.runs[runKey{k[1], k[0]}]; back != nil && back.Answer.N > u.Marks[0].N {
		delete(c.unheard, k) // a datagram of the member arrived
		return
	}
	if p := c.runs[k]; p != nil {
		u.Answer = p.Answer
	}
	if u.Count >= silentPings && u.Answer.N > u.Marks[0].N && !u.told && len(c.Unheard) < maxFacts {
		u.told = true
		c.Unheard = append(c.Unheard, u)
	}
}

// makesHost reports whether operations make a machine host.
func makesHost(b *wire.ExtensionView, id wire.PlayerID) bool {
	return slices.ContainsFunc(b.Ops, func(octets []byte) bool {
		n, err := captures.ViewOperation(octets)
		return err == nil && n.Op == playerlist.Op(playerlist.SetHost{ID: id})
	})
}
