package show

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"dplay4/wire"
)

// AppendText appends the statistics as tables for people.
func (s *Stats) AppendText(b []byte) []byte {
	b = s.appendTotal(b)
	if s.total.messages == 0 {
		return b
	}
	b = append(b, '\n')
	b = s.commandTable().append(b)
	b = s.playerTable().append(b)
	b = s.conversationTable().append(b)
	b = s.pingTable().append(b)
	b = s.linkTable().append(b)
	return b[:len(b)-1] // without the empty line after the last table
}

func (s *Stats) appendTotal(b []byte) []byte {
	b = fmt.Appendf(b, "%d messages, %d octets", s.total.messages, s.total.octets)
	if s.total.messages > 0 {
		b = fmt.Appendf(b, " in %s s, from %s on", AppendSeconds(nil, s.duration()), s.first.UTC().Format(time.RFC3339Nano))
	}
	return append(b, '\n')
}

// duration is the time from the first message to the last.
func (s *Stats) duration() time.Duration { return s.last.Sub(s.first) }

// cells returns messages, octets and their rates over d.
func (t *tally) cells(d time.Duration) []string {
	return []string{
		strconv.Itoa(t.messages), strconv.FormatInt(t.octets, 10),
		rateText(float64(t.messages), d, 2), rateText(float64(t.octets), d, 1),
	}
}

func (s *Stats) commandTable() *table {
	t := &table{head: []string{"COMMAND", "messages", "octets", "messages/s", "octets/s"}, left: 1}
	joined := slices.ContainsFunc(s.commands, func(c *commandTally) bool { return c.joined.messages > 0 })
	if joined {
		t.head = append(t.head, "put together", "octets of these")
	}
	for _, c := range s.sortedCommands() {
		cells := append([]string{c.name}, c.cells(s.duration())...)
		if joined {
			cells = append(cells, strconv.Itoa(c.joined.messages), strconv.FormatInt(c.joined.octets, 10))
		}
		t.add(cells...)
	}
	t.others(&s.otherCommands, s.duration())
	return t
}

// others adds a row for what is beyond a limit, if there is anything.
func (t *table) others(o *tally, d time.Duration) {
	if o.messages == 0 {
		return
	}
	cells := make([]string, t.left, len(t.head))
	cells[0] = "others"
	cells = append(cells, o.cells(d)...)
	t.add(cells[:min(len(cells), len(t.head))]...)
}

// sortedCommands returns the most frequent first.
func (s *Stats) sortedCommands() []*commandTally {
	return slices.SortedStableFunc(slices.Values(s.commands), func(a, b *commandTally) int {
		return cmp.Or(cmp.Compare(b.messages, a.messages), cmp.Compare(a.name, b.name))
	})
}

func (s *Stats) playerTable() *table {
	t := &table{head: []string{"PLAYER", "name", "messages", "octets", "messages/s", "octets/s"}, left: 2}
	several := s.severalSessions()
	if several {
		t.head = slices.Insert(t.head, 2, "session")
		t.left++
	}
	for _, p := range s.sortedPlayers() {
		cells := []string{p.id.String(), quotedName(p.name)}
		if several {
			cells = append(cells, p.sessionName())
		}
		t.add(append(cells, p.cells(s.duration())...)...)
	}
	t.others(&s.otherPlayers, s.duration())
	return t
}

// severalSessions reports whether the players are of more than one session.
func (s *Stats) severalSessions() bool {
	return slices.ContainsFunc(s.players, func(p *playerTally) bool {
		return p.instance != s.players[0].instance
	})
}

func (p *playerTally) sessionName() string {
	switch {
	case p.session != "":
		return quotedName(p.session)
	case p.instance != wire.GUID{}:
		return p.instance.String()
	}
	return ""
}

func quotedName(name string) string {
	if name == "" {
		return ""
	}
	return string(strconv.AppendQuote(nil, name))
}

// sortedPlayers returns who sent most first.
func (s *Stats) sortedPlayers() []*playerTally {
	return slices.SortedStableFunc(slices.Values(s.players), func(a, b *playerTally) int {
		return cmp.Or(cmp.Compare(b.messages, a.messages), cmp.Compare(b.octets, a.octets), cmp.Compare(a.id, b.id))
	})
}

func (s *Stats) conversationTable() *table {
	t := &table{head: []string{"CONVERSATION", "one end", "other end", "messages >", "octets >", "messages <", "octets <", "seconds",
		"octets/s"}, left: 3}
	for _, c := range s.sortedConversations() {
		d := c.last.Sub(c.first)
		t.add(strconv.Itoa(c.number), c.ends[0].At.String(), c.ends[1].At.String(),
			strconv.Itoa(c.sent[0].messages), strconv.FormatInt(c.sent[0].octets, 10),
			strconv.Itoa(c.sent[1].messages), strconv.FormatInt(c.sent[1].octets, 10),
			string(AppendSeconds(nil, d)), rateText(float64(c.octets()), d, 1))
	}
	if o := &s.otherConversations; o.messages > 0 {
		t.add("others", "", "", strconv.Itoa(o.messages), strconv.FormatInt(o.octets, 10))
	}
	return t
}

func (c *conversationTally) octets() int64 { return c.sent[0].octets + c.sent[1].octets }

// sortedConversations returns the largest first.
func (s *Stats) sortedConversations() []*conversationTally {
	return slices.SortedStableFunc(slices.Values(s.conversations), func(a, b *conversationTally) int {
		return cmp.Or(cmp.Compare(b.octets(), a.octets()), cmp.Compare(a.number, b.number))
	})
}

func (s *Stats) pingTable() *table {
	t := &table{head: []string{"PINGS from", "to", "sent", "answered", "unanswered", "min ms", "avg ms", "median ms", "max ms"},
		left: 2}
	for _, c := range s.sortedConversations() {
		for way := range c.pings {
			if p := &c.pings[way]; p.sent+p.stray > 0 {
				t.add(p.cells(c.ends[way].At.String(), c.ends[1-way].At.String())...)
			}
		}
	}
	if len(t.rows) > 1 {
		t.add(s.pings.cells("all", "")...)
	}
	return t
}

func (p *pingTally) cells(from, to string) []string {
	cells := []string{from, to, strconv.Itoa(p.sent), strconv.Itoa(p.answered), strconv.Itoa(p.unanswered())}
	if p.answered == 0 {
		return append(cells, "-", "-", "-", "-")
	}
	return append(cells, milliseconds(p.min), milliseconds(p.average()), p.median("-"), milliseconds(p.max))
}
