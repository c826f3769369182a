package show

import (
	"cmp"
	"time"

	"dplay4/captures"
	"dplay4/captures/links"
	"dplay4/wire"
)

// Limits of what statistics remember. What is beyond one is counted together, as others.
const (
	maxStatCommands      = 4096    // the specification assigns 49; a hostile file can show 65,536
	maxStatPlayers       = 1 << 16 // what one session can have
	maxStatConversations = 1 << 14 // pairs of machines; a session of 64 machines has 2,016
	maxRoundTrips        = 1 << 18 // round-trip times kept for medians, 2 MiB
)

// Stats counts messages: by command, by player, by conversation, by link of the reliable protocol, and pings with their
// round-trip times. The zero
// value is ready. Memory is bounded by the limits of this file.
//
// Messages that were put together from fragments or reliable frames count as messages; their octets were
// counted with the records that brought them, so that the sum is what was on the wire.
type Stats struct {
	total       tally
	first, last time.Time

	commands      []*commandTally // in order of appearance, like all lists here
	players       []*playerTally
	conversations []*conversationTally
	byCommand     map[string]*commandTally
	byPlayer      map[playerKey]*playerTally
	byNumber      map[int]*conversationTally

	otherCommands, otherPlayers, otherConversations tally

	links  []*links.Link // of the reliable protocol
	byLink map[*links.Link]bool

	pings pingTally // all of them
	open  Pings[sentPing]
	trips int // round-trip times kept
}

// A tally counts messages and their octets.
type tally struct {
	messages int
	octets   int64
}

func (t *tally) add(octets int64) {
	t.messages++
	t.octets += octets
}

type commandTally struct {
	name string
	tally
	joined tally // of them put together from parts; octets of the whole messages
}

// A playerKey names a player. The session is there for its identity and is not looked into later: it may be
// described, and so change its name, after its first message.
type playerKey struct {
	session *captures.Session
	id      wire.PlayerID
}

type playerTally struct {
	id       wire.PlayerID
	name     string
	session  string
	instance wire.GUID
	tally
}

// Add counts a record. It keeps nothing of the record but names.
func (s *Stats) Add(r *captures.Record) {
	if s.byCommand == nil {
		s.byCommand = map[string]*commandTally{}
		s.byPlayer = map[playerKey]*playerTally{}
		s.byNumber = map[int]*conversationTally{}
		s.byLink = map[*links.Link]bool{}
	}
	octets := int64(len(r.Raw))
	if r.Joined {
		octets = 0
	}
	s.total.add(octets)
	stretch(&s.first, &s.last, r.Time)
	s.command(r, octets)
	s.player(r, octets)
	s.conversation(r, octets)
	s.link(r)
}

// stretch makes the time from first to last include t. Frames of a file need not be in order.
func stretch(first, last *time.Time, t time.Time) {
	if first.IsZero() || t.Before(*first) {
		*first = t
	}
	if last.IsZero() || t.After(*last) {
		*last = t
	}
}

// remembered returns what is known by a key; what is new begins as first. It returns nil if there is no room for more.
func remembered[K comparable, T any](known map[K]*T, list *[]*T, most int, key K, first T) *T {
	t := known[key]
	if t == nil && len(*list) < most {
		t = new(T)
		*t = first // itself it would be on the heap, each time
		known[key], *list = t, append(*list, t)
	}
	return t
}

func (s *Stats) command(r *captures.Record, octets int64) {
	name := r.Command()
	c := remembered(s.byCommand, &s.commands, maxStatCommands, name, commandTally{name: name})
	if c == nil {
		s.otherCommands.add(octets)
		return
	}
	c.add(octets)
	if r.Joined {
		c.joined.add(int64(len(r.Raw)))
	}
}

func (s *Stats) player(r *captures.Record, octets int64) {
	id, ok := r.Sender()
	if !ok {
		return
	}
	p := remembered(s.byPlayer, &s.players, maxStatPlayers, playerKey{r.Session, id}, playerTally{id: id})
	if p == nil {
		s.otherPlayers.add(octets)
		return
	}
	p.add(octets)
	p.name = cmp.Or(r.Session.PlayerName(id), p.name)
	if r.Session != nil {
		p.session, p.instance = r.Session.Name, r.Session.Instance
	}
}
