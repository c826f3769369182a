package doctor

import (
	"cmp"
	"errors"
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// A collector reads a capture once. It stores the facts, and the state by which it recognises them.
type collector struct {
	facts
	tuples    map[way]*dial // asked for, not yet answered
	flows     map[way]flow  // connections, from the sender of messages to their addressee
	listeners map[netip.AddrPort]bool
	conns     map[way]*join // by the joiner's connection
	told      map[telling]*forward
	pings     table[way, pings]       // by the UDP sockets
	pinged    map[netip.Addr][]*pings // by the address of the machine that is pinged
	checks    map[way]mark            // the last one of a leader and a member
	unhearing map[way]*unheard
	waits     int                      // requests for ids that no host has answered
	born      map[wire.PlayerID]*birth // the latest of each id
	lastFrom  map[netip.Addr]int       // the last frame of each address
}

func newCollector(opt Options) *collector { return &collector{facts: facts{game: opt.Game}} }

// A message is a record with its place, its machines and its session.
type message struct {
	*captures.Record
	way              // from its machine to that of its addressee
	at               mark
	sender, receiver *machine
	in               *captures.Session // the zero session if none is known
	room             *room             // of that session
	tcp              bool
}

// noSession is the session of messages that belong to no known session.
var noSession captures.Session

// sockets returns the connection or the sockets of a message.
func (m *message) sockets() way { return way{m.Src, m.Dst} }

// player returns the facts about a player of the message's session; the zero player if there are none.
func (m *message) player(id wire.PlayerID) *captures.Player {
	return cmp.Or(m.in.Player(id), new(captures.Player))
}

// began reports whether the capture shows that one of the machines joined. If it does not, players may have been announced before its
// beginning.
func (m *message) began() bool { return m.sender.join != nil || m.receiver.join != nil }

// record stores the facts in the next message.
func (c *collector) record(r *captures.Record) error {
	m := &message{Record: r, way: way{r.From.At, r.To.At}, at: mark{Frame: last(r.Frames), N: r.N, Time: r.Time, Message: r.Command()}, sender: c.machine(r.From.At),
		receiver: c.known(r.To.At), in: cmp.Or(r.Session, &noSession), tcp: r.Transport == captures.TCP}
	m.room = c.rooms.at(m.in.Instance, room{})
	m.room.met, m.room.in = !m.in.Instance.IsZero(), m.in
	e := &r.Envelope
	c.Begin = cmp.Or(c.Begin, r.Time)
	c.Known = c.Known || e.HasSP || r.Session != nil || m.tcp
	c.heard(m)
	if m.tcp {
		c.stream(m)
	} else {
		c.datagram(m)
	}
	for i := range r.Findings {
		c.loss(&r.Findings[i], m.at)
	}
	if r.Err != nil && frameError(r) == nil {
		c.malformed(m)
	}
	if e.HasSP && e.System() {
		c.address(m, "SockAddr", e.SP.SockAddr, captures.TCP, true)
	}
	if m.Frame != nil && !m.Joined {
		c.foreign(m)
		c.bend(m)
	}
	if e.Message != nil {
		c.message(m)
	}
	return nil
}

// message stores the facts in a message of a kind that has a handler.
func (c *collector) message(m *message) {
	if handle := handlers[m.Envelope.Message.Command()]; handle != nil {
		handle(c, m)
	}
}

// handlers store the facts in messages, by their commands.
var handlers = map[wire.Command]func(*collector, *message){
	wire.CmdEnumSessions:       on((*collector).ask),
	wire.CmdEnumSessionsReply:  on((*collector).offer),
	wire.CmdRequestPlayerID:    on((*collector).playerAsked),
	wire.CmdRequestGroupID:     func(c *collector, m *message) { c.idAsked(m, false) },
	wire.CmdRequestPlayerReply: on((*collector).idReply),
	wire.CmdAddForwardRequest:  on((*collector).requested),
	wire.CmdAddForwardReply: on(func(c *collector, m *message, x *wire.AddForwardReply) {
		c.refusal(m, "Error", x.Error, true)
	}),
	wire.CmdAuthError: on(func(c *collector, m *message, x *wire.AuthError) {
		c.refusal(m, "Error", x.Error, true)
	}),
	wire.CmdLogonDenied:           func(c *collector, m *message) { c.refusal(m, "", wire.ErrLogonDenied, true) },
	wire.CmdSuperEnumPlayersReply: on((*collector).superList),
	wire.CmdEnumPlayersReply:      on((*collector).playerList),
	wire.CmdSessionDescChanged: on(func(c *collector, m *message, x *wire.SessionDescChanged) {
		c.describe(m, &x.Desc, x.Name, x.Password)
	}),
	wire.CmdAddForward:    on((*collector).forward),
	wire.CmdAddForwardAck: on((*collector).ack),
	wire.CmdCreatePlayer:  on((*collector).created),
	wire.CmdCreatePlayerVerify: on(func(c *collector, m *message, x *wire.CreatePlayerVerify) {
		c.own(m, &x.Info)
		c.made(x.Player)
	}),
	wire.CmdDeletePlayer: on((*collector).deleted),
	wire.CmdIAmNameServer: on(func(c *collector, m *message, x *wire.IAmNameServer) {
		c.spData(m, x.SPData, "SPData", true)
		c.acts(m, true)
	}),
	wire.CmdExtension:     on((*collector).extension),
	wire.CmdPing:          func(c *collector, m *message) { c.ping(m) },
	wire.CmdYouAreDead:    func(c *collector, m *message) { c.Dead.at(m.way, dead{way: m.way}).again(m.at) },
	wire.CmdPlayerMessage: on((*collector).gameMessage),
}

// on returns a handler that calls handle with the message's own type.
func on[M wire.Message](handle func(*collector, *message, M)) func(*collector, *message) {
	return func(c *collector, m *message) {
		if x, ok := m.Envelope.Message.(M); ok {
			handle(c, m, x)
		}
	}
}

// playerAsked stores a request for an id: it begins a join, or comes from a machine that is in a session.
func (c *collector) playerAsked(m *message, x *wire.RequestPlayerID) {
	m.sender.inside = m.at
	if x.Flags&wire.PlayerSystem != 0 {
		c.joinAsked(m)
		return
	}
	m.sender.joining().In = true
	c.idAsked(m, true)
}

// requested stores a joiner's request to be let in.
func (c *collector) requested(m *message, x *wire.AddForwardRequest) {
	m.sender.inside = m.at
	if j := m.sender.joining(); j.Request.Frame == 0 {
		j.Request, j.Password = m.at, clonePassword(x.Password)
	}
	c.own(m, &x.Info)
}

// superList stores a list of players.
func (c *collector) superList(m *message, x *wire.SuperEnumPlayersReply) {
	c.listTwins(m, x)
	c.describe(m, &x.Desc, x.Name, x.Password)
	c.list(m)
	for i := range x.Players {
		p := &x.Players[i]
		info := wire.PackedPlayer{Flags: p.Flags, ID: p.ID, ShortName: p.ShortName, LongName: p.LongName, SPData: p.SPData}
		c.listed(m, &info, "Players["+itoa(i)+"].SPData")
	}
}

// playerList stores a list of players in the older form.
func (c *collector) playerList(m *message, x *wire.EnumPlayersReply) {
	c.describe(m, &x.Desc, x.Name, x.Password)
	c.list(m)
	for i := range x.Players {
		c.listed(m, &x.Players[i], "SPData")
	}
}

// listed stores the addresses and the name of a player of a list.
func (c *collector) listed(m *message, p *wire.PackedPlayer, field string) {
	c.spData(m, p.SPData, field, false)
	c.nameOf(m, p)
}

// created stores a new player.
func (c *collector) created(m *message, x *wire.CreatePlayer) {
	m.sender.inside = m.at
	m.sender.joining().In = true
	c.own(m, &x.Info)
	c.made(x.Player)
}

// deleted stores a deletion that another machine than the player's announced, and that the machine of a player leaves.
func (c *collector) deleted(m *message, x *wire.DeletePlayer) {
	if p := m.player(x.Player); p.Machine.IsValid() && p.Machine != m.from {
		add(&c.Deletions, &deletion{mark: m.at, By: m.from, Machine: p.Machine, Player: x.Player})
	}
	c.leaves(m.sockets(), m.at)
}

// extension stores the host, the addresses and the questions of leaders that are in the extension's messages.
func (c *collector) extension(m *message, x *wire.Extension) {
	host := x.Kind == wire.KindClaim // that of another release as well, which does not decode
	switch b := x.Body.(type) {
	case *wire.ExtensionRejoinAt:
		host = b.Host == x.From
	case *wire.ExtensionRejoin:
		c.spData(m, b.SPData, "SPData", true)
	case *wire.ExtensionView:
		host = b.View.Leader == x.From && leads(b, x.From)
		c.view(m, x, b)
	case *wire.ExtensionTable:
		t, err := dpl8.Decode(b.Message)
		h, ok := t.(*dpl8.HostMigrate)
		host = err == nil && ok && wire.PlayerID(h.NewHost) == x.From
	}
	if host {
		c.acts(m, true)
	}
}

// acts records that a machine did what only the host of a session does. takes makes the sender host if it was not before. Without
// takes, an address that is not a member's is another address of the same host, which has several adapters.
func (c *collector) acts(m *message, takes bool) {
	if m.in.Instance.IsZero() {
		return
	}
	s := m.room
	old := cmp.Or(s.host, new(reign))
	if old.Host == m.from {
		old.Until = m.at
		return
	}
	if takes || s.host == nil || m.sender.join != nil || s.reigned[m.from] {
		c.deposes(old, m)
		s.host = &reign{mark: m.at, Until: m.at, Host: m.from, What: m.in.Instance, Name: clip(m.in.Name)}
		add(&c.Reigns, s.host)
		put(&s.reigned, m.from, true, maxFacts)
	}
}

// A brokenKey is a kind of message between two machines.
type brokenKey struct {
	way
	command string
}

// malformed counts a message that does not decode.
func (c *collector) malformed(m *message) {
	if m.tcp && m.at.Message == wire.CmdPlayerMessage.String() && m.in.Instance.IsZero() {
		return // the capture began after the session was described, whose messages may have no ids
	}
	b := broken{way: m.way, Text: m.Err.Error()}
	errors.As(m.Err, &b.Err)
	c.Broken.at(brokenKey{m.way, m.at.Message}, b).again(m.at)
}

// rests are octets of a connection that are no message. The value is true if they begin as a message does.
var rests = map[captures.Code]bool{captures.OctetsSkipped: false, captures.MessageIncomplete: true}

// finding stores a finding that belongs to no message.
func (c *collector) finding(f *captures.Finding) {
	m := mark{Frame: f.Frame}
	c.loss(f, m)
	if short, rest := rests[f.Code]; rest && f.Src.IsValid() {
		add(&c.Junk, &broken{tally: tally{m, 1}, way: way{f.Src, f.Dst}, Text: f.Text, Short: short})
	}
}

// lossCodes are the codes of findings about parts that the capture lacks.
var lossCodes = map[captures.Code]bool{captures.OctetsLost: true, captures.FragmentsMissing: true, captures.FileDamaged: true,
	captures.FragmentsIncomplete: true, captures.ReliableIncomplete: true}

// loss stores a part that the capture lacks.
func (c *collector) loss(f *captures.Finding, m mark) {
	if lossCodes[f.Code] {
		add(&c.Losses, &loss{mark: m, Text: f.Text})
	}
}

// events store the facts below the messages.
var events = map[captures.EventKind]func(*collector, *captures.Event, mark){
	captures.AddressMet: func(c *collector, e *captures.Event, _ mark) {
		add(&c.Sources, &source{Interface: e.Interface, Addr: e.Src.Addr()})
	},
	captures.ConnectionAsked: (*collector).asked,
	captures.ConnectionTaken: func(c *collector, e *captures.Event, _ mark) { c.settled(e).Taken++ },
	captures.ConnectionEnded: (*collector).closed,
	captures.ConnectionBroken: func(c *collector, e *captures.Event, m mark) {
		c.reset(e, m)
		c.closed(e, m)
		c.settled(e).Refused.again(m)
	},
	captures.Unreachable:  (*collector).blocked,
	captures.CaptureEnded: func(c *collector, e *captures.Event, _ mark) { c.End = e.Time },
}

// event stores the facts below the messages.
func (c *collector) event(e *captures.Event) {
	if store := events[e.Kind]; store != nil {
		store(c, e, mark{Frame: e.Frame, Time: e.Time, Message: e.Kind.String()})
	}
}
