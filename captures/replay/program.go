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

// A program is what a recorded machine's program is taken to have known and done. It is told from what the machine
// sent that is no answer.
type program struct {
	p          *player
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

func (g *program) init(p *player) {
	g.p, g.made, g.found = p, map[wire.PlayerID]bool{}, map[netip.AddrPort]dpsp.SessionFound{}
}

// events takes what the engine says.
func (g *program) events(all []dpsp.Event, because dpsp.Kind) {
	for _, e := range all {
		switch e := e.(type) {
		case dpsp.Done:
			if e.Token == g.token {
				g.failed, g.last = e.Err, e.ID
			}
		case dpsp.SessionFound:
			g.found[e.Host] = e
		case dpsp.SessionOpened:
			g.self, g.host = e.System, e.Host
			g.frames, g.mask = e.Desc.Flags&wire.SessionDirectPlayProtocol != 0, e.Desc.Reserved1
			g.sessions++
		case dpsp.HostChanged:
			g.host = e.New
		case dpsp.SessionHealed:
			g.self, g.host = e.System, e.Host
		case dpsp.Dropped:
			ofMessage := because == dpsp.Stream || because == dpsp.Datagram
			if m, party := g.p.latest, g.p.party; ofMessage && m != nil && len(party.Ignored) < MaxDifferences {
				party.Ignored = append(party.Ignored, Ignored{N: m.n, Frame: m.frame, Message: m.command,
					Reason: string(e.Reason), Text: e.Text})
			}
		}
	}
}

// note says why nothing of ours stands against the recorded message, if the engine said so.
func (g *program) note() string {
	if g.failed != nil {
		return g.failed.Error()
	}
	return ""
}

// do has the engine do a command, and returns how many messages it sends.
func (g *program) do(c dpsp.Command) int {
	g.failed = nil
	g.p.party.Commands[strings.TrimPrefix(fmt.Sprintf("%T", c), "dpsp.")]++
	g.token++
	return g.p.step(g.p.now, dpsp.Input{Kind: dpsp.Request, Command: c, Token: g.token})
}

// inferences have what a program is taken to have done that made its machine send m with the message b in it, by the type of b.
// They return how many messages the engine sends.
var inferences = map[reflect.Type]func(g *program, m *message, b wire.Message) int{}

// on sets the inference from messages of a type.
func on[B wire.Message](do func(g *program, m *message, b B) int) {
	inferences[reflect.TypeFor[B]()] = func(g *program, m *message, b wire.Message) int { return do(g, m, b.(B)) }
}

// command sets the command that messages of a type show.
func command[B wire.Message](of func(g *program, b B) dpsp.Command) {
	on(func(g *program, _ *message, b B) int { return g.do(of(g, b)) })
}

// infer does what makes an engine send a message, or the message b in it, as far as that can be told. It returns how many
// messages the engine sends.
func (g *program) infer(m *message, b wire.Message) int {
	do := inferences[reflect.TypeOf(b)]
	if m.err != nil || do == nil {
		return 0
	}
	return do(g, m, b)
}

func init() {
	on((*program).enumerate)
	on((*program).asked)
	on((*program).requested)
	on((*program).send)
	on((*program).chat)
	on(func(g *program, m *message, b *wire.EnumPlayer) int {
		return g.do(dpsp.EnumeratePlayers{Host: unmapped(m.dst)})
	})
	on(func(g *program, m *message, b *wire.RequestGroupID) int { return g.create(m, b.Flags, true) })
	on(func(g *program, m *message, b *wire.CreatePlayer) int { return g.announced(b) })
	on(func(g *program, m *message, b *wire.CreateGroup) int { return g.announced(b) })
	on(func(g *program, m *message, b *wire.PlayerWrapper) int { return g.send(m, &b.Player) })
	on(func(g *program, m *message, b *wire.Ask4Multicast) int { return g.infer(m, b.Inner.Message) })
	on(func(g *program, m *message, b *wire.Ask4MulticastGuaranteed) int { return g.infer(m, b.Inner.Message) })
	on(func(g *program, m *message, b *wire.IAmNameServer) int { return g.hostGone() })
	on(func(g *program, m *message, b *wire.DeletePlayer) int {
		return g.deleted(m, b.Player, dpsp.DeletePlayer{ID: g.own(b.Player)})
	})
	on(func(g *program, m *message, b *wire.DeleteGroup) int {
		return g.deleted(m, b.Group, dpsp.DeleteGroup{ID: g.own(b.Group)})
	})

	command(func(g *program, b *wire.SessionDescChanged) dpsp.Command {
		return dpsp.SetDesc{Name: dpsp.Octets(b.Name), Password: dpsp.Octets(b.Password), MaxPlayers: b.Desc.MaxPlayers,
			Flags: b.Desc.Flags, User: b.Desc.User}
	})
	command(func(g *program, b *wire.PlayerNameChanged) dpsp.Command {
		return dpsp.SetName{ID: g.own(b.Player), ShortName: dpsp.Octets(b.ShortName), LongName: dpsp.Octets(b.LongName)}
	})
	command(func(g *program, b *wire.GroupNameChanged) dpsp.Command {
		return dpsp.SetName{ID: g.own(b.Group), ShortName: dpsp.Octets(b.ShortName), LongName: dpsp.Octets(b.LongName)}
	})
	command(func(g *program, b *wire.PlayerDataChanged) dpsp.Command {
		return dpsp.SetData{ID: g.own(b.Player), Data: b.Data}
	})
	command(func(g *program, b *wire.GroupDataChanged) dpsp.Command {
		return dpsp.SetData{ID: g.own(b.Group), Data: b.Data}
	})
	command(func(g *program, b *wire.AddPlayerToGroup) dpsp.Command {
		return dpsp.AddToGroup{Player: g.own(b.Player), Group: g.own(b.Group)}
	})
	command(func(g *program, b *wire.DeletePlayerFromGroup) dpsp.Command {
		return dpsp.RemoveFromGroup{Player: g.own(b.Player), Group: g.own(b.Group)}
	})
	command(func(g *program, b *wire.AddShortcutToGroup) dpsp.Command {
		return dpsp.AddShortcut{Child: g.own(b.Child), Parent: g.own(b.Parent)}
	})
	command(func(g *program, b *wire.DeleteGroupFromGroup) dpsp.Command {
		return dpsp.RemoveShortcut{Child: g.own(b.Child), Parent: g.own(b.Parent)}
	})
}

// enumerate searches for sessions.
func (g *program) enumerate(m *message, b *wire.EnumSessions) int {
	c := dpsp.Enumerate{Application: b.Application, Flags: b.Flags, Password: dpsp.Octets(b.Password)}
	if to := []netip.AddrPort{unmapped(m.dst)}; m.transport == captures.UDP {
		c.To = to
	} else {
		c.Streams = to
	}
	return g.do(c)
}

// requested joins a session, or makes a player.
func (g *program) requested(m *message, b *wire.RequestPlayerID) int {
	if b.Flags&wire.PlayerSystem != 0 {
		return g.join(unmapped(m.dst))
	}
	return g.create(m, b.Flags, false)
}

// announced makes a player or group if ours is host: a host asks nobody for ids.
func (g *program) announced(b wire.Message) int {
	e, _ := created(b)
	if g.made[e.ID] || g.host != g.self {
		return 0
	}
	return g.make(e)
}

func (g *program) chat(m *message, b *wire.Chat) int {
	return g.do(dpsp.Chat{From: g.own(b.From), To: g.own(b.To), Text: dpsp.Octets(b.Text),
		Guaranteed: b.Flags&wire.ChatGuaranteed != 0 || m.guaranteed()})
}

// asked has the engine take the request for sessions that a host answers, if that came before the capture began.
func (g *program) asked(m *message, b *wire.EnumSessionsReply) int {
	for _, before := range g.p.m.traffic[max(0, g.p.place-maxAhead):g.p.place] {
		if before.command == "ENUMSESSIONS" && before.from == m.addressee() {
			return 0 // it was answered
		}
	}
	env := wire.Envelope{HasSP: true, Version: g.p.m.dialect,
		SP:      wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: m.dst.Port()}},
		Message: &wire.EnumSessions{Application: b.Desc.Application, Flags: wire.EnumAll | wire.EnumPasswordRequired}}
	data, _ := env.Append(nil)
	g.p.party.Commands["a request before the capture"]++
	return g.p.step(g.p.now, dpsp.Input{Kind: dpsp.Datagram, From: m.dst, Data: data})
}

// join joins the session of a host, with the password that the machine sends a moment later. It knows the session from
// the host's answer, or, where the capture begins after that, from the list that comes next.
func (g *program) join(host netip.AddrPort) int {
	f := g.found[host]
	c := dpsp.Join{Host: host, From: f.From, Desc: f.Desc, Name: f.Name}
	asked := false
	for _, m := range g.coming() {
		own := m.from == g.p.m
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
	return g.do(c)
}

// coming returns the next messages that the machine sends and is sent, maxAhead at most.
func (g *program) coming() []*message {
	ahead := g.p.m.traffic[g.p.place+1:]
	return ahead[:min(len(ahead), maxAhead)]
}

// create makes the player or group that the machine announces when the addressee of its request granted an id.
func (g *program) create(request *message, flags wire.PlayerFlags, group bool) int {
	answer := &wire.RequestPlayerReply{}
	for m, b := range bodies[*wire.RequestPlayerReply](g.coming()) {
		if m.from != g.p.m && m.from == request.addressee() {
			answer = b
			break
		}
	}
	granted := answer.ID != 0 && answer.Result == wire.OK
	for _, m := range g.coming() {
		if e, ok := created(m.env.Message); ok && granted && m.from == g.p.m && e.Group == group && e.ID == answer.ID {
			e.Flags = flags
			return g.make(e)
		}
	}
	return g.make(playerlist.Entry{Group: group, Flags: flags})
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
func (g *program) make(e playerlist.Entry) int {
	g.made[e.ID] = true
	if e.Group {
		return g.do(dpsp.CreateGroup{ShortName: dpsp.Octets(e.ShortName), LongName: dpsp.Octets(e.LongName), Data: e.Data,
			Flags: e.Flags & (wire.PlayerHiddenGroup | wire.PlayerStagingArea), Parent: g.own(e.Parent)})
	}
	return g.do(dpsp.CreatePlayer{ShortName: dpsp.Octets(e.ShortName), LongName: dpsp.Octets(e.LongName), Data: e.Data,
		Flags: e.Flags & (wire.PlayerSpectator | wire.PlayerServerPlayer)})
}

// own returns our id for a recorded one.
func (g *program) own(id wire.PlayerID) wire.PlayerID { return g.p.mapping.ownID(id) }

// send sends a game message. One without ids is taken for one to the first player of the machine that it went to.
func (g *program) send(m *message, b *wire.PlayerMessage) int {
	c := dpsp.Send{From: g.own(b.From), To: g.own(b.To), Guaranteed: m.guaranteed(), Payload: b.Payload}
	switch to := m.addressee(); {
	case b.NoIDs && m.transport == inFrames:
		c.From, c.To = g.own(m.ends[0].id), g.own(m.ends[1].id)
		if m.ends[1].system {
			c.To = wire.IDAll // to all of a machine's players (facts, reliable D5)
		}
	case b.NoIDs:
		for _, other := range g.p.engine.Players() {
			if other.Local && c.From == 0 {
				c.From = other.ID
			} else if to != nil && c.To == 0 && other.System == g.p.engine.MachineAt(to.listener) {
				c.To = other.ID
			}
		}
	}
	return g.do(c)
}

// deleted does what has a machine send that somebody is gone: it leaves, it lost the machine that that one belonged to, or it
// deletes what is its own.
func (g *program) deleted(m *message, id wire.PlayerID, c dpsp.Command) int {
	if g.leaves(m) {
		return g.do(dpsp.Leave{})
	}
	system := g.own(id)
	for _, p := range g.p.engine.Players() {
		if p.ID == system {
			system = p.System
			break
		}
	}
	if at, ok := g.listener(system); ok {
		return g.gone(at)
	}
	return g.do(c)
}

// leaves reports whether the deletions that begin with a message end with the machine's own system player.
func (g *program) leaves(m *message) bool {
	for _, n := range append([]*message{m}, g.coming()...) {
		switch b := n.env.Message.(type) {
		case *wire.DeletePlayer:
			if n.from == g.p.m && g.own(b.Player) == g.self {
				return true
			}
		case *wire.DeleteGroup:
		default:
			if n.from == g.p.m && n.dst == m.dst {
				return false
			}
		}
	}
	return false
}

// hostGone has the engine know that the connection to the host ended, if it is another machine.
func (g *program) hostGone() int {
	at, ok := g.listener(g.host)
	if !ok {
		return 0
	}
	return g.gone(at)
}

// gone has the engine know that the connection to a machine ended.
func (g *program) gone(at netip.AddrPort) int {
	g.p.party.Commands["a connection ends"]++
	return g.p.step(g.p.now, dpsp.Input{Kind: dpsp.StreamClosed, From: at})
}

// listener returns where a machine listens; false if it is none of the others in the session.
func (g *program) listener(system wire.PlayerID) (at netip.AddrPort, ok bool) {
	all := g.p.engine.Machines()
	i := slices.IndexFunc(all, func(at netip.AddrPort) bool { return g.p.engine.MachineAt(at) == system })
	if i < 0 {
		return at, false
	}
	return all[i], true
}
