package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// AppendParty appends what became of a party, for people: a heading, and a line a difference. With ignored it says as
// well which messages our engine took no notice of.
func AppendParty(b []byte, p *Party, ignored bool) []byte {
	add := func(show bool, format string, args ...any) {
		if show {
			b = fmt.Appendf(b, format, args...)
		}
	}
	b = fmt.Appendf(b, "%s %s", p.Role, p.Address)
	add(p.Dialect != 0, ", dialect %d", p.Dialect)
	if p.NotPlayed != "" {
		return fmt.Appendf(b, ": not replayed: %s\n", p.NotPlayed)
	}
	b = fmt.Appendf(b, ": %d messages compared, %d equal; %d that ours does not send, %d that only ours sends", p.Compared, p.Equal,
		p.Missing, p.Extra)
	add(p.Unseen > 0, ", %d to machines that the capture does not show it with", p.Unseen)
	add(p.Frames != Frames{}, "\n  frames of the reliable protocol, not compared: recorded %s; ours %s", p.Frames.Recorded.text(),
		p.Frames.Ours.text())
	mapped := p.Mapped.String()
	add(mapped != "", "\n  mapped: %s", mapped)
	add(len(p.Commands) > 0, "\n  its program, as far as can be told: %s", commandText(p.Commands))
	for _, n := range p.Notes {
		b = fmt.Appendf(b, "\n  note: %s", n)
	}
	for _, s := range p.StoodStill {
		b = fmt.Appendf(b, "\n  it is taken to have stood still from %.3fs to %.3fs", s.From.Seconds(), s.Until.Seconds())
	}
	b = append(b, '\n')
	for i := range p.Differences {
		b = appendDifference(b, &p.Differences[i])
	}
	add(p.More > 0, "  and %d differences more\n", p.More)
	for _, i := range p.Ignored {
		add(ignored, "  message %d, frame %d, %s: ours ignores it (%s): %s\n", i.N, i.Frame, i.Message, i.Reason, i.Text)
	}
	return b
}

// appendDifference appends one line about a difference.
func appendDifference(b []byte, d *Difference) []byte {
	about := cmp.Or(d.Ours, d.Note) // of Extra and of Missing
	if about != "" {
		about = ": " + about
	}
	place := fmt.Sprintf("message %d, frame %d", d.N, d.Frame)
	switch d.Kind {
	case Extra:
		if place = "after " + place; d.N == 0 {
			place = "before the first message"
		}
		return fmt.Appendf(b, "  %s, %s to %s: only ours sends it%s\n", place, d.Message, d.To, about)
	case Missing:
		return fmt.Appendf(b, "  %s, %s to %s: ours does not send it%s\n", place, d.Message, d.To, about)
	}
	return fmt.Appendf(b, "  %s, %s to %s: %s: recorded %s, ours %s\n", place, d.Message, d.To, cmp.Or(d.Field, "the message"),
		cmp.Or(d.Recorded, "decodes"), cmp.Or(d.Ours, "decodes"))
}

func (c *FrameCount) text() string {
	return fmt.Sprintf("%d with data, %d of them again, %d ACKs, %d NACKs", c.Data, c.Repeated, c.ACKs, c.NACKs)
}

// String lists the counts, "" for none.
func (m *Mapped) String() string {
	var s []string
	for _, c := range []struct {
		n         int
		one, more string
	}{
		{m.IDs, "id", "ids"},
		{m.GUIDs, "GUID", "GUIDs"},
		{m.Ticks, "tick count", "tick counts"},
		{m.Masks, "mask of ids", "masks of ids"},
		{m.Sockets, "socket", "sockets"},
		{m.Ports, "port that it sent from", "ports that it sent from"},
	} {
		if c.n == 1 {
			c.more = c.one
		}
		if c.n > 0 {
			s = append(s, fmt.Sprintf("%d %s", c.n, c.more))
		}
	}
	return strings.Join(s, ", ")
}

// commandText lists commands with how often they were given, by name.
func commandText(all map[string]int) string {
	names := slices.Sorted(maps.Keys(all))
	for i, name := range names {
		if all[name] > 1 {
			names[i] = fmt.Sprintf("%s (%d)", name, all[name])
		}
	}
	return strings.Join(names, ", ")
}
