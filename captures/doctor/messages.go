package doctor

import (
	"fmt"
	"strings"
)

var listMalformed = rule{
	code: "list-malformed", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		for _, j := range c.Joins {
			if j.ListErr == nil && !j.gaveUp() {
				continue
			}
			list = append(list, badList(c, j))
		}
		return list
	},
}

// badList tells of one list.
func badList(c *facts, j *join) Finding {
	e := j.List.show("", j.Strays)
	text := "the list of players that " + c.who(j.Host) + " sent to " + c.who(j.Joiner)
	var f Finding
	switch x := j.ListErr; {
	case x != nil && strings.Contains(x.Field, "PackedOffset") && x.Value == 0:
		text += " does not say where the players begin (PackedOffset is 0)"
		e.Field, e.Value = x.Field, "0"
		f.section = "no-offset"
	case x != nil:
		text += " cannot be read (" + x.Error() + ")"
		e.Field, e.Value = x.Field, x.Err.Error()
	default:
		text += " has octets that belong to nothing (" + j.Strays + ")"
	}
	f.Evidence = []Evidence{e}
	if j.gaveUp() {
		f.Text = text + ", and the joiner gave up"
		return f
	}
	f.Severity = Warning
	f.Text = text + ", but the joiner went on"
	return f
}

var messageMalformed = rule{
	code: "message-malformed", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		for _, b := range c.Broken {
			if strings.HasPrefix(b.Message, "EXTENSION") {
				continue // of another release of this project, and nobody else's business
			}
			if b.Message == "SUPERENUMPLAYERSREPLY" || b.Message == "ENUMPLAYERSREPLY" {
				if endsJoin(c, b) {
					continue
				}
			}
			if b.Count == 1 && c.allStops().n[b.N] {
				continue // a join stopped there
			}
			e := b.show("", b.Text)
			if b.Err != nil {
				e.Field, e.Value = b.Err.Field, b.Err.Err.Error()
			}
			list = append(list, Finding{
				Text:     c.who(b.From) + " sent " + b.Message + " to " + c.who(b.To) + " that cannot be read, " + times(b.Count),
				Evidence: []Evidence{e}, More: b.Count - 1,
			})
		}
		return list
	},
	live: blamed("message-malformed"),
}

// endsJoin reports whether a broken list is one that another rule tells of.
func endsJoin(c *facts, b *broken) bool {
	for _, j := range c.Joins {
		if j.List.N == b.N {
			return true
		}
	}
	return false
}

var captureIncomplete = rule{
	code: "capture-incomplete", severity: Note,
	capture: func(c *facts) []Finding {
		var f Finding
		for _, l := range c.Losses {
			f.Evidence = append(f.Evidence, l.show("", l.Text))
		}
		octets := c.Summary.TCP.Lost + c.Summary.UDP.Lost
		switch {
		case octets > 0:
			f.Text = fmt.Sprintf("the capture lacks %d octets of messages that were sent", octets)
		case len(f.Evidence) > 0:
			f.Text = "the capture lacks parts of what was sent"
		default:
			return oneSides(c)
		}
		return append([]Finding{f}, oneSides(c)...)
	},
}

// oneSides tells of the machines that the capture has messages to, over TCP, and no packet of.
func oneSides(c *facts) (list []Finding) {
	for _, s := range c.Streams {
		if c.oneSided(s.To) != s {
			continue
		}
		list = append(list, Finding{
			Text:     "the capture has messages to " + s.To.String() + ", and no packet that came from there",
			Evidence: []Evidence{s.show("", "from "+s.From.String()+" to "+s.To.String())},
			section:  "one-side", fill: []string{"{machine}", s.To.String()},
		})
	}
	return list
}
