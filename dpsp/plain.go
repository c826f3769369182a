package dpsp

import (
	"encoding/binary"
	"slices"
	"time"

	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// A machine may join a session with DIRECTPLAYPROTOCOL and not have the reliable protocol: Wine 10 does, drops frames, and sends
// what it would send in any other session. Such a peer is plain: messages for it go as in other sessions, and its datagrams are
// taken. A peer is asked with a PING that is no frame
//
//   - when a game message of one of its players comes over its TCP connection, and no frame of it came within plainFor;
//   - when it acknowledged nothing for askAfter and never sent a frame.
//
// One that speaks frames answers in a frame. If the answer is none and repeats our random number, the peer is plain; so it is
// if it sent a game message over TCP, no frame, and acknowledged nothing for deafAfter. No datagram that is forged makes a peer
// plain. A frame ends it, but only plainFor after the last message over TCP, so that a forged frame does little harm. Our
// own never are plain.
const (
	plainFor  = 5 * time.Second
	askAfter  = 2 * time.Second // and between two questions
	deafAfter = 10 * time.Second
)

// cameUnframed takes note of a game message that came as in other sessions.
func (fr *framing) cameUnframed(o origin, m *wire.PlayerMessage) {
	p := fr.e.peerOf(o)
	switch {
	case o.udp || o.framed || !fr.on() || p == nil || p.isLate(o):
	case m.From != 0 && fr.e.owner(m.From) != p: // a host passes messages on
	default:
		p.plainAt = max(fr.e.now, 1)
		fr.ask(p)
	}
}

// unanswered asks a peer that acknowledges nothing on a link, and never sent a frame.
func (fr *framing) unanswered(p *peer, since time.Duration) {
	switch {
	case p.frameAt != 0 || since < askAfter:
	case since >= deafAfter && p.plainAt != 0 && fr.mayBePlain(p):
		fr.speakPlainly(p)
	default:
		fr.ask(p)
	}
}

// ask asks a peer whether it speaks frames.
func (fr *framing) ask(p *peer) {
	e := fr.e
	if !fr.mayBePlain(p) || p.asked != 0 && e.now-p.askedAt < askAfter {
		return
	}
	p.asked, p.askedAt = e.rng.Uint32()|1, e.now
	e.sendRaw(UDP, p.datagram, &wire.Ping{From: e.self, Tick: p.asked})
}

// answered takes the answer to a PING.
func (fr *framing) answered(p *peer, o origin, tick uint32) {
	if !o.framed && p.asked != 0 && p.asked == tick && fr.mayBePlain(p) {
		fr.speakPlainly(p)
	}
}

// mayBePlain reports whether a peer is none of ours, and sends no frames.
func (fr *framing) mayBePlain(p *peer) bool {
	return fr.on() && !p.plain && !p.modern && !p.marked && (p.frameAt == 0 || fr.e.now-p.frameAt > plainFor)
}

// cameFramed takes note of a frame.
func (fr *framing) cameFramed(p *peer) {
	p.frameAt = max(fr.e.now, 1)
	if !p.plain || fr.e.now-p.plainAt > plainFor {
		p.plain, p.framed = false, true
	}
}

// isPlain reports whether a datagram is a game message as in other sessions: from a player of a peer that is plain or sent no
// frame so far, to somebody here. Without ids only the peer can tell.
func (fr *framing) isPlain(in Input) bool {
	e := fr.e
	if !fr.on() {
		return false
	}
	if e.dec.Options.NoMessageID {
		return slices.ContainsFunc(e.peers.all, func(p *peer) bool { return p.plain && p.datagram == in.From })
	}
	if len(in.Data) < 8 {
		return false
	}
	from, to := wire.PlayerID(binary.LittleEndian.Uint32(in.Data)), wire.PlayerID(binary.LittleEndian.Uint32(in.Data[4:]))
	p := e.owner(from)
	if p == nil || !p.at(in.From.Addr()) || !p.plain && !fr.mayBePlain(p) {
		return false
	}
	_, group := e.list.Kind(to)
	return to == wire.IDAll || group || e.ours(to)
}

// speakPlainly makes a peer plain. What it was sent in frames and did not acknowledge goes once more, if it was guaranteed.
func (fr *framing) speakPlainly(p *peer) {
	var again []func()
	links := slices.Clone(p.links)
	turn := func(l *framedLink) int { // a message can be from a player that a system message announced
		if l.ours == fr.e.self {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(links, func(a, b *framedLink) int { return turn(a) - turn(b) })
	for _, l := range links {
		for _, m := range l.Withdraw() {
			again = append(again, func() { fr.sayPlainly(p, l, m) })
		}
	}
	for _, l := range links {
		for _, b := range l.behind {
			again = append(again, func() { fr.sayPlainly(p, l, b.message) })
		}
		l.behind = nil
	}
	fr.close(p)
	p.plain, p.asked = true, 0
	fr.learned(p, []reliable.Reading{reliable.NoFrames})
	for _, say := range again {
		say()
	}
}

// sayPlainly sends over its connection what was to go to a peer on a link.
func (fr *framing) sayPlainly(p *peer, l *framedLink, m reliable.Message) {
	e := fr.e
	var err error
	if wire.HasSignature(m.Data) {
		var env wire.Envelope
		if env, err = e.dec.DecodeBare(m.Data); err == nil {
			e.sendTCP(p.stream, env.Message)
		}
	} else {
		game := &wire.PlayerMessage{NoIDs: e.dec.Options.NoMessageID, From: l.ours, To: l.theirs, Payload: m.Data}
		if l.theirs == p.system {
			game.To = wire.IDAll
		}
		if e.cfg.Readings.WithIDs && len(m.Data) >= 8 {
			game.Payload = m.Data[8:]
		}
		err = e.play.transmit([]*peer{p}, game, Send{Guaranteed: true})
	}
	e.reports.know(m.Token, err)
}
