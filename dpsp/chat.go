package dpsp

import "dplay4/wire"

// sendChat sends text of a player of ours (3.1.4.17).
func (pl *play) sendChat(c Chat) error {
	to, err := pl.recipients(c.From, c.To)
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
	switch _, group := pl.e.list.Kind(c.To); {
	case to.viaHost:
		m.Text = c.Text.in(pl.e.text.encoding())
		err = pl.dispatch(c.From, c.To, to, m, Send{Guaranteed: c.Guaranteed})
	case group:
		err = pl.chatToEach(m, c.Text, c.Guaranteed)
	default:
		err = pl.e.text.eachEncoding(to.peers, func(enc wire.Encoding, peers []*peer) error {
			m.Text = c.Text.in(enc)
			return pl.transmit(peers, m, Send{Guaranteed: c.Guaranteed})
		})
	}
	if err != nil {
		return err
	}
	for _, id := range to.local {
		pl.e.event(ChatMessage{From: c.From, FromName: pl.shortName(c.From), To: id, Sent: c.To, Guaranteed: c.Guaranteed,
			Text: c.Text.String()})
	}
	return nil
}

// chatToEach sends chat to a group: a copy to each player in it (3.1.4.17), addressed to the group (2.2.19). Whoever
// gets text for a group gives it to all its players in it, so where a machine has several, each copy is addressed to
// a player, or each of them would get all. It fails only with ErrBusy, and then nothing was sent.
func (pl *play) chatToEach(m *wire.Chat, text Text, guaranteed bool) error {
	e := pl.e
	var to []wire.PlayerID
	count := map[*peer]int{}
	for _, id := range e.list.AppendMembers(nil, m.To) {
		if p := e.owner(id); p != nil {
			to = append(to, id)
			count[p]++
		}
	}
	m.Text = text.in(wire.UTF16) // the longest that any of them is
	b, err := e.bare(m)
	if large := err == nil && wire.SPHeaderSize+len(b) > e.cfg.MaxStream; large && guaranteed && !e.fragments.out.Room(len(to)) {
		return ErrBusy
	}
	for _, id := range to {
		one, p := *m, e.owner(id)
		one.Text = text.in(e.text.encodingFor(p.text))
		if count[p] > 1 || e.flags()&wire.SessionClientServer != 0 { // clients know no groups
			one.To = id
		}
		if err := pl.transmit([]*peer{p}, &one, Send{Guaranteed: guaranteed}); err != nil {
			return err
		}
	}
	return nil
}

// chat takes text.
func (pl *play) chat(o origin, m *wire.Chat) {
	pl.alive(o, m.From)
	if !pl.deliverChat(m) {
		pl.e.drop(o, "CHAT", NoSuchID, "no player of ours is, or is in, "+m.To.String())
	}
}

// deliverChat is deliver for text.
func (pl *play) deliverChat(m *wire.Chat) bool {
	ids, text := pl.addressed(m.To), pl.e.text.read(m.Text)
	if p := pl.e.owner(m.From); p != nil {
		text = m.Text.As(pl.e.text.encodingFor(p.text))
	}
	name := pl.shortName(m.From)
	for _, id := range ids {
		pl.e.event(ChatMessage{From: m.From, FromName: name, To: id, Sent: m.To, Guaranteed: m.Flags&wire.ChatGuaranteed != 0,
			Text: text})
	}
	return len(ids) > 0 || m.To == wire.IDAll
}

// shortName returns the short name of a player in the list, as PlayerCreated has it.
func (pl *play) shortName(id wire.PlayerID) string {
	p, _ := pl.e.list.Get(id)
	return pl.e.playerAs(&p, pl.e.text.encoding()).ShortName
}
