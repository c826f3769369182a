package dpsp

import (
	"bytes"
	"encoding/binary"
	"slices"

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
	if unframed[command] || command == wire.CmdRequestPlayerReply && fr.inside != p {
		return false // what was asked over TCP is answered there: its sender may have begun anew
	}
	fr.say(p, command, bytes.Clone(data), out.Transport == TCP)
	return true
}

// say sends a system message between system players. That a player is gone is said when what it said has arrived.
func (fr *framing) say(p *peer, command wire.Command, data []byte, guaranteed bool) {
	l := fr.link(p, fr.e.self, p.system)
	var after []*framedLink
	if command == wire.CmdDeletePlayer && len(data) >= 16 {
		after = fr.unsaid(p, wire.PlayerID(binary.LittleEndian.Uint32(data[12:])))
	}
	if guaranteed && (len(after) > 0 || len(l.behind) > 0) && len(l.behind) < reliable.MaxQueue {
		l.behind = append(l.behind, behind{data, after, fr.e.now + linger})
	} else if err := l.Send(reliable.Message{Data: data, Reliable: guaranteed, Priority: systemPriority}); err != nil {
		fr.e.drop(origin{from: l.to}, command.String(), LimitReached, "not sent: "+err.Error())
	}
	fr.turn(l)
}

// unsaid returns the links to a machine on which what a player of ours said, or with the id of our system player any of them, has
// not arrived yet.
func (fr *framing) unsaid(p *peer, id wire.PlayerID) (all []*framedLink) {
	for _, l := range p.links {
		if l.ours != fr.e.self && (l.ours == id || id == fr.e.self) && !l.Idle() {
			all = append(all, l)
		}
	}
	return all
}

// game sends a game message to those machines that are to get it in frames, and returns the others. It goes without ids, which the
// frame has, to a player of theirs, or to the system player for all of them (D5, D6). What is for a group goes to each of its
// members.
func (fr *framing) game(to []*peer, m *wire.PlayerMessage, how Send) (others []*peer, err error) {
	e := fr.e
	if !fr.on() {
		return to, nil
	}
	data := m.Payload
	if wire.HasSignature(data) {
		if data, err = e.bare(&wire.PlayerWrapper{Player: *m}); err != nil {
			return nil, err
		}
	}
	data = bytes.Clone(data)
	_, group := e.list.Kind(m.To)
	for _, p := range to {
		if !p.framed {
			others = append(others, p)
			continue
		}
		addressees := []wire.PlayerID{m.To}
		switch {
		case m.To == wire.IDAll:
			addressees[0] = p.system
		case group:
			addressees = slices.DeleteFunc(e.list.AppendMembers(nil, m.To), func(id wire.PlayerID) bool { return e.owner(id) != p })
		}
		for _, id := range addressees {
			l := fr.link(p, m.From, id)
			out := reliable.Message{Data: data, Reliable: how.Guaranteed, Priority: how.Priority, Token: fr.reporting(how.Notify)}
			if how.Timeout > 0 {
				out.Deadline = e.now + how.Timeout
			}
			if err := l.Send(out); err != nil {
				fr.report([]reliable.Done{{Token: out.Token, Err: err}})
				e.drop(origin{from: l.to}, m.Command().String(), LimitReached, "not sent: "+err.Error())
			}
			fr.turn(l)
		}
	}
	return others, nil
}

// relay sends what is about several players, or passed on by a host, to those machines that are to get it in frames, whatever its
// size, and returns the others.
func (fr *framing) relay(to []*peer, m wire.Message, guaranteed bool) (others []*peer) {
	if !fr.on() {
		return to
	}
	for _, p := range to {
		data, err := fr.e.bare(wrapped(m, true))
		if !p.framed || err != nil {
			others = append(others, p)
			continue
		}
		fr.say(p, m.Command(), data, guaranteed)
	}
	return others
}

// handed says that a message of which the program wants to know was handed on, if nothing of it goes in frames.
func (fr *framing) handed(token uint64) {
	if token != 0 && fr.reports[token] == nil {
		fr.e.event(Delivered{Notify: token})
	}
}

// A report is what becomes of a message of which the program wants to know.
type report struct {
	left int // addressees of which nothing is known yet
	err  error
}

// reporting counts an addressee of a message.
func (fr *framing) reporting(token uint64) uint64 {
	if token == 0 {
		return 0
	}
	if fr.reports == nil {
		fr.reports = map[uint64]*report{}
	}
	r := fr.reports[token]
	if r == nil {
		r = &report{}
		fr.reports[token] = r
	}
	r.left++
	return token
}

// report tells the program what became of its messages.
func (fr *framing) report(all []reliable.Done) {
	for _, d := range all {
		r := fr.reports[d.Token]
		if r == nil {
			continue
		}
		if d.Err != nil && r.err == nil {
			r.err = d.Err
		}
		if r.left--; r.left == 0 {
			delete(fr.reports, d.Token)
			fr.e.event(Delivered{Notify: d.Token, Err: r.err})
		}
	}
}

// cancel gives up messages that wait, by what they were sent with.
func (fr *framing) cancel(c Cancel) (n int) {
	for _, l := range fr.links {
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
