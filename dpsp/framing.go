package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp/reliable"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A framing is how messages travel in a session with DIRECTPLAYPROTOCOL: in frames of the reliable protocol, one a datagram, on links
// between players, once both machines are past the way into the session (facts, reliable 2). System messages are said between
// system players, what the game says between its players.
type framing struct {
	e       *Engine
	links   map[ends]*framedLink
	awake   []*framedLink // whose turn it is
	next    time.Duration // when another one's is
	budget  reliable.Budget
	byIndex map[uint16]wire.PlayerID // of the list at version
	list    *playerlist.List
	version uint32
	early   []earlyFrame
	inside  *peer // who said in a frame what is being handled
	parting parting
}

// A framedLink is between a player of ours and one of another machine.
type framedLink struct {
	*reliable.Link
	ends
	ours, theirs wire.PlayerID
	to           netip.AddrPort // the machine's UDP socket
	peer         *peer          // nil: it is gone
	wake         time.Duration
	queued       bool // in awake
	behind       []behind
	ids          idsReading
}

// ends are the player indexes of a link: the low half of an id before the XOR (3.2.5.4).
type ends struct{ ours, theirs uint16 }

// behind is a system message that waits until what its players said before has arrived.
type behind struct {
	message reliable.Message
	command wire.Command
	after   []*framedLink
	until   time.Duration
}

// idsReading is whether a peer puts the ids before what the game says (D6).
type idsReading uint8

const (
	idsUnknown idsReading = iota
	idsThere
	idsMissing
)

// Limits of what waits, and for how long.
const (
	maxEarlyFrames     = 256
	maxEarlyFramesEach = 64
	earlyLife          = 5 * time.Second
	maxFramed          = 16 << 20 // octets that links hold together of what is not complete, or not due
	linger             = 1500 * time.Millisecond
)

// An earlyFrame came before the player that it is from.
type earlyFrame struct {
	from  netip.AddrPort
	data  []byte
	until time.Duration
}

func newFraming(e *Engine, parting parting) framing {
	return framing{e: e, next: Never, budget: reliable.Budget{Max: maxFramed}, links: map[ends]*framedLink{}, parting: parting}
}

// on reports whether the session has frames.
func (fr *framing) on() bool {
	return fr.e.state == member && fr.e.flags()&wire.SessionDirectPlayProtocol != 0
}

// index returns the player index of an id.
func (fr *framing) index(id wire.PlayerID) uint16 {
	return uint16(uint32(id) ^ fr.e.list.Desc().Reserved1)
}

// id returns the player with an index, 0 if there is none.
func (fr *framing) id(index uint16) wire.PlayerID {
	l := fr.e.list
	if fr.list != l || fr.version != l.Version() {
		fr.list, fr.version, fr.byIndex = l, l.Version(), map[uint16]wire.PlayerID{}
		for _, id := range l.AppendSystems(nil) {
			fr.byIndex[fr.index(id)] = id
		}
		for _, p := range l.Players() {
			fr.byIndex[fr.index(p.ID)] = p.ID
		}
		fr.sweep()
	}
	return fr.byIndex[index]
}

// sweep lets go of links whose players are gone: an index that is used again begins a new one.
func (fr *framing) sweep() {
	for _, l := range fr.links {
		if fr.byIndex[l.ends.ours] != l.ours || fr.byIndex[l.ends.theirs] != l.theirs {
			fr.part(l)
		}
	}
}

// link returns the link between a player of ours and a peer's.
func (fr *framing) link(p *peer, ours, theirs wire.PlayerID) *framedLink {
	at := ends{fr.index(ours), fr.index(theirs)}
	if l := fr.links[at]; l != nil {
		if l.ours == ours && l.theirs == theirs && l.peer == p {
			return l
		}
		fr.part(l)
	}
	if p.way == nil {
		p.way = &reliable.Path{}
	}
	l := &framedLink{ends: at, ours: ours, theirs: theirs, to: p.datagram, peer: p, wake: Never, Link: reliable.New(reliable.Config{
		From: at.ours, To: at.theirs, Path: p.way, Budget: &fr.budget,
		AnyOrder: fr.e.flags()&wire.SessionNoPreserveOrder != 0, MaxFrame: min(maxFrame, fr.e.cfg.MaxDatagram),
	})}
	if p.modern {
		l.Ours()
	}
	fr.links[at] = l
	p.links = append(p.links, l)
	return l
}

// maxFrame is the largest frame that we send: it fits into what every way carries in one piece.
const maxFrame = 1400

// met says that a machine is one of ours.
func (fr *framing) met(p *peer) {
	for _, l := range p.links {
		l.Ours()
	}
}

// introduced says that our first player was announced: with the machines that were there before us, we are past the way into
// the session.
func (fr *framing) introduced() {
	if !fr.on() {
		return
	}
	for _, p := range fr.e.peers.all {
		p.framed = p.framed || p.older && !p.again
	}
}

// began says that a machine announced a player: then it, too, is past the way into the session.
func (fr *framing) began(system wire.PlayerID) {
	if p := fr.e.peerByID(system); p != nil && fr.on() && !p.again && (!p.older || len(fr.e.play.players(0)) > 0) {
		p.framed = true
	}
}

// greeted says that a machine greeted us, or answered our greeting: if one of us was away, both know that now.
func (fr *framing) greeted(p *peer) {
	if p.again {
		p.again = false
		p.framed = p.framed || fr.on() && len(fr.e.play.players(0)) > 0
	}
}

// forget lets go of the links to a machine.
func (fr *framing) forget(p *peer) {
	for _, l := range slices.Clone(p.links) {
		fr.part(l)
	}
	p.framed = false
}

// anew lets go of the links to a machine that was away, and begins new ones: what it says now is not what it said then.
func (fr *framing) anew(p *peer) {
	for _, l := range p.links {
		delete(fr.links, l.ends)
		fr.end(l)
		l.peer = nil
	}
	p.links, p.framed = nil, false
}

// turn notes that a link has something to do.
func (fr *framing) turn(l *framedLink) {
	if !l.queued {
		l.queued = true
		fr.awake = append(fr.awake, l)
	}
}

// flush does what is due on all links.
func (fr *framing) flush() {
	if fr.next <= fr.e.now {
		fr.next = Never
		for _, l := range fr.links {
			if l.wake <= fr.e.now {
				fr.turn(l)
			} else {
				fr.next = min(fr.next, l.wake)
			}
		}
	}
	fr.parting.flush(fr)
	for len(fr.awake) > 0 {
		l := fr.awake[0]
		fr.awake = fr.awake[1:]
		l.queued = false
		if l.peer != nil {
			fr.run(l)
		}
	}
	fr.release()
}

// run does what is due on a link.
func (fr *framing) run(l *framedLink) {
	e := fr.e
	out := fr.step(l)
	fr.next = min(fr.next, l.wake)
	defer fr.learned(l.peer, out.Learned) // a message can say that the peer is one of ours
	for _, m := range out.Messages {
		if e.state != member || l.peer == nil || e.peerByID(l.peer.system) != l.peer {
			return
		}
		fr.message(l, m)
	}
	if out.Lost && e.state == member && l.peer != nil {
		e.liveness.streamClosed(l.peer.stream)
	}
}

// learned tells the program how a machine that is not ours reads the specification.
func (fr *framing) learned(p *peer, all []reliable.Reading) {
	for _, r := range all {
		if told := uint32(1) << r; !p.modern && p.readings&told == 0 {
			p.readings |= told
			fr.e.event(PeerReading{System: p.system, Reading: r})
		}
	}
}

// step runs a link, and has its frames sent.
func (fr *framing) step(l *framedLink) *reliable.Output {
	for len(l.behind) > 0 && l.behind[0].due(fr.e.now) {
		fr.queue(l, l.behind[0].command, l.behind[0].message)
		l.behind = l.behind[1:]
	}
	out := l.Step(fr.e.now)
	l.wake = out.Wake
	if len(l.behind) > 0 {
		l.wake = min(l.wake, l.behind[0].until)
	}
	for _, b := range out.Frames {
		fr.e.putRaw(Outgoing{Transport: UDP, To: l.to, Data: b, Priority: true})
	}
	fr.e.reports.of(out.Done)
	return out
}

// end forgets what is still to be said on a link.
func (fr *framing) end(l *framedLink) {
	fr.e.reports.of(l.Close())
	for _, b := range l.behind {
		fr.e.reports.know(b.message.Token, reliable.ErrLost)
	}
	l.behind = nil
}

// systemPriority is above what a program can give.
const systemPriority = MaxPriority + 1

// due reports whether what a message waits for has happened.
func (b *behind) due(now time.Duration) bool {
	if now >= b.until {
		return true
	}
	for _, l := range b.after {
		if !l.Idle() {
			return false
		}
	}
	return true
}

// wakeUp returns when a link has something to do next.
func (fr *framing) wakeUp() time.Duration {
	w := min(fr.next, fr.parting.wake())
	for i := range fr.early {
		w = min(w, fr.early[i].until)
	}
	return w
}
