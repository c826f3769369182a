package doctor

import (
	"cmp"
	"errors"
	"math"
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// joinAsked begins a join. Some ask again if they hear nothing.
func (c *collector) joinAsked(m *message) {
	c.listen(m.from)
	c.listen(m.Dst)
	j := c.joining[m.from]
	if j == nil || j.Host != m.to || !j.waits() {
		if len(c.Joins) >= maxFacts {
			return
		}
		j = &join{Joiner: m.from, Host: m.to, Asked: m.at, Version: m.Envelope.Version, Session: m.sessionName()}
		add(&c.Joins, j)
		put(&c.joining, m.from, j, maxFacts)
	}
	j.Asks++
	j.Final, j.Conn, j.Door, j.LastSeen = m.at, m.Src, m.Dst, m.at
	put(&c.conns, m.Src, j, maxListeners)
}

// answerTo returns the join that a message of a host answers, nil if its beginning is not in the capture. A host that is
// asked at one address may answer from another.
func (c *collector) answerTo(m *message) *join {
	j := c.joining[m.to]
	if j != nil && j.HostVersion == 0 {
		j.HostVersion = m.Envelope.Version
	}
	return j
}

// waiter returns the join of a machine that waits for an id, and is sent one to another port than the one it listens on now:
// its program closed the connection of its search. nil if there is none, or more than one.
func (c *collector) waiter(m *message) *join {
	list := where(c.Joins, func(j *join) bool {
		return j.Joiner.Addr() == m.to.Addr() && j.Host.Addr() == m.from.Addr() && j.waits()
	})
	if len(list) != 1 {
		return nil
	}
	return list[0]
}

// idReply stores the answer to a request for an id: of a machine that joins, or of one that is in.
func (c *collector) idReply(m *message, x *wire.RequestPlayerReply) {
	j := c.answerTo(m)
	if j == nil {
		j = c.waiter(m)
	}
	system := j != nil && j.ID.Frame == 0
	switch {
	case x.Result != wire.OK:
		if !system {
			c.idAnswered(m, 0)
		}
		c.refusal(m, "Result", x.Result, system)
	case system:
		j.ID, j.IDErr, j.Player = m.at, m.Err, x.ID
		j.IDFrom, j.IDTo = m.Src, m.Dst
	default:
		c.idAnswered(m, x.ID)
		for _, no := range c.denied[m.to] {
			no.Later = m.at
		}
		delete(c.denied, m.to)
	}
}

// refusal stores a refusal of a host.
func (c *collector) refusal(m *message, field string, why wire.HResult, system bool) {
	x := &refusal{mark: m.at, Host: m.from, Joiner: m.to, Field: field, Result: why, System: system, Session: m.sessionName()}
	if s := m.Session; s != nil {
		x.Flags, x.Described = s.Flags, s.Described
		if h := c.room(m.Record); h != nil && s.Described {
			x.Players, x.Max = h.players, h.max
		}
	}
	if j := c.joining[m.to]; j != nil && system {
		j.Refused = x
	}
	if len(c.Refusals) >= maxFacts {
		return
	}
	for _, o := range c.Offers.list {
		if o.Host == m.from {
			x.Session = o.Name
		}
	}
	add(&c.Refusals, x)
	if !system {
		put(&c.denied, x.Joiner, append(c.denied[x.Joiner], x), maxFacts)
	}
}

// list stores the list that ends a join. Members get lists as well.
func (c *collector) list(m *message) {
	c.acts(m, false)
	j := c.answerTo(m)
	if j == nil || j.List.Frame != 0 {
		return
	}
	j.List = m.at
	if s := c.room(m.Record); s != nil && m.Err == nil && j.Password.String() != "" {
		s.password = j.Password // it was the right one
	}
	j.Session = cmp.Or(m.sessionName(), j.Session)
	errors.As(m.Err, &j.ListErr)
	for i := range m.Findings {
		if m.Findings[i].Code == captures.StrayOctets {
			j.Strays = m.Findings[i].Text
		}
	}
}

// forward stores a newcomer that the host announced to a member.
func (c *collector) forward(m *message, x *wire.AddForward) {
	c.acts(m, false)
	if len(c.Forwards) >= maxFacts {
		return
	}
	f := &forward{mark: m.at, Host: m.from, telling: telling{m.to, x.Player}}
	add(&c.Forwards, f)
	put(&c.told, f.telling, f, maxFacts)
	put(&c.waiting, f.Member, append(c.waiting[f.Member], f), maxListeners)
}

// ack settles what a member was told. Wine and Windows name the newcomer; a zero settles the oldest.
func (c *collector) ack(from netip.AddrPort, id wire.PlayerID) {
	if f := c.told[telling{from, id}]; f != nil {
		f.Acked = true
	}
	list := c.waiting[from]
	if len(list) == 0 {
		return
	}
	if id == wire.IDAll {
		list[0].Acked = true
	}
	for len(list) > 0 && list[0].Acked {
		list = list[1:]
	}
	c.waiting[from] = list
}

// A stop is where a join ended that did not get through.
type stop struct {
	step     mark   // the last thing that was said
	what     string // its name, with its command
	host     bool   // the host owes the answer, not the joiner
	cut      bool   // the capture ends there
	instead  string // what came instead of the answer: "", or words that begin with ", " or ": "
	evidence []Evidence
	section  string // of the page; "": its own cause
	short    string // the octets of the host's last message that do not fit its size; "": they do
}

// stops are where the joins of a case stopped, with the places in the file that are told with them.
type stops struct {
	of     map[*join]stop
	frames map[int]bool
	n      map[int]bool
	unread []*broken
}

// allStops looks at all joins, once.
func (c *facts) allStops() *stops {
	if c.ended != nil {
		return c.ended
	}
	c.ended = &stops{of: map[*join]stop{}, frames: map[int]bool{}, n: map[int]bool{}, unread: slices.Concat(c.Broken.list, c.Junk)}
	tries := map[way]*join{} // the last one of each joiner at a host: that is judged
	for _, j := range c.Joins {
		tries[way{j.Joiner, j.Host}] = j
	}
	for _, j := range c.Joins {
		if tries[way{j.Joiner, j.Host}] != j {
			continue
		}
		if s, ok := c.stop(j); ok {
			c.ended.of[j] = s
			c.ended.n[s.step.N] = true
			for _, e := range s.evidence {
				c.ended.frames[e.Frame], c.ended.n[e.N] = true, true
			}
		}
	}
	return c.ended
}

// stop returns where a join stopped. Other rules report a join that was refused, or that ended with a list that does not decode.
// Where the capture has the joiner's side alone, the host's answers are not known.
func (c *facts) stop(j *join) (s stop, ok bool) {
	if j.Refused != nil || c.oneSided(j.Host.Addr()) != nil {
		return s, false
	}
	switch {
	case j.List.Frame > 0:
		s = stop{step: j.List, what: "the list of players (" + j.List.Message + ")"}
		return s, j.After == 0 && j.ListErr == nil && c.bounced(j, &s)
	case j.In:
		return s, false
	case j.Request.Frame > 0:
		s = stop{step: j.Request, what: "the request to be let in (ADDFORWARDREQUEST)", host: true}
		s.missing(c, j)
	case j.ID.Frame > 0 && j.IDErr != nil:
		s = stop{step: j.ID, what: "the id (REQUESTPLAYERREPLY)", instead: ", which cannot be read: " + j.IDErr.Error(), section: "unreadable"}
		return s, true
	case j.ID.Frame > 0:
		s = stop{step: j.ID, what: "the id (REQUESTPLAYERREPLY)"}
		return s, c.bounced(j, &s) || c.overrun(j, &s) || !c.late(j.ID)
	default:
		s = stop{step: j.Final, what: "the request for an id (REQUESTPLAYERID)", host: true}
		s.missing(c, j)
		s.step = j.Asked
	}
	if s.instead == "" && c.late(s.step) {
		s.cut = s.step.N == c.Summary.Messages
		return s, s.cut
	}
	return s, true
}

// bounced reports whether the host's last word was answered with RST, and adds that.
func (c *facts) bounced(j *join, s *stop) bool {
	x := find(c.Resets, func(x *reset) bool { return x.Sent.N == s.step.N })
	if x != nil {
		s.reset(x, ", which "+c.who(j.Joiner)+" answered with RST", "")
	}
	return x != nil
}

// overrun reports whether octets that belong to no message stand behind the id on its connection, and adds them. In a later frame
// they may be the beginning of another message, of which the capture lacks the end.
func (c *facts) overrun(j *join, s *stop) bool {
	last := pick(c.late(j.ID), j.ID.Frame, math.MaxInt)
	b := find(c.Junk, func(b *broken) bool {
		return b.way == way{j.IDFrom, j.IDTo} && b.Frame >= j.ID.Frame && b.Frame <= last
	})
	if b == nil || len(c.Losses) > 0 {
		return false
	}
	s.short = b.Text
	s.adds("", "", b.show("", b.Text))
	return true
}

// adds stores what came instead of an answer, the case of the page, and a piece of evidence.
func (s *stop) adds(instead, section string, evidence Evidence) {
	s.instead, s.section, s.evidence = instead, section, append(s.evidence, evidence)
}

// reset adds an RST, with words for it.
func (s *stop) reset(x *reset, words, section string) {
	way := "from " + x.To.String() + " to " + x.From.String()
	s.adds(words+" in frame "+itoa(x.Frame), section, x.show("", way))
	if x.Closed.Frame > 0 {
		s.adds(s.instead+": it had closed that connection in frame "+itoa(x.Closed.Frame), section, x.Closed.show("", way))
	}
}

// missing adds what came instead of the host's answer.
func (s *stop) missing(c *facts, j *join) {
	host, late := j.Host.Addr(), c.late(s.step)
	behind := func(m mark) bool { return m.Frame > s.step.Frame }
	b := find(c.ended.unread, func(b *broken) bool { // not what the capture ends in the middle of
		return behind(b.mark) && b.from.Addr() == host && b.to.Addr() == j.Joiner.Addr() && !(b.Short && late)
	})
	x := find(c.Resets, func(x *reset) bool { return x.From == j.Conn && x.To == j.Door && x.Sent.N >= s.step.N })
	d := find(c.Dials.list, func(d *dial) bool { return d.dialKey == dialKey{host, j.Joiner} && behind(d.No) })
	f := find(c.Forwards, func(f *forward) bool {
		return f.Player == j.Player && f.Host.Addr() == host && !f.Acked && f.N > s.step.N
	})
	switch {
	case b != nil:
		s.adds(": what came instead cannot be read: "+b.Text, "unreadable", b.show("", b.Text))
		s.short = pick(b.Short && len(c.Losses) == 0, b.Text, "")
	case x != nil:
		s.reset(x, ": RST came instead", "reset")
	case d != nil:
		s.adds(": its connection to "+d.To.String()+" was refused in frame "+itoa(d.No.Frame), "", d.refusal())
	case behind(j.Ended):
		s.adds(", but ended the connection in frame "+itoa(j.Ended.Frame), "hung-up", j.Ended.show("", "from "+j.Host.String()))
	case f != nil:
		s.adds(": it waits for "+c.who(f.Member)+" to confirm the newcomer (ADDFORWARDACK)", "", f.show("PlayerID", f.Player.String()))
	}
}

// eachStop calls tell with the joins that stopped.
func (c *facts) eachStop(tell func(*join, stop)) {
	for _, j := range c.Joins {
		if s, ok := c.allStops().of[j]; ok {
			tell(j, s)
		}
	}
}

// replyCutShort adds what reply-cut-short finds in a capture.
func replyCutShort(c *facts, out *findings) {
	for _, a := range c.asking() {
		if b := c.cutShort(a); b != nil && c.mute(a) != nil {
			out.add(b.from.Addr().String()+" cut its answer to the question of "+c.who(a.Asker)+" for sessions short: "+b.Text,
				a.first().show("SockAddr", a.Asker.String()), b.show("", b.Text))
		}
	}
	c.eachStop(func(j *join, s stop) {
		if s.short == "" {
			return
		}
		out.add(c.who(j.Host)+pick(s.host, " cut its answer to "+s.what+" of "+c.who(j.Joiner)+" short: ",
			" sent more octets of "+s.what+" to "+c.who(j.Joiner)+" than its size has, and the join stops there; left over: ")+s.short, append([]Evidence{s.step.show("", "")}, s.evidence...)...)
	})
}

// cutShort returns the beginning of an answer to a question that never came to its end, nil if there is none.
func (c *facts) cutShort(a *ask) *broken {
	return find(c.Junk, func(b *broken) bool {
		return b.Short && b.to == a.Asker && b.Frame > a.first().Frame && len(c.Losses) == 0
	})
}

// joinUnanswered adds what join-unanswered finds in a capture.
func joinUnanswered(c *facts, out *findings) {
	c.eachStop(func(j *join, s stop) {
		if !s.host || s.short != "" {
			return
		}
		tries := pick(j.Asks > 1 && j.Request.Frame == 0, ", asked "+times(j.Asks)+",", "")
		f := out.add(c.who(j.Host)+" did not answer "+s.what+" of "+c.who(j.Joiner)+tries+" within "+seconds(c.left(s.step))+s.instead,
			append([]Evidence{s.step.show("", "to "+j.Host.String())}, s.evidence...)...).in(s.section)
		if s.cut {
			f.in("cut").Severity = Warning
		}
	})
}

// patience is how long a capture must go on before a missing answer counts.
const patience = time.Second

// joinAbandoned adds what join-abandoned finds in a capture.
func joinAbandoned(c *facts, out *findings) {
	c.eachStop(func(j *join, s stop) {
		if s.host || s.short != "" {
			return
		}
		f := out.add(c.who(j.Joiner)+" stopped joining after "+s.what+" of "+c.who(j.Host)+s.instead,
			append([]Evidence{s.step.show("", "to "+j.Joiner.String())}, s.evidence...)...).in(s.section)
		if s.instead == "" {
			f.Text += ": nothing came from it for " + seconds(c.left(s.step))
			f.in("quiet").Severity = Warning
		}
	})
}
