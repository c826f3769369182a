package dpsp

import (
	"bytes"
	"encoding/binary"
	"slices"

	"dplay4/wire"
)

// sendGame sends a game message of a player of ours (3.1.4.16).
func (s *sender) sendGame(c Send) error {
	to, err := s.recipients(c.From, c.To)
	if err != nil {
		return err
	}
	if len(c.Payload) > MaxPayload {
		return ErrTooBig
	}
	m := &wire.PlayerMessage{NoIDs: s.dec.Options.NoMessageID, From: c.From, To: c.To, Payload: c.Payload}
	s.reports.expect(c.Notify, s.now) // nothing is told before all is sent
	var framed []*peer
	if !to.viaHost {
		framed, to.peers = s.among(to.peers, func(p *peer) bool { return p.frameLinks.Framed })
		if c.To == wire.IDAll {
			to.peers = s.withPlayers(to.peers)
		}
	}
	if err := s.distribute(to, m, c); err != nil {
		s.reports.know(c.Notify, nil) // no event: its Done has the error
		return err
	}
	s.sayGame(framed, m, c)
	s.know(c.Notify, nil)
	for _, id := range to.local {
		s.event(Message{From: c.From, To: id, Sent: c.To, Guaranteed: c.Guaranteed, Payload: bytes.Clone(c.Payload)})
	}
	return nil
}

// distribute sends a game message. Clients are told of no groups, so that what is for a group there goes to each player in it,
// who came last first: in this order its machine would give a copy for all of them to them.
func (s *sender) distribute(t target, m *wire.PlayerMessage, how Send) error {
	if _, group := s.list.Kind(m.To); !group || !s.hosting() || s.flags()&wire.SessionClientServer == 0 {
		return s.dispatch(m.From, m.To, t, m, how)
	}
	var to []wire.PlayerID
	for _, id := range slices.Backward(s.list.AppendMembers(nil, m.To)) {
		if slices.Contains(t.peers, s.owner(id)) {
			to = append(to, id)
		}
	}
	if how.Guaranteed && wire.SPHeaderSize+8+len(m.Payload) > s.cfg.MaxStream && !s.fragments.out.Room(len(to)) {
		return ErrBusy
	}
	for _, id := range to {
		one := *m
		one.To = id
		if err := s.transmit([]*peer{s.owner(id)}, &one, how); err != nil {
			return err
		}
	}
	return nil
}

// dispatch sends a game or chat message where it is to go: to the machines, or to the host to pass it on.
func (s *sender) dispatch(from, to wire.PlayerID, t target, m wire.Message, how Send) error {
	if !t.viaHost {
		return s.transmit(t.peers, m, how)
	}
	h := s.peerByID(s.host)
	if h == nil {
		return ErrNoHost
	}
	inner := wire.Inner{Version: s.cfg.Dialect, Message: wrapped(m, true)}
	var ask wire.Message = &wire.Ask4Multicast{Group: to, From: from, Inner: inner}
	if how.Guaranteed {
		ask = &wire.Ask4MulticastGuaranteed{Group: to, From: from, Inner: inner}
	}
	return s.transmit([]*peer{h}, ask, how)
}

// wrapped returns a game message as it may be sent: in a PLAYERWRAPPER if it would be taken for something else.
func wrapped(m wire.Message, guaranteed bool) wire.Message {
	if game, ok := m.(*wire.PlayerMessage); ok && mistaken(game, guaranteed) {
		return &wire.PlayerWrapper{Player: *game}
	}
	return m
}

// MaxPayload is the largest game message, in octets: what is left of the largest message beside its SP header
// and the ids. It is what GetCaps of Windows reports for guaranteed sends (facts, 1.12).
const MaxPayload = wire.MaxMessage - wire.SPHeaderSize - 8

// A target is whom a message from us is for.
type target struct {
	peers   []*peer
	local   []wire.PlayerID // players of ours, without the sender
	viaHost bool            // the host passes it on
}

// recipients resolves an addressee. A machine gets one copy, however many of its players are meant (facts, 3.14).
func (s *sessionState) recipients(from, to wire.PlayerID) (target, error) {
	switch {
	case s.state != member:
		return target{}, ErrNoSession
	case !isOwnPlayer(s.list, s.self, from):
		if _, known := s.list.System(from); !known {
			return target{}, ErrNoID
		}
		return target{}, ErrNotOurs
	}
	var t target
	if to == wire.IDAll {
		t.peers, t.local = s.peers.all, s.players(from)
		t.viaHost = s.routed() && len(s.peers.all) > 0
		return t, nil
	}
	player, group := s.list.Kind(to)
	switch {
	case group:
		for _, id := range s.list.AppendMembers(nil, to) {
			if s.ours(id) {
				if id != from {
					t.local = append(t.local, id)
				}
				continue
			}
			t.add(s.owner(id))
		}
		t.viaHost = s.routed() && len(t.peers) > 0
	case player && !isPlayer(s.list, to):
		return target{}, ErrNoID // a machine is no addressee
	case player && s.ours(to):
		if to != from { // to oneself: neither traffic nor a message (facts, 3.14)
			t.local = []wire.PlayerID{to}
		}
	case player:
		t.add(s.owner(to))
	default:
		return target{}, ErrNoID
	}
	return t, nil
}

func (t *target) add(m *peer) {
	if m == nil {
		return
	}
	for _, known := range t.peers {
		if known == m {
			return
		}
	}
	t.peers = append(t.peers, m)
}

// transmit sends a game or chat message, or a request to pass one on, to machines. It fails only with ErrBusy, and
// then nothing was sent.
func (s *sender) transmit(to []*peer, m wire.Message, how Send) error {
	guaranteed := how.Guaranteed
	m = wrapped(m, guaranteed)
	game, bare := m.(*wire.PlayerMessage)
	framed, to := s.among(to, s.speaksFrames)
	s.relayFrames(framed, m, how)
	if len(to) == 0 {
		return nil
	}
	at := len(s.out.buf)
	var b []byte
	var err error
	if bare && !guaranteed {
		b, err = wire.AppendPlayerMessage(s.out.buf, game) // on UDP a game message has no header
		if err == nil {
			s.out.buf, b = b, b[at:len(b):len(b)]
		}
	} else {
		b, err = s.encode(m)
	}
	limit := s.cfg.MaxStream
	if !guaranteed {
		limit = s.cfg.MaxDatagram
	}
	if err != nil || len(b) > limit {
		s.out.buf = s.out.buf[:at]
		return s.sendInFragments(to, m, guaranteed)
	}
	for _, p := range to {
		out := Outgoing{Transport: TCP, To: p.stream, Data: b}
		if !guaranteed {
			out.Transport, out.To = UDP, p.datagram
		}
		s.put(out)
	}
	return nil
}

// framedMessage takes a game message that came in frames, which say whom it is from. A host that is not ours may speak as its
// system player, and have no other one (facts, reliable 8, D5).
func (s *sender) framedMessage(o origin, m *wire.PlayerMessage, guaranteed bool) {
	p := s.peerByID(m.From) // it may be gone by now
	switch {
	case !isPlayer(s.list, m.From) && (p == nil || p.modern || p.system != s.host || len(s.withPlayers([]*peer{p})) > 0):
		s.drop(o, "PLAYERMESSAGE", NotAllowed, m.From.String()+" is no player")
	case !s.deliver(m.From, m.To, guaranteed, m.Payload):
		s.drop(o, "PLAYERMESSAGE", NoSuchID, "no player of ours is, or is in, "+m.To.String())
	}
}

// mistaken reports whether a receiver would take a game message for a system message: on UDP if 'play' stands
// where a header would have it, on TCP if the message begins with it (3.1.4.16.2; facts, 2.15 and 2.16).
func mistaken(m *wire.PlayerMessage, guaranteed bool) bool {
	at := 0
	if !guaranteed {
		at = wire.SPHeaderSize
	}
	if !m.NoIDs {
		if at == 0 {
			return m.From == wire.Signature
		}
		at -= 8
	}
	return len(m.Payload) >= at+4 && binary.LittleEndian.Uint32(m.Payload[at:]) == wire.Signature
}

// receive takes a game message.
func (e *Engine) receive(o origin, m *wire.PlayerMessage, guaranteed bool) {
	const name = "PLAYERMESSAGE"
	if e.state == member && guaranteed && e.holdEarly(o, e.cfg.Dialect, m) || e.refuses(ruleOf(m), o, m, name) {
		return
	}
	if m.NoIDs {
		e.deliver(0, wire.IDAll, guaranteed, m.Payload)
		return
	}
	e.alive(o, m.From)
	e.hand(o, m, m.To, func() bool { return e.deliver(m.From, m.To, guaranteed, m.Payload) })
}

// maySend reports whether a message inside another one may be from the player that it names.
func (s *sender) maySend(o origin, name string, from wire.PlayerID) bool {
	if no := s.maySay(o, from); no != nil {
		s.drop(o, name, no.reason, no.text)
		return false
	}
	s.alive(o, from)
	return true
}

// alive counts what a player says as a sign of life of its machine, also what has no header: Windows does (facts, 10.2).
func (s *sender) alive(o origin, from wire.PlayerID) {
	if p := s.owner(from); s.peers.mayBe(o, p) {
		s.signs.pings.Heard(p.system)
	}
}

// deliver hands a message to our players that it is for, and says whether there was one. The payload is copied
// for each: programs may keep and change it.
func (s *sender) deliver(from, to wire.PlayerID, guaranteed bool, payload []byte) bool {
	ids := s.addressed(to)
	for _, id := range ids {
		s.event(Message{From: from, To: id, Sent: to, Guaranteed: guaranteed, Payload: bytes.Clone(payload)})
	}
	return len(ids) > 0 || to == wire.IDAll
}

// addressed returns our players that an addressee means.
func (s *sessionState) addressed(to wire.PlayerID) []wire.PlayerID {
	switch _, group := s.list.Kind(to); {
	case to == wire.IDAll:
		return s.players(0)
	case group:
		var ids []wire.PlayerID
		for _, id := range s.list.AppendMembers(nil, to) {
			if s.ours(id) {
				ids = append(ids, id)
			}
		}
		return ids
	case isOwnPlayer(s.list, s.self, to):
		return []wire.PlayerID{to}
	}
	return nil
}
