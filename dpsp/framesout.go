package dpsp

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"

	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// unframed are the messages of the way into a session, and of who is not in it: they go as in every other session, for whoever
// waits for them has no link.
var unframed = map[wire.Command]bool{
	wire.CmdEnumSessions: true, wire.CmdEnumSessionsReply: true, wire.CmdEnumPlayer: true, wire.CmdEnumPlayersReply: true,
	wire.CmdSuperEnumPlayersReply: true, wire.CmdAddForwardRequest: true, wire.CmdAddForwardReply: true,
}

// system sends a system message that has an SP header on the link to a machine, and reports whether it did.
func (fr *framing) system(out *Outgoing) bool {
	if !fr.on() || out.Transport == Ask || len(out.Data) < wire.SPHeaderSize+8 {
		return false
	}
	p := fr.e.peerAt(out.To)
	if out.Transport == UDP {
		p = fr.e.peers.byDatagram[out.To]
	}
	if p == nil || !p.framed {
		return false
	}
	data := out.Data[wire.SPHeaderSize:]
	command := wire.Command(binary.LittleEndian.Uint16(data[4:]))
	if !fr.speaksFrames(p) {
		return fr.holdBack(p, command, out)
	}
	if unframed[command] || command == wire.CmdRequestPlayerReply && fr.inside != p {
		return false // what was asked over TCP is answered there: its sender may have begun anew
	}
	fr.say(p, command, reliable.Message{Data: bytes.Clone(data), Reliable: out.Transport == TCP, Priority: systemPriority})
	return true
}

// speaksFrames reports whether system messages for a machine go in frames. Those between our own stay on connections: one order of
// all that is said about players, the name table and who is host is what lets a session heal, and links that begin anew have none.
// Who bears our mark and has not had time to say hello is taken for one of ours.
func (fr *framing) speaksFrames(p *peer) bool {
	return p.framed && !p.modern && (!fr.e.extended() || !p.marked || p.saysFrames || fr.e.now >= p.met+helloTime)
}

// helloTime is how long the answer to a greeting may take.
const helloTime = 2 * time.Second

// say sends a system message between system players. That a player is gone is said when what it said has arrived.
func (fr *framing) say(p *peer, command wire.Command, m reliable.Message) {
	l := fr.link(p, fr.e.self, p.system)
	after := fr.unsaid(p, command, m.Data)
	if m.Reliable && (len(after) > 0 || len(l.behind) > 0) && len(l.behind) < reliable.MaxQueue {
		l.behind = append(l.behind, behind{m, command, after, fr.e.now + linger})
		fr.turn(l)
		return
	}
	fr.queue(l, command, m)
}

// holdBack keeps what goes over a connection behind what was said in frames before, and reports whether it did.
func (fr *framing) holdBack(p *peer, command wire.Command, out *Outgoing) bool {
	if out.Transport != TCP {
		return false
	}
	after := fr.unsaid(p, command, out.Data[wire.SPHeaderSize:])
	if len(after) == 0 && !fr.parting.holdsFor(out.To) || len(fr.parting.held) >= reliable.MaxQueue {
		return false
	}
	held := *out
	held.Data = bytes.Clone(out.Data)
	fr.parting.held = append(fr.parting.held, heldSend{held, behind{after: after, until: fr.e.now + linger}})
	return true
}

// unsaid returns the links to a machine on which what a player of ours said has not arrived yet that a message says is gone; with
// our system player, any of them.
func (fr *framing) unsaid(p *peer, command wire.Command, data []byte) (all []*framedLink) {
	if command != wire.CmdDeletePlayer || len(data) < 16 {
		return nil
	}
	id := wire.PlayerID(binary.LittleEndian.Uint32(data[12:]))
	for _, l := range p.links {
		if l.ours != fr.e.self && (l.ours == id || id == fr.e.self) && !l.Idle() {
			all = append(all, l)
		}
	}
	return all
}

// among returns those machines that are to get messages in frames, by what says so of one, and the others.
func (fr *framing) among(to []*peer, inFrames func(*peer) bool) (framed, others []*peer) {
	if !fr.on() {
		return nil, to
	}
	for _, p := range to {
		if inFrames(p) {
			framed = append(framed, p)
		} else {
			others = append(others, p)
		}
	}
	return framed, others
}

// withPlayers returns those machines that have players. The others are on their way into the session: nothing that the game says is for
// them yet, and what went over their connections would be overtaken by the frames that follow.
func (fr *framing) withPlayers(to []*peer) []*peer {
	if !fr.on() {
		return to
	}
	has := map[wire.PlayerID]bool{}
	for _, p := range fr.e.list.Players() {
		if p.Flags&wire.PlayerSystem == 0 {
			has[p.System] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(to), func(p *peer) bool { return !has[p.system] })
}

// outgoing returns what is to be sent on a link, and expects to know what became of it.
func (fr *framing) outgoing(data []byte, how Send) reliable.Message {
	fr.e.reports.expect(how.Notify)
	m := reliable.Message{Data: data, Reliable: how.Guaranteed, Priority: min(how.Priority, MaxPriority), Token: how.Notify}
	if how.Timeout > 0 {
		m.Deadline = fr.e.now + how.Timeout
	}
	return m
}

// queue gives a link a message.
func (fr *framing) queue(l *framedLink, command wire.Command, m reliable.Message) {
	if err := l.Send(m); err != nil {
		fr.e.reports.know(m.Token, err)
		fr.e.drop(origin{from: l.to}, command.String(), LimitReached, "not sent: "+err.Error())
	}
	fr.turn(l)
}

// game sends a game message in frames. It goes without ids, which the frame has, to a player of theirs, or to the system player for
// all of them (D5, D6), unless Config.Readings say otherwise. What is for a group goes to each of its members. What would be taken for a system message, or has an index
// that means somebody else, too, goes with ids.
func (fr *framing) game(to []*peer, m *wire.PlayerMessage, how Send) {
	e := fr.e
	_, group := e.list.Kind(m.To)
	for _, p := range to {
		addressees := []wire.PlayerID{m.To}
		switch {
		case m.To == wire.IDAll && fr.e.cfg.Readings.EachPlayer && !p.modern:
			addressees = fr.playersOf(p)
		case m.To == wire.IDAll:
			addressees[0] = p.system
		case group:
			addressees = slices.DeleteFunc(e.list.AppendMembers(nil, m.To), func(id wire.PlayerID) bool { return e.owner(id) != p })
		}
		for _, id := range addressees {
			one := *m
			if group || one.To == wire.IDAll && id != p.system {
				one.To = id
			}
			clear := fr.id(fr.index(m.From), e.self) == m.From && fr.id(fr.index(id), p.system) == id
			data := bytes.Clone(m.Payload)
			if fr.e.cfg.Readings.WithIDs && !p.modern {
				data = binary.LittleEndian.AppendUint32(make([]byte, 0, 8+len(m.Payload)), uint32(m.From))
				data = append(binary.LittleEndian.AppendUint32(data, uint32(id)), m.Payload...)
			}
			if !clear || wire.HasSignature(data) {
				var err error
				if data, err = e.bare(&wire.PlayerWrapper{Player: one}); err != nil {
					e.reports.fail(how.Notify, ErrTooBig)
					e.drop(origin{}, m.Command().String(), LimitReached, "not sent: "+err.Error())
					return
				}
			}
			if out := fr.outgoing(data, how); clear {
				fr.queue(fr.link(p, m.From, id), m.Command(), out)
			} else {
				fr.say(p, wire.CmdPlayerWrapper, out)
			}
		}
	}
}

// playersOf returns the players of a machine.
func (fr *framing) playersOf(p *peer) (all []wire.PlayerID) {
	for _, q := range fr.e.list.Players() {
		if q.System == p.system && q.Flags&wire.PlayerSystem == 0 {
			all = append(all, q.ID)
		}
	}
	return all
}

// relay sends what is about several players, or passed on by a host, in frames, whatever its size. It keeps its place among system
// messages, whatever its priority.
func (fr *framing) relay(to []*peer, m wire.Message, how Send) {
	for _, p := range to {
		data, err := fr.e.bare(wrapped(m, true))
		if err != nil {
			fr.e.reports.fail(how.Notify, ErrTooBig)
			fr.e.drop(origin{}, m.Command().String(), LimitReached, "not sent: "+err.Error())
			return
		}
		out := fr.outgoing(data, how)
		out.Priority = systemPriority
		fr.say(p, m.Command(), out)
	}
}

// cancel gives up messages that wait, by what they were sent with.
func (fr *framing) cancel(c Cancel) (n int) {
	for _, l := range fr.all {
		k := 0
		switch {
		case c.Notify != 0:
			if l.Cancel(c.Notify) {
				k = 1
			}
		default:
			k = l.CancelBelow(min(c.Priority, systemPriority-1))
		}
		if k > 0 {
			n += k
			fr.turn(l)
		}
	}
	return n
}
