package doctor

import (
	"dplay4/captures/links"
)

var reliableSource = rule{
	code: "reliable-source", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		nobody := map[brokenKey]int{}
		for _, x := range c.Foreign {
			e := x.show("IdFrom", itoa(int(x.Index)))
			if x.Owner != 0 {
				list = append(list, Finding{
					Text: "frames that say to be from " + x.Owner.String() + " of " + c.who(x.Machine) + " came from " +
						x.From.Addr().String() + ", " + times(x.Count),
					Evidence: []Evidence{e}, More: x.Count - 1,
				})
				continue
			}
			k := brokenKey{from: x.From, to: x.To}
			i, again := nobody[k]
			if !again {
				i = len(list)
				nobody[k] = i
				list = append(list, Finding{
					Text:    c.who(x.From) + " sent frames to " + c.who(x.To) + " from indexes that no player has",
					section: "nobody",
				})
			}
			list[i].Evidence = append(list[i].Evidence, e)
			list[i].More += x.Count - 1
		}
		return list
	},
}

// bendWords say what is wrong with frames.
var bendWords = map[bend]string{
	bentUnreadable: "that cannot be read",
	bentIndex:      "with an index in more octets than it needs",
	bentTrailing:   "with octets behind their end",
}

var reliableFrames = rule{
	code: "reliable-frames-wrong", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		for _, b := range c.Bent {
			list = append(list, Finding{
				Text:     c.who(b.From) + " sent frames to " + c.who(b.To) + " " + bendWords[b.Kind] + ", " + times(b.Count),
				Evidence: []Evidence{b.show(b.Field, b.Value)}, More: b.Count - 1,
			})
		}
		for _, t := range c.traffics() {
			list = append(list, t.wrong(c)...)
		}
		return list
	},
}

// wrong tells of frames that contradict what went before on their links.
func (t *traffic) wrong(c *facts) (list []Finding) {
	sent := false // this direction is in the capture
	for _, l := range t.links {
		sent = sent || l.Data > 0
	}
	from, to := c.who(t.from), c.who(t.to)
	for _, k := range []struct {
		text, value string
		of          func(*links.Link) *links.Marks
	}{
		{from + " sent frames to " + to + " with CMD and EXT, which must be ignored", "CMD and EXT",
			func(l *links.Link) *links.Marks { return &l.Ignored }},
		{from + " leapt over more than 24 messageids on a link to " + to, "the messageid after the leap",
			func(l *links.Link) *links.Marks { return &l.Leaps }},
		{from + " sent messages to " + to + " with a messageid 24 or more behind, which are ignored", "too old",
			func(l *links.Link) *links.Marks { return &l.Behind }},
		{to + " answered frames that " + from + " did not send", "nothing like it was sent",
			func(l *links.Link) *links.Marks { return &l.Unsent }},
	} {
		f, n := Finding{}, 0
		for _, l := range t.links {
			m := k.of(l)
			if m == &l.Unsent && !sent {
				continue // only one direction was captured
			}
			n += m.Count
			f.Evidence = append(f.Evidence, showMarks(m, k.value)...)
		}
		if n > 0 {
			f.Text, f.More = k.text+", "+times(n), n-len(f.Evidence)
			list = append(list, f)
		}
	}
	return list
}
