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

// A foreign is what a machine sent in frames in the name of an index that is not one of its own.
type foreign struct {
	tally
	foreignKey
	From    netip.AddrPort // the machine that the frames came from
	Owner   wire.PlayerID  // whose index it is; 0: nobody's
	Machine netip.AddrPort
	Last    mark
}

// A foreignKey tells them apart.
type foreignKey struct {
	src   netip.Addr
	To    netip.AddrPort // the machine that they went to
	Index uint16
}

// reliableSource watches the messages for reliable-source.
func reliableSource(c *facts) (func(*message), func(*findings)) {
	var all table[foreignKey, foreign]
	see := func(m *message) { c.foreign(m, &all) }
	tell := func(out *findings) {
		nobody := map[way]*Finding{}
		for _, x := range all.list {
			e := x.show("IdFrom", itoa(int(x.Index)))
			if x.Owner != 0 {
				out.add("frames that say to be from "+x.Owner.String()+" of "+c.who(x.Machine)+" came from "+x.From.Addr().String()+", "+times(x.Count), e).
					more(x.Count - 1)
				continue
			}
			k := way{x.From, x.To}
			if nobody[k] == nil {
				nobody[k] = out.add(c.who(x.From) + " sent frames to " + c.who(x.To) + " from indexes that no player has").in("nobody")
			}
			nobody[k].Evidence = append(nobody[k].Evidence, e)
			nobody[k].more(x.Count - 1)
		}
	}
	return see, tell
}

// foreign counts a frame in the name of somebody else, or of nobody. It drops those of an index that was nobody's if its player was announced
// shortly afterwards: a datagram overtakes the connection that announces the player.
func (c *facts) foreign(m *message, all *table[foreignKey, foreign]) {
	f := m.Frame
	if f == nil || m.Joined || m.Via != 0 || m.Step == nil {
		return
	}
	k := foreignKey{m.Src.Addr(), m.to, f.From}
	owner := m.Session.ByIndex(f.From)
	switch {
	case owner != nil && !m.Foreign:
		if x := all.by[k]; x != nil && x.Owner == 0 && m.at.Time.Sub(x.Last.Time) <= patience {
			delete(all.by, k)
			all.list = slices.DeleteFunc(all.list, func(f *foreign) bool { return f == x })
		}
		return
	case owner == nil && (f.Kind() != reliable.KindData || c.joining[m.from] == nil && c.joining[m.to] == nil):
		return // or the capture began after the players were announced
	}
	x := all.at(k)
	if x.again(m.at); x.Count == 1 {
		x.foreignKey, x.From = k, m.Src
		if owner != nil {
			x.Owner, x.Machine = owner.ID, owner.Machine
		} else if m.From.Sure {
			x.From = m.from
		}
	}
	x.Last = m.at
}

// A bent is a kind of frame that should not be, of one machine to another.
type bent struct {
	tally
	bentKey
	Field, Value string // of the first
}

// A bentKey tells them apart.
type bentKey struct {
	way
	words string // what is wrong with the frames
}

// bendOf returns what is wrong with a frame, with a field and its value. words is "" if that is nothing.
func bendOf(f *reliable.Frame) (words, field, value string) {
	const tooLong = "with an index in more octets than it needs"
	switch {
	case f.FromSize > 0:
		return tooLong, "IdFrom", itoa(int(f.From)) + " in " + itoa(int(f.FromSize)) + " octets"
	case f.ToSize > 0:
		return tooLong, "IdTo", itoa(int(f.To)) + " in " + itoa(int(f.ToSize)) + " octets"
	case len(f.Trailing) > 0:
		return "with octets behind their end", "", itoa(len(f.Trailing)) + " octets behind the frame"
	}
	return "", "", ""
}

// frameError reports whether it is a frame of the reliable protocol that does not decode, rather than the message in it.
func frameError(r *captures.Record) bool {
	var e *wire.DecodeError
	if r.Frame == nil || r.Joined || !errors.As(r.Err, &e) {
		return false
	}
	return slices.Contains([]string{reliable.KindNone.String(), reliable.KindData.String(), reliable.KindACK.String(), reliable.KindNACK.String()}, e.Message)
}

// reliableFrames watches the messages for reliable-frames-wrong.
func reliableFrames(c *facts) (func(*message), func(*findings)) {
	var all table[bentKey, bent]
	bend := func(m *message, words, field, value string) {
		b := all.at(bentKey{m.machines(), words})
		if b.again(m.at); b.Count == 1 {
			b.bentKey, b.Field, b.Value = bentKey{m.machines(), words}, field, value
		}
	}
	see := func(m *message) {
		if m.Frame == nil || m.Joined || m.Via != 0 {
			return
		}
		var e *wire.DecodeError
		if frameError(m.Record) && errors.As(m.Err, &e) {
			bend(m, "that cannot be read", e.Message+"."+e.Field, e.Err.Error())
		}
		if words, field, value := bendOf(m.Frame); words != "" {
			bend(m, words, field, value)
		}
	}
	tell := func(out *findings) {
		for _, b := range all.list {
			out.add(c.who(b.from)+" sent frames to "+c.who(b.to)+" "+b.words+", "+times(b.Count), b.show(b.Field, b.Value)).more(b.Count - 1)
		}
		for _, t := range c.traffics() {
			t.wrong(c, out)
		}
	}
	return see, tell
}

// wrong adds findings about frames that contradict what went before on their links.
func (t *traffic) wrong(c *facts, out *findings) {
	from, to := c.who(t.from), c.who(t.to)
	t.tell(out, from+" sent frames to "+to+" with CMD and EXT, which must be ignored", "CMD and EXT",
		func(l *links.Link) *links.Marks { return &l.Ignored })
	t.tell(out, from+" leapt over more than 24 messageids on a link to "+to, "the messageid after the leap",
		func(l *links.Link) *links.Marks { return &l.Leaps })
	t.tell(out, from+" sent messages to "+to+" with a messageid 24 or more behind, which are ignored", "too old",
		func(l *links.Link) *links.Marks { return &l.Behind })
	if slices.ContainsFunc(t.links, func(l *links.Link) bool { return l.Data > 0 }) { // this direction is in the capture
		t.tell(out, to+" answered frames that "+from+" did not send", "nothing like it was sent",
			func(l *links.Link) *links.Marks { return &l.Unsent })
	}
}
