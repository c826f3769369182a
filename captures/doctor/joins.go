package doctor

import (
	"cmp"
	"errors"
	"math"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// joinAsked begins a join. Some joiners ask again if no answer comes.
func (c *collector) joinAsked(m *message) {
	c.listen(m.from)
	c.listen(m.Dst)
	j := m.sender.joining()
	if j.Host != m.to || !j.waits() {
		j = &join{Joiner: m.from, Host: m.to, Asked: m.at, Version: m.Envelope.Version, Session: clip(m.in.Name)}
		add(&c.Joins, j)
		m.sender.join = j
	}
	j.Asks++
	j.Final, j.Conn, j.Door, j.LastSeen = m.at, m.Src, m.Dst, m.at
	put(&c.conns, m.sockets(), j, maxFacts)
}

// answerTo returns the join that a message of a host answers; a new one that no list has if its beginning is not in the capture. A host
// that is asked at one address may answer from another.
func (c *collector) answerTo(m *message) *join {
	j := m.receiver.joining()
	j.HostVersion = cmp.Or(j.HostVersion, m.Envelope.Version)
	return j
}

// waiter returns the join of a machine that waits for an id, and is sent one to another port than the one it listens on now:
// its program closed the connection of its search. If there is none, or more than one, waiter returns a new one that has an id.
func (c *collector) waiter(m *message) *join {
	list := where(c.Joins, func(j *join) bool { return way{j.Host, j.Joiner}.addrs() == m.addrs() && j.waits() })
	return pick(len(list) == 1, first(list), &join{ID: m.at})
}

// idReply stores the answer to a request for an id: of a machine that joins, or of one that is in.
func (c *collector) idReply(m *message, x *wire.RequestPlayerReply) {
	j := c.answerTo(m)
	if m.receiver.join == nil {
		j = c.waiter(m)
	}
	system := j.ID.Frame == 0
	if !system {
		c.idAnswered(m, pick(x.Result == wire.OK, x.ID, 0))
	}
	switch {
	case x.Result != wire.OK:
		c.refusal(m, "Result", x.Result, system)
	case system:
		j.ID, j.IDErr, j.Player = m.at, m.Err, x.ID
		j.IDWay = m.sockets()
	default:
		for _, no := range where(c.Refusals, func(r *refusal) bool { return r.Joiner == m.to && !r.System }) {
			no.Later = cmp.Or(no.Later, m.at)
		}
	}
}

// refusal stores a refusal of a host.
func (c *collector) refusal(m *message, field string, why wire.HResult, system bool) {
	x := &refusal{mark: m.at, Host: m.from, Joiner: m.to, Field: field, Result: why, System: system, Session: clip(cmp.Or(m.sender.offers, m.in.Name)),
		Flags: m.in.Flags, Described: m.in.Described}
	if x.Described {
		x.Players, x.Max = m.room.players(), m.room.desc.MaxPlayers
	}
	if system {
		m.receiver.joining().Refused = x
	}
	add(&c.Refusals, x)
}

// list stores the list that ends a join. Members get lists as well.
func (c *collector) list(m *message) {
	c.acts(m, false)
	j := c.answerTo(m)
	if j.List.Frame != 0 {
		return
	}
	j.List = m.at
	if m.Err == nil && j.Password.String() != "" {
		m.room.password = j.Password // it was the right one
	}
	j.Session = cmp.Or(clip(m.in.Name), j.Session)
	errors.As(m.Err, &j.ListErr)
	j.Strays = last(where(m.Findings, func(f captures.Finding) bool { return f.Code == captures.StrayOctets })).Text
}

// forward stores a newcomer that the host announced to a member.
func (c *collector) forward(m *message, x *wire.AddForward) {
	c.acts(m, false)
	f := &forward{mark: m.at, Host: m.from, telling: telling{m.to, x.Player}}
	add(&c.Forwards, f)
	put(&c.told, f.telling, f, maxFacts)
	c.spData(m, x.Info.SPData, "SPData", false)
	c.nameOf(m, &x.Info)
}

// ack settles a newcomer that a member was told of. Wine and Windows name the newcomer; a zero settles the oldest.
func (c *collector) ack(m *message, x *wire.AddForwardAck) {
	f := c.told[telling{m.from, x.ID}]
	if x.ID == wire.IDAll {
		f = cmp.Or(f, find(c.Forwards, func(f *forward) bool { return f.Member == m.from && !f.Acked }))
	}
	cmp.Or(f, new(forward)).Acked = true
}

// A stop is where a join ended that did not get through.
type stop struct {
	*join
	step     mark   // the last message
	what     string // its name, with its command
	host     bool   // the host owes the answer, not the joiner
	cut      bool   // the capture ends there
	instead  string // what came instead of the answer: "", or words that begin with ", " or ": "
	evidence []Evidence
	section  string // of the page; "": its own cause
	short    string // the octets of the host's last message that do not fit its size; "": they do
}

// findStops finds where joins stopped. Of the tries of one joiner at one host the last one is judged.
func (c *facts) findStops() {
	tries := groups(c.Joins, func(j *join) way { return way{j.Joiner, j.Host} })
	c.stops = where(mapped(tries, func(list []*join) *stop { return &stop{join: last(list)} }), c.stop)
	shown := flat(c.stops, func(s *stop) []Evidence { return s.evidence })
	c.stopped = set(mapped(shown, func(e Evidence) int { return e.Frame }))
	c.stopsN = set(append(mapped(shown, func(e Evidence) int { return e.N }), mapped(c.stops, func(s *stop) int { return s.step.N })...))
}

// stop reports whether a join stopped, and stores where. Other rules report a join that was refused, or that ended with a list that does
// not decode. Where the capture has the joiner's side alone, the host's answers are not known.
func (c *facts) stop(s *stop) bool {
	j := s.join
	switch {
	case j.Refused != nil, c.oneSided(j.Host.Addr()):
		return false
	case j.List.Frame > 0:
		s.step, s.what = j.List, "the list of players ("+j.List.Message+")"
		return j.After == 0 && j.ListErr == nil && c.bounced(s)
	case j.In:
		return false
	case j.Request.Frame > 0:
		s.step, s.what, s.host = j.Request, "the request to be let in (ADDFORWARDREQUEST)", true
		c.missing(s)
	case j.IDErr != nil:
		s.step, s.what = j.ID, "the id (REQUESTPLAYERREPLY)"
		s.adds(", which cannot be read: "+j.IDErr.Error(), "unreadable")
		return true
	case j.ID.Frame > 0:
		s.step, s.what = j.ID, "the id (REQUESTPLAYERREPLY)"
		return c.bounced(s) || c.overrun(s) || !c.late(j.ID)
	default:
		s.step, s.what, s.host = j.Final, "the request for an id (REQUESTPLAYERID)", true
		c.missing(s)
		s.step = j.Asked
	}
	s.cut = s.instead == "" && c.late(s.step)
	return !s.cut || s.step.N == c.Summary.Messages
}

// bounced reports whether the host's last message was answered with RST, and stores that.
func (c *facts) bounced(s *stop) bool {
	x := find(c.Resets, func(x *reset) bool { return x.Sent.N == s.step.N })
	if x != nil {
		s.reset(x, ", which "+c.who(s.Joiner)+" answered with RST", "")
	}
	return x != nil
}

// overrun reports whether octets that belong to no message stand behind the id on its connection, and stores them. In a later frame
// they may be the beginning of another message, of which the capture lacks the end.
func (c *facts) overrun(s *stop) bool {
	last := pick(c.late(s.ID), s.ID.Frame, math.MaxInt)
	b := find(c.overruns, func(b *broken) bool { return b.way == s.IDWay && b.Frame >= s.ID.Frame && b.Frame <= last })
	if b != nil {
		s.short = b.Text
		s.adds("", "", b.show("", b.Text))
	}
	return b != nil
}

// adds stores the words for the event that came instead of an answer, the case of the page, and evidence.
func (s *stop) adds(instead, section string, evidence ...Evidence) {
	s.instead, s.section, s.evidence = instead, section, append(s.evidence, evidence...)
}

// reset stores an RST, with words for it.
func (s *stop) reset(x *reset, words, section string) {
	way := "from " + x.to.String() + " to " + x.from.String()
	s.adds(words+" in frame "+itoa(x.Frame), section, x.show("", way))
	if x.Closed.Frame > 0 {
		s.adds(s.instead+": it had closed that connection in frame "+itoa(x.Closed.Frame), section, x.Closed.show("", way))
	}
}

// missing stores the event that came instead of the host's answer.
func (c *facts) missing(s *stop) {
	j, host, late := s.join, s.Host.Addr(), c.late(s.step)
	behind := func(m mark) bool { return m.Frame > s.step.Frame }
	b := find(c.unread, func(b *broken) bool { // not what the capture ends in the middle of
		return behind(b.mark) && b.addrs() == addrs{host, j.Joiner.Addr()} && !(b.Short && late)
	})
	x := find(c.Resets, func(x *reset) bool { return x.way == way{j.Conn, j.Door} && x.Sent.N >= s.step.N })
	d := c.Dials.get(dialKey{host, j.Joiner})
	f := find(c.Forwards, func(f *forward) bool {
		return f.Player == j.Player && f.Host.Addr() == host && !f.Acked && f.N > s.step.N
	})
	switch {
	case b != nil:
		s.adds(": what came instead cannot be read: "+b.Text, "unreadable", b.show("", b.Text))
		s.short = pick(b.Short && len(c.Losses) == 0, b.Text, "")
	case x != nil:
		s.reset(x, ": RST came instead", "reset")
	case behind(d.Refused.mark):
		s.adds(": its connection to "+d.To.String()+" was refused in frame "+itoa(d.Refused.Frame), "", d.refusal())
	case behind(j.Ended):
		s.adds(", but ended the connection in frame "+itoa(j.Ended.Frame), "hung-up", j.Ended.show("", "from "+j.Host.String()))
	case f != nil:
		s.adds(": it waits for "+c.who(f.Member)+" to confirm the newcomer (ADDFORWARDACK)", "", f.show("PlayerID", f.Player.String()))
	}
}

// stopsWhere returns a function for the stops for which so returns true.
func stopsWhere(so func(*stop) bool) func(*facts) []*stop {
	return func(c *facts) []*stop { return where(c.stops, so) }
}

// replyCutShort is the rule reply-cut-short for captures.
var replyCutShort = all(each(asksWhere(func(a *ask) bool { return a.cut != nil && a.mute != nil }), (*facts).answerCutShort),
	each(stopsWhere(func(s *stop) bool { return s.short != "" }), (*facts).stopCutShort))

// answerCutShort judges the answer to a question.
func (c *facts) answerCutShort(a *ask) *Finding {
	b := a.cut
	return found(b.from.Addr().String()+" cut its answer to the question of "+c.who(a.Asker)+" for sessions short: "+b.Text,
		a.first().show("SockAddr", a.Asker.String()), b.show("", b.Text))
}

// stopCutShort judges the last message of a join's host.
func (c *facts) stopCutShort(s *stop) *Finding {
	return found(c.who(s.Host)+pick(s.host, " cut its answer to "+s.what+" of "+c.who(s.Joiner)+" short: ",
		" sent more octets of "+s.what+" to "+c.who(s.Joiner)+" than its size has, and the join stops there; left over: ")+s.short, s.step.show("", "")).with(s.evidence...)
}

// joinUnanswered is the rule join-unanswered for captures.
var joinUnanswered = each(stopsWhere(func(s *stop) bool { return s.host && s.short == "" }), func(c *facts, s *stop) *Finding {
	tries := pick(s.Asks > 1 && s.Request.Frame == 0, ", asked "+times(s.Asks)+",", "")
	return found(c.who(s.Host)+" did not answer "+s.what+" of "+c.who(s.Joiner)+tries+" within "+seconds(c.left(s.step))+s.instead,
		s.step.show("", "to "+s.Host.String())).with(s.evidence...).in(pick(s.cut, "cut", s.section)).as(pick(s.cut, Warning, Failure))
})

// patience is how long a capture must go on before a missing answer counts.
const patience = time.Second

// joinAbandoned is the rule join-abandoned for captures.
var joinAbandoned = each(stopsWhere(func(s *stop) bool { return !s.host && s.short == "" }), func(c *facts, s *stop) *Finding {
	quiet := s.instead == ""
	instead := pick(quiet, ": nothing came from it for "+seconds(c.left(s.step)), s.instead)
	return found(c.who(s.Joiner)+" stopped joining after "+s.what+" of "+c.who(s.Host)+instead, s.step.show("", "to "+s.Joiner.String())).
		with(s.evidence...).in(pick(quiet, "quiet", s.section)).as(pick(quiet, Warning, Failure))
})
