package dpsp

import (
	"bytes"
	"encoding/binary"

	"dplay4/wire"
)

// sendGame sends a game message of a player of ours (3.1.4.16).
func (e *Engine) sendGame(c Send) error {
	to, err := e.recipients(c.From, c.To)
	if err != nil {
		return err
	}
	if len(c.Payload) > MaxPayload {
		return ErrTooBig
	}
	m := &wire.PlayerMessage{NoIDs: e.dec.Options.NoMessageID, From: c.From, To: c.To, Payload: c.Payload}
	if err := e.dispatch(c.From, c.To, to, m, c.Guaranteed); err != nil {
		return err
	}
	for _, id := range to.local {
		e.event(Message{From: c.From, To: id, Sent: c.To, Guaranteed: c.Guaranteed, Payload: bytes.Clone(c.Payload)})
	}
	return nil
}

// dispatch sends a game or chat message where it is to go: to the machines, or to the host to pass it on.
func (e *Engine) dispatch(from, to wire.PlayerID, t target, m wire.Message, guaranteed bool) error {
	if !t.viaHost {
		return e.transmit(t.peers, m, guaranteed)
	}
	h := e.peerByID(e.host)
	if h == nil {
		return ErrNoHost
	}
	inner := wire.Inner{Version: e.cfg.Dialect, Message: wrapped(m, true)}
	var ask wire.Message = &wire.Ask4Multicast{Group: to, From: from, Inner: inner}
	if guaranteed {
		ask = &wire.Ask4MulticastGuaranteed{Group: to, From: from, Inner: inner}
	}
	return e.transmit([]*peer{h}, ask, guaranteed)
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
func (e *Engine) recipients(from, to wire.PlayerID) (target, error) {
	switch {
	case e.state != member:
		return target{}, ErrNoSession
	case !e.isPlayerOfOurs(from):
		return target{}, ErrNotOurs
	}
	var t target
	if to == wire.IDAll {
		t.peers, t.local = e.peers.all, e.localPlayers(from)
		t.viaHost = e.routed() && len(e.peers.all) > 0
		return t, nil
	}
	player, group := e.list.Kind(to)
	switch {
	case group:
		for _, id := range e.list.AppendMembers(nil, to) {
			if e.ours(id) {
				if id != from {
					t.local = append(t.local, id)
				}
				continue
			}
			t.add(e.owner(id))
		}
		t.viaHost = e.routed() && len(t.peers) > 0
	case player && e.isSystem(to):
		return target{}, ErrNoID // a machine is no addressee
	case player && e.ours(to):
		if to != from { // to oneself: neither traffic nor a message (facts, 3.14)
			t.local = []wire.PlayerID{to}
		}
	case player:
		t.add(e.owner(to))
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

// isSystem reports whether an id is a system player.
func (e *Engine) isSystem(id wire.PlayerID) bool {
	f, ok := e.list.Flags(id)
	return ok && f&wire.PlayerSystem != 0
}

// isPlayerOfOurs reports whether an id is a player of ours; our system player is none.
func (e *Engine) isPlayerOfOurs(id wire.PlayerID) bool {
	player, _ := e.list.Kind(id)
	return player && id != e.self && e.ours(id)
}

// localPlayers returns our players but one, valid until it is called again. The list is gone through only when it
// changed: a session can have many players, and messages to everybody are the rule.
func (e *Engine) localPlayers(but wire.PlayerID) []wire.PlayerID {
	if v := e.list.Version(); e.mineAt != v {
		e.mine, e.mineAt = e.mine[:0], v
		e.scratch = e.list.AppendPlayers(e.scratch[:0])
		for _, id := range e.scratch {
			if e.isPlayerOfOurs(id) {
				e.mine = append(e.mine, id)
			}
		}
	}
	e.scratch = e.scratch[:0]
	for _, id := range e.mine {
		if id != but {
			e.scratch = append(e.scratch, id)
		}
	}
	return e.scratch
}

// routed reports whether what is meant for several goes through the host (MULTICASTSERVER).
func (e *Engine) routed() bool {
	return !e.hosting() && e.flags()&wire.SessionMulticastServer != 0
}

// transmit sends a game or chat message, or a request to pass one on, to machines. It fails only with ErrBusy, and
// then nothing was sent.
func (e *Engine) transmit(to []*peer, m wire.Message, guaranteed bool) error {
	if len(to) == 0 {
		return nil
	}
	m = wrapped(m, guaranteed)
	game, bare := m.(*wire.PlayerMessage)
	at := len(e.buf)
	var b []byte
	var err error
	if bare && !guaranteed {
		b, err = wire.AppendPlayerMessage(e.buf, game) // on UDP a game message has no header
		if err == nil {
			e.buf, b = b, b[at:len(b):len(b)]
		}
	} else {
		b, err = e.encode(m)
	}
	limit := e.cfg.MaxStream
	if !guaranteed {
		limit = e.cfg.MaxDatagram
	}
	if err != nil || len(b) > limit {
		e.buf = e.buf[:at]
		return e.fragments.send(to, m, guaranteed)
	}
	for _, p := range to {
		out := Outgoing{Transport: TCP, To: p.stream, Data: b}
		if !guaranteed {
			out.Transport, out.To = UDP, p.datagram
		}
		e.put(out)
	}
	return nil
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

// game takes a game message.
func (e *Engine) game(o origin, m *wire.PlayerMessage, guaranteed bool) {
	const name = "PLAYERMESSAGE"
	if e.state != member {
		e.drop(o, name, OutOfTurn, "we are in no session")
		return
	}
	if guaranteed && e.holdback.hold(o, e.cfg.Dialect, m) {
		return
	}
	if m.NoIDs {
		if !e.fromAnyMember(o) {
			e.drop(o, name, NotMember, "its sender is not in the session")
			return
		}
		e.deliver(0, wire.IDAll, guaranteed, m.Payload)
		return
	}
	if !e.maySend(o, name, m.From) {
		return
	}
	if !e.isPlayer(m.From) {
		e.drop(o, name, NotAllowed, m.From.String()+" is no player")
		return
	}
	if !e.deliver(m.From, m.To, guaranteed, m.Payload) {
		e.drop(o, name, NoSuchID, "no player of ours is, or is in, "+m.To.String())
	}
}

// isPlayer reports whether an id is that of a player that programs know: not of a machine, or a group.
func (e *Engine) isPlayer(id wire.PlayerID) bool {
	player, _ := e.list.Kind(id)
	f, _ := e.list.Flags(id)
	return player && f&wire.PlayerSystem == 0
}

// maySend reports whether a game or chat message may be from the player that it names.
func (e *Engine) maySend(o origin, name string, from wire.PlayerID) bool {
	system, ok := e.list.System(from)
	if !ok {
		e.drop(o, name, NoSuchID, "its sender "+from.String()+" is not in the session")
		return false
	}
	if system == e.self {
		e.drop(o, name, NotAllowed, "it claims to be from "+from.String()+", which is ours")
		return false
	}
	if e.comesFrom(o, e.peerByID(system)) {
		e.pings.Heard(system) // also by what has no header: whatever Windows hears is a sign of life (facts, 10.2)
		return true
	}
	relayed := e.flags()&wire.SessionMulticastServer != 0 && e.comesFrom(o, e.peerByID(e.host))
	if relayed || e.cfg.Compatible && e.fromAnyMember(o) {
		return true
	}
	e.drop(o, name, NotAllowed, from.String()+" is not at "+o.from.String())
	return false
}

// comesFrom reports whether a message can be from a machine: by its header, or by its source where it has none.
func (e *Engine) comesFrom(o origin, p *peer) bool {
	if p == nil || o.listener.IsValid() {
		return p != nil && e.peerOf(o) == p
	}
	return p.at(o.from.Addr())
}

// fromAnyMember reports whether a message can be from a machine of the session: by its header, or by its source where it has
// none.
func (e *Engine) fromAnyMember(o origin) bool {
	if o.listener.IsValid() {
		return e.peerOf(o) != nil
	}
	for _, p := range e.peers.all {
		if p.at(o.from.Addr()) {
			return true
		}
	}
	return false
}

// deliver hands a message to our players that it is for, and says whether there was one. The payload is copied
// for each: programs may keep and change it.
func (e *Engine) deliver(from, to wire.PlayerID, guaranteed bool, payload []byte) bool {
	ids := e.addressed(to)
	for _, id := range ids {
		e.event(Message{From: from, To: id, Sent: to, Guaranteed: guaranteed, Payload: bytes.Clone(payload)})
	}
	return len(ids) > 0 || to == wire.IDAll
}

// addressed returns our players that an addressee means.
func (e *Engine) addressed(to wire.PlayerID) []wire.PlayerID {
	switch _, group := e.list.Kind(to); {
	case to == wire.IDAll:
		return e.localPlayers(0)
	case group:
		var ids []wire.PlayerID
		for _, id := range e.list.AppendMembers(nil, to) {
			if e.ours(id) {
				ids = append(ids, id)
			}
		}
		return ids
	case e.isPlayerOfOurs(to):
		return []wire.PlayerID{to}
	}
	return nil
}

// sendChat sends text of a player of ours (3.1.4.17).
func (e *Engine) sendChat(c Chat) error {
	to, err := e.recipients(c.From, c.To)
	if err != nil {
		return err
	}
	if err := c.Text.check(); err != nil {
		return err
	}
	if len(c.Text.in(wire.UTF16)) > MaxPayload-32 {
		return ErrTooBig
	}
	m := &wire.Chat{From: c.From, To: c.To}
	if c.Guaranteed {
		m.Flags = wire.ChatGuaranteed
	}
	switch _, group := e.list.Kind(c.To); {
	case to.viaHost:
		m.Text = c.Text.in(e.encoding())
		err = e.dispatch(c.From, c.To, to, m, c.Guaranteed)
	case group:
		err = e.chatToEach(m, c.Text, c.Guaranteed)
	default:
		err = e.eachEncoding(to.peers, func(enc wire.Encoding, peers []*peer) error {
			m.Text = c.Text.in(enc)
			return e.transmit(peers, m, c.Guaranteed)
		})
	}
	if err != nil {
		return err
	}
	for _, id := range to.local {
		e.event(ChatMessage{From: c.From, To: id, Sent: c.To, Guaranteed: c.Guaranteed, Text: c.Text.String()})
	}
	return nil
}

// chatToEach sends chat to a group: a copy to each player in it (3.1.4.17), addressed to the group (2.2.19). Whoever
// gets text for a group gives it to all its players in it, so where a machine has several, each copy is addressed to
// a player, or each of them would get all. It fails only with ErrBusy, and then nothing was sent.
func (e *Engine) chatToEach(m *wire.Chat, text Text, guaranteed bool) error {
	var to []wire.PlayerID
	count := map[*peer]int{}
	for _, id := range e.list.AppendMembers(nil, m.To) {
		if p := e.owner(id); p != nil {
			to = append(to, id)
			count[p]++
		}
	}
	m.Text = text.in(wire.UTF16) // the longest that any of them is
	if b, err := e.bare(m); err == nil && guaranteed && wire.SPHeaderSize+len(b) > e.cfg.MaxStream && !e.fragments.room(len(to)) {
		return ErrBusy
	}
	for _, id := range to {
		one, p := *m, e.owner(id)
		one.Text = text.in(e.encodingFor(p.text))
		if count[p] > 1 {
			one.To = id
		}
		if err := e.transmit([]*peer{p}, &one, guaranteed); err != nil {
			return err
		}
	}
	return nil
}

// chat takes text.
func (e *Engine) chat(o origin, m *wire.Chat) {
	switch {
	case !e.maySend(o, "CHAT", m.From):
	case !e.isPlayer(m.From):
		e.drop(o, "CHAT", NotAllowed, m.From.String()+" is no player")
	case !e.deliverChat(m):
		e.drop(o, "CHAT", NoSuchID, "no player of ours is, or is in, "+m.To.String())
	}
}

// deliverChat is deliver for text.
func (e *Engine) deliverChat(m *wire.Chat) bool {
	ids, text := e.addressed(m.To), e.read(m.Text)
	if p := e.owner(m.From); p != nil {
		text = m.Text.As(e.encodingFor(p.text))
	}
	for _, id := range ids {
		e.event(ChatMessage{From: m.From, To: id, Sent: m.To, Guaranteed: m.Flags&wire.ChatGuaranteed != 0, Text: text})
	}
	return len(ids) > 0 || m.To == wire.IDAll
}
