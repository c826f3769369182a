package replay

import (
	"encoding/binary"
	"fmt"
	"slices"

	"dplay4/dpsp"
	"dplay4/playerlist"
	"dplay4/wire"
)

// open opens the session that a recorded host had when the capture met it, with the players and groups that were its own.
func (p *player) open() error {
	c := p.session()
	if p.opt.Session != nil {
		c = *p.opt.Session
	}
	if p.do(c); p.failed != nil {
		return p.failed
	}
	for place, m := range p.m.says {
		if l := listIn(m.env.Message); l != nil && m.err == nil {
			p.opening(l, p.m.says[:place])
			break
		}
	}
	return nil
}

// listIn returns the list of players in a message, nil if it has none.
func listIn(m wire.Message) (l *playerlist.List) {
	switch b := m.(type) {
	case *wire.SuperEnumPlayersReply:
		l, _ = playerlist.FromSuperEnumPlayersReply(b, 0)
	case *wire.EnumPlayersReply:
		l, _ = playerlist.FromEnumPlayersReply(b, 0)
	}
	return l
}

// opening makes the host's own players and groups in its first list, and pairs their ids. One that the host announced before is
// left for then.
func (p *player) opening(l *playerlist.List, before []*message) {
	note := func(what string, id wire.PlayerID, then string) {
		if p.failed != nil {
			p.party.Notes = append(p.party.Notes, fmt.Sprintf("our engine does not %s %s %s: %v", what, id, then, p.failed))
		}
	}
	for _, e := range append(l.Players(), l.Groups()...) {
		announced := slices.ContainsFunc(before, func(m *message) bool {
			of, ok := created(m.env.Message)
			return ok && of.ID == e.ID
		})
		if announced || e.System != l.Host() || e.ID == e.System {
			continue
		}
		p.make(e)
		if note("make", e.ID, fmt.Sprintf("%q of the host, which was there before", e.ShortName.String())); p.failed != nil {
			continue
		}
		made := p.last
		p.mapping.bind(idOf(e.ID), idOf(made))
		for _, id := range l.AppendMembers(nil, e.ID) {
			if p.made[id] {
				p.do(dpsp.AddToGroup{Player: p.own(id), Group: made})
				note("put", id, fmt.Sprintf("into the host's group %s, where it was before", e.ID))
			}
		}
	}
}

// session returns the host's session as it describes it first. A GUID that is drawn from a seed is left to the engine.
func (p *player) session() dpsp.Host {
	d, name := p.m.described()
	c := dpsp.Host{Application: d.Application, Instance: d.Instance, Name: dpsp.Octets(name), MaxPlayers: d.MaxPlayers,
		Flags: d.Flags, User: d.User}
	if p.opt.Config.Seed != [32]byte{} {
		c.Instance = wire.GUID{}
	}
	if c.Flags&wire.SessionPasswordRequired != 0 {
		c.Password = p.password()
	}
	return c
}

// likeMask returns a seed with which the engine's ids are in the same order as the recorded ones: who has the lowest id
// matters when a host is gone. Ids are numbers XOR Reserved1, which is drawn from the seed, so its low bits have to be
// the recorded ones. Zero if the recorded host had no mask.
func likeMask(cfg dpsp.Config, session dpsp.Host, mask uint32) (seed [32]byte) {
	const low, tries = 0x3F, 4096 // 64 machines and players; one seed of 64 will do
	if mask == 0 {
		return seed
	}
	for n := range uint32(tries) {
		binary.LittleEndian.PutUint32(seed[:], n)
		cfg.Seed = seed
		events := dpsp.New(cfg).Step(0, dpsp.Input{Kind: dpsp.Request, Command: session}).Events
		i := slices.IndexFunc(events, func(e dpsp.Event) bool { _, ok := e.(dpsp.SessionOpened); return ok })
		if i < 0 {
			break // no seed opens such a session
		}
		if opened := events[i].(dpsp.SessionOpened); (opened.Desc.Reserved1^mask)&low == 0 {
			return seed
		}
	}
	return [32]byte{}
}

// described returns the session as the machine describes it first.
func (m *machine) described() (wire.SessionDesc, wire.Text) {
	for _, msg := range m.says {
		if d, name := description(msg.env.Message); d != nil {
			return *d, name
		}
	}
	return wire.SessionDesc{}, wire.NewText("")
}

// description returns the session's description in a message of its host, nil if it has none.
func description(m wire.Message) (*wire.SessionDesc, wire.Text) {
	switch b := m.(type) {
	case *wire.EnumSessionsReply:
		return &b.Desc, b.Name
	case *wire.SuperEnumPlayersReply:
		return &b.Desc, b.Name
	case *wire.EnumPlayersReply:
		return &b.Desc, b.Name
	case *wire.SessionDescChanged:
		return &b.Desc, b.Name
	}
	return nil, nil
}

// unknownPassword stands for one that nobody in the capture knows.
const unknownPassword dpsp.Text = "not in the capture"

// password returns the first password that the host let somebody in with.
func (p *player) password() dpsp.Text {
	asked := map[*machine]wire.Text{}
	for _, m := range p.m.traffic {
		switch b := m.env.Message.(type) {
		case *wire.AddForwardRequest:
			if m.from != nil && m.from != p.m {
				asked[m.from] = b.Password
			}
		case *wire.AddForwardReply:
			delete(asked, m.addressee())
		case *wire.SuperEnumPlayersReply, *wire.EnumPlayersReply:
			if t := asked[m.addressee()]; t.String() != "" && m.from == p.m {
				return dpsp.Octets(t)
			}
		}
	}
	return unknownPassword
}
