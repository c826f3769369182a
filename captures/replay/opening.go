package replay

import (
	"encoding/binary"
	"fmt"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

// udp reports whether a message came by UDP.
func (m *message) udp() bool { return m.transport == captures.UDP }

// open opens the session that a recorded host had when the capture met it, with the players and groups that it had of
// its own.
func (p *player) open() error {
	c := p.session()
	if p.opt.Session != nil {
		c = *p.opt.Session
	}
	if err := p.must("Host", c); err != nil {
		return err
	}
	list := p.firstList()
	switch b := list.body().(type) {
	case *wire.SuperEnumPlayersReply:
		p.superOpening(list, b)
	case *wire.EnumPlayersReply:
		p.packedOpening(list, b)
	}
	return nil
}

// must does a command at the beginning.
func (p *player) must(name string, c dpsp.Command) error {
	p.program.failed = nil
	for _, in := range p.program.do(name, c) {
		p.step(0, in)
	}
	return p.program.failed
}

// session returns the host's session as it describes it first. A GUID that is drawn from a seed is left to the engine.
func (p *player) session() dpsp.Host {
	var c dpsp.Host
	for _, m := range p.m.traffic {
		if m.from != p.m || m.env.Message == nil {
			continue
		}
		if d, name := description(m.env.Message); d != nil {
			c = dpsp.Host{Application: d.Application, Instance: d.Instance, Name: dpsp.Octets(name), MaxPlayers: d.MaxPlayers,
				Flags: d.Flags, User: d.User}
			break
		}
	}
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
	for n := range uint32(tries) {
		if mask == 0 {
			break
		}
		binary.LittleEndian.PutUint32(seed[:], n)
		cfg.Seed = seed
		for _, e := range dpsp.New(cfg).Step(0, dpsp.Input{Kind: dpsp.Request, Command: session}).Events {
			switch e := e.(type) {
			case dpsp.SessionOpened:
				if (e.Desc.Reserved1^mask)&low == 0 {
					return seed
				}
			case dpsp.Done:
				if e.Err != nil {
					return [32]byte{} // no seed opens such a session
				}
			}
		}
	}
	return [32]byte{}
}

// mask returns Reserved1 of the session as the host describes it first.
func (c *Capture) mask(m *machine) uint32 {
	for _, msg := range m.traffic {
		if msg.from == m && msg.env.Message != nil {
			if d, _ := description(msg.env.Message); d != nil {
				return d.Reserved1
			}
		}
	}
	return 0
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

// body returns what a message says. The message may be nil.
func (m *message) body() wire.Message {
	if m == nil {
		return nil
	}
	return m.env.Message
}

// firstList returns the first list that the host sent, nil if there is none.
func (p *player) firstList() *message {
	for _, m := range p.m.traffic {
		if m.from != p.m || m.err != nil {
			continue
		}
		switch m.env.Message.(type) {
		case *wire.SuperEnumPlayersReply, *wire.EnumPlayersReply:
			return m
		}
	}
	return nil
}

// superOpening makes the host's own players and groups in a list.
func (p *player) superOpening(list *message, b *wire.SuperEnumPlayersReply) {
	self := wire.PlayerID(0)
	for i := range b.Players {
		if b.Players[i].Flags&wire.PlayerNameServer != 0 {
			self = b.Players[i].ID
		}
	}
	own := func(e *wire.SuperPackedPlayer) (*wire.PackedPlayer, bool) {
		return &wire.PackedPlayer{ID: e.ID, Parent: e.Parent, ShortName: e.ShortName, LongName: e.LongName, Data: e.Data,
				PlayerIDs: e.PlayerIDs},
			e.Flags&wire.PlayerSystem == 0 && wire.PlayerID(e.Owner) == self
	}
	for i := range b.Players {
		if info, ok := own(&b.Players[i]); ok {
			p.opening(list, info, b.Players[i].Flags, false)
		}
	}
	for i := range b.Groups {
		if info, ok := own(&b.Groups[i]); ok {
			p.opening(list, info, b.Groups[i].Flags, true)
		}
	}
}

// packedOpening does so for the list of a client/server session, which has its own players and those of the newcomer.
func (p *player) packedOpening(list *message, b *wire.EnumPlayersReply) {
	self := wire.PlayerID(0)
	for i := range b.Players {
		if e := &b.Players[i]; e.Flags&wire.PlayerNameServer != 0 || e.Flags&wire.PlayerSystem != 0 && self == 0 {
			self = e.ID
		}
	}
	for i := range b.Players {
		if e := &b.Players[i]; e.System == self && e.ID != self {
			p.opening(list, e, e.Flags, false)
		}
	}
}

// opening makes a player or group, and pairs the ids. One that the host announced before its first list is left for then.
func (p *player) opening(list *message, info *wire.PackedPlayer, flags wire.PlayerFlags, group bool) {
	for _, m := range p.m.traffic {
		if m == list {
			break
		}
		switch b := m.env.Message.(type) {
		case *wire.CreatePlayer:
			if m.from == p.m && b.Info.ID == info.ID {
				return
			}
		case *wire.CreateGroup:
			if m.from == p.m && b.Info.ID == info.ID {
				return
			}
		}
	}
	p.program.failed = nil
	for _, in := range p.program.make(info, flags, group) {
		p.step(0, in)
	}
	if err := p.program.failed; err != nil {
		p.party.Notes = append(p.party.Notes, fmt.Sprintf("our engine does not make %s %q of the host, which was there before: %v",
			info.ID, info.ShortName.String(), err))
		return
	}
	if made := p.program.last; made != 0 {
		p.mapping.bind(idOf(info.ID), idOf(made))
	}
	p.members(info)
}

// members puts the members of a group into it, as far as they are the host's own.
func (p *player) members(group *wire.PackedPlayer) {
	own := p.program.last
	for _, id := range group.PlayerIDs {
		if !p.program.made[id] {
			continue
		}
		if err := p.must("AddToGroup", dpsp.AddToGroup{Player: p.program.own(id), Group: own}); err != nil {
			p.party.Notes = append(p.party.Notes,
				fmt.Sprintf("our engine does not put %s into the host's group %s, where it was before: %v", id, group.ID, err))
		}
	}
}
