package draw

import (
	"net/netip"
	"slices"
	"strconv"
	"time"

	"dplay4/captures"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// A Player is a row of the table of players: a player, the system player of a machine, or a group, for as long as it was
// there.
type Player struct {
	ID       wire.PlayerID
	Names    []Naming // in the order of time; the last one is in force
	System   bool
	Host     bool
	Group    bool
	Lane     int           // -1: not known
	From     time.Duration // when it was first spoken of, after the diagram's start
	FromN    int           // in which message
	Until    time.Duration // when it left; the end of the capture where it did not
	UntilN   int           // message that took it away; 0: none
	Messages int           // that it sent
	Octets   int64
	At       netip.AddrPort // its machine's socket, also where the machine has no lane of its own; invalid: not known

	machine  netip.AddrPort
	endpoint int // from which it sent, while its machine was not known
}

// A Naming is a name and when it was first seen.
type Naming struct {
	Name string
	At   time.Duration
}

// Name returns the name in force, "" where there is none.
func (p *Player) Name() string {
	if len(p.Names) == 0 {
		return ""
	}
	return p.Names[len(p.Names)-1].Name
}

// Kind returns what it is in a few words.
func (p *Player) Kind() string {
	switch {
	case p.Group:
		return "group"
	case p.Host:
		return "host's own"
	case p.System:
		return "machine's own"
	}
	return "player"
}

// quoted returns a name in quotes, with what could do harm escaped.
func quoted(name string) string { return strconv.Quote(name) }

// end returns the endpoint of a player's machine, 0 if it is not known.
func (p *Player) end(e *endpoints) int {
	if i, ok := e.index[p.machine]; ok {
		return i
	}
	return p.endpoint
}

type playerKey struct {
	in *captures.Session
	id wire.PlayerID
}

// A playerTable notes who was there, from when to when. The same id in two sessions is two players.
type playerTable struct {
	list   []*Player
	byKey  map[playerKey]*Player
	ends   *endpoints
	host   map[netip.AddrPort]bool
	order  []netip.AddrPort
	joined map[*captures.Session]bool // somebody was seen to join: who plays in it is told
}

func (t *playerTable) init(e *endpoints) {
	t.ends = e
	t.byKey = map[playerKey]*Player{}
	t.host = map[netip.AddrPort]bool{}
	t.joined = map[*captures.Session]bool{}
}

// add learns from a record, which came from an endpoint.
func (t *playerTable) add(r *captures.Record, at time.Duration, endpoint int) {
	t.answer(r)
	if r.Session == nil {
		return
	}
	if id, ok := r.Sender(); ok && t.exists(r.Session, id) {
		if p := t.meet(r, id, at); p != nil {
			if _, _, named := r.FromTo(); !named && r.Session.Player(id) == nil {
				p.System = true // what is not from a player is from its machine
			}
			p.Messages++
			p.Octets += int64(len(r.Raw))
			if p.endpoint == 0 {
				p.endpoint = endpoint
			}
		}
	}
	if r.Err == nil {
		t.message(r, r.Envelope.Message, at)
	}
	if host := r.Session.Player(r.Session.Host); host != nil && host.Machine.IsValid() && t.hosted(host.Machine) {
		if p := t.meet(r, host.ID, at); p != nil {
			p.Host = true
		}
	}
}

// answer learns from what only a host says, also where the rest of it cannot be read: its machine is host, and who
// plays in its session is told from then on.
func (t *playerTable) answer(r *captures.Record) {
	switch r.Envelope.Message.(type) {
	case *wire.EnumSessionsReply:
	case *wire.RequestPlayerReply, *wire.SuperEnumPlayersReply, *wire.EnumPlayersReply:
		if r.Session != nil && len(t.joined) < maxPlayers {
			t.joined[r.Session] = true
		}
	default:
		return
	}
	if r.From.Sure {
		t.hosted(r.From.At)
	}
}

// hosted notes that a machine is host. It says whether that is news.
func (t *playerTable) hosted(machine netip.AddrPort) bool {
	if t.host[machine] || len(t.order) >= maxPlayers {
		return false
	}
	t.host[machine] = true
	t.order = append(t.order, machine)
	return true
}

// exists reports whether a sender may be a player. What stands where its id belongs is none where nobody announced it,
// unless the capture began after the announcements.
func (t *playerTable) exists(in *captures.Session, id wire.PlayerID) bool {
	return !t.joined[in] || in.Player(id) != nil || t.byKey[playerKey{in, id}] != nil
}

// message learns who comes, who goes, and who has another name.
func (t *playerTable) message(r *captures.Record, m wire.Message, at time.Duration) {
	switch m := m.(type) {
	case *wire.AddForwardRequest:
		t.come(r, m.Info.ID, at)
	case *wire.AddForward:
		t.come(r, m.Info.ID, at)
	case *wire.CreatePlayer:
		t.come(r, m.Info.ID, at)
	case *wire.CreatePlayerVerify:
		t.come(r, m.Info.ID, at)
	case *wire.CreateGroup:
		t.come(r, m.Info.ID, at)
	case *wire.PlayerNameChanged:
		t.meet(r, m.Player, at)
	case *wire.GroupNameChanged:
		t.meet(r, m.Group, at)
	case *wire.IAmNameServer:
		t.meet(r, m.Host, at)
	case *wire.DeletePlayer:
		t.leave(r, m.Player, at)
	case *wire.DeleteGroup:
		t.leave(r, m.Group, at)
	case *wire.SuperEnumPlayersReply:
		for i := range m.Players {
			t.come(r, m.Players[i].ID, at)
		}
		for i := range m.Groups {
			t.come(r, m.Groups[i].ID, at)
		}
	case *wire.EnumPlayersReply:
		for i := range m.Players {
			t.come(r, m.Players[i].ID, at)
		}
		for i := range m.Groups {
			t.come(r, m.Groups[i].ID, at)
		}
	case *wire.Extension:
		t.table8(r, m, at)
	default:
		if in := inside(m); in != nil {
			t.message(r, in, at)
		}
	}
}

// inside returns the message that another one carries to a group, nil if there is none. Messages are not inside each
// other twice: the decoder refuses that.
func inside(m wire.Message) wire.Message {
	switch m := m.(type) {
	case *wire.Ask4Multicast:
		return m.Inner.Message
	case *wire.Ask4MulticastGuaranteed:
		return m.Inner.Message
	case *wire.MulticastDelivery:
		return m.Inner.Message
	case *wire.Signed:
		return m.Inner.Message
	}
	return nil
}

// table8 stores the players that a VIEW, or a TABLE of an older release, adds and deletes.
func (t *playerTable) table8(r *captures.Record, m *wire.Extension, at time.Duration) {
	if b, ok := m.Body.(*wire.ExtensionView); ok && (b.Step == wire.ViewLog || b.Step == wire.ViewInstall) {
		t.view(r, b, at)
	}
	b, ok := m.Body.(*wire.ExtensionTable)
	if !ok {
		return
	}
	in, err := dpl8.Decode(b.Message)
	if err != nil {
		return
	}
	switch in := in.(type) {
	case *dpl8.AddPlayer:
		t.come(r, wire.PlayerID(in.Entry.ID), at)
	case *dpl8.DestroyPlayer:
		t.leave(r, wire.PlayerID(in.Leaving), at)
	}
}

// view learns it from the operations that a view's leader numbered.
func (t *playerTable) view(r *captures.Record, b *wire.ExtensionView, at time.Duration) {
	for _, octets := range b.Ops {
		n, err := captures.ViewOperation(octets)
		if err != nil {
			continue
		}
		switch o := n.Op.(type) {
		case playerlist.AddPlayer:
			t.come(r, o.Entry.ID, at)
		case playerlist.AddGroup:
			t.come(r, o.Entry.ID, at)
		case playerlist.DeletePlayer:
			t.leave(r, o.ID, at)
		case playerlist.DeleteGroup:
			t.leave(r, o.ID, at)
		}
	}
}

// come notes that a player is announced. One that had left, and comes again, has a row for each time that it was there.
func (t *playerTable) come(r *captures.Record, id wire.PlayerID, at time.Duration) {
	k := playerKey{r.Session, id}
	if p := t.byKey[k]; p != nil && p.UntilN > 0 && len(t.list) < maxPlayers {
		delete(t.byKey, k)
	}
	t.meet(r, id, at)
}

// meet notes that a player is there, and takes over what its session knows of it. It gives nil for ids of nobody, and
// where there are too many.
func (t *playerTable) meet(r *captures.Record, id wire.PlayerID, at time.Duration) *Player {
	if id == wire.IDAll || id == wire.IDUnknown {
		return nil
	}
	k := playerKey{r.Session, id}
	p := t.byKey[k]
	if p == nil {
		if len(t.list) >= maxPlayers {
			return nil
		}
		p = &Player{ID: id, From: at, FromN: r.N, Lane: -1}
		t.byKey[k] = p
		t.list = append(t.list, p)
	}
	known := r.Session.Player(id)
	if known == nil {
		return p
	}
	p.System, p.Group = known.Flags&wire.PlayerSystem != 0, known.Group
	p.Host = p.Host || known.Flags&wire.PlayerNameServer != 0
	if known.Machine.IsValid() {
		p.machine = known.Machine
	}
	if known.Name != "" && known.Name != p.Name() {
		if len(p.Names) == maxNames {
			p.Names = slices.Delete(p.Names, 1, 2)
		}
		p.Names = append(p.Names, Naming{known.Name, at})
	}
	return p
}

// leave notes that a player is gone. The first message that says so counts: each machine may tell the others.
func (t *playerTable) leave(r *captures.Record, id wire.PlayerID, at time.Duration) {
	if p := t.meet(r, id, at); p != nil && p.UntilN == 0 {
		p.Until, p.UntilN = at, r.N
	}
}

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
	var list []*Player
	for _, p := range t.list {
		if !p.System && !p.Group {
			list = append(list, p)
		}
	}
	return list
}

// table returns the rows in the order in which the players came.
func (t *playerTable) table(d *Diagram) []Player {
	rows := make([]Player, 0, len(t.list))
	for _, p := range t.list {
		p.At = p.machine
		if end := p.end(t.ends); end > 0 {
			p.Lane = d.lanes[end]
			if l := &d.Lanes[p.Lane]; l.Kind == Machine {
				p.At = l.At
			} else if !p.At.IsValid() {
				p.At = t.ends.list[end].At
			}
		}
		if p.UntilN == 0 {
			p.Until = d.Duration
		}
		rows = append(rows, *p)
	}
	return rows
}
