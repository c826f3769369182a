package doctor

import (
	"errors"
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/captures/links"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// A foreign counts frames that a machine sent with an index that is not one of its own.
type foreign struct {
	tally
	foreignKey
	From    netip.AddrPort // the machine that the frames came from
	Owner   wire.PlayerID  // whose index it is; 0: nobody's
	Machine netip.AddrPort
	Last    mark
}

// A foreignKey identifies a foreign.
type foreignKey struct {
	src   netip.Addr
	To    netip.AddrPort // the machine that they went to
	Index uint16
}

// reliableSource is the rule reliable-source for captures: frames in the name of a player of another machine, or of nobody.
var reliableSource = all(each(func(c *facts) []*foreign {
	return where(c.Foreign.list, func(x *foreign) bool { return x.Owner != 0 })
}, func(c *facts, x *foreign) *Finding {
	return x.found("frames that say to be from "+x.Owner.String()+" of "+c.who(x.Machine)+" came from "+x.From.Addr().String()+", "+times(x.Count),
		"IdFrom", itoa(x.Index))
}), each(func(c *facts) [][]*foreign {
	nobody := where(c.Foreign.list, func(x *foreign) bool { return x.Owner == 0 })
	return groups(nobody, func(x *foreign) way { return way{x.From, x.To} })
}, func(c *facts, list []*foreign) *Finding {
	return found(c.who(list[0].From)+" sent frames to "+c.who(list[0].To)+" from indexes that no player has",
		mapped(list, func(x *foreign) Evidence { return x.show("IdFrom", itoa(x.Index)) })...).in("nobody").
		more(sum(list, func(x *foreign) int { return x.Count - 1 }))
}))

// foreign counts a frame in the name of a player of another machine, or of nobody. It drops those of an index that was nobody's if its player
// was announced shortly afterwards: a datagram overtakes the connection that announces the player.
func (c *collector) foreign(m *message) {
	f := m.Frame
	if m.Step == nil {
		return
	}
	x := foreign{foreignKey: foreignKey{m.Src.Addr(), m.to, f.From}, From: m.Src}
	owner := m.in.ByIndex(f.From)
	switch {
	case owner != nil && !m.Foreign:
		c.announced(x.foreignKey, m.at)
		return
	case owner != nil:
		x.Owner, x.Machine = owner.ID, owner.Machine
	case f.Kind() != reliable.KindData || !m.began():
		return // or the capture began after the players were announced
	case m.From.Sure:
		x.From = m.from
	}
	again := c.Foreign.at(x.foreignKey, x)
	again.again(m.at)
	again.Last = m.at
}

// announced drops the frames of an index that was nobody's until shortly before a mark.
func (c *collector) announced(k foreignKey, m mark) {
	if x := c.Foreign.get(k); x.Owner == 0 && m.Time.Sub(x.Last.Time) <= patience {
		c.Foreign.drop(func(f *foreign) bool { return f == x })
	}
}

// A bent is a kind of frame that should not be, of one machine to another.
type bent struct {
	tally
	bentKey
	Field, Value string // of the first
}

// A bentKey identifies a bent.
type bentKey struct {
	way
	words string // what is wrong with the frames
}

// tooLong are the words for frames with an index that fits into fewer octets.
const tooLong = "with an index in more octets than it needs"

// bend counts a frame that should not be.
func (c *collector) bend(m *message) {
	f := m.Frame
	if e := frameError(m.Record); e != nil {
		c.bent(m, "that cannot be read", e.Message+"."+e.Field, e.Err.Error())
	}
	switch {
	case f.FromSize > 0:
		c.bent(m, tooLong, "IdFrom", itoa(f.From)+" in "+itoa(int(f.FromSize))+" octets")
	case f.ToSize > 0:
		c.bent(m, tooLong, "IdTo", itoa(f.To)+" in "+itoa(int(f.ToSize))+" octets")
	case len(f.Trailing) > 0:
		c.bent(m, "with octets behind their end", "", itoa(len(f.Trailing))+" octets behind the frame")
	}
}

// bent counts a frame of a kind.
func (c *collector) bent(m *message, words, field, value string) {
	k := bentKey{m.way, words}
	c.Bent.at(k, bent{bentKey: k, Field: field, Value: value}).again(m.at)
}

// frameKinds name the frames of the reliable protocol in errors.
var frameKinds = []string{reliable.KindNone.String(), reliable.KindData.String(), reliable.KindACK.String(), reliable.KindNACK.String()}

// frameError returns the error of a frame of the reliable protocol that does not decode; nil if there is none, or if it is about the
// message in the frame. No message of DirectPlay 4 has the name of a frame.
func frameError(r *captures.Record) *wire.DecodeError {
	var e *wire.DecodeError
	if errors.As(r.Err, &e) && slices.Contains(frameKinds, e.Message) {
		return e
	}
	return nil
}

// reliableFrames is the rule reliable-frames-wrong for captures: frames that should not be, and frames that contradict what went before on
// their links.
var reliableFrames = all(each(func(c *facts) []*bent { return c.Bent.list }, func(c *facts, b *bent) *Finding {
	return b.found(c.who(b.from)+" sent frames to "+c.who(b.to)+" "+b.words+", "+times(b.Count), b.Field, b.Value)
}), eachTraffic(func(c *facts, t *traffic) *Finding {
	return t.finding(c.who(t.from)+" sent frames to "+c.who(t.to)+" with CMD and EXT, which must be ignored", "CMD and EXT",
		func(l *links.Link) *links.Marks { return &l.Ignored })
}), eachTraffic(func(c *facts, t *traffic) *Finding {
	return t.finding(c.who(t.from)+" leapt over more than 24 messageids on a link to "+c.who(t.to), "the messageid after the leap",
		func(l *links.Link) *links.Marks { return &l.Leaps })
}), eachTraffic(func(c *facts, t *traffic) *Finding {
	return t.finding(c.who(t.from)+" sent messages to "+c.who(t.to)+" with a messageid 24 or more behind, which are ignored", "too old",
		func(l *links.Link) *links.Marks { return &l.Behind })
}), eachTraffic(func(c *facts, t *traffic) *Finding {
	if sum(t.links, func(l *links.Link) int { return l.Data }) == 0 {
		return nil // this direction is not in the capture
	}
	return t.finding(c.who(t.to)+" answered frames that "+c.who(t.from)+" did not send", "nothing like it was sent",
		func(l *links.Link) *links.Marks { return &l.Unsent })
}))
