package draw

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// Limits of what a report tells of sessions.
const (
	maxSessions = 200
	maxHosts    = 1000 // in all sessions together
	maxChats    = 2000
)

// A SessionLine is a row of the report's table of sessions: a session under one host. A new host begins a new row.
type SessionLine struct {
	Game, Name string
	Instance   wire.GUID // zero: no description was seen
	Host       string    // who hosts, and where; "": not known
	From       time.Duration
	FromN      int
	Until      time.Duration // when the next host was named
	UntilN     int           // in which message; 0: it was host until the end

	id      wire.PlayerID
	machine netip.AddrPort
}

// A ChatLine is a row of the report's chat.
type ChatLine struct {
	At        time.Duration
	N         int
	Who, Text string
}

// A sessionTable notes sessions, their hosts, and the chat.
type sessionTable struct {
	game  func(wire.GUID) string
	lines []*SessionLine
	now   map[*captures.Session]*SessionLine
	chats []ChatLine
	left  int // chats beyond maxChats
}

func newSessionTable(game func(wire.GUID) string) *sessionTable {
	if game == nil {
		game = func(wire.GUID) string { return "" }
	}
	return &sessionTable{game: game, now: map[*captures.Session]*SessionLine{}}
}

// add learns from a record.
func (t *sessionTable) add(r *captures.Record, at time.Duration) {
	s := r.Session
	if s == nil {
		return
	}
	t.chat(r, r.Envelope.Message, at)
	line := t.now[s]
	if line == nil {
		if len(t.now) >= maxSessions {
			return
		}
		line = t.begin(s, r, at)
	}
	if line.id != s.Host && s.Host != 0 {
		if line.id != 0 && len(t.lines) < maxHosts {
			line.Until, line.UntilN = at, r.N
			line = t.begin(s, r, at)
		}
		line.id = s.Host
	}
	if p := s.Player(line.id); p != nil && p.Machine.IsValid() {
		line.machine = p.Machine
	}
	line.Name, line.Instance = s.Name, s.Instance
	if line.Game == "" && !s.Application.IsZero() {
		line.Game = cmp.Or(t.game(s.Application), s.Application.String())
	}
}

// begin appends a row.
func (t *sessionTable) begin(s *captures.Session, r *captures.Record, at time.Duration) *SessionLine {
	line := &SessionLine{From: at, FromN: r.N}
	t.lines, t.now[s] = append(t.lines, line), line
	return line
}

// chat notes a message of the chat. Copies that are sent to several machines at once are one line.
func (t *sessionTable) chat(r *captures.Record, m wire.Message, at time.Duration) {
	c, ok := cmp.Or(captures.Inside(m), m).(*wire.Chat)
	if !ok || r.Err != nil {
		return
	}
	line := ChatLine{at, r.N, called(r.Session.PlayerName(c.From), c.From), cut(c.Text.String(), maxText)}
	for _, before := range slices.Backward(t.chats) {
		if at-before.At > atOnce {
			break
		}
		if before.Who == line.Who && before.Text == line.Text {
			return // a copy for another machine
		}
	}
	if len(t.chats) >= maxChats {
		t.left++
		return
	}
	t.chats = append(t.chats, line)
}

// table returns the rows of which there is something to tell.
func (t *sessionTable) table(e *endpoints, d *Diagram) (rows []SessionLine) {
	for _, l := range t.lines {
		if l.id == 0 && l.Instance.IsZero() {
			continue
		}
		switch i, ok := e.index[l.machine]; {
		case ok:
			l.Host = d.Lanes[d.lanes[i]].caller()
		case l.machine.IsValid():
			l.Host = l.machine.String()
		case l.id != 0:
			l.Host = l.id.String()
		}
		rows = append(rows, *l)
	}
	return rows
}
