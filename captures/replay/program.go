package replay

import (
	"net/netip"
	"slices"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A program is what a recorded machine's program is taken to have known and done. It is told from what the machine
// sent that is no answer.
type program struct {
	p          *player
	found      []dpsp.SessionFound
	self, host wire.PlayerID          // ours
	made       map[wire.PlayerID]bool // recorded ids of players and groups that a command was for
	failed     error                  // of the last command
	last       wire.PlayerID          // that it gave
	token      uint64
	frames     bool   // the session that it was in last has the reliable protocol
	mask       uint32 // Reserved1 of that
	sessions   int    // that it was in
}

func (g *program) init(p *player) { g.p, g.made = p, map[wire.PlayerID]bool{} }

// events takes what the engine says.
func (g *program) events(all []dpsp.Event, because dpsp.Kind) {
	for _, e := range all {
		switch e := e.(type) {
		case dpsp.Done:
			if e.Token == g.token {
				g.failed, g.last = e.Err, e.ID
			}
		case dpsp.SessionFound:
			g.found = slices.DeleteFunc(g.found, func(f dpsp.SessionFound) bool { return f.Host == e.Host })
			g.found = append(g.found, e)
		case dpsp.SessionOpened:
			g.self, g.host = e.System, e.Host
			g.frames, g.mask = e.Desc.Flags&wire.SessionDirectPlayProtocol != 0, e.Desc.Reserved1
			g.sessions++
		case dpsp.HostChanged:
			g.host = e.New
		case dpsp.SessionHealed:
			g.self, g.host = e.System, e.Host
		case dpsp.Dropped:
			g.dropped(e, because)
		}
	}
}

func (g *program) dropped(e dpsp.Dropped, because dpsp.Kind) {
	m, party := g.p.latest, g.p.party
	if because != dpsp.Stream && because != dpsp.Datagram || m == nil || len(party.Ignored) >= MaxDifferences {
		return
	}
	party.Ignored = append(party.Ignored, Ignored{N: m.n, Frame: m.frame, Message: m.command,
		Reason: string(e.Reason), Text: e.Text})
}

// note says why nothing of ours stands against the recorded message, if the engine said so.
func (g *program) note() string {
	if g.failed != nil {
		return g.failed.Error()
	}
	return ""
}

// do returns the input for a command, and counts it.
func (g *program) do(name string, c dpsp.Command) []dpsp.Input {
	g.p.party.Commands[name]++
	g.token++
	return []dpsp.Input{{Kind: dpsp.Request, Command: c, Token: g.token}}
}

// infer returns the inputs that make an engine send a message, as far as that can be told.
func (g *program) infer(m *message) []dpsp.Input {
	g.failed = nil
	if m.err != nil || m.env.Message == nil {
		return nil
	}
	dst := netip.AddrPortFrom(m.dst.Addr().Unmap(), m.dst.Port())
	switch b := m.env.Message.(type) {
	case *wire.EnumSessions:
		return g.enumerate(m, b, dst)
	case *wire.EnumPlayer:
		return g.do("EnumeratePlayers", dpsp.EnumeratePlayers{Host: dst})
	case *wire.EnumSessionsReply:
		return g.asked(m, b)
	case *wire.RequestPlayerID:
		if b.Flags&wire.PlayerSystem != 0 {
			return g.join(dst)
		}
		return g.create(m, b.Flags, false)
	case *wire.RequestGroupID:
		return g.create(m, b.Flags, true)
	}
	return g.inferMember(m, m.env.Message)
}

func (g *program) enumerate(m *message, b *wire.EnumSessions, dst netip.AddrPort) []dpsp.Input {
	c := dpsp.Enumerate{Application: b.Application, Flags: b.Flags, Password: dpsp.Octets(b.Password)}
	if m.udp() {
		c.To = []netip.AddrPort{dst}
	} else {
		c.Streams = []netip.AddrPort{dst}
	}
	return g.do("Enumerate", c)
}

// asked returns the request for sessions that a host answers, if that came before the capture began.
func (g *program) asked(m *message, b *wire.EnumSessionsReply) []dpsp.Input {
	for _, before := range g.p.m.traffic[max(0, g.p.place-maxAhead):g.p.place] {
		if before.command == "ENUMSESSIONS" && before.from == m.addressee() {
			return nil // it was answered
		}
	}
	env := wire.Envelope{HasSP: true, Version: g.p.m.dialect,
		SP:      wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: m.dst.Port()}},
		Message: &wire.EnumSessions{Application: b.Desc.Application, Flags: wire.EnumAll | wire.EnumPasswordRequired}}
	data, err := env.Append(nil)
	if err != nil {
		return nil
	}
	g.p.party.Commands["a request before the capture"]++
	return []dpsp.Input{{Kind: dpsp.Datagram, From: m.dst, Data: data}}
}

// join joins the session of a host, with the password that the machine sends a moment later. It knows the session from
// the host's answer, or, where the capture begins after that, from the list that comes next.
func (g *program) join(host netip.AddrPort) []dpsp.Input {
	c := dpsp.Join{Host: host}
	for _, f := range g.found {
		if f.Host == host {
			c.From, c.Desc, c.Name = f.From, f.Desc, f.Name
		}
	}
	asked := false
	for _, m := range g.coming() {
		if b, ok := m.env.Message.(*wire.AddForwardRequest); ok && m.from == g.p.m && !asked {
			c.Password, asked = dpsp.Octets(b.Password), true
		}
		if d, name := description(m.body()); d != nil && c.Desc.Instance.IsZero() && m.from != g.p.m {
			c.Desc, c.Name = *d, name.String()
		}
		// It may go on searching while it joins, and ask the same host once more.
		if b, ok := m.env.Message.(*wire.RequestPlayerID); ok && b.Flags&wire.PlayerSystem != 0 && m.from == g.p.m && m.dst != host {
			break
		}
	}
	return g.do("Join", c)
}

// coming returns what the machine sends and is sent next, as far as that is looked at.
func (g *program) coming() []*message {
	ahead := g.p.m.traffic[g.p.place+1:]
	return ahead[:min(len(ahead), maxAhead)]
}

// ahead calls visit with what the machine sends later, until it says that it has seen enough.
func (g *program) ahead(visit func(*message) bool) {
	for _, m := range g.coming() {
		if m.from == g.p.m && visit(m) {
			return
		}
	}
}

// create makes the player or group that the machine announces when it has the id.
func (g *program) create(m *message, flags wire.PlayerFlags, group bool) []dpsp.Input {
	info := &wire.PackedPlayer{}
	if id, ok := g.granted(m); ok {
		g.ahead(func(m *message) bool {
			switch b := m.env.Message.(type) {
			case *wire.CreatePlayer:
				if !group && b.Info.ID == id {
					info = &b.Info
				}
			case *wire.CreateGroup:
				if group && b.Info.ID == id {
					info = &b.Info
				}
			}
			return info.ID != 0
		})
	}
	return g.make(info, flags, group)
}

// granted returns the id that answers a request.
func (g *program) granted(request *message) (wire.PlayerID, bool) {
	for _, m := range g.coming() {
		if b, ok := m.env.Message.(*wire.RequestPlayerReply); ok && m.from != g.p.m && m.from == request.addressee() {
			return b.ID, b.Result == wire.OK
		}
	}
	return 0, false
}

func (g *program) make(info *wire.PackedPlayer, flags wire.PlayerFlags, group bool) []dpsp.Input {
	g.made[info.ID] = true
	if group {
		return g.do("CreateGroup", dpsp.CreateGroup{ShortName: dpsp.Octets(info.ShortName),
			LongName: dpsp.Octets(info.LongName), Data: info.Data,
			Flags: flags & (wire.PlayerHiddenGroup | wire.PlayerStagingArea), Parent: g.own(info.Parent)})
	}
	return g.do("CreatePlayer", dpsp.CreatePlayer{ShortName: dpsp.Octets(info.ShortName),
		LongName: dpsp.Octets(info.LongName), Data: info.Data, Flags: flags & (wire.PlayerSpectator | wire.PlayerServerPlayer)})
}

// own returns our id for a recorded one.
func (g *program) own(id wire.PlayerID) wire.PlayerID { return g.p.mapping.ownID(id) }

// inferMember is infer for what members do.
func (g *program) inferMember(m *message, b wire.Message) []dpsp.Input {
	switch b := b.(type) {
	case *wire.PlayerMessage:
		return g.send(m, b)
	case *wire.PlayerWrapper:
		return g.send(m, &b.Player)
	case *wire.Chat:
		return g.do("Chat", dpsp.Chat{From: g.own(b.From), To: g.own(b.To), Guaranteed: b.Flags&wire.ChatGuaranteed != 0 ||
			m.guaranteed(), Text: dpsp.Octets(b.Text)})
	case *wire.CreatePlayer:
		return g.announced(&b.Info, false)
	case *wire.CreateGroup:
		return g.announced(&b.Info, true)
	case *wire.DeletePlayer:
		return g.deleted(m, b.Player)
	case *wire.DeleteGroup:
		return g.deleted(m, b.Group)
	case *wire.SessionDescChanged:
		return g.do("SetDesc", dpsp.SetDesc{Name: dpsp.Octets(b.Name), Password: dpsp.Octets(b.Password), MaxPlayers: b.Desc.MaxPlayers,
			Flags: b.Desc.Flags, User: b.Desc.User})
	case *wire.IAmNameServer:
		if at, ok := g.hostAt(); ok {
			return g.gone(at)
		}
	case *wire.Ask4Multicast:
		return g.inferInner(m, &b.Inner)
	case *wire.Ask4MulticastGuaranteed:
		return g.inferInner(m, &b.Inner)
	}
	return g.inferChange(b)
}

func (g *program) inferInner(m *message, in *wire.Inner) []dpsp.Input {
	if in.Message == nil {
		return nil
	}
	return g.inferMember(m, in.Message)
}

// inferChange is infer for changes of players and groups.
func (g *program) inferChange(b wire.Message) []dpsp.Input {
	switch b := b.(type) {
	case *wire.PlayerNameChanged:
		return g.do("SetName", dpsp.SetName{ID: g.own(b.Player), ShortName: dpsp.Octets(b.ShortName),
			LongName: dpsp.Octets(b.LongName)})
	case *wire.GroupNameChanged:
		return g.do("SetName", dpsp.SetName{ID: g.own(b.Group), ShortName: dpsp.Octets(b.ShortName), LongName: dpsp.Octets(b.LongName)})
	case *wire.PlayerDataChanged:
		return g.do("SetData", dpsp.SetData{ID: g.own(b.Player), Data: b.Data})
	case *wire.GroupDataChanged:
		return g.do("SetData", dpsp.SetData{ID: g.own(b.Group), Data: b.Data})
	case *wire.AddPlayerToGroup:
		return g.do("AddToGroup", dpsp.AddToGroup{Player: g.own(b.Player), Group: g.own(b.Group)})
	case *wire.DeletePlayerFromGroup:
		return g.do("RemoveFromGroup", dpsp.RemoveFromGroup{Player: g.own(b.Player), Group: g.own(b.Group)})
	case *wire.AddShortcutToGroup:
		return g.do("AddShortcut", dpsp.AddShortcut{Child: g.own(b.Child), Parent: g.own(b.Parent)})
	case *wire.DeleteGroupFromGroup:
		return g.do("RemoveShortcut", dpsp.RemoveShortcut{Child: g.own(b.Child), Parent: g.own(b.Parent)})
	}
	return nil
}

// send sends a game message. One without ids is taken for one to the first player of the machine that it went to.
func (g *program) send(m *message, b *wire.PlayerMessage) []dpsp.Input {
	c := dpsp.Send{From: g.own(b.From), To: g.own(b.To), Guaranteed: m.guaranteed(), Payload: b.Payload}
	if b.NoIDs && m.transport == inFrames {
		c.From, c.To = g.own(m.ends[0].id), g.own(m.ends[1].id)
		if m.ends[1].system {
			c.To = wire.IDAll // to all of a machine's players (facts, reliable D5)
		}
	} else if b.NoIDs {
		to := wire.PlayerID(0)
		if a := m.addressee(); a != nil {
			to = g.p.engine.MachineAt(a.listener)
		}
		for _, other := range g.p.engine.Players() {
			switch {
			case other.Local && c.From == 0:
				c.From = other.ID
			case other.System == to && c.To == 0:
				c.To = other.ID
			}
		}
	}
	return g.do("Send", c)
}

// announced makes a player or group that the machine announced without having asked for an id: it is host.
func (g *program) announced(info *wire.PackedPlayer, group bool) []dpsp.Input {
	if g.made[info.ID] || g.host != g.self {
		return nil
	}
	return g.make(info, info.Flags, group)
}

// deleted tells why a machine says that somebody is gone: it leaves, it deletes what is its own, or it lost the machine
// that it belonged to.
func (g *program) deleted(m *message, id wire.PlayerID) []dpsp.Input {
	if g.leaves(m) {
		return g.do("Leave", dpsp.Leave{})
	}
	own := g.own(id)
	for _, at := range g.p.engine.Machines() {
		system := g.p.engine.MachineAt(at)
		if system == own || g.ownedBy(own, system) {
			return g.gone(at)
		}
	}
	if _, group := m.env.Message.(*wire.DeleteGroup); group {
		return g.do("DeleteGroup", dpsp.DeleteGroup{ID: own})
	}
	return g.do("DeletePlayer", dpsp.DeletePlayer{ID: own})
}

func (g *program) ownedBy(id, system wire.PlayerID) bool {
	return slices.ContainsFunc(g.p.engine.Players(), func(p dpsp.PlayerCreated) bool { return p.ID == id && p.System == system })
}

// leaves reports whether the deletions that begin with a message end with the machine's own system player.
func (g *program) leaves(m *message) bool {
	is := false
	last := func(n *message) bool {
		switch b := n.env.Message.(type) {
		case *wire.DeletePlayer:
			is = g.own(b.Player) == g.self
			return is
		case *wire.DeleteGroup:
			return false
		}
		return n.dst == m.dst
	}
	if !last(m) {
		g.ahead(last)
	}
	return is
}

// gone tells the engine that the connection to a machine ended.
func (g *program) gone(at netip.AddrPort) []dpsp.Input {
	g.p.party.Commands["a connection ends"]++
	return []dpsp.Input{{Kind: dpsp.StreamClosed, From: at}}
}

// hostAt returns the listener of the session's host; false if this machine is host, or has no session.
func (g *program) hostAt() (at netip.AddrPort, ok bool) {
	for _, at := range g.p.engine.Machines() {
		if g.p.engine.MachineAt(at) == g.host {
			return at, true
		}
	}
	return at, false
}
