package replay

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A program is what a recorded machine's program is taken to know.
type program struct {
	found      map[netip.AddrPort]dpsp.SessionFound // by host
	self, host wire.PlayerID                        // ours
	made       map[wire.PlayerID]bool               // recorded ids of players and groups that a command was for
	failed     error                                // of the last command
	last       wire.PlayerID                        // that it gave
	token      uint64
	frames     bool   // the session that it was in last has the reliable protocol
	mask       uint32 // Reserved1 of that
	sessions   int    // that it was in
}

// events takes what the engine says.
func (p *player) events(all []dpsp.Event, because dpsp.Kind) {
	for _, e := range all {
		switch e := e.(type) {
		case dpsp.Done:
			if e.Token == p.token {
				p.failed, p.last = e.Err, e.ID
			}
		case dpsp.SessionFound:
			p.found[e.Host] = e
		case dpsp.SessionOpened:
			p.self, p.host = e.System, e.Host
			p.frames, p.mask = e.Desc.Flags&wire.SessionDirectPlayProtocol != 0, e.Desc.Reserved1
			p.sessions++
		case dpsp.HostChanged:
			p.host = e.New
		case dpsp.SessionHealed:
			p.self, p.host = e.System, e.Host
		case dpsp.Dropped:
			ofMessage := because == dpsp.Stream || because == dpsp.Datagram
			if m := p.latest; ofMessage && len(p.party.Ignored) < MaxDifferences {
				p.party.Ignored = append(p.party.Ignored, Ignored{N: m.n, Frame: m.frame, Message: m.command,
					Reason: string(e.Reason), Text: e.Text})
			}
		}
	}
}

// note says why nothing of ours stands against the recorded message, if the engine said so.
func (p *player) note() string {
	if p.failed != nil {
		return p.failed.Error()
	}
	return ""
}

// do has the engine do a command, and returns how many messages it sends.
func (p *player) do(c dpsp.Command) int {
	p.failed = nil
	p.party.Commands[strings.TrimPrefix(fmt.Sprintf("%T", c), "dpsp.")]++
	p.token++
	return p.step(p.now, dpsp.Input{Kind: dpsp.Request, Command: c, Token: p.token})
}

// inferences have what a program is taken to have done that made its machine send m with the message b in it, by the type of b.
// They return how many messages the engine sends.
var inferences = map[reflect.Type]func(p *player, m *message, b wire.Message) int{}

// on sets the inference from messages of a type.
func on[B wire.Message](do func(p *player, m *message, b B) int) {
	inferences[reflect.TypeFor[B]()] = func(p *player, m *message, b wire.Message) int { return do(p, m, b.(B)) }
}

// command sets the command that messages of a type show.
func command[B wire.Message](of func(p *player, b B) dpsp.Command) {
	on(func(p *player, _ *message, b B) int { return p.do(of(p, b)) })
}

// infer does what makes an engine send a message, or the message b in it, as far as that can be told. It returns how many
// messages the engine sends.
func (p *player) infer(m *message, b wire.Message) int {
	do := inferences[reflect.TypeOf(b)]
	if m.err != nil || do == nil {
		return 0
	}
	return do(p, m, b)
}

func init() {
	on((*player).enumerate)
	on((*player).asked)
	on((*player).requested)
	on((*player).send)
	on((*player).chat)
	on(func(p *player, m *message, b *wire.EnumPlayer) int {
		return p.do(dpsp.EnumeratePlayers{Host: m.dst})
	})
	on(func(p *player, m *message, b *wire.RequestGroupID) int { return p.create(m, b.Flags, true) })
	on(func(p *player, m *message, b *wire.CreatePlayer) int { return p.announced(b) })
	on(func(p *player, m *message, b *wire.CreateGroup) int { return p.announced(b) })
	on(func(p *player, m *message, b *wire.PlayerWrapper) int { return p.send(m, &b.Player) })
	on(func(p *player, m *message, b *wire.Ask4Multicast) int { return p.infer(m, b.Inner.Message) })
	on(func(p *player, m *message, b *wire.Ask4MulticastGuaranteed) int { return p.infer(m, b.Inner.Message) })
	on(func(p *player, m *message, b *wire.IAmNameServer) int { return p.hostGone() })
	on(func(p *player, m *message, b *wire.DeletePlayer) int {
		return p.deleted(m, b.Player, dpsp.DeletePlayer{ID: p.own(b.Player)})
	})
	on(func(p *player, m *message, b *wire.DeleteGroup) int {
		return p.deleted(m, b.Group, dpsp.DeleteGroup{ID: p.own(b.Group)})
	})

	command(func(p *player, b *wire.SessionDescChanged) dpsp.Command {
		return dpsp.SetDesc{Name: dpsp.Octets(b.Name), Password: dpsp.Octets(b.Password), MaxPlayers: b.Desc.MaxPlayers,
			Flags: b.Desc.Flags, User: b.Desc.User}
	})
	command(func(p *player, b *wire.PlayerNameChanged) dpsp.Command {
		return dpsp.SetName{ID: p.own(b.Player), ShortName: dpsp.Octets(b.ShortName), LongName: dpsp.Octets(b.LongName)}
	})
	command(func(p *player, b *wire.GroupNameChanged) dpsp.Command {
		return dpsp.SetName{ID: p.own(b.Group), ShortName: dpsp.Octets(b.ShortName), LongName: dpsp.Octets(b.LongName)}
	})
	command(func(p *player, b *wire.PlayerDataChanged) dpsp.Command {
		return dpsp.SetData{ID: p.own(b.Player), Data: b.Data}
	})
	command(func(p *player, b *wire.GroupDataChanged) dpsp.Command {
		return dpsp.SetData{ID: p.own(b.Group), Data: b.Data}
	})
	command(func(p *player, b *wire.AddPlayerToGroup) dpsp.Command {
		return dpsp.AddToGroup{Player: p.own(b.Player), Group: p.own(b.Group)}
	})
	command(func(p *player, b *wire.DeletePlayerFromGroup) dpsp.Command {
		return dpsp.RemoveFromGroup{Player: p.own(b.Player), Group: p.own(b.Group)}
	})
	command(func(p *player, b *wire.AddShortcutToGroup) dpsp.Command {
		return dpsp.AddShortcut{Child: p.own(b.Child), Parent: p.own(b.Parent)}
	})
	command(func(p *player, b *wire.DeleteGroupFromGroup) dpsp.Command {
		return dpsp.RemoveShortcut{Child: p.own(b.Child), Parent: p.own(b.Parent)}
	})
}

// enumerate searches for sessions.
func (p *player) enumerate(m *message, b *wire.EnumSessions) int {
	c := dpsp.Enumerate{Application: b.Application, Flags: b.Flags, Password: dpsp.Octets(b.Password)}
	if to := []netip.AddrPort{m.dst}; m.transport == captures.UDP {
		c.To = to
	} else {
		c.Streams = to
	}
	return p.do(c)
}

// requested joins a session, or makes a player.
func (p *player) requested(m *message, b *wire.RequestPlayerID) int {
	if b.Flags&wire.PlayerSystem != 0 {
		return p.join(m.dst)
	}
	return p.create(m, b.Flags, false)
}

// announced makes a player or group if ours is host: a host asks nobody for ids.
func (p *player) announced(b wire.Message) int {
	if e, _ := created(b); p.host == p.self && !p.made[e.ID] {
		return p.make(e)
	}
	return 0
}

func (p *player) chat(m *message, b *wire.Chat) int {
	return p.do(dpsp.Chat{From: p.own(b.From), To: p.own(b.To), Text: dpsp.Octets(b.Text),
		Guaranteed: b.Flags&wire.ChatGuaranteed != 0 || m.guaranteed()})
}

// asked has the engine take the request for sessions that a host answers, if that came before the capture began.
func (p *player) asked(m *message, b *wire.EnumSessionsReply) int {
	for _, before := range p.m.traffic[max(0, p.place-maxAhead):p.place] {
		if before.command == "ENUMSESSIONS" && before.from == m.addressee() {
			return 0 // it was answered
		}
	}
	env := wire.Envelope{HasSP: true, Version: p.m.dialect,
		SP:      wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: m.dst.Port()}},
		Message: &wire.EnumSessions{Application: b.Desc.Application, Flags: wire.EnumAll | wire.EnumPasswordRequired}}
	data, _ := env.Append(nil)
	p.party.Commands["a request before the capture"]++
	return p.step(p.now, dpsp.Input{Kind: dpsp.Datagram, From: m.dst, Data: data})
}

// join joins the session of a host, with the password that the machine sends a moment later. It knows the session from
// the host's answer, or, where the capture begins after that, from the list that comes next.
func (p *player) join(host netip.AddrPort) int {
	f := p.found[host]
	c := dpsp.Join{Host: host, From: f.From, Desc: f.Desc, Name: f.Name}
	asked := false
	for _, m := range p.coming() {
		own := m.from == p.m
		if d, name := description(m.env.Message); d != nil && !own && c.Desc.Instance.IsZero() {
			c.Desc, c.Name = *d, name.String()
		}
		if b, ok := m.env.Message.(*wire.AddForwardRequest); ok && own && !asked {
			c.Password, asked = dpsp.Octets(b.Password), true
		}
		// It may go on searching while it joins, and ask the same host once more.
		if b, ok := m.env.Message.(*wire.RequestPlayerID); ok && own && b.Flags&wire.PlayerSystem != 0 && m.dst != host {
			break
		}
	}
	return p.do(c)
}

// coming returns the next messages that the machine sends and is sent, maxAhead at most.
func (p *player) coming() []*message {
	ahead := p.m.traffic[p.place+1:]
	return ahead[:min(len(ahead), maxAhead)]
}

// create makes the player or group that the machine announces when the addressee of its request granted an id.
func (p *player) create(request *message, flags wire.PlayerFlags, group bool) int {
	answer := &wire.RequestPlayerReply{}
	for m, b := range bodies[*wire.RequestPlayerReply](p.coming()) {
		if m.from != p.m && m.from == request.addressee() {
			answer = b
			break
		}
	}
	granted := answer.ID != 0 && answer.Result == wire.OK
	for _, m := range p.coming() {
		if e, ok := created(m.env.Message); ok && granted && m.from == p.m && e.Group == group && e.ID == answer.ID {
			e.Flags = flags
			return p.make(e)
		}
	}
	return p.make(playerlist.Entry{Group: group, Flags: flags})
}

// created returns the player or group that a message announces.
func created(m wire.Message) (e playerlist.Entry, ok bool) {
	switch b := m.(type) {
	case *wire.CreatePlayer:
		return playerlist.EntryOf(&b.Info), true
	case *wire.CreateGroup:
		e = playerlist.EntryOf(&b.Info)
		e.Group = true
		return e, true
	}
	return e, false
}

// make makes a player or group.
func (p *player) make(e playerlist.Entry) int {
	p.made[e.ID] = true
	if e.Group {
		return p.do(dpsp.CreateGroup{ShortName: dpsp.Octets(e.ShortName), LongName: dpsp.Octets(e.LongName), Data: e.Data,
			Flags: e.Flags & (wire.PlayerHiddenGroup | wire.PlayerStagingArea), Parent: p.own(e.Parent)})
	}
	return p.do(dpsp.CreatePlayer{ShortName: dpsp.Octets(e.ShortName), LongName: dpsp.Octets(e.LongName), Data: e.Data,
		Flags: e.Flags & (wire.PlayerSpectator | wire.PlayerServerPlayer)})
}

// own returns our id for a recorded one.
func (p *player) own(id wire.PlayerID) wire.PlayerID { return p.mapping.ownID(id) }

// send sends a game message. One without ids is taken for one to the first player of the machine that it went to.
func (p *player) send(m *message, b *wire.PlayerMessage) int {
	c := dpsp.Send{From: p.own(b.From), To: p.own(b.To), Guaranteed: m.guaranteed(), Payload: b.Payload}
	switch to := m.addressee(); {
	case b.NoIDs && m.transport == inFrames:
		c.From, c.To = p.own(m.ends[0].id), p.own(m.ends[1].id)
		if m.ends[1].system {
			c.To = wire.IDAll // to all of a machine's players (facts, reliable D5)
		}
	case b.NoIDs:
		for _, other := range p.engine.Players() {
			if other.Local && c.From == 0 {
				c.From = other.ID
			} else if to != nil && c.To == 0 && other.System == p.engine.MachineAt(to.listener) {
				c.To = other.ID
			}
		}
	}
	return p.do(c)
}

// deleted does what has a machine send that somebody is gone: it leaves, it lost the machine that that one belonged to, or it
// deletes what is its own.
func (p *player) deleted(m *message, id wire.PlayerID, c dpsp.Command) int {
	if p.leaves(m) {
		return p.do(dpsp.Leave{})
	}
	system := p.own(id)
	for _, q := range p.engine.Players() {
		if q.ID == system {
			system = q.System
			break
		}
	}
	if at, ok := p.listener(system); ok {
		return p.gone(at)
	}
	return p.do(c)
}

// leaves reports whether the deletions that begin with a message end with the machine's own system player.
func (p *player) leaves(m *message) bool {
	for _, n := range append([]*message{m}, p.coming()...) {
		switch b := n.env.Message.(type) {
		case *wire.DeletePlayer:
			if n.from == p.m && p.own(b.Player) == p.self {
				return true
			}
		case *wire.DeleteGroup:
		default:
			if n.from == p.m && n.dst == m.dst {
				return false
			}
		}
	}
	return false
}

// hostGone has the engine know that the connection to the host ended, if it is another machine.
func (p *player) hostGone() int {
	if at, ok := p.listener(p.host); ok {
		return p.gone(at)
	}
	return 0
}

// gone has the engine know that the connection to a machine ended.
func (p *player) gone(at netip.AddrPort) int {
	p.party.Commands["a connection ends"]++
	return p.step(p.now, dpsp.Input{Kind: dpsp.StreamClosed, From: at})
}

// listener returns where a machine listens; false if it is none of the others in the session.
func (p *player) listener(system wire.PlayerID) (at netip.AddrPort, ok bool) {
	all := p.engine.Machines()
	i := slices.IndexFunc(all, func(at netip.AddrPort) bool { return p.engine.MachineAt(at) == system })
	if i < 0 {
		return at, false
	}
	return all[i], true
}
