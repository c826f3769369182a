package dpsp

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp/internal/arrived"
	"dplay4/wire"
)

// The arrivals are the state of messages to and from peers that count them: see package arrived. All messages count that only members
// send each other: those of the game, changes of the list, objects. So a message that is sent again finds the list as it was.
type arrivals struct {
	period      time.Duration
	incarnation uint64 // of this program; 0 with Config.Legacy
	met         uint32 // how many peers
	at          time.Duration
	send        func(*peer, *arrived.Note)
}

func newArrivals(e *sender) arrivals {
	return arrivals{period: e.cfg.Period, at: Never, send: func(p *peer, n *arrived.Note) {
		e.sendRaw(TCP, p.stream, wire.NewExtension(e.self, &wire.ExtensionArrived{
			Mine: onWire(n.Mine), Yours: onWire(n.Yours), Connection: n.Connection, Next: n.Next, Read: n.Read, Count: n.Count,
		}))
	}}
}

// onWire returns an end in the form of a message.
func onWire(x arrived.End) wire.ArrivedEnd {
	e := wire.ArrivedEnd{Meeting: x.Meeting}
	binary.LittleEndian.PutUint64(e.Incarnation[:], x.Incarnation)
	return e
}

// endOf returns the end in a message.
func endOf(e wire.ArrivedEnd) arrived.End {
	return arrived.End{Incarnation: binary.LittleEndian.Uint64(e.Incarnation[:]), Meeting: e.Meeting}
}

// say sends a note to a peer, unless n is nil, and sets the timer to the peer's next deadline.
func (a *arrivals) say(p *peer, n *arrived.Note) {
	if n != nil {
		a.send(p, n)
	}
	a.at = min(a.at, p.link.Next(a.period))
}

// uncounted lists the commands that have no number. Either their sender is not in the session yet and asks again by itself, or they
// must not wait behind messages that wait for a number.
var uncounted = map[wire.Command]bool{
	wire.CmdEnumSessions: true, wire.CmdEnumSessionsReply: true, wire.CmdEnumPlayer: true, wire.CmdEnumPlayersReply: true,
	wire.CmdSuperEnumPlayersReply: true, wire.CmdRequestPlayerID: true, wire.CmdRequestGroupID: true,
	wire.CmdRequestPlayerReply: true, wire.CmdAddForwardRequest: true, wire.CmdAddForwardReply: true,
	wire.CmdPing: true, wire.CmdPingReply: true, wire.CmdYouAreDead: true,
}

// uncountedKinds lists the kinds of EXTENSION that have no number, for the same reasons.
var uncountedKinds = map[wire.ExtensionKind]bool{
	wire.KindHello: true, wire.KindArrived: true, wire.KindView: true,
}

// Counted reports whether a message with its SP header has a number. Both ends decide by the octets, also where these do not decode.
func Counted(data []byte) bool {
	if len(data) < wire.SPHeaderSize+8 || !wire.HasSignature(data[wire.SPHeaderSize:]) {
		return true // the game's
	}
	data = data[wire.SPHeaderSize:]
	c := wire.Command(binary.LittleEndian.Uint16(data[4:]))
	if c == wire.CmdExtension && len(data) >= 12 {
		return !uncountedKinds[wire.ExtensionKind(binary.LittleEndian.Uint16(data[10:]))]
	}
	return !uncounted[c]
}

// begin draws the incarnation of a program that begins to join or host.
func (a *arrivals) begin(r *rand.Rand, legacy bool) {
	for a.incarnation == 0 && !legacy {
		a.incarnation = r.Uint64()
	}
}

// meet returns this end of a link to a peer that is new, or counts anew.
func (a *arrivals) meet() arrived.End {
	a.met++
	return arrived.End{Incarnation: a.incarnation, Meeting: a.met}
}

// put numbers a message to a peer, and reports whether the caller sends it now. Otherwise the link sends it later. p is nil if the receiver
// is no peer.
func (a *arrivals) put(now time.Duration, p *peer, data []byte) bool {
	if p == nil || !Counted(data) {
		return true
	}
	if !p.link.Takes(!p.greeted) {
		p.bare = true
		return true
	}
	note, send := p.link.Put(now, data)
	a.say(p, note)
	return send
}

// waits reports whether messages to a peer are not sent before its count comes.
func (a *arrivals) waits(peers []*peer) bool {
	return slices.ContainsFunc(peers, func(p *peer) bool { return p.link.Waits() })
}

// greet greets new connections to the peers to which messages wait. Otherwise the next message does, or the next note.
func (a *arrivals) greet(now time.Duration, peers []*peer) {
	for _, p := range peers {
		if p.link.Waits() {
			a.say(p, p.link.Greet(now))
		}
	}
}

// hello sends the first note to a peer whose HELLO has the ability ARRIVED, unless both count already.
func (a *arrivals) hello(now time.Duration, o origin, p *peer, abilities uint32) {
	if abilities&wire.HelloArrived != 0 && abilities&wire.HelloCounted == 0 && a.incarnation != 0 {
		p.link.Uncounted(o.from) // so far
		a.say(p, new(p.link.Note(now)))
	}
}

// reads counts a message that came over a connection, and reports whether the engine reads it. The sender sends an unread one again. Several
// peers can be at one listener.
func (a *arrivals) reads(now time.Duration, peers []*peer, kept keptLinks, o origin, data []byte) bool {
	if !Counted(data) {
		return true
	}
	if kept.away(o) {
		return false
	}
	if len(peers) == 0 {
		return true
	}
	refused := false
	for _, p := range peers {
		switch {
		case !p.at(o.from.Addr()):
		case p.link.Arrived(now, o.from, len(data)):
			a.say(p, p.link.Due(now, a.period))
			return true
		default:
			refused = true
		}
	}
	return !refused
}

// broke notes that the connection to a listener is gone. If before, it is the end of an earlier connection there.
func (a *arrivals) broke(now time.Duration, peers []*peer, listener netip.AddrPort, before bool) {
	for _, p := range peers {
		if p.stream == listener && p.link.Counts() && (!before || p.link.Resumed()) {
			p.link.Broke(now)
			a.say(p, nil)
		}
	}
}

// timer sends the notes that are due.
func (a *arrivals) timer(now time.Duration, peers []*peer) {
	if now < a.at {
		return
	}
	a.at = Never
	for _, p := range peers {
		a.say(p, p.link.Due(now, a.period))
	}
}

// anew makes this machine and a peer with wrong counts begin anew, and reports whether messages to it may be lost.
func (a *arrivals) anew(now time.Duration, p *peer) (lost bool) {
	lost = p.link.Anew(a.meet())
	a.say(p, new(p.link.Note(now)))
	return lost
}

// takeArrived handles an ARRIVED: it sends the lost messages again. If some are not kept any more, it reports ConnectionRenewed to the
// program, and sends the peer HELLO and CREATEPLAYERVERIFY, so that it asks for what it lacks.
func (s *sender) takeArrived(o origin, p *peer, b *wire.ExtensionArrived) {
	a := &s.arrivals
	fx := p.link.Take(s.now, arrived.Note{
		Mine: endOf(b.Mine), Yours: endOf(b.Yours), Connection: b.Connection, Next: b.Next, Read: b.Read, Count: b.Count,
	}, o.from)
	if fx.Wrong != "" {
		s.drop(o, "EXTENSION ARRIVED", Conflict, fx.Wrong)
		fx.Lost = p.miscounts.take(maxRenewals, s.now, s.cfg.Period) && a.anew(s.now, p)
	} else {
		a.say(p, fx.Say)
		for _, m := range fx.Again {
			s.out.add(Outgoing{Transport: TCP, To: p.stream, Data: m, Priority: wire.HasSignature(m[wire.SPHeaderSize:])})
		}
	}
	p.lostWords = p.lostWords || fx.Lost
	if fx.Renewed {
		s.liveness.renewed(p)
	}
	if !fx.Lost || !p.losses.take(maxRenewals, s.now, s.cfg.Period) {
		return
	}
	if p.lostWords && !s.signs.asked.has(p.system) {
		p.lostWords = false
		s.event(ConnectionRenewed{System: p.system, Lost: true})
	}
	s.sayHello(p, true)
}

// add adds a copy of a message that is to be sent.
func (out *outbox) add(m Outgoing) {
	at := len(out.buf)
	out.buf = append(out.buf, m.Data...)
	m.Data = out.buf[at:len(out.buf):len(out.buf)]
	out.Sends = append(out.Sends, m)
}
