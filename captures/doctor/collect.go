package doctor

import (
	"errors"
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// A collector reads a capture once. It keeps the facts, and what it needs to recognise them.
type collector struct {
	facts
	watchers  []func(*message)         // of rules
	tells     map[Code]func(*findings) // the findings of the rules that have a watcher
	tuples    map[way]*dial            // asked for, not yet answered
	flows     map[way]flow             // connections, from the sender of messages to their addressee
	listeners map[netip.AddrPort]bool
	conns     map[netip.AddrPort]*join      // by the joiner's connection
	denied    map[netip.AddrPort][]*refusal // those of players, of a machine that got none since
	told      map[telling]*forward
	waiting   map[netip.AddrPort][]*forward // ADDFORWARD messages that a member has not acknowledged, the oldest first
	pings     table[way, pings]             // by the UDP sockets
	pinged    map[netip.Addr][]*pings       // by the address of the machine that is pinged
	runs      map[way]*run                  // by the machine that pings and the one that is pinged
	checks    map[way]mark                  // the last one of a leader and a member
	unhearing map[way]*unheard
	wanted    map[netip.AddrPort][]idRequest // those of a machine that the host has not answered, the oldest first
	waits     int                            // how many they are
	born      map[wire.PlayerID]*birth       // the latest of each id
	bornOn    map[way][]*birth               // by the connection that the id was asked for on
	segments  map[way]*segment
	lastFrom  map[netip.Addr]int // the last frame of each address
}

func newCollector(opt Options) *collector {
	c := &collector{facts: facts{game: opt.Game}, tells: map[Code]func(*findings){}}
	for _, r := range rules {
		if r.watch != nil {
			see, tell := r.watch(&c.facts)
			c.watchers, c.tells[r.code] = append(c.watchers, see), tell
		}
	}
	return c
}

// A message is a record with its place, and the listeners of its machines.
type message struct {
	*captures.Record
	at       mark
	from, to netip.AddrPort
}

// way returns the connection or the sockets of a message.
func (m *message) way() way { return way{m.Src, m.Dst} }

// machines returns the machines of a message.
func (m *message) machines() way { return way{m.from, m.to} }

// sessionName returns the name of a message's session, "" if it is not known.
func (m *message) sessionName() string {
	if m.Session == nil {
		return ""
	}
	return m.Session.Name
}

// record stores the facts in the next message.
func (c *collector) record(r *captures.Record) error {
	m := &message{Record: r, at: mark{N: r.N, Time: r.Time, Message: r.Command()}, from: r.From.At, to: r.To.At}
	if n := len(r.Frames); n > 0 {
		m.at.Frame = r.Frames[n-1]
	}
	if c.Begin.IsZero() {
		c.Begin = r.Time
	}
	e := &r.Envelope
	c.Known = c.Known || e.HasSP || r.Session != nil || r.Transport == captures.TCP
	if r.Session != nil && !r.Session.Instance.IsZero() {
		c.rooms.at(r.Session.Instance).met = true
	}
	c.heard(m)
	c.datagram(m)
	if r.Transport == captures.TCP {
		c.stream(m)
	}
	for i := range r.Findings {
		c.loss(&r.Findings[i], m.at)
	}
	if r.Err != nil && !frameError(r) {
		c.malformed(m)
	}
	if e.HasSP && e.System() {
		c.address(m, "SockAddr", e.SP.SockAddr, captures.TCP, true)
	}
	for _, see := range c.watchers {
		see(m)
	}
	c.message(m)
	return nil
}

// message stores the facts in a message, by its type.
func (c *collector) message(m *message) {
	switch x := m.Envelope.Message.(type) {
	case *wire.EnumSessions:
		c.ask(m, x)
	case *wire.EnumSessionsReply:
		c.rooms.at(x.Desc.Instance).describe(m, &x.Desc, x.Name, nil)
		c.offer(m, x)
	case *wire.RequestPlayerID:
		c.inside(m)
		if x.Flags&wire.PlayerSystem != 0 {
			c.joinAsked(m)
			return
		}
		c.isIn(m.from)
		c.idAsked(m, true)
	case *wire.RequestGroupID:
		c.idAsked(m, false)
	case *wire.RequestPlayerReply:
		c.idReply(m, x)
	case *wire.AddForwardRequest:
		c.inside(m)
		if j := c.joining[m.from]; j != nil && j.Request.Frame == 0 {
			j.Request, j.Password = m.at, clonePassword(x.Password)
		}
		c.packed(m, &x.Info, true)
	case *wire.AddForwardReply:
		c.refusal(m, "Error", x.Error, true)
	case *wire.AuthError:
		c.refusal(m, "Error", x.Error, true)
	case *wire.LogonDenied:
		c.refusal(m, "", wire.ErrLogonDenied, true)
	case *wire.SuperEnumPlayersReply:
		c.rooms.at(x.Desc.Instance).describe(m, &x.Desc, x.Name, x.Password)
		c.list(m)
		for i := range x.Players {
			p := &x.Players[i]
			c.spData(m, p.SPData, "Players["+itoa(i)+"].SPData", false)
			c.nameOf(m, p.Flags, p.ID, p.ShortName, p.LongName)
			c.rooms.at(x.Desc.Instance).listed(p.ID, p.Flags)
		}
	case *wire.EnumPlayersReply:
		c.rooms.at(x.Desc.Instance).describe(m, &x.Desc, x.Name, x.Password)
		c.list(m)
		for i := range x.Players {
			c.packed(m, &x.Players[i], false)
			c.rooms.at(x.Desc.Instance).listed(x.Players[i].ID, x.Players[i].Flags)
		}
	case *wire.SessionDescChanged:
		c.rooms.at(x.Desc.Instance).describe(m, &x.Desc, x.Name, x.Password)
	case *wire.AddForward:
		c.forward(m, x)
		c.packed(m, &x.Info, false)
	case *wire.AddForwardAck:
		c.ack(m.from, x.ID)
	case *wire.CreatePlayer:
		if s := c.room(m.Record); s != nil && x.Info.Flags&wire.PlayerSystem == 0 {
			s.came(x.Player)
		}
		c.inside(m)
		c.packed(m, &x.Info, true)
		c.isIn(m.from)
		c.made(x.Player)
	case *wire.CreatePlayerVerify:
		c.packed(m, &x.Info, true)
		c.made(x.Player)
	case *wire.DeletePlayer:
		if s := c.room(m.Record); s != nil {
			s.went(x.Player)
		}
		if p := m.Session.Player(x.Player); p != nil && p.Machine.IsValid() && p.Machine != m.from {
			add(&c.Deletions, &deletion{mark: m.at, By: m.from, Machine: p.Machine, Player: x.Player})
		}
		c.leaves(m.way(), m.at)
	case *wire.IAmNameServer:
		c.spData(m, x.SPData, "SPData", true)
		c.acts(m, true)
	case *wire.Extension:
		c.extension(m, x)
	case *wire.Ping:
		c.ping(m)
	}
}

// extension stores the host, the addresses and the questions of leaders that are in the extension's messages.
func (c *collector) extension(m *message, x *wire.Extension) {
	host := x.Kind == wire.KindClaim // that of another release as well, which does not decode
	switch b := x.Body.(type) {
	case *wire.ExtensionRejoinAt:
		host = host || b.Host == x.From
	case *wire.ExtensionRejoin:
		c.spData(m, b.SPData, "SPData", true)
	case *wire.ExtensionView:
		host = host || b.View.Leader == x.From && leads(b, x.From)
		c.view(m, x, b)
	case *wire.ExtensionTable:
		if t, err := dpl8.Decode(b.Message); err == nil {
			h, ok := t.(*dpl8.HostMigrate)
			host = host || ok && wire.PlayerID(h.NewHost) == x.From
		}
	}
	if host {
		c.acts(m, true)
	}
}

// acts records that a machine did what only the host of a session does. takes makes the sender host if it was not before. Without
// takes, an address that is not a member's is another address of the same host, which has several adapters.
func (c *collector) acts(m *message, takes bool) {
	if m.Session == nil || m.Session.Instance.IsZero() {
		return
	}
	s := c.rooms.at(m.Session.Instance)
	now := s.host
	switch {
	case now != nil && now.Host == m.from:
		now.Until = m.at
		return
	case now != nil && !takes && c.joining[m.from] == nil && !s.reigned[m.from], len(c.Reigns) >= maxFacts:
		return
	case now != nil:
		c.deposes(now, m)
	}
	s.host = &reign{mark: m.at, Until: m.at, Host: m.from, What: m.Session.Instance, Name: clip(m.Session.Name)}
	add(&c.Reigns, s.host)
	put(&s.reigned, m.from, true, maxFacts)
}

// A brokenKey is a kind of message between two machines.
type brokenKey struct {
	way
	command string
}

// malformed counts a message that does not decode.
func (c *collector) malformed(m *message) {
	if m.Transport == captures.TCP && m.at.Message == wire.CmdPlayerMessage.String() && (m.Session == nil || m.Session.Instance.IsZero()) {
		return // the capture began after the session was described, whose messages may have no ids
	}
	b := c.Broken.at(brokenKey{m.machines(), m.at.Message})
	if b.again(m.at); b.Count == 1 {
		b.way, b.Text = m.machines(), m.Err.Error()
		errors.As(m.Err, &b.Err)
	}
}

// finding stores a finding that belongs to no message.
func (c *collector) finding(f *captures.Finding) {
	m := mark{Frame: f.Frame}
	c.loss(f, m)
	if (f.Code == captures.OctetsSkipped || f.Code == captures.MessageIncomplete) && f.Src.IsValid() {
		add(&c.Junk, &broken{tally: tally{m, 1}, way: way{f.Src, f.Dst}, Text: f.Text, Short: f.Code == captures.MessageIncomplete})
	}
}

// loss stores what the capture lacks.
func (c *collector) loss(f *captures.Finding, m mark) {
	switch f.Code {
	case captures.OctetsLost, captures.FragmentsMissing, captures.FileDamaged, captures.FragmentsIncomplete, captures.ReliableIncomplete:
		add(&c.Losses, &loss{mark: m, Text: f.Text})
	}
}

// event stores the facts below the messages.
func (c *collector) event(e *captures.Event) {
	m := mark{Frame: e.Frame, Time: e.Time, Message: e.Kind.String()}
	switch e.Kind {
	case captures.AddressMet:
		add(&c.Sources, &source{Interface: e.Interface, Addr: e.Src.Addr()})
	case captures.ConnectionAsked:
		delete(c.flows, way{e.Src, e.Dst}) // another connection
		c.asked(e, m)
	case captures.ConnectionTaken:
		if d := c.settled(e); d != nil {
			d.Taken++
		}
	case captures.ConnectionEnded:
		c.closed(e, m)
	case captures.ConnectionBroken:
		c.reset(e, m)
		c.closed(e, m)
		if d := c.settled(e); d != nil {
			if d.Refused++; d.Refused == 1 {
				d.No = m
			}
		}
	case captures.Unreachable:
		c.blocked(e, m)
	case captures.CaptureEnded:
		c.End = e.Time
	}
}
