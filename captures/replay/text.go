package replay

import (
	"fmt"
	"slices"
	"strings"
)

// AppendParty appends what became of a party, for people: a heading, and a line a difference. With ignored it says as
// well which messages our engine took no notice of.
func AppendParty(b []byte, p *Party, ignored bool) []byte {
	b = fmt.Appendf(b, "%s %s", p.Role, p.Address)
	if p.Dialect != 0 {
		b = fmt.Appendf(b, ", dialect %d", p.Dialect)
	}
	if p.NotPlayed != "" {
		return fmt.Appendf(b, ": not replayed: %s\n", p.NotPlayed)
	}
	b = fmt.Appendf(b, ": %d messages compared, %d equal; %d that ours does not send, %d that only ours sends", p.Compared, p.Equal,
		p.Missing, p.Extra)
	if p.Unseen > 0 {
		b = fmt.Appendf(b, ", %d to machines that the capture does not show it with", p.Unseen)
	}
	b = append(b, '\n')
	if f := &p.Frames; *f != (Frames{}) {
		b = fmt.Appendf(b, "  frames of the reliable protocol, not compared: recorded %s; ours %s\n", f.Recorded.text(), f.Ours.text())
	}
	if s := p.Mapped.String(); s != "" {
		b = fmt.Appendf(b, "  mapped: %s\n", s)
	}
	if len(p.Commands) > 0 {
		b = fmt.Appendf(b, "  its program, as far as can be told: %s\n", commandText(p.Commands))
	}
	for _, n := range p.Notes {
		b = fmt.Appendf(b, "  note: %s\n", n)
	}
	for _, s := range p.StoodStill {
		b = fmt.Appendf(b, "  it is taken to have stood still from %.3fs to %.3fs\n", s.From.Seconds(), s.Until.Seconds())
	}
	for i := range p.Differences {
		b = AppendDifference(b, &p.Differences[i])
	}
	if p.More > 0 {
		b = fmt.Appendf(b, "  and %d differences more\n", p.More)
	}
	if ignored {
		for _, i := range p.Ignored {
			b = fmt.Appendf(b, "  message %d, frame %d, %s: ours ignores it (%s): %s\n", i.N, i.Frame, i.Message, i.Reason, i.Text)
		}
	}
	return b
}

// AppendDifference appends one line about a difference.
func AppendDifference(b []byte, d *Difference) []byte {
	switch {
	case d.Kind == Extra && d.N == 0:
		b = fmt.Appendf(b, "  before the first message, %s to %s: only ours sends it", d.Message, d.To)
	case d.Kind == Extra:
		b = fmt.Appendf(b, "  after message %d, frame %d, %s to %s: only ours sends it", d.N, d.Frame, d.Message, d.To)
	default:
		b = fmt.Appendf(b, "  message %d, frame %d, %s to %s: ", d.N, d.Frame, d.Message, d.To)
	}
	switch d.Kind {
	case Missing:
		b = append(b, "ours does not send it"...)
		if d.Note != "" {
			b = fmt.Appendf(b, ": %s", d.Note)
		}
	case Extra:
		if d.Ours != "" {
			b = fmt.Appendf(b, ": %s", d.Ours)
		}
	case Field:
		field := d.Field
		if field == "" {
			field = "the message"
		}
		b = fmt.Appendf(b, "%s: recorded %s, ours %s", field, orNothing(d.Recorded), orNothing(d.Ours))
	}
	return append(b, '\n')
}

func orNothing(s string) string {
	if s == "" {
		return "decodes"
	}
	return s
}

func (c *FrameCount) text() string {
	return fmt.Sprintf("%d with data, %d of them again, %d ACKs, %d NACKs", c.Data, c.Repeated, c.ACKs, c.NACKs)
}

// String lists the counts, "" for none.
func (m *Mapped) String() string {
	var s []string
	add := func(n int, one, more string) {
		switch {
		case n == 1:
			s = append(s, "1 "+one)
		case n > 1:
			s = append(s, fmt.Sprintf("%d %s", n, more))
		}
	}
	add(m.IDs, "id", "ids")
	add(m.GUIDs, "GUID", "GUIDs")
	add(m.Ticks, "tick count", "tick counts")
	add(m.Masks, "mask of ids", "masks of ids")
	add(m.Sockets, "socket", "sockets")
	add(m.Ports, "port that it sent from", "ports that it sent from")
	return strings.Join(s, ", ")
}

// commandText lists commands with how often they were given, by name.
func commandText(all map[string]int) string {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		if all[name] > 1 {
			names[i] = fmt.Sprintf("%s (%d)", name, all[name])
		}
	}
	return strings.Join(names, ", ")
}
