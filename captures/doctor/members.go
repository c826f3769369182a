package doctor

import (
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/wire"
)

// A quiet is all silences of one machine that are of a kind.
type quiet struct {
	machine netip.AddrPort
	pings   int
	list    []*silence
}

// quiets gathers the silences that a rule is about by the machine that was silent.
func (c *facts) quiets(about func(*silence) bool) (list []*quiet) {
	by := map[netip.AddrPort]*quiet{}
	for _, s := range c.Silences {
		if !about(s) {
			continue
		}
		q := by[s.Machine]
		if q == nil {
			q = &quiet{machine: s.Machine}
			by[s.Machine] = q
			list = append(list, q)
		}
		q.pings += s.Count
		q.list = append(q.list, s)
	}
	return list
}

// evidence returns the pings that got no answer.
func (q *quiet) evidence() (list []Evidence, more int) {
	for _, s := range q.list {
		for _, m := range s.Marks {
			list = append(list, m.show("", "to "+s.Machine.String()+", no answer"))
		}
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
	n := 0
	for _, s := range q.list {
		n += flag(s.Check.N > 0)
	}
	switch n {
	case 0:
		return itoa(q.pings) + " pings"
	case 1:
		return itoa(q.pings) + " pings and a question over TCP"
	}
	return itoa(q.pings) + " pings and " + itoa(n) + " questions over TCP"
}

var memberSilent = rule{
	code: "member-silent", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		for _, q := range c.quiets(func(s *silence) bool { return s.Between == 0 && c.oneSided(s.Machine.Addr()) == nil }) {
			s := q.list[0]
			ev, more := q.evidence()
			text := c.who(q.machine) + " did not answer " + q.what()
			if s.Before.N > 0 {
				text += ", the last that was heard of it came at " + seconds(s.Before.Time.Sub(c.Begin))
				ev = append([]Evidence{s.Before.show("", "the last sign of life")}, ev...)
			}
			if s.Back.N > 0 {
				text += ", the next at " + seconds(s.Back.Time.Sub(c.Begin))
				n := min(len(ev), maxEvidence-1)
				ev, more = append(ev[:n:n], s.Back.show("", "heard again")), more+len(ev)-n
			} else {
				text += ", and nothing after that"
			}
			list = append(list, Finding{Text: text, Evidence: ev, More: more})
		}
		return list
	},
}

var udpBlocked = rule{
	code: "udp-blocked", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, q := range c.quiets(func(s *silence) bool { return s.Between >= 2 }) {
			s := q.list[0]
			ev, more := q.evidence()
			if n := maxEvidence - 1; len(ev) > n {
				ev, more = ev[:n], more+len(ev)-n
			}
			list = append(list, Finding{
				Text: c.who(q.machine) + " got or answered no ping by UDP, of " + itoa(q.pings) + ", while it went on " +
					"to speak over TCP",
				Evidence: append(ev, s.Stream.show("", "over TCP, from "+s.Machine.String())), More: more,
			})
		}
		return slices.Concat(list, c.deafBoth(), deafToUDP(c))
	},
	live: liveUDP,
}

// deafToUDP tells of hosts that answered a question of a machine over TCP, and not the one that it asked by UDP.
func deafToUDP(c *facts) (list []Finding) {
	for _, a := range c.asking() {
		q := c.byStream(a)
		if q == nil {
			continue
		}
		ev, more := c.questions(a.Asker)
		list = append(list, Finding{
			Text:     a.To.Addr().String() + " answered the question of " + c.who(a.Asker) + " over TCP, but not the one by UDP",
			Evidence: append(ev, q.Marks[0].show("", "over TCP, and answered")), More: more,
			section: "questions",
		})
	}
	return list
}

// byStream returns a question over TCP to the host that did not answer one by UDP, of the same machine and for the same game, that
// was answered; nil if there is none, or if an answer to the one by UDP went wrong.
func (c *facts) byStream(a *ask) *ask {
	if a.Transport != captures.UDP || len(c.replies(a)) > 0 {
		return nil
	}
	for _, q := range c.Asks {
		same := q.Asker.Addr() == a.Asker.Addr() && q.Asker != a.Asker && q.To == a.To && q.App == a.App
		if !same || !c.answered(q) {
			continue
		}
		if q.Transport == captures.UDP {
			return nil // it gets there, as a rule
		}
		for _, r := range c.Asks {
			if r.Asker.Addr() == a.Asker.Addr() && r.To == a.To && r.Transport == captures.UDP && c.answered(r) {
				return nil
			}
		}
		return q
	}
	return nil
}

// liveUDP judges a host that answers over TCP only.
func liveUDP(l *Live) []Finding {
	if !l.Host.IsValid() || l.blame() != nil {
		return nil
	}
	var ev []Evidence
	asked, heard, refused := false, false, false
	for i := range l.Ways {
		w := &l.Ways[i]
		if w.Any {
			continue
		}
		ev = append(ev, w.show())
		if w.Transport == captures.TCP {
			heard = heard || len(w.heard()) > 0
			continue
		}
		if len(w.heard()) > 0 {
			return nil
		}
		asked, refused = true, refused || w.Fault == Refused
	}
	if !asked || !heard {
		return nil
	}
	f := Finding{
		Text:     l.Host.String() + " answers questions over TCP, but not those by UDP",
		Evidence: ev,
		section:  "dropped",
	}
	if refused {
		f.section = "refused"
	}
	if l.faultOf(captures.UDP) == Forbidden {
		f.section = "forbidden"
	}
	return []Finding{f}
}

var declaredDead = rule{
	code: "declared-dead", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, d := range c.Dead {
			list = append(list, Finding{
				Text:     c.who(d.By) + " told " + c.who(d.Machine) + " that it is not in the session any more",
				Evidence: []Evidence{d.show("", "")}, More: d.Count - 1,
			})
		}
		return list
	},
}

var severalHosts = rule{
	code: "several-hosts", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		told := map[wire.GUID]bool{}
		for i, old := range c.Reigns {
			next := successor(c, i)
			if next == nil || told[old.What] || c.lives[old.Host].talk.N <= next.N {
				continue
			}
			told[old.What] = true
			ev, more := rivals(c, i)
			list = append(list, Finding{
				Text:     c.who(old.Host) + " and " + c.who(next.Host) + " were host of " + named(old.Name) + " at the same time",
				Evidence: ev, More: more,
			})
		}
		return list
	},
}

// rivals returns the reigns of a session from one on, where the first one began and how long it went on, and that the
// first host lived on.
func rivals(c *facts, from int) (list []Evidence, more int) {
	old := c.Reigns[from]
	list = append(list, old.show("", c.who(old.Host)+" is host"))
	if old.Until != old.mark {
		list = append(list, old.Until.show("", c.who(old.Host)+" acts as host"))
	}
	for _, r := range c.Reigns[from+1:] {
		if r.What == old.What {
			list = append(list, r.show("", c.who(r.Host)+" acts as host"))
		}
	}
	n := min(len(list), maxEvidence-1)
	return append(list[:n:n], c.lives[old.Host].talk.show("", c.who(old.Host)+" is still there")), len(list) - n
}

// successor returns the reign after one.
func successor(c *facts, i int) *reign {
	for _, n := range c.Reigns[i+1:] {
		if n.What == c.Reigns[i].What {
			return n
		}
	}
	return nil
}

var forwardUnacked = rule{
	code: "add-forward-unacked", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		for _, f := range c.Forwards {
			if f.Acked || c.left(f.mark) < patience || c.oneSided(f.Member.Addr()) != nil {
				continue
			}
			list = append(list, Finding{
				Text: c.who(f.Member) + " did not confirm the newcomer " + f.Player.String() + " to the host " +
					"" + c.who(f.Host) + " within " + seconds(c.left(f.mark)),
				Evidence: []Evidence{f.show("PlayerID", f.Player.String())},
			})
		}
		return list
	},
}

var gameIDsUnknown = rule{
	code: "game-ids-unknown", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, s := range c.Strangers {
			list = append(list, Finding{
				Text: c.who(s.Machine) + " sent game messages between players that do not exist, " + times(s.Count),
				Evidence: []Evidence{
					s.show("From", s.From.String()),
					s.show("To", s.To.String()),
				},
				More: s.Count - 1,
			})
		}
		return list
	},
}
