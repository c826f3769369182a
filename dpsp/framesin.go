package dpsp

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"dplay4/dpsp/internal/frame"
	"dplay4/dpsp/reliable"
	"dplay4/wire"
	frames "dplay4/wire/reliable"
)

// takesFrame reports whether a datagram is a frame, which is then dealt with. Others begin with an SP header whose size is theirs: 'play'
// behind it alone can be the game's (facts, reliable 2).
func (e *Engine) takesFrame(in Input) bool {
	fr := e.frames()
	joins := e.state == joinState && e.join.want.Desc.Flags&wire.SessionDirectPlayProtocol != 0
	if !fr.On && !joins && !fr.Parting() || hasSP(in.Data) || e.isPlain(in) {
		return false
	}
	f, err := frames.Decode(in.Data)
	o := origin{from: in.From, udp: true}
	switch {
	case err != nil && (fr.On || joins):
		e.drop(o, "RELIABLEFRAME", Malformed, err.Error())
	case err != nil:
		return false
	case e.partingFrame(in.From, &f):
	case joins:
		fr.Hold(in.From, in.Data)
	case fr.On:
		e.frame(o, &f, in.Data)
	default:
		return false
	}
	return true
}

// partingFrame gives a frame to the link that is parting and that it is for, and reports whether there is one.
func (s *sender) partingFrame(from netip.AddrPort, f *frames.Frame) bool {
	fr := s.frames()
	if fr.On {
		if p, _ := s.frameSender(from, f.From); p != nil {
			return false
		}
	}
	return fr.Part(from, f)
}

// frameSender returns the machine that a frame with an index is from, and its player. p is nil if the only ones with the index are not where
// it came from, and theirs is 0 if there are none.
func (s *sender) frameSender(from netip.AddrPort, index uint16) (p *peer, theirs wire.PlayerID) {
	for _, x := range s.frames().Players(index) {
		q, id := s.peerByID(x.System), x.ID
		switch {
		case q != nil && q.datagram == from:
			return q, id
		case q != nil && p == nil && q.at(from.Addr()):
			p, theirs = q, id
		case theirs == 0:
			theirs = id
		}
	}
	return p, theirs
}

// hasSP reports whether a datagram has an SP header of its own size before a message.
func hasSP(b []byte) bool {
	if len(b) < wire.SPHeaderSize+8 || !wire.HasSignature(b[wire.SPHeaderSize:]) {
		return false
	}
	switch n := binary.LittleEndian.Uint32(b); wire.Token(n >> 20) {
	case wire.TokenRemote, wire.TokenForward, wire.TokenServer:
		return int(n&0xFFFFF) == len(b)
	}
	return false
}

// frame takes a frame.
func (s *sender) frame(o origin, f *frames.Frame, data []byte) {
	const name = "RELIABLEFRAME"
	p, theirs := s.frameSender(o.from, f.From)
	if p == nil {
		p = s.peers.byDatagram[o.from]
	}
	fr := s.frames()
	var l *frame.Link // its players can be gone: what was said on it before is still to be acknowledged
	if p != nil {
		l = fr.Find(f.To, f.From, &p.frameLinks)
	}
	switch ours := fr.ID(f.To, s.self); {
	case p != nil && fr.Parts(f.To, f.From, &p.frameLinks):
		return // it may be of the players that had these indexes before, or comes again
	case l != nil:
	case theirs == 0:
		fr.Hold(o.from, data) // it can overtake what announces its player
		return
	case p == nil || s.owner(theirs) != p:
		s.drop(o, name, NotAllowed, theirs.String()+" is not at "+o.from.String())
		return
	case fr.Waits(&p.frameLinks):
		return // it was said before it was away, or it comes again
	case ours == 0:
		s.drop(o, name, NoSuchID, "it is for nobody of ours")
		return
	default:
		l = fr.Between(&p.frameLinks, ours, theirs)
	}
	fr.CameFramed(&p.frameLinks)
	p.speaks(s.now)
	s.signs.pings.Heard(p.system)
	fr.Receive(l, f)
}

// messageOn takes a message that came on a link from a peer.
func (e *Engine) messageOn(l *frame.Link, p *peer, m reliable.Message) {
	o := origin{from: l.Socket, listener: p.stream, framed: true, loose: !m.Reliable}
	e.framing.inside = p
	defer func() { e.framing.inside = nil }()
	if wire.HasSignature(m.Data) {
		p.frameLinks.SaysFrames = true
		env, err := e.dec.DecodeBare(m.Data)
		if err != nil {
			e.malformed(o, &env, err)
			return
		}
		e.envelope(o, &env)
		return
	}
	game := wire.PlayerMessage{NoIDs: e.dec.Options.NoMessageID, From: l.Remote, To: l.Local, Payload: l.Payload(m.Data)}
	if l.Local == e.self {
		game.To = wire.IDAll // to the machine: to all of its players (D5)
	}
	e.framedMessage(o, &game, m.Reliable)
}

// isPlain reports whether a datagram is a game message as in other sessions: from a player of a peer that is plain or sent no
// frame so far, to somebody here. Without ids only the peer can tell.
func (s *sender) isPlain(in Input) bool {
	fr := s.frames()
	if !fr.On {
		return false
	}
	if s.dec.Options.NoMessageID {
		return slices.ContainsFunc(s.peers.all, func(p *peer) bool { return p.frameLinks.Plain && p.datagram == in.From })
	}
	if len(in.Data) < 8 {
		return false
	}
	from, to := wire.PlayerID(binary.LittleEndian.Uint32(in.Data)), wire.PlayerID(binary.LittleEndian.Uint32(in.Data[4:]))
	p := s.owner(from)
	if p == nil || !p.at(in.From.Addr()) || !p.frameLinks.Plain && !fr.MayBePlain(&p.frameLinks) {
		return false
	}
	_, group := s.list.Kind(to)
	return to == wire.IDAll || group || s.ours(to)
}
