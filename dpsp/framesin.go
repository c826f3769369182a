package dpsp

import (
	"bytes"
	"encoding/binary"
	"net/netip"

	"dplay4/dpsp/reliable"
	"dplay4/wire"
	frames "dplay4/wire/reliable"
)

// takes reports whether a datagram is a frame, which is then dealt with. Others begin with an SP header whose size is theirs: 'play'
// behind it alone can be the game's (facts, reliable 2).
func (fr *framing) takes(in Input) bool {
	e := fr.e
	joins := e.state == joinState && e.join.want.Desc.Flags&wire.SessionDirectPlayProtocol != 0
	if !fr.on() && !joins && !fr.parting.any() || hasSP(in.Data) || fr.isPlain(in) {
		return false
	}
	f, err := frames.Decode(in.Data)
	o := origin{from: in.From, udp: true}
	switch {
	case err != nil && (fr.on() || joins):
		e.drop(o, "RELIABLEFRAME", Malformed, err.Error())
	case err != nil:
		return false
	case fr.parting.take(fr, in.From, &f):
	case joins:
		fr.hold(in.From, in.Data)
	case fr.on():
		fr.frame(o, &f, in.Data)
	default:
		return false
	}
	return true
}

// sender returns the machine that a frame with an index is from, and its player. p is nil if the only ones with the index are not where
// it came from, and theirs is 0 if there are none.
func (fr *framing) sender(from netip.AddrPort, index uint16) (p *peer, theirs wire.PlayerID) {
	for _, id := range fr.ids(index) {
		q := fr.e.owner(id)
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
func (fr *framing) frame(o origin, f *frames.Frame, data []byte) {
	e := fr.e
	const name = "RELIABLEFRAME"
	p, theirs := fr.sender(o.from, f.From)
	if p == nil {
		p = e.peers.byDatagram[o.from]
	}
	var l *framedLink // its players can be gone: what was said on it before is still to be acknowledged
	if p != nil {
		l = fr.links[ends{f.To, f.From, p.system}]
	}
	switch ours := fr.id(f.To, e.self); {
	case p != nil && fr.parting.has(ends{f.To, f.From, p.system}):
		return // it may be of the players that had these indexes before, or comes again
	case l != nil:
	case theirs == 0:
		fr.hold(o.from, data) // it can overtake what announces its player
		return
	case p == nil || e.owner(theirs) != p:
		e.drop(o, name, NotAllowed, theirs.String()+" is not at "+o.from.String())
		return
	case fr.waits(p):
		return // it was said before it was away, or it comes again
	case ours == 0:
		e.drop(o, name, NoSuchID, "it is for nobody of ours")
		return
	default:
		l = fr.link(p, ours, theirs)
	}
	fr.cameFramed(p)
	p.speaks(e.now)
	e.liveness.pings.Heard(p.system)
	l.Receive(e.now, f)
	for _, other := range p.links { // what was acknowledged makes room for all on the way there
		if other == l || !other.Idle() || len(other.behind) > 0 {
			fr.turn(other)
		}
	}
}

// hold keeps a frame whose sender is not known yet. It is not answered: its sender repeats it if it matters.
func (fr *framing) hold(from netip.AddrPort, data []byte) {
	n := 0
	for i := range fr.early {
		if fr.early[i].from.Addr() == from.Addr() {
			n++
		}
	}
	if len(fr.early) >= maxEarlyFrames || n >= maxEarlyFramesEach || len(data) > maxEarlyFrame {
		return
	}
	fr.early = append(fr.early, earlyFrame{from, bytes.Clone(data), fr.e.now + earlyLife})
}

// release takes the frames whose senders are known now. Anybody can have many kept, so it looks at them only after a change of the list.
func (fr *framing) release() {
	for len(fr.early) > 0 && fr.early[0].until <= fr.e.now {
		fr.early = fr.early[1:]
	}
	l := fr.e.list
	if len(fr.early) == 0 || !fr.on() || fr.lacks == l && fr.lacked == l.Version() {
		return
	}
	fr.lacks, fr.lacked = l, l.Version()
	early := fr.early
	fr.early = nil
	for _, x := range early {
		switch f, err := frames.Decode(x.data); {
		case err != nil:
		case len(fr.ids(f.From)) == 0:
			fr.early = append(fr.early, x)
		default:
			fr.frame(origin{from: x.from, udp: true}, &f, x.data)
		}
	}
	if len(fr.awake) > 0 {
		fr.flush()
	}
}

// message takes a message that came on a link.
func (fr *framing) message(l *framedLink, m reliable.Message) {
	e := fr.e
	o := origin{from: l.to, listener: l.peer.stream, framed: true, loose: !m.Reliable}
	fr.inside = l.peer
	defer func() { fr.inside = nil }()
	if wire.HasSignature(m.Data) {
		l.peer.saysFrames = true
		env, err := e.dec.DecodeBare(m.Data)
		if err != nil {
			e.malformed(o, &env, err)
			return
		}
		e.envelope(o, &env)
		return
	}
	game := wire.PlayerMessage{NoIDs: e.dec.Options.NoMessageID, From: l.theirs, To: l.ours, Payload: l.payload(m.Data)}
	if l.ours == e.self {
		game.To = wire.IDAll // to the machine: to all of its players (D5)
	}
	e.play.framedMessage(o, &game, m.Reliable)
}

// payload returns what the game said. A peer that puts ids before it does so always (D6).
func (l *framedLink) payload(b []byte) []byte {
	there := len(b) >= 8 && binary.LittleEndian.Uint32(b) == uint32(l.theirs) && binary.LittleEndian.Uint32(b[4:]) == uint32(l.ours)
	switch {
	case l.ids == idsMissing || !there:
		l.ids = idsMissing
		return b
	case l.peer.modern:
		return b
	}
	l.ids = idsThere
	return b[8:]
}
