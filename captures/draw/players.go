package draw

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"dplay4/captures"
	"dplay4/wire"
)

// A Player is a row of the table of players: a player, the system player of a machine, or a group, for as long as it was
// there. The times count from the diagram's start; that of Until is the end of the capture where it did not leave.
type Player struct {
	captures.Player
	Lane     int // -1: not known
	Messages int // that it sent
	Octets   int64
	At       netip.AddrPort // its machine's socket, also where the machine has no lane of its own; invalid: not known

	endpoint int // from which it sent, while its machine was not known
}

// System reports whether a player is the system player of a machine.
func (p *Player) System() bool { return p.Flags&wire.PlayerSystem != 0 }

// Kind returns what it is in a few words.
func (p *Player) Kind() string {
	switch {
	case p.Group:
		return "group"
	case p.Hosted:
		return "host's own"
	case p.System():
		return "machine's own"
	}
	return "player"
}

// quoted returns a name in quotes, with what could do harm escaped.
func quoted(name string) string { return strconv.Quote(name) }

// called returns the name of a player in quotes, or the id of one without a name.
func called(name string, id wire.PlayerID) string {
	if name == "" {
		return id.String()
	}
	return quoted(name)
}

// end returns the endpoint of a player's machine, 0 if it is not known.
func (p *Player) end(e *endpoints) int {
	if i, ok := e.index[p.Machine]; ok {
		return i
	}
	return p.endpoint
}

// A sender is a player that sent a message. The same id in two sessions is two players.
type sender struct {
	stay *captures.Player // nil: nobody announced the player
	in   *captures.Session
	id   wire.PlayerID
}

// A playerTable counts what players sent. The sessions know who was there, from when to when.
type playerTable struct {
	list     []*Player // in the order in which they came, once it is complete
	sent     map[sender]*Player
	sessions []*captures.Session
	joined   map[*captures.Session]bool // somebody was seen to join: who plays in it is told
	ends     *endpoints
	host     map[netip.AddrPort]bool
	order    []netip.AddrPort // of the hosts
}

func (t *playerTable) init(e *endpoints) {
	*t = playerTable{ends: e, sent: map[sender]*Player{}, joined: map[*captures.Session]bool{}, host: map[netip.AddrPort]bool{}}
}

// add learns from a record, which came from an endpoint.
func (t *playerTable) add(r *captures.Record, at time.Duration, endpoint int) {
	t.answer(r)
	if !t.meet(r.Session) {
		return
	}
	if id, ok := r.Sender(); ok && id != wire.IDAll && id != wire.IDUnknown {
		t.count(r, id, at, endpoint)
	}
	if host := r.Session.Player(r.Session.Host); host != nil && host.Machine.IsValid() {
		t.hosted(host.Machine)
	}
}

// meet remembers a session, and reports whether there is place for it.
func (t *playerTable) meet(s *captures.Session) bool {
	if _, met := t.joined[s]; s != nil && !met && len(t.sessions) < maxMet {
		t.joined[s] = false
		t.sessions = append(t.sessions, s)
	}
	_, met := t.joined[s]
	return met
}

// count counts a message of a player. What stands where the id of a player belongs is none where nobody announced it, unless the
// capture began after the announcements.
func (t *playerTable) count(r *captures.Record, id wire.PlayerID, at time.Duration, endpoint int) {
	k := sender{r.Session.Player(id), r.Session, id}
	p := t.sent[k]
	if p == nil {
		if k.stay == nil && t.joined[r.Session] || len(t.sent) >= maxPlayers {
			return
		}
		p = &Player{Player: captures.Player{ID: id, From: captures.Moment{N: r.N, Since: at}}, endpoint: endpoint}
		t.sent[k] = p
	}
	if _, _, named := r.FromTo(); !named {
		p.Flags |= wire.PlayerSystem // what is not from a player is from its machine
	}
	p.Messages++
	p.Octets += int64(len(r.Raw))
}

// answer learns from what only a host says, also where the rest of it cannot be read: its machine is host, and who
// plays in its session is told from then on.
func (t *playerTable) answer(r *captures.Record) {
	switch r.Envelope.Message.(type) {
	case *wire.EnumSessionsReply:
	case *wire.RequestPlayerReply, *wire.SuperEnumPlayersReply, *wire.EnumPlayersReply:
		if t.meet(r.Session) {
			t.joined[r.Session] = true
		}
	default:
		return
	}
	if r.From.Sure {
		t.hosted(r.From.At)
	}
}

// hosted notes that a machine is host.
func (t *playerTable) hosted(machine netip.AddrPort) {
	if !t.host[machine] && len(t.order) < maxPlayers {
		t.host[machine] = true
		t.order = append(t.order, machine)
	}
}

// complete makes the list of those who were in the sessions, and of those who sent something without being announced.
func (t *playerTable) complete() {
	for _, s := range t.sessions {
		for _, stay := range s.Stays() {
			p := &Player{Player: *stay}
			for _, k := range []sender{{nil, s, stay.ID}, {stay, s, stay.ID}} { // before it was announced, and after
				if sent := t.sent[k]; sent != nil {
					p.From = slices.MinFunc([]captures.Moment{p.From, sent.From}, byNumber)
					p.Messages += sent.Messages
					p.Octets += sent.Octets
					p.endpoint = cmp.Or(p.endpoint, sent.endpoint)
					delete(t.sent, k)
				}
			}
			t.list = append(t.list, p)
		}
	}
	t.list = slices.AppendSeq(t.list, maps.Values(t.sent))
	slices.SortStableFunc(t.list, func(a, b *Player) int { return byNumber(a.From, b.From) })
	t.list = t.list[:min(len(t.list), maxPlayers)]
}

func byNumber(a, b captures.Moment) int { return cmp.Compare(a.N, b.N) }

// hosts returns the endpoints of machines that were host.
func (t *playerTable) hosts() []int {
	var hosts []int
	for _, at := range t.order {
		if i, ok := t.ends.index[at]; ok {
			hosts = append(hosts, i)
		}
	}
	return hosts
}

// people returns those who are neither groups nor machines' own.
func (t *playerTable) people() []*Player {
	return slices.DeleteFunc(slices.Clone(t.list), func(p *Player) bool { return p.System() || p.Group })
}

// table returns the rows in the order in which the players came.
func (t *playerTable) table(d *Diagram) []Player {
	rows := make([]Player, 0, len(t.list))
	for _, p := range t.list {
		p.At, p.Lane = p.Machine, -1
		if end := p.end(t.ends); end > 0 {
			p.Lane = d.lanes[end]
			if l := &d.Lanes[p.Lane]; l.Kind == Machine {
				p.At = l.At
			} else if !p.At.IsValid() {
				p.At = t.ends.list[end].At
			}
		}
		if p.Until.N == 0 {
			p.Until.Since = d.Duration
		}
		rows = append(rows, *p)
	}
	return rows
}
