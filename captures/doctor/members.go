package doctor

import (
	"cmp"
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

// silentPings is how many pings in a row must stay without an answer before that counts: one may be lost.
const silentPings = 3

// goodbye is the message that a machine sends about its own players when it leaves.
const goodbye = "DELETEPLAYER"

// pings are those of one machine to another since something came from there by UDP.
type pings struct {
	silence
	way // of the UDP sockets
}

// heard records that a machine sent a message. A datagram ends its silence.
func (c *collector) heard(m *message) {
	s := m.sender
	s.last = m.at
	s.talk = pick(m.at.Message == goodbye, s.talk, m.at)
	_, answer := m.Envelope.Message.(*wire.PingReply)
	for _, p := range c.pinged[m.Src.Addr()] {
		if p.Machine != m.from && p.to != m.Src && !(answer && p.from == m.Dst) {
			continue
		}
		if c.long(&p.silence) {
			p.Back = cmp.Or(p.Back, m.at)
		}
		if m.tcp {
			p.Stream = m.at
		} else {
			c.over(p, answer)
		}
	}
}

// ping counts a ping.
func (c *collector) ping(m *message) {
	p := c.pings.by[m.sockets()]
	if p == nil {
		others := c.pinged[m.Dst.Addr()]
		if len(others) >= maxPingers || len(c.pings.list) >= maxFacts {
			return
		}
		p = c.pings.at(m.sockets(), pings{way: m.sockets()})
		put(&c.pinged, m.Dst.Addr(), append(others, p), maxFacts)
	}
	p.From, p.Machine = m.from, m.to
	p.unanswered.ping(m.at)
	p.Before = pick(p.Count <= silentPings, m.receiver.last, p.Before)
}

// over ends a silence. answered reports whether its last ping was answered.
func (c *collector) over(p *pings, answered bool) {
	s := p.silence
	p.silence = silence{}
	if answered {
		s.undo()
	}
	s.Check = c.unchecked(&s)
	if c.long(&s) {
		add(&c.Silences, &s)
	}
}

// long reports whether pings and the check of a leader are enough that got no answer in a silence.
func (c *collector) long(s *silence) bool { return s.Count+flag(c.unchecked(s).N > 0) >= silentPings }

// unchecked returns the check of a leader in a silence, to which nothing came over TCP; zero if there is none.
func (c *collector) unchecked(s *silence) mark {
	m := c.checks[way{s.From, s.Machine}]
	return pick(s.Count == 0 || m.N <= s.Before.N || m.N < s.Stream.N, mark{}, m)
}

// A quiet is all silences of one machine that are of a kind.
type quiet []*silence

// quiets returns a function that gathers the silences for which about returns true by the machine that was silent.
func quiets(about func(*facts, *silence) bool) func(*facts) [][]*silence {
	return func(c *facts) [][]*silence {
		return groups(where(c.Silences, func(s *silence) bool { return about(c, s) }), func(s *silence) netip.AddrPort { return s.Machine })
	}
}

// pings and checks return how many pings and questions of leaders got no answer.
func (q quiet) pings() int  { return sum(q, func(s *silence) int { return s.Count }) }
func (q quiet) checks() int { return sum(q, func(s *silence) int { return flag(s.Check.N > 0) }) }

// found returns a finding that has the pings and the questions without an answer as evidence.
func (q quiet) found(text string) *Finding {
	f := found(text, flat(q, func(s *silence) []Evidence { return s.show("to " + s.Machine.String() + ", no answer") })...)
	return f.more(q.pings() - len(f.Evidence)).with(mapped(q, func(s *silence) Evidence {
		return s.Check.show("", "to "+s.Machine.String()+" over TCP, no answer")
	})...)
}

// memberSilent is the rule member-silent for captures.
var memberSilent = each(quiets(func(c *facts, s *silence) bool { return s.Between == 0 && !c.oneSided(s.Machine.Addr()) }),
	func(c *facts, list []*silence) *Finding {
		q, s := quiet(list), list[0]
		questions := pick(q.checks() == 1, "a question", itoa(q.checks())+" questions")
		f := q.found(c.who(s.Machine) + " did not answer " + itoa(q.pings()) + " pings" + pick(q.checks() > 0, " and "+questions+" over TCP", ""))
		f.begins(s.Before.show("", "the last sign of life")).Text +=
			pick(s.Before.N > 0, ", the last that was heard of it came at "+seconds(s.Before.Time.Sub(c.Begin)), "")
		if s.Back.N == 0 {
			f.Text += ", and nothing after that"
			return f
		}
		f.Text += ", the next at " + seconds(s.Back.Time.Sub(c.Begin))
		return f.ends(s.Back.show("", "heard again"))
	})

// udpBlocked is the rule udp-blocked for captures.
var udpBlocked = all(each(quiets(func(_ *facts, s *silence) bool { return s.Between >= 2 }), func(c *facts, list []*silence) *Finding {
	q, s := quiet(list), list[0]
	return q.found(c.who(s.Machine) + " got or answered no ping by UDP, of " + itoa(q.pings()) + ", while it went on to speak over TCP").
		ends(s.Stream.show("", "over TCP, from "+s.Machine.String()))
}), each((*facts).deafBoth, (*facts).deaf), each(asksWhere(func(a *ask) bool { return a.stream != nil }), func(c *facts, a *ask) *Finding {
	return c.unansweredBy(a, a.To.Addr().String()+" answered the question of "+c.who(a.Asker)+" over TCP, but not the one by UDP").
		in("questions").with(a.stream.first().show("", "over TCP, and answered"))
}))

// byStream returns a question over TCP to the host that did not answer one by UDP, of the same machine and for the same game, that
// was answered; nil if there is none, or if an answer to the one by UDP went wrong.
func (c *facts) byStream(a *ask) *ask {
	if a.Transport != captures.UDP || len(a.replies) > 0 {
		return nil
	}
	alike := where(c.Asks.list, func(q *ask) bool { return q.Asker.Addr() == a.Asker.Addr() && q.To == a.To && q.answered })
	if exists(alike, func(q *ask) bool { return q.Transport == captures.UDP }) {
		return nil // it gets there by UDP, as a rule
	}
	return find(alike, func(q *ask) bool { return q.Asker != a.Asker && q.App == a.App })
}

// liveUDP is the rule udp-blocked for this machine: a host answers over TCP only.
var liveUDP = one(func(l *Live) *Finding {
	ways := where(l.Ways, func(w Way) bool { return !w.Any })
	udp := where(ways, func(w Way) bool { return w.Transport == captures.UDP })
	answered := where(ways, Way.answered)
	if !l.Host.IsValid() || l.culprit != nil || len(udp) == 0 || len(answered) == 0 || exists(udp, Way.answered) {
		return nil
	}
	section := pick(exists(udp, func(w Way) bool { return w.Fault == Refused }), "refused", "dropped")
	return found(l.Host.String()+" answers questions over TCP, but not those by UDP", mapped(ways, Way.show)...).
		in(pick(l.faultOf(captures.UDP) == Forbidden, "forbidden", section))
})

// dead is a machine that was told that it is in no session any more.
type dead struct {
	way
	tally
}

// declaredDead is the rule declared-dead for captures.
var declaredDead = each(func(c *facts) []*dead { return c.Dead.list }, func(c *facts, d *dead) *Finding {
	return d.found(c.who(d.from)+" told "+c.who(d.to)+" that it is not in the session any more", "", "")
})

// severalHosts is the rule several-hosts for captures.
var severalHosts = each(func(c *facts) [][]*reign {
	return groups(c.Reigns, func(r *reign) wire.GUID { return r.What })
}, func(c *facts, list []*reign) *Finding {
	for ; len(list) > 1; list = list[1:] {
		if old, later := list[0], list[1:]; c.talk(old.Host).N > later[0].N {
			return c.rivals(old, later)
		}
	}
	return nil
})

// rivals returns the finding about a host that went on while others acted as host.
func (c *facts) rivals(old *reign, later []*reign) *Finding {
	acts := func(m mark, r *reign) Evidence { return m.show("", c.who(r.Host)+" acts as host") }
	f := found(c.who(old.Host)+" and "+c.who(later[0].Host)+" were host of "+named(old.Name)+" at the same time",
		old.show("", c.who(old.Host)+" is host"), acts(pick(old.Until == old.mark, mark{}, old.Until), old))
	return f.with(mapped(later, func(r *reign) Evidence { return acts(r.mark, r) })...).
		ends(c.talk(old.Host).show("", c.who(old.Host)+" is still there"))
}

// forwardUnacked is the rule add-forward-unacked for captures.
var forwardUnacked = each(func(c *facts) []*forward {
	return where(c.Forwards, func(f *forward) bool { return !f.Acked && !c.late(f.mark) && !c.oneSided(f.Member.Addr()) })
}, func(c *facts, f *forward) *Finding {
	return found(c.who(f.Member)+" did not confirm the newcomer "+f.Player.String()+" to the host "+c.who(f.Host)+" within "+
		seconds(c.left(f.mark)), f.show("PlayerID", f.Player.String()))
})

// A stranger is game messages of a machine between players that nobody announced.
type stranger struct {
	tally
	Machine  netip.AddrPort
	From, To wire.PlayerID
}

// gameMessage counts a game message between players that nobody announced.
func (c *collector) gameMessage(m *message, _ *wire.PlayerMessage) {
	a, b, ok := m.FromTo()
	if ok && m.tcp && m.began() && b != wire.IDAll && m.in.Player(a) == nil && m.in.Player(b) == nil {
		c.Strangers.at(m.from, stranger{Machine: m.from, From: a, To: b}).again(m.at)
	}
}

// gameIDsUnknown is the rule game-ids-unknown for captures.
var gameIDsUnknown = each(func(c *facts) []*stranger { return c.Strangers.list }, func(c *facts, s *stranger) *Finding {
	return s.found(c.who(s.Machine)+" sent game messages between players that do not exist, "+times(s.Count), "From", s.From.String()).
		with(s.show("To", s.To.String()))
})
