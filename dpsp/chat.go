package dpsp

import "dplay4/wire"

// sendChat sends text of a player of ours (3.1.4.17).
func (s *sender) sendChat(c Chat) error {
	to, err := s.recipients(c.From, c.To)
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
	switch _, group := s.list.Kind(c.To); {
	case to.viaHost:
		m.Text = c.Text.in(s.encoding())
		err = s.dispatch(c.From, c.To, to, m, Send{Guaranteed: c.Guaranteed})
	case group:
		err = s.chatToEach(m, c.Text, c.Guaranteed)
	default:
		err = s.eachEncoding(to.peers, func(enc wire.Encoding, peers []*peer) error {
			m.Text = c.Text.in(enc)
			return s.transmit(peers, m, Send{Guaranteed: c.Guaranteed})
		})
	}
	if err != nil {
		return err
	}
	for _, id := range to.local {
		s.event(ChatMessage{From: c.From, FromName: s.shortName(c.From), To: id, Sent: c.To, Guaranteed: c.Guaranteed,
			Text: c.Text.String()})
	}
	return nil
}

// chatToEach sends chat to a group: a copy to each player in it (3.1.4.17), addressed to the group (2.2.19). Whoever
// gets text for a group gives it to all its players in it, so where a machine has several, each copy is addressed to
// a player, or each of them would get all. It fails only with ErrBusy, and then nothing was sent.
func (s *sender) chatToEach(m *wire.Chat, text Text, guaranteed bool) error {
	var to []wire.PlayerID
	count := map[*peer]int{}
	for _, id := range s.list.AppendMembers(nil, m.To) {
		if p := s.owner(id); p != nil {
			to = append(to, id)
			count[p]++
		}
	}
	m.Text = text.in(wire.UTF16) // the longest that any of them is
	b, err := s.bare(m)
	if large := err == nil && wire.SPHeaderSize+len(b) > s.cfg.MaxStream; large && guaranteed && !s.fragments.out.Room(len(to)) {
		return ErrBusy
	}
	for _, id := range to {
		one, p := *m, s.owner(id)
		one.Text = text.in(s.encodingFor(p.text))
		if count[p] > 1 || s.flags()&wire.SessionClientServer != 0 { // clients know no groups
			one.To = id
		}
		if err := s.transmit([]*peer{p}, &one, Send{Guaranteed: guaranteed}); err != nil {
			return err
		}
	}
	return nil
}

// chat takes text.
func (s *sender) chat(o origin, m *wire.Chat) {
	s.alive(o, m.From)
	s.hand(o, m, m.To, func() bool { return s.deliverChat(m) })
}

// deliverChat is deliver for text.
func (s *sender) deliverChat(m *wire.Chat) bool {
	ids, text := s.addressed(m.To), s.read(m.Text)
	if p := s.owner(m.From); p != nil {
		text = m.Text.As(s.encodingFor(p.text))
	}
	name := s.shortName(m.From)
	for _, id := range ids {
		s.event(ChatMessage{From: m.From, FromName: name, To: id, Sent: m.To, Guaranteed: m.Flags&wire.ChatGuaranteed != 0,
			Text: text})
	}
	return len(ids) > 0 || m.To == wire.IDAll
}

// shortName returns the short name of a player in the list, as PlayerCreated has it.
func (s *sessionState) shortName(id wire.PlayerID) string {
	p, _ := s.list.Get(id)
	return s.playerAs(&p, s.encoding()).ShortName
}
