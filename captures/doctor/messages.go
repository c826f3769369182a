package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"dplay4/wire"
)

// listMalformed is the rule list-malformed for captures.
var listMalformed = each(func(c *facts) []*join {
	return where(c.Joins, func(j *join) bool { return j.ListErr != nil || j.gaveUp() })
}, func(c *facts, j *join) *Finding {
	e := j.List.show("", j.Strays)
	f := found("the list of players that " + c.who(j.Host) + " sent to " + c.who(j.Joiner))
	switch x := cmp.Or(j.ListErr, new(wire.DecodeError)); {
	case strings.Contains(x.Field, "PackedOffset") && x.Value == 0:
		f.Text += " does not say where the players begin (PackedOffset is 0)"
		e.Field, e.Value, f.section = x.Field, "0", "no-offset"
	case j.ListErr != nil:
		f.Text += " cannot be read (" + x.Error() + ")"
		e.Field, e.Value = x.Field, x.Err.Error()
	default:
		f.Text += " has octets that belong to nothing (" + j.Strays + ")"
	}
	f.Text += pick(j.gaveUp(), ", and the joiner gave up", ", but the joiner went on")
	return f.with(e).as(pick(j.gaveUp(), Failure, Warning))
})

// messageMalformed is the rule message-malformed for captures. Another rule reports the lists that end joins, and the messages at which
// joins stopped. Messages of another release of this project are nobody else's business.
var messageMalformed = each(func(c *facts) []*broken {
	lists := set(mapped(c.Joins, func(j *join) int { return j.List.N }))
	return where(c.Broken.list, func(b *broken) bool {
		return !strings.HasPrefix(b.Message, "EXTENSION") && !lists[b.N] && !(b.Count == 1 && c.stopsN[b.N])
	})
}, func(c *facts, b *broken) *Finding {
	e := cmp.Or(b.Err, &wire.DecodeError{Err: errors.New(b.Text)})
	return b.found(c.who(b.from)+" sent "+b.Message+" to "+c.who(b.to)+" that cannot be read, "+times(b.Count), e.Field, e.Err.Error())
})

// captureIncomplete is the rule capture-incomplete for captures.
var captureIncomplete = all(one(func(c *facts) *Finding {
	f := found("the capture lacks parts of what was sent", mapped(c.Losses, func(l *loss) Evidence { return l.evidence("", l.Text) })...)
	if octets := c.Summary.TCP.Lost + c.Summary.UDP.Lost; octets > 0 {
		f.Text = fmt.Sprintf("the capture lacks %d octets of messages that were sent", octets)
		return f
	}
	return pick(len(f.Evidence) > 0, f, nil)
}), each(func(c *facts) []*streamed { // machines that the capture has messages to, over TCP, and no packet of
	return where(c.Streams.list, func(s *streamed) bool { return first(c.unseen[s.To]) == s })
}, func(_ *facts, s *streamed) *Finding {
	return found("the capture has messages to "+s.To.String()+", and no packet that came from there",
		s.show("", "from "+s.From.String()+" to "+s.To.String())).in("one-side", "{machine}", s.To.String())
}))
