package doctor

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// A run is the pings of one machine to another one since that answered the last one. An answer by UDP shows that datagrams get there.
type run struct {
	From, To netip.AddrPort // listeners, where known
	Marks    []mark         // the first pings without an answer
	Final    mark           // the last one
	Count    int
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

// A runKey is who pings, and who is pinged.
type runKey [2]netip.AddrPort

// datagram follows which pings are answered.
func (c *collector) datagram(r *captures.Record, m mark, from netip.AddrPort) {
	back := c.runs[runKey{r.To.At, from}]
	if r.Transport == captures.TCP {
		c.spoken(r, m, back)
		if forth := c.runs[runKey{from, r.To.At}]; forth != nil && forth.Count > 0 {
			forth.Stream = m
		}
		return
	}
	switch x := r.Envelope.Message.(type) {
	case *wire.PingReply:
		if back != nil {
			back.answered(c, x.Tick, m)
		}
		return
	case *wire.Ping:
		c.pingedBy(r, m, from, x)
	}
	if back != nil && back.Count > 0 {
		back.Came++
		back.Datagram = m
	}
}

// spoken takes a message over TCP to the machine that pings. Who answers a ping with the news that the pinger is in no session, or in
// another one, has got the ping.
func (c *collector) spoken(r *captures.Record, m mark, p *run) {
	if p == nil || p.Count == 0 {
		return
	}
	p.Stream = m
	switch x := r.Envelope.Message.(type) {
	case *wire.YouAreDead:
	case *wire.Extension:
		if _, ok := x.Body.(*wire.ExtensionRejoinAt); !ok {
			return
		}
	default:
		return
	}
	if m.Time.Sub(p.Final.Time) <= patience {
		p.answered(c, p.tick, m)
	}
}

// pingedBy notes a ping.
func (c *collector) pingedBy(r *captures.Record, m mark, from netip.AddrPort, x *wire.Ping) {
	k := runKey{from, r.To.At}
	p := c.runs[k]
	if p == nil {
		if len(c.runs) >= maxFacts {
			return
		}
		p = &run{From: from, To: r.To.At}
		c.runs[k] = p
		c.Runs = append(c.Runs, p)
	}
	if p.Count > 0 && p.tick == x.Tick {
		return
	}
	if p.Count > 0 && p.Stream.N > p.Final.N {
		p.Streams++
	}
	p.tick, p.Final = x.Tick, m
	if p.Count++; p.Count <= maxPieces {
		p.Marks = append(p.Marks, m)
	}
}

// answered ends a run.
func (p *run) answered(c *collector, tick uint32, m mark) {
	silent := p.Silent
	if old := *p; tick != p.tick || p.Count > 1 {
		if tick == p.tick {
			old.Count--
			old.Marks = old.Marks[:min(old.Count, len(old.Marks))]
		}
		if old.oneWay() && !c.silentBack(&old) && len(c.Runs) < maxFacts {
			c.Runs = append(c.Runs, &old)
		}
		if old.Count > 0 {
			silent = [2]mark{old.Marks[0], m}
		}
	}
	heeded := p.Heeded
	if p.Count > 1 {
		heeded = nil
	}
	if p.Count > 0 {
		heeded = append(heeded, p.Final)
	}
	*p = run{From: p.From, To: p.To, Proven: true, Heeded: heeded[max(0, len(heeded)-maxPieces):], Answer: m, Silent: silent}
}

// deposes notes that a machine acts as host in place of another one that answered its last pings: the answers did not get to it.
func (c *collector) deposes(old *reign, from netip.AddrPort, m mark) {
	p := c.runs[runKey{from, old.Host}]
	if p == nil || p.Count > 0 || len(p.Heeded) < 2 || len(c.Deposed) >= maxFacts {
		return
	}
	n := len(p.Heeded)
	every := p.Heeded[n-1].Time.Sub(p.Heeded[n-2].Time)
	if every >= atOnce && m.Time.Sub(p.Answer.Time) <= 2*every+patience {
		c.Deposed = append(c.Deposed, &deposed{mark: m, Pings: *p})
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
	if x.Count > 0 && c.left(x.Final) < patience {
		x.Count--
		x.Marks = x.Marks[:min(x.Count, len(x.Marks))]
	}
	return x
}

// silentBack reports whether pings in the other direction had no answer at the time of these: then no datagrams got through.
func (c *facts) silentBack(p *run) bool {
	return slices.ContainsFunc(c.Runs, func(q *run) bool {
		if q.From != p.To || q.To != p.From {
			return false
		}
		x := c.unanswered(q)
		return x.Count > 0 && x.Marks[0].N < p.Final.N && x.Final.N > p.Marks[0].N ||
			x.Silent[0].N < p.Final.N && x.Silent[1].N > p.Marks[0].N
	})
}

// bothWays returns the run of pings in the other direction if none of those was answered either; nil if there is none.
func (c *facts) bothWays(p *run) *run {
	for _, q := range c.Runs {
		if x := c.unanswered(q); q.From == p.To && q.To == p.From && x.Count >= silentPings-1 {
			return q
		}
	}
	return nil
}

func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}

var udpOneWay = rule{
	code: "udp-one-way", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, p := range c.Runs {
			x := c.unanswered(p)
			if !x.oneWay() || c.silentBack(p) {
				continue
			}
			f := Finding{
				Text: oneWayText(c, x.From, x.To) + "none of " + itoa(x.Count) + " pings was answered",
				More: x.Count - len(x.Marks) + x.Came - 1,
			}
			for _, m := range x.Marks {
				f.Evidence = append(f.Evidence, m.show("", "to "+x.To.Addr().String()+", no answer"))
			}
			f.Evidence = append(f.Evidence, x.Datagram.show("", "by UDP, from "+x.To.Addr().String()))
			list = append(list, f)
		}
		for _, d := range c.Deposed {
			p := &d.Pings
			if c.lives[p.To].talk.N < d.N {
				continue // it is gone
			}
			f := Finding{Text: oneWayText(c, p.To, p.From) + c.who(p.From) + " acts as host in its place, although each of the last " +
				itoa(len(p.Heeded)) + " pings was answered"}
			for _, m := range p.Heeded {
				f.Evidence = append(f.Evidence, m.show("", "to "+p.To.Addr().String()+", answered"))
			}
			f.Evidence = append(f.Evidence, p.Answer.show("", "the last answer"), d.show("", c.who(p.From)+" acts as host"))
			list = append(list, f)
		}
		for _, u := range c.Unheard {
			f := Finding{
				Text: oneWayText(c, u.Member, u.Leader) + c.who(u.Leader) + " asked it over TCP " + times(u.Count) + " whether it is there, " +
					"although it answered pings and sent " + itoa(u.Sent) + " positions between the questions",
				More: u.Count - len(u.Marks) + u.Sent - 1,
			}
			for _, m := range u.Marks {
				f.Evidence = append(f.Evidence, m.show("", "to "+u.Member.Addr().String()))
			}
			f.Evidence = append(f.Evidence, u.Position.show("", "by UDP, from "+u.Member.Addr().String()), u.Answer.show("", "by UDP, its last answer"))
			list = append(list, f)
		}
		return list
	},
	live: liveOneWay,
}

// oneWayText begins the text of a finding about datagrams from one machine to another one.
func oneWayText(c *facts, from, to netip.AddrPort) string {
	return "datagrams of " + c.who(from) + " do not get to " + c.who(to) + ", while those of " + c.who(to) + " get to it: "
}

// deafBoth tells of two machines of which neither answers the other one's pings by UDP, while they speak over TCP. The capture has
// the pings of both: it was made between them, or on both.
func (c *facts) deafBoth() (list []Finding) {
	told := map[runKey]bool{}
	for _, p := range c.Runs {
		x, q := c.unanswered(p), c.bothWays(p)
		if q == nil || x.Count < silentPings || x.Streams < 2 || told[runKey{p.To, p.From}] {
			continue
		}
		told[runKey{p.From, p.To}] = true
		back := c.unanswered(q)
		f := Finding{
			Text: c.who(x.From) + " and " + c.who(x.To) + " answered no ping of each other by UDP, of " + itoa(x.Count) + " and " +
				itoa(back.Count) + ", while they went on to speak over TCP",
			More: x.Count + back.Count - 2,
		}
		f.Evidence = []Evidence{x.Marks[0].show("", "to "+x.To.Addr().String()+", no answer"), back.Marks[0].show("", "to "+back.To.Addr().String()+", no answer"),
			x.Stream.show("", "over TCP")}
		list = append(list, f)
	}
	return list
}
