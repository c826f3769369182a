package doctor

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A run is the pings of one machine to another one since that answered the last one. An answer by UDP shows that datagrams get there.
type run struct {
	unanswered
	way              // of the listeners, where known
	tick     uint32  // of the last one: a frame of the reliable protocol comes again with the same
	Proven   bool    // a ping before these was answered
	Heeded   []mark  // the last of the pings before these, of which each was answered before the next one; none once one was not
	Answer   mark    // the last answer
	Silent   [2]mark // the first ping of the last run that had unanswered ones, and the answer after it
	Came     int     // datagrams of the other machine since the first of the pings
	Datagram mark    // the last of them
}

// unanswered are pings without an answer.
type unanswered struct {
	series
	Between int  // how often something came over TCP between two of the pings
	Stream  mark // the last thing that came over TCP
}

// ping counts a ping.
func (u *unanswered) ping(m mark) {
	u.Between += flag(u.Count > 0 && u.Stream.N > u.Final.N)
	u.again(m)
}

// overTCP counts a message over TCP between machines that ping each other. A machine that answers a ping over TCP with the news that the
// pinger is in no session, or in another one, has got the ping.
func (c *collector) overTCP(m *message) {
	for _, w := range []way{m.way, m.back()} {
		c.Runs.get(w).Stream = m.at
	}
	if back := c.Runs.get(m.back()); back.Count > 0 && expels[m.at.Message] && m.at.Time.Sub(back.Final.Time) <= patience {
		c.answers(back, back.tick, m.at)
	}
}

// expels are the messages that say that a machine is in no session, or in another one.
var expels = map[string]bool{wire.CmdYouAreDead.String(): true, wire.CmdExtension.String() + " " + wire.KindRejoinAt.String(): true}

// datagram follows which pings are answered.
func (c *collector) datagram(m *message) {
	switch x := m.Envelope.Message.(type) {
	case *wire.PingReply:
		c.answers(c.Runs.get(m.back()), x.Tick, m.at)
		return
	case *wire.Ping:
		c.pingedBy(m, x)
	}
	if back := c.Runs.get(m.back()); back.Count > 0 {
		back.Came++
		back.Datagram = m.at
	}
}

// pingedBy counts a ping.
func (c *collector) pingedBy(m *message, x *wire.Ping) {
	p := c.Runs.at(m.way, run{way: m.way})
	if p.Count > 0 && p.tick == x.Tick {
		return
	}
	p.tick = x.Tick
	p.ping(m.at)
}

// answers ends a run.
func (c *collector) answers(p *run, tick uint32, m mark) {
	next := run{way: p.way, Proven: true, Answer: m, Silent: p.Silent}
	old := *p
	if tick == p.tick {
		old.undo()
	}
	if old.oneWay() && !c.silentBack(&old) {
		add(&c.OneWay, &old)
	}
	if old.Count > 0 {
		next.Silent = [2]mark{old.Marks[0], m}
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
	p := c.Runs.get(way{m.from, old.Host})
	if p.Count > 0 || len(p.Heeded) < 2 {
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

// allRuns returns the present runs, and those that ended one way.
func (c *facts) allRuns() []*run { return mapped(slices.Concat(c.Runs.list, c.OneWay), c.judged) }

// runs returns those of one way.
func (c *facts) runs(w way) []*run {
	ended := where(c.OneWay, func(p *run) bool { return p.way == w }) // before anything is copied: runs is called for each run that ends
	return mapped(append([]*run{c.Runs.get(w)}, ended...), c.judged)
}

// judged returns a run without the last ping if that may be answered behind the end of the capture.
func (c *facts) judged(p *run) *run {
	x := *p
	if c.late(x.Final) {
		x.undo()
	}
	return &x
}

// silentBack reports whether pings in the other direction had no answer at the time of these: then no datagrams got through.
func (c *facts) silentBack(p *run) bool {
	meets := func(first, last mark) bool { return first.N < p.Final.N && last.N > p.Marks[0].N }
	return exists(c.runs(p.back()), func(x *run) bool {
		return x.Count > 0 && meets(x.Marks[0], x.Final) || meets(x.Silent[0], x.Silent[1])
	})
}

// bothWays returns the run of pings in the other direction if none of those was answered either; nil if there is none.
func (c *facts) bothWays(p *run) *run {
	return find(c.runs(p.back()), func(x *run) bool { return x.Count >= silentPings-1 })
}

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
	u := cmp.Or(c.unhearing[m.back()], new(unheard))
	switch {
	case b.Step == wire.ViewPosition && !m.tcp:
		u.Positions++
		u.Position = m.at
	case b.Step == wire.ViewPrepare && b.View.Leader == x.From && b.Nonce == 0: // a candidate's PREPARE has a number
		c.check(m.way, m.at)
	}
}

// check stores a PREPARE with which a leader asks a member of its view whether it is there.
func (c *collector) check(k way, m mark) {
	put(&c.checks, k, m, maxFacts)
	u := cmp.Or(c.unhearing[k], new(unheard))
	if u.Positions == 0 || u.Sent+u.Positions > checkedPeriods*u.Count+1 { // none was sent, or one arrived
		u = &unheard{Leader: k.from, Member: k.to}
		put(&c.unhearing, k, u, maxFacts)
	}
	u.Sent, u.Positions = u.Sent+u.Positions, 0
	u.again(m)
	if c.Runs.get(k.back()).Answer.N > u.Marks[0].N {
		delete(c.unhearing, k) // a datagram of the member arrived
		return
	}
	u.Answer = c.Runs.get(k).Answer
	if u.Count >= silentPings && u.Answer.N > u.Marks[0].N && !u.told {
		u.told = true
		add(&c.Unheard, u)
	}
}

// leads reports whether a message of the leader of a view shows that it is host: a legacy host is the first member, and has no incarnation.
func leads(b *wire.ExtensionView, id wire.PlayerID) bool {
	switch b.Step {
	case wire.ViewClaim, wire.ViewAnswer:
		return first(b.Members).Incarnation != 0
	case wire.ViewInstall:
		return slices.ContainsFunc(b.Ops, func(octets []byte) bool {
			n, _ := captures.ViewOperation(octets)
			return n.Op == playerlist.Op(playerlist.SetHost{ID: id})
		})
	}
	return false
}

// udpOneWay is the rule udp-one-way for captures.
var udpOneWay = all(each(func(c *facts) []*run {
	return where(c.allRuns(), func(x *run) bool { return x.oneWay() && !c.silentBack(x) })
}, func(c *facts, x *run) *Finding {
	return x.found(oneWayText(c, x.from, x.to)+"none of "+itoa(x.Count)+" pings was answered", "to "+x.to.Addr().String()+", no answer").
		with(x.Datagram.show("", "by UDP, from "+x.to.Addr().String())).more(x.Came - 1)
}), each(func(c *facts) []*deposed {
	return where(c.Deposed, func(d *deposed) bool { return c.talk(d.Pings.to).N >= d.N }) // others are gone
}, func(c *facts, d *deposed) *Finding {
	p := &d.Pings
	heeded := series{Marks: p.Heeded, Count: len(p.Heeded)}
	return heeded.found(oneWayText(c, p.to, p.from)+c.who(p.from)+" acts as host in its place, although each of the last "+itoa(len(p.Heeded))+
		" pings was answered", "to "+p.to.Addr().String()+", answered").
		with(p.Answer.show("", "the last answer"), d.show("", c.who(p.from)+" acts as host"))
}), each(func(c *facts) []*unheard { return c.Unheard }, func(c *facts, u *unheard) *Finding {
	at := u.Member.Addr().String()
	return u.found(oneWayText(c, u.Member, u.Leader)+c.who(u.Leader)+" asked it over TCP "+times(u.Count)+" whether it is there, although it answered "+
		"pings and sent "+itoa(u.Sent)+" positions between the questions", "to "+at).
		with(u.Position.show("", "by UDP, from "+at), u.Answer.show("", "by UDP, its last answer")).more(u.Sent - 1)
}))

// oneWayText begins the text of a finding about datagrams from one machine to another one.
func oneWayText(c *facts, from, to netip.AddrPort) string {
	return "datagrams of " + c.who(from) + " do not get to " + c.who(to) + ", while those of " + c.who(to) + " get to it: "
}

// A deafness is the pings of two machines of which neither answers the other one's by UDP, while they speak over TCP.
type deafness struct{ there, back *run }

// deafBoth returns the pairs of machines of which neither answers the other one's pings by UDP. The capture has the pings of both: it was
// made between them, or on both.
func (c *facts) deafBoth() []deafness {
	told := map[way]bool{}
	runs := where(c.allRuns(), func(x *run) bool {
		first := x.Count >= silentPings && x.Between >= 2 && c.bothWays(x) != nil && !told[x.back()]
		told[x.way] = told[x.way] || first
		return first
	})
	return mapped(runs, func(x *run) deafness { return deafness{x, c.bothWays(x)} })
}

// deaf returns the finding about two machines.
func (c *facts) deaf(d deafness) *Finding {
	x, y := d.there, d.back
	return found(c.who(x.from)+" and "+c.who(x.to)+" answered no ping of each other by UDP, of "+itoa(x.Count)+" and "+itoa(y.Count)+
		", while they went on to speak over TCP", x.Marks[0].show("", "to "+x.to.Addr().String()+", no answer"),
		y.Marks[0].show("", "to "+y.to.Addr().String()+", no answer"), x.Stream.show("", "over TCP")).more(x.Count + y.Count - 2)
}
