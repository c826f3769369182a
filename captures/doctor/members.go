package doctor

import (
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

// silentPings is how many pings in a row must stay without an answer before that counts: one may be lost.
const silentPings = 3

// goodbye is what a machine says of its own players when it leaves.
const goodbye = "DELETEPLAYER"

// pings are those of one machine to another since something came from there by UDP.
type pings struct {
	silence
	way // of the UDP sockets
}

// heard records that a machine sent a message. A datagram ends its silence.
func (c *collector) heard(m *message) {
	l := c.lives[m.from]
	if l == nil {
		if len(c.lives) >= maxListeners {
			return
		}
		l = new(life)
		put(&c.lives, m.from, l, maxListeners)
		put(&c.homes, m.from.Addr(), c.homes[m.from.Addr()]+1, maxListeners)
	}
	l.last = m.at
	if m.at.Message != goodbye {
		l.talk = m.at
	}
	_, answer := m.Envelope.Message.(*wire.PingReply)
	for _, p := range c.pinged[m.Src.Addr()] {
		if p.Machine != m.from && p.to != m.Src && !(answer && p.from == m.Dst) {
			continue
		}
		if p.Back.N == 0 && p.Count+flag(c.unchecked(&p.silence).N > 0) >= silentPings {
			p.Back = m.at
		}
		if m.Transport == captures.UDP {
			c.over(p, answer)
		} else {
			p.Stream = m.at
		}
	}
}

// inside records a message that only a machine which found a session sends.
func (c *collector) inside(m *message) {
	if l := c.lives[m.from]; l != nil {
		l.inside = m.at
	}
}

// ping counts a ping.
func (c *collector) ping(m *message) {
	p := c.pings.by[m.way()]
	if p == nil {
		others := c.pinged[m.Dst.Addr()]
		if len(others) >= maxPingers || len(c.pings.list) >= maxFacts {
			return
		}
		p = c.pings.at(m.way())
		p.way = m.way()
		put(&c.pinged, m.Dst.Addr(), append(others, p), maxFacts)
	}
	p.From, p.Machine = m.from, m.to
	if p.Count > 0 && p.Stream.N > p.Final.N {
		p.Between++
	}
	p.again(m.at)
	if l := c.lives[p.Machine]; l != nil && p.Count <= silentPings {
		p.Before = l.last
	}
}

// over ends a silence. answered says that the last ping of it was answered.
func (c *collector) over(p *pings, answered bool) {
	s := p.silence
	p.silence = silence{}
	if answered {
		s.undo()
	}
	s.Check = c.unchecked(&s)
	if s.Count+flag(s.Check.N > 0) >= silentPings {
		add(&c.Silences, &s)
	}
}

// unchecked returns the check of a leader in a silence, to which nothing came over TCP; zero if there is none.
func (c *collector) unchecked(s *silence) mark {
	m := c.checks[way{s.From, s.Machine}]
	if s.Count == 0 || m.N <= s.Before.N || m.N < s.Stream.N {
		return mark{}
	}
	return m
}

// A quiet is all silences of one machine that are of a kind.
type quiet struct {
	machine netip.AddrPort
	pings   int
	checks  int
	list    []*silence
}

// quiets gathers the silences that a rule is about by the machine that was silent.
func (c *facts) quiets(about func(*silence) bool) []*quiet {
	var t table[netip.AddrPort, quiet]
	for _, s := range where(c.Silences, about) {
		q := t.at(s.Machine)
		q.machine = s.Machine
		q.pings += s.Count
		q.checks += flag(s.Check.N > 0)
		q.list = append(q.list, s)
	}
	return t.list
}

// evidence returns the pings that got no answer.
func (q *quiet) evidence() (list []Evidence, more int) {
	for _, s := range q.list {
		list = append(list, s.show("to "+s.Machine.String()+", no answer")...)
	}
	more = q.pings - len(list)
	for _, s := range q.list {
		if s.Check.N > 0 {
			list = append(list, s.Check.show("", "to "+s.Machine.String()+" over TCP, no answer"))
		}
	}
	return list, more
}

// what returns the counts of unanswered pings and questions, in words.
func (q *quiet) what() string {
	questions := pick(q.checks == 1, "a question", itoa(q.checks)+" questions")
	return itoa(q.pings) + " pings" + pick(q.checks > 0, " and "+questions+" over TCP", "")
}

// ends appends a piece of evidence, and leaves out others before it if there are too many.
func (f *Finding) ends(e Evidence) {
	n := min(len(f.Evidence), maxEvidence-1)
	f.Evidence, f.More = append(f.Evidence[:n:n], e), f.More+len(f.Evidence)-n
}

// memberSilent adds what member-silent finds in a capture.
func memberSilent(c *facts, out *findings) {
	for _, q := range c.quiets(func(s *silence) bool { return s.Between == 0 && c.oneSided(s.Machine.Addr()) == nil }) {
		s := q.list[0]
		ev, more := q.evidence()
		f := out.add(c.who(q.machine)+" did not answer "+q.what(), ev...).more(more)
		if s.Before.N > 0 {
			f.Text += ", the last that was heard of it came at " + seconds(s.Before.Time.Sub(c.Begin))
			f.Evidence = append([]Evidence{s.Before.show("", "the last sign of life")}, f.Evidence...)
		}
		if s.Back.N == 0 {
			f.Text += ", and nothing after that"
			continue
		}
		f.Text += ", the next at " + seconds(s.Back.Time.Sub(c.Begin))
		f.ends(s.Back.show("", "heard again"))
	}
}

// udpBlocked adds what udp-blocked finds in a capture.
func udpBlocked(c *facts, out *findings) {
	for _, q := range c.quiets(func(s *silence) bool { return s.Between >= 2 }) {
		s := q.list[0]
		ev, more := q.evidence()
		out.add(c.who(q.machine)+" got or answered no ping by UDP, of "+itoa(q.pings)+", while it went on to speak over TCP", ev...).more(more).
			ends(s.Stream.show("", "over TCP, from "+s.Machine.String()))
	}
	c.deafBoth(out)
	for _, a := range c.asking() { // hosts that answered a question of a machine over TCP, and not the one that it asked by UDP
		if q := c.byStream(a); q != nil {
			f := c.unansweredBy(out, a, a.To.Addr().String()+" answered the question of "+c.who(a.Asker)+" over TCP, but not the one by UDP")
			f.in("questions").Evidence = append(f.Evidence, q.first().show("", "over TCP, and answered"))
		}
	}
}

// byStream returns a question over TCP to the host that did not answer one by UDP, of the same machine and for the same game, that
// was answered; nil if there is none, or if an answer to the one by UDP went wrong.
func (c *facts) byStream(a *ask) *ask {
	if a.Transport != captures.UDP || len(c.replies(a)) > 0 {
		return nil
	}
	alike := where(c.Asks.list, func(q *ask) bool { return q.Asker.Addr() == a.Asker.Addr() && q.To == a.To && c.answered(q) })
	if exists(alike, func(q *ask) bool { return q.Transport == captures.UDP }) {
		return nil // it gets there by UDP, as a rule
	}
	return find(alike, func(q *ask) bool { return q.Asker != a.Asker && q.App == a.App })
}

// liveUDP judges a host that answers over TCP only.
func liveUDP(l *Live, out *findings) {
	if !l.Host.IsValid() || l.blame() != nil {
		return
	}
	var ev []Evidence
	var asked, heard bool
	section := "dropped"
	for i := range l.Ways {
		w := &l.Ways[i]
		answers := len(w.heard()) > 0
		switch {
		case w.Any:
			continue
		case w.Transport == captures.TCP:
			heard = heard || answers
		case answers:
			return
		default:
			asked = true
			if w.Fault == Refused {
				section = "refused"
			}
		}
		ev = append(ev, w.show())
	}
	if l.faultOf(captures.UDP) == Forbidden {
		section = "forbidden"
	}
	if asked && heard {
		out.add(l.Host.String()+" answers questions over TCP, but not those by UDP", ev...).in(section)
	}
}

// dead is a machine that was told that it is in no session any more.
type dead struct {
	tally
	of way
}

// declaredDead watches the messages for declared-dead.
func declaredDead(c *facts) (func(*message), func(*findings)) {
	var all table[way, dead]
	see := func(m *message) {
		if _, ok := m.Envelope.Message.(*wire.YouAreDead); ok {
			d := all.at(m.machines())
			d.of = m.machines()
			d.again(m.at)
		}
	}
	tell := func(out *findings) {
		for _, d := range all.list {
			out.add(c.who(d.of.from)+" told "+c.who(d.of.to)+" that it is not in the session any more", d.show("", "")).more(d.Count - 1)
		}
	}
	return see, tell
}

// severalHosts adds what several-hosts finds in a capture.
func severalHosts(c *facts, out *findings) {
	told := map[wire.GUID]bool{}
	for i, old := range c.Reigns {
		later := where(c.Reigns[i+1:], func(r *reign) bool { return r.What == old.What })
		if len(later) == 0 || told[old.What] || c.talk(old.Host).N <= later[0].N {
			continue
		}
		told[old.What] = true
		f := out.add(c.who(old.Host)+" and "+c.who(later[0].Host)+" were host of "+named(old.Name)+" at the same time",
			old.show("", c.who(old.Host)+" is host"))
		if old.Until != old.mark {
			f.Evidence = append(f.Evidence, old.Until.show("", c.who(old.Host)+" acts as host"))
		}
		for _, r := range later {
			f.Evidence = append(f.Evidence, r.show("", c.who(r.Host)+" acts as host"))
		}
		f.ends(c.talk(old.Host).show("", c.who(old.Host)+" is still there"))
	}
}

// forwardUnacked adds what add-forward-unacked finds in a capture.
func forwardUnacked(c *facts, out *findings) {
	for _, f := range c.Forwards {
		if !f.Acked && !c.late(f.mark) && c.oneSided(f.Member.Addr()) == nil {
			out.add(c.who(f.Member)+" did not confirm the newcomer "+f.Player.String()+" to the host "+c.who(f.Host)+" within "+
				seconds(c.left(f.mark)), f.show("PlayerID", f.Player.String()))
		}
	}
}

// A stranger is game messages of a machine between players that nobody announced.
type stranger struct {
	tally
	Machine  netip.AddrPort
	From, To wire.PlayerID
}

// gameIDsUnknown watches the messages for game-ids-unknown.
func gameIDsUnknown(c *facts) (func(*message), func(*findings)) {
	var all table[netip.AddrPort, stranger]
	see := func(m *message) {
		if _, game := m.Envelope.Message.(*wire.PlayerMessage); !game || m.Transport != captures.TCP {
			return
		}
		a, b, ok := m.FromTo()
		if !ok || b == wire.IDAll || m.Session.Player(a) != nil || m.Session.Player(b) != nil {
			return
		}
		if c.joining[m.from] == nil && c.joining[m.to] == nil {
			return // the capture began after the players were announced
		}
		s := all.at(m.from)
		if s.again(m.at); s.Count == 1 {
			s.Machine, s.From, s.To = m.from, a, b
		}
	}
	tell := func(out *findings) {
		for _, s := range all.list {
			out.add(c.who(s.Machine)+" sent game messages between players that do not exist, "+times(s.Count),
				s.show("From", s.From.String()), s.show("To", s.To.String())).more(s.Count - 1)
		}
	}
	return see, tell
}
