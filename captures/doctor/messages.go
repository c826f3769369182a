package doctor

import (
	"fmt"
	"strings"
)

// listMalformed adds what list-malformed finds in a capture.
func listMalformed(c *facts, out *findings) {
	for _, j := range c.Joins {
		if j.ListErr != nil || j.gaveUp() {
			badList(c, out, j)
		}
	}
}

// badList adds a finding about one list.
func badList(c *facts, out *findings, j *join) {
	e := j.List.show("", j.Strays)
	f := out.add("the list of players that " + c.who(j.Host) + " sent to " + c.who(j.Joiner))
	switch x := j.ListErr; {
	case x != nil && strings.Contains(x.Field, "PackedOffset") && x.Value == 0:
		f.Text += " does not say where the players begin (PackedOffset is 0)"
		e.Field, e.Value, f.section = x.Field, "0", "no-offset"
	case x != nil:
		f.Text += " cannot be read (" + x.Error() + ")"
		e.Field, e.Value = x.Field, x.Err.Error()
	default:
		f.Text += " has octets that belong to nothing (" + j.Strays + ")"
	}
	f.Evidence = []Evidence{e}
	if j.gaveUp() {
		f.Text += ", and the joiner gave up"
		return
	}
	f.Severity = Warning
	f.Text += ", but the joiner went on"
}

// messageMalformed adds what message-malformed finds in a capture.
func messageMalformed(c *facts, out *findings) {
	lists := map[int]bool{} // those that end joins, which another rule tells of
	for _, j := range c.Joins {
		lists[j.List.N] = true
	}
	for _, b := range c.Broken.list {
		extension := strings.HasPrefix(b.Message, "EXTENSION") // of another release of this project, and nobody else's business
		list := b.Message == "SUPERENUMPLAYERSREPLY" || b.Message == "ENUMPLAYERSREPLY"
		if extension || list && lists[b.N] || b.Count == 1 && c.allStops().n[b.N] { // a join stopped there
			continue
		}
		e := b.show("", b.Text)
		if b.Err != nil {
			e.Field, e.Value = b.Err.Field, b.Err.Err.Error()
		}
		out.add(c.who(b.from)+" sent "+b.Message+" to "+c.who(b.to)+" that cannot be read, "+times(b.Count), e).more(b.Count - 1)
	}
}

// captureIncomplete adds what capture-incomplete finds in a capture.
func captureIncomplete(c *facts, out *findings) {
	var ev []Evidence
	for _, l := range c.Losses {
		ev = append(ev, l.show("", l.Text))
	}
	if octets := c.Summary.TCP.Lost + c.Summary.UDP.Lost; octets > 0 {
		out.add(fmt.Sprintf("the capture lacks %d octets of messages that were sent", octets), ev...)
	} else if len(ev) > 0 {
		out.add("the capture lacks parts of what was sent", ev...)
	}
	for _, s := range c.Streams.list { // machines that the capture has messages to, over TCP, and no packet of
		if c.oneSided(s.To) == s {
			out.add("the capture has messages to "+s.To.String()+", and no packet that came from there",
				s.show("", "from "+s.From.String()+" to "+s.To.String())).in("one-side", "{machine}", s.To.String())
		}
	}
}
