package dpsp

import (
	"bytes"
	"encoding/binary"
	"slices"

	"dplay4/dpsp/reliable"
	"dplay4/playerlist"
	"dplay4/wire"
)

// unframed are the messages of the way into a session, and of who is not in it: they go as in every other session, for whoever
// waits for them has no link.
var unframed = map[wire.Command]bool{
	wire.CmdEnumSessions: true, wire.CmdEnumSessionsReply: true, wire.CmdEnumPlayer: true, wire.CmdEnumPlayersReply: true,
	wire.CmdSuperEnumPlayersReply: true, wire.CmdAddForwardRequest: true, wire.CmdAddForwardReply: true,
}

// inFrames sends a system message that has an SP header on the link to a machine, and reports whether it did.
func (s *sender) inFrames(out *Outgoing) bool {
	fr := s.frames()
	if !fr.On || out.Transport == Ask || len(out.Data) < wire.SPHeaderSize+8 {
		return false
	}
	p := s.peerAt(out.To)
	if out.Transport == UDP {
		p = s.peers.byDatagram[out.To]
	}
	if p == nil || !p.frameLinks.Framed {
		return false
	}
	data := out.Data[wire.SPHeaderSize:]
	command := wire.Command(binary.LittleEndian.Uint16(data[4:]))
	if !fr.SpeaksFrames(&p.frameLinks) {
		return s.holdBack(p, command, out)
	}
	if unframed[command] || command == wire.CmdRequestPlayerReply && s.framing.inside != p {
		return false // what was asked over TCP is answered there: its sender may have begun anew
	}
	fr.Say(&p.frameLinks, command, reliable.Message{Data: bytes.Clone(data), Reliable: out.Transport == TCP, Priority: systemPriority})
	return true
}

// holdBack keeps what goes over a connection behind what was said in frames before, and reports whether it did.
func (s *sender) holdBack(p *peer, command wire.Command, out *Outgoing) bool {
	after, wait := s.frames().MustWait(&p.frameLinks, out.To, command, out.Data[wire.SPHeaderSize:])
	if !wait || out.Transport != TCP {
		return false
	}
	held := *out
	held.Data = bytes.Clone(out.Data)
	s.frames().HoldBack(out.To, after, held)
	return true
}

// speaksFrames reports whether system messages for a machine go in frames.
func (s *sender) speaksFrames(p *peer) bool { return s.frames().SpeaksFrames(&p.frameLinks) }

// among returns those machines that are to get messages in frames, by what says so of one, and the others.
func (s *sender) among(to []*peer, inFrames func(*peer) bool) (framed, others []*peer) {
	if !s.frames().On {
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
func (s *sender) withPlayers(to []*peer) []*peer {
	if !s.frames().On {
		return to
	}
	has := map[wire.PlayerID]bool{}
	for _, p := range s.list.Players() {
		if p.Flags&wire.PlayerSystem == 0 {
			has[p.System] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(to), func(p *peer) bool { return !has[p.system] })
}

// outgoing returns what is to be sent on a link, and expects to know what became of it.
func (s *sender) outgoing(data []byte, how Send) reliable.Message {
	s.reports.expect(how.Notify, s.now)
	m := reliable.Message{Data: data, Reliable: how.Guaranteed, Priority: min(how.Priority, MaxPriority), Token: how.Notify}
	if how.Timeout > 0 {
		m.Deadline = s.now + how.Timeout
	}
	return m
}

// notFramed reports a message that cannot be encoded.
func (s *sender) notFramed(m wire.Message, how Send, err error) {
	s.reports.expect(how.Notify, s.now)
	s.know(how.Notify, ErrTooBig)
	s.drop(origin{}, m.Command().String(), LimitReached, "not sent: "+err.Error())
}

// systemPriority is above what a program can give.
const systemPriority = MaxPriority + 1

// sayGame sends a game message in frames. It goes without ids, which the frame has, to a player of theirs, or to the system player for
// all of them (D5, D6), unless Config.Readings say otherwise. What is for a group goes to each of its members. What would be taken for a system message, or has an index
// that means somebody else, too, goes with ids.
func (s *sender) sayGame(to []*peer, m *wire.PlayerMessage, how Send) {
	_, group := s.list.Kind(m.To)
	for _, p := range to {
		addressees := []wire.PlayerID{m.To}
		switch {
		case m.To == wire.IDAll && s.cfg.Readings.EachPlayer && !p.modern:
			addressees = playersOf(s.list, p.system)
		case m.To == wire.IDAll:
			addressees[0] = p.system
		case group:
			addressees = slices.DeleteFunc(s.list.AppendMembers(nil, m.To), func(id wire.PlayerID) bool { return s.owner(id) != p })
		}
		for _, id := range addressees {
			one := *m
			if group || one.To == wire.IDAll && id != p.system {
				one.To = id
			}
			fr := s.frames()
			clear := fr.ID(fr.Index(m.From), s.self) == m.From && fr.ID(fr.Index(id), p.system) == id
			data := bytes.Clone(m.Payload)
			if s.cfg.Readings.WithIDs && !p.modern {
				data = binary.LittleEndian.AppendUint32(make([]byte, 0, 8+len(m.Payload)), uint32(m.From))
				data = append(binary.LittleEndian.AppendUint32(data, uint32(id)), m.Payload...)
			}
			if !clear || wire.HasSignature(data) {
				var err error
				if data, err = s.bare(&wire.PlayerWrapper{Player: one}); err != nil {
					s.notFramed(m, how, err)
					return
				}
			}
			if out := s.outgoing(data, how); clear {
				fr.Queue(fr.Between(&p.frameLinks, m.From, id), m.Command(), out)
			} else {
				fr.Say(&p.frameLinks, wire.CmdPlayerWrapper, out)
			}
		}
	}
	s.carry() // what had no room
}

// playersOf returns the players of a machine.
func playersOf(list *playerlist.List, system wire.PlayerID) (all []wire.PlayerID) {
	for _, q := range list.Players() {
		if q.System == system && q.Flags&wire.PlayerSystem == 0 {
			all = append(all, q.ID)
		}
	}
	return all
}

// relayFrames sends what is about several players, or passed on by a host, in frames, whatever its size. It keeps its place among system
// messages, whatever its priority.
func (s *sender) relayFrames(to []*peer, m wire.Message, how Send) {
	for _, p := range to {
		data, err := s.bare(wrapped(m, true))
		if err != nil {
			s.notFramed(m, how, err)
			return
		}
		out := s.outgoing(data, how)
		out.Priority = systemPriority
		s.frames().Say(&p.frameLinks, m.Command(), out)
	}
	s.carry()
}
