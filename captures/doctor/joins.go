package doctor

import (
	"net/netip"
	"slices"
	"time"
)

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

// stopped tells where a join stopped.
func (c *facts) stopped(j *join) (s stop, ok bool) {
	s, ok = c.allStops().of[j]
	return s, ok
}

// allStops looks at all joins, once.
func (c *facts) allStops() *stops {
	if c.ended != nil {
		return c.ended
	}
	c.ended = &stops{of: map[*join]stop{}, frames: map[int]bool{}, n: map[int]bool{}, unread: slices.Concat(c.Broken, c.Junk)}
	tries := map[[2]netip.AddrPort]*join{} // the last one of each joiner at a host: that is judged
	for _, j := range c.Joins {
		tries[[2]netip.AddrPort{j.Joiner, j.Host}] = j
	}
	for _, j := range c.Joins {
		if tries[[2]netip.AddrPort{j.Joiner, j.Host}] != j {
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

// stop looks where a join stopped. Of one that was refused, or ended with a list that does not decode, other rules tell.
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
		return s, c.bounced(j, &s) || c.overrun(j, &s) || c.left(j.ID) >= patience
	default:
		s = stop{step: j.Final, what: "the request for an id (REQUESTPLAYERID)", host: true}
		s.missing(c, j)
		s.step = j.Asked
	}
	if s.instead == "" && c.left(s.step) < patience {
		s.cut = s.step.N == c.Summary.Messages
		return s, s.cut
	}
	return s, true
}

// stalled reports whether a host left a joiner without the answer that is due: an id, or the list.
func (c *facts) stalled(j *join) bool {
	s, ok := c.stopped(j)
	return ok && s.host
}

// bounced reports whether the host's last word was answered with RST, and adds that.
func (c *facts) bounced(j *join, s *stop) bool {
	for _, x := range c.Resets {
		if x.Sent.N == s.step.N {
			s.reset(x, ", which "+c.who(j.Joiner)+" answered with RST")
			return true
		}
	}
	return false
}

// overrun reports whether octets that belong to no message stand behind the id on its connection, and adds them. In a later frame
// they may be the beginning of another message, of which the capture lacks the end.
func (c *facts) overrun(j *join, s *stop) bool {
	for _, b := range c.Junk {
		behind := b.Frame == j.ID.Frame || b.Frame > j.ID.Frame && c.left(j.ID) >= patience
		if b.From == j.IDFrom && b.To == j.IDTo && behind && len(c.Losses) == 0 {
			s.short = b.Text
			s.evidence = append(s.evidence, b.show("", b.Text))
			return true
		}
	}
	return false
}

// reset adds an RST, with words for it.
func (s *stop) reset(x *reset, words string) {
	s.instead = words + " in frame " + itoa(x.Frame)
	s.evidence = append(s.evidence, x.show("", "from "+x.To.String()+" to "+x.From.String()))
	if x.Closed.Frame > 0 {
		s.instead += ": it had closed that connection in frame " + itoa(x.Closed.Frame)
		s.evidence = append(s.evidence, x.Closed.show("", "from "+x.To.String()+" to "+x.From.String()))
	}
}

// missing adds what came instead of the host's answer.
func (s *stop) missing(c *facts, j *join) {
	for _, b := range c.ended.unread {
		if b.Short && c.left(s.step) < patience {
			continue // the capture ends in the middle of it
		}
		if b.Frame > s.step.Frame && b.From.Addr() == j.Host.Addr() && b.To.Addr() == j.Joiner.Addr() {
			s.instead = ": what came instead cannot be read: " + b.Text
			s.evidence = append(s.evidence, b.show("", b.Text))
			s.section = "unreadable"
			if b.Short && len(c.Losses) == 0 {
				s.short = b.Text
			}
			return
		}
	}
	for _, x := range c.Resets {
		if x.From == j.Conn && x.To == j.Door && x.Sent.N >= s.step.N {
			s.reset(x, ": RST came instead")
			s.section = "reset"
			return
		}
	}
	for _, d := range c.Dials {
		if d.From == j.Host.Addr() && d.To == j.Joiner && d.No.Frame > s.step.Frame {
			s.instead = ": its connection to " + d.To.String() + " was refused in frame " + itoa(d.No.Frame)
			s.evidence = append(s.evidence, d.No.show("", "refused by "+d.To.String()))
			return
		}
	}
	if j.Ended.Frame > s.step.Frame {
		s.instead = ", but ended the connection in frame " + itoa(j.Ended.Frame)
		s.evidence = append(s.evidence, j.Ended.show("", "from "+j.Host.String()))
		s.section = "hung-up"
		return
	}
	for _, f := range c.Forwards {
		if f.Player == j.Player && f.Host.Addr() == j.Host.Addr() && !f.Acked && f.N > s.step.N {
			s.instead = ": it waits for " + c.who(f.Member) + " to confirm the newcomer (ADDFORWARDACK)"
			s.evidence = append(s.evidence, f.show("PlayerID", f.Player.String()))
			return
		}
	}
}

var replyCutShort = rule{
	code: "reply-cut-short", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, a := range c.asking() {
			b := c.cutShort(a)
			if d := c.mute(a); d == nil || b == nil {
				continue
			}
			list = append(list, Finding{
				Text:     b.From.Addr().String() + " cut its answer to the question of " + c.who(a.Asker) + " for sessions short: " + b.Text,
				Evidence: []Evidence{a.Marks[0].show("SockAddr", a.Asker.String()), b.show("", b.Text)},
			})
		}
		for _, j := range c.Joins {
			s, ok := c.stopped(j)
			if !ok || s.short == "" {
				continue
			}
			f := Finding{Evidence: append([]Evidence{s.step.show("", "")}, s.evidence...)}
			if f.Text = c.who(j.Host) + " cut its answer to " + s.what + " of " + c.who(j.Joiner) + " short: " + s.short; !s.host {
				f.Text = c.who(j.Host) + " sent more octets of " + s.what + " to " + c.who(j.Joiner) + " than its size has, and " +
					"the join stops there; left over: " + s.short
			}
			list = append(list, f)
		}
		return list
	},
}

// cutShort returns the beginning of an answer to a question that never came to its end, nil if there is none.
func (c *facts) cutShort(a *ask) *broken {
	for _, b := range c.Junk {
		if b.Short && b.To == a.Asker && b.Frame > a.Marks[0].Frame && len(c.Losses) == 0 {
			return b
		}
	}
	return nil
}

var joinUnanswered = rule{
	code: "join-unanswered", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, j := range c.Joins {
			s, ok := c.stopped(j)
			if !ok || !s.host || s.short != "" {
				continue
			}
			tries := ""
			if j.Asks > 1 && j.Request.Frame == 0 {
				tries = ", asked " + times(j.Asks) + ","
			}
			f := Finding{
				Text:     c.who(j.Host) + " did not answer " + s.what + " of " + c.who(j.Joiner) + tries + " within " + seconds(c.left(s.step)) + s.instead,
				Evidence: append([]Evidence{s.step.show("", "to "+j.Host.String())}, s.evidence...),
				section:  s.section,
			}
			if s.cut {
				f.Severity, f.section = Warning, "cut"
			}
			list = append(list, f)
		}
		return list
	},
}

// patience is how long a capture must go on before a missing answer counts.
const patience = time.Second

var joinAbandoned = rule{
	code: "join-abandoned", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, j := range c.Joins {
			s, ok := c.stopped(j)
			if !ok || s.host || s.short != "" {
				continue
			}
			f := Finding{
				Text:     c.who(j.Joiner) + " stopped joining after " + s.what + " of " + c.who(j.Host) + s.instead,
				Evidence: append([]Evidence{s.step.show("", "to "+j.Joiner.String())}, s.evidence...),
				section:  s.section,
			}
			if s.instead == "" {
				f.Text += ": nothing came from it for " + seconds(c.left(s.step))
				f.Severity, f.section = Warning, "quiet"
			}
			list = append(list, f)
		}
		return list
	},
}
