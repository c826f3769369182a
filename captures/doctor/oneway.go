package doctor

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A run is the pings of one machine to another one since that answered the last one. An answer by UDP shows that datagrams get there.
type run struct {
	series           // the pings without an answer
	way              // of the listeners, where known
	tick     uint32  // of the last one: a frame of the reliable protocol comes again with the same
	Proven   bool    // a ping before these was answered
	Heeded   []mark  // the last of the pings before these, of which each was answered before the next one; none once one was not
	Answer   mark    // the last answer
	Silent   [2]mark // the first ping of the last run that had unanswered ones, and the answer after it
	Came     int     // datagrams of the other machine since the first of the pings
	Datagram mark    // the last of them
	Streams  int     // how often the two spoke over TCP between two of the pings
	Stream   mark    // the last time
}

// datagram follows which pings are answered. Who answers a ping over TCP with the news that the pinger is in no session, or in another one,
// has got the ping.
func (c *collector) datagram(m *message) {
	back := c.runs[m.machines().back()]
	if m.Transport == captures.TCP {
		for _, p := range []*run{back, c.runs[m.machines()]} {
			if p != nil && p.Count > 0 {
				p.Stream = m.at
			}
		}
		if back != nil && back.Count > 0 && expels(m.Envelope.Message) && m.at.Time.Sub(back.Final.Time) <= patience {
			c.answered(back, back.tick, m.at)
		}
		return
	}
	switch x := m.Envelope.Message.(type) {
	case *wire.PingReply:
		if back != nil {
			c.answered(back, x.Tick, m.at)
		}
		return
	case *wire.Ping:
		c.pingedBy(m, x)
	}
	if back != nil && back.Count > 0 {
		back.Came++
		back.Datagram = m.at
	}
}

// expels reports whether a message says that a machine is in no session, or in another one.
func expels(m wire.Message) bool {
	switch x := m.(type) {
	case *wire.YouAreDead:
		return true
	case *wire.Extension:
		_, ok := x.Body.(*wire.ExtensionRejoinAt)
		return ok
	}
	return false
}

// pingedBy counts a ping.
func (c *collector) pingedBy(m *message, x *wire.Ping) {
	p := c.runs[m.machines()]
	if p == nil {
		if len(c.runs) >= maxFacts {
			return
		}
		p = &run{way: m.machines()}
		put(&c.runs, m.machines(), p, maxFacts)
		c.Runs = append(c.Runs, p)
	}
	if p.Count > 0 && p.tick == x.Tick {
		return
	}
	if p.Count > 0 && p.Stream.N > p.Final.N {
		p.Streams++
	}
	p.tick = x.Tick
	p.again(m.at)
}

// answered ends a run.
func (c *collector) answered(p *run, tick uint32, m mark) {
	next := run{way: p.way, Proven: true, Answer: m, Silent: p.Silent}
	if old := *p; tick != p.tick || p.Count > 1 {
		if tick == p.tick {
			old.undo()
		}
		if old.oneWay() && !c.silentBack(&old) {
			add(&c.Runs, &old)
		}
		if old.Count > 0 {
			next.Silent = [2]mark{old.Marks[0], m}
		}
	}
	if p.Count <= 1 {
		next.Heeded = p.Heeded
	}
	if p.Count > 0 {
		next.Heeded = append(next.Heeded, p.Final)
	}
	next.Heeded = next.Heeded[max(0, len(next.Heeded)-maxPieces):]
	*p = next
}

// deposes stores that a machine acts as host in place of another one that answered its last pings: the answers did not get to it.
func (c *collector) deposes(old *reign, m *message) {
	p := c.runs[way{m.from, old.Host}]
	if p == nil || p.Count > 0 || len(p.Heeded) < 2 {
		return
	}
	n := len(p.Heeded)
	every := p.Heeded[n-1].Time.Sub(p.Heeded[n-2].Time)
	if every >= atOnce && m.at.Time.Sub(p.Answer.Time) <= 2*every+patience {
		add(&c.Deposed, &deposed{mark: m.at, Pings: *p})
	}
}

// atOnce is how far pings are apart at most that were recorded by a program which had stood still: it answers all of them when it goes on.
const atOnce = 100 * time.Millisecond

// deposed is a machine that acts as host in place of another one that had answered its pings.
type deposed struct {
	mark
	Pings run
}

// oneWay reports whether datagrams came from the machine that answered none of the pings. One lost ping says nothing, nor do two
// once others were answered.
func (p *run) oneWay() bool {
	return p.Count >= silentPings-1+flag(p.Proven) && p.Came >= 2 && p.Datagram.N > p.Marks[1].N
}

// unanswered returns a run without the last ping if that may be answered behind the end of the capture.
func (c *facts) unanswered(p *run) run {
	x := *p
	if c.late(x.Final) {
		x.undo()
	}
	return x
}

// silentBack reports whether pings in the other direction had no answer at the time of these: then no datagrams got through.
func (c *facts) silentBack(p *run) bool {
	return slices.ContainsFunc(c.Runs, func(q *run) bool {
		if q.way != p.back() {
			return false
		}
		x := c.unanswered(q)
		return x.Count > 0 && x.Marks[0].N < p.Final.N && x.Final.N > p.Marks[0].N ||
			x.Silent[0].N < p.Final.N && x.Silent[1].N > p.Marks[0].N
	})
}

// bothWays returns the run of pings in the other direction if none of those was answered either; nil if there is none.
func (c *facts) bothWays(p *run) *run {
	return find(c.Runs, func(q *run) bool { return q.way == p.back() && c.unanswered(q).Count >= silentPings-1 })
}

func flag(set bool) int { return pick(set, 1, 0) }

// An unheard is a member of a view whose positions do not get to the leader: it sends one by UDP each period, and the leader checks over
// TCP whether it is there after three periods in which none came.
type unheard struct {
	series         // the checks
	Leader, Member netip.AddrPort
	Positions      int  // of the member by UDP, since the last check
	Sent           int  // those between checks
	Position       mark // the last of them
	Answer         mark // the member's last answer by UDP to a ping of the leader, since the first check
	told           bool
}

// checkedPeriods is how many periods pass between two checks if no position arrives. A member sends a position in each. At an end, one of
// the same instant may come on either side of the check, so that all periods together have one more.
const checkedPeriods = 3

// view stores the positions and questions in a message about views.
func (c *collector) view(m *message, x *wire.Extension, b *wire.ExtensionView) {
	switch {
	case b.Step == wire.ViewPosition && m.Transport == captures.UDP:
		if u := c.unhearing[m.machines().back()]; u != nil {
			u.Positions++
			u.Position = m.at
		}
	case b.Step == wire.ViewPrepare && b.View.Leader == x.From && b.Nonce == 0: // a candidate's PREPARE has a number
		c.check(m.machines(), m.at)
	}
}

// check stores a PREPARE with which a leader asks a member of its view whether it is there.
func (c *collector) check(k way, m mark) {
	if _, known := c.checks[k]; !known && len(c.checks) >= maxFacts {
		return
	}
	put(&c.checks, k, m, maxFacts)
	u := c.unhearing[k]
	if u == nil || u.Positions == 0 || u.Sent+u.Positions > checkedPeriods*u.Count+1 { // none was sent, or one arrived
		u = &unheard{Leader: k.from, Member: k.to}
		put(&c.unhearing, k, u, maxFacts)
	}
	u.Sent, u.Positions = u.Sent+u.Positions, 0
	u.again(m)
	if back := c.runs[k.back()]; back != nil && back.Answer.N > u.Marks[0].N {
		delete(c.unhearing, k) // a datagram of the member arrived
		return
	}
	if p := c.runs[k]; p != nil {
		u.Answer = p.Answer
	}
	if u.Count >= silentPings && u.Answer.N > u.Marks[0].N && !u.told {
		u.told = true
		add(&c.Unheard, u)
	}
}

// leads reports whether a message of the leader of a view shows that it is host: a legacy host is the first member, and has no incarnation.
func leads(b *wire.ExtensionView, id wire.PlayerID) bool {
	switch b.Step {
	case wire.ViewClaim, wire.ViewAnswer:
		return len(b.Members) > 0 && b.Members[0].Incarnation != 0
	case wire.ViewInstall:
		return slices.ContainsFunc(b.Ops, func(octets []byte) bool {
			n, err := captures.ViewOperation(octets)
			return err == nil && n.Op == playerlist.Op(playerlist.SetHost{ID: id})
		})
	}
	return false
}

// udpOneWay adds what udp-one-way finds in a capture.
func udpOneWay(c *facts, out *findings) {
	for _, p := range c.Runs {
		x := c.unanswered(p)
		if x.oneWay() && !c.silentBack(p) {
			out.add(oneWayText(c, x.from, x.to)+"none of "+itoa(x.Count)+" pings was answered", append(
				x.show("to "+x.to.Addr().String()+", no answer"), x.Datagram.show("", "by UDP, from "+x.to.Addr().String()))...).more(x.more() + x.Came - 1)
		}
	}
	for _, d := range c.Deposed {
		p := &d.Pings
		if c.talk(p.to).N < d.N {
			continue // it is gone
		}
		heeded := series{Marks: p.Heeded}
		out.add(oneWayText(c, p.to, p.from)+c.who(p.from)+" acts as host in its place, although each of the last "+itoa(len(p.Heeded))+
			" pings was answered", append(heeded.show("to "+p.to.Addr().String()+", answered"),
			p.Answer.show("", "the last answer"), d.show("", c.who(p.from)+" acts as host"))...)
	}
	for _, u := range c.Unheard {
		at := u.Member.Addr().String()
		out.add(oneWayText(c, u.Member, u.Leader)+c.who(u.Leader)+" asked it over TCP "+times(u.Count)+" whether it is there, although it answered "+
			"pings and sent "+itoa(u.Sent)+" positions between the questions", append(u.show("to "+at),
			u.Position.show("", "by UDP, from "+at), u.Answer.show("", "by UDP, its last answer"))...).more(u.more() + u.Sent - 1)
	}
}

// oneWayText begins the text of a finding about datagrams from one machine to another one.
func oneWayText(c *facts, from, to netip.AddrPort) string {
	return "datagrams of " + c.who(from) + " do not get to " + c.who(to) + ", while those of " + c.who(to) + " get to it: "
}

// deafBoth adds a finding for two machines of which neither answers the other one's pings by UDP, while they speak over TCP. The capture has
// the pings of both: it was made between them, or on both.
func (c *facts) deafBoth(out *findings) {
	told := map[way]bool{}
	for _, p := range c.Runs {
		x, q := c.unanswered(p), c.bothWays(p)
		if q == nil || x.Count < silentPings || x.Streams < 2 || told[p.back()] {
			continue
		}
		told[p.way] = true
		back := c.unanswered(q)
		out.add(c.who(x.from)+" and "+c.who(x.to)+" answered no ping of each other by UDP, of "+itoa(x.Count)+" and "+itoa(back.Count)+
			", while they went on to speak over TCP", x.Marks[0].show("", "to "+x.to.Addr().String()+", no answer"),
			back.Marks[0].show("", "to "+back.to.Addr().String()+", no answer"), x.Stream.show("", "over TCP")).more(x.Count + back.Count - 2)
	}
}
