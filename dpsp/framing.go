package dpsp

import (
	"bytes"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp/reliable"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A framing is how messages travel in a session with DIRECTPLAYPROTOCOL: in frames of the reliable protocol, one a datagram, on links
// between players, once both machines are past the way into the session (facts, reliable 2). What the game says goes between its
// players, system messages between system players; between our own those stay on connections (see speaksFrames).
type framing struct {
	e       *Engine
	links   map[ends]*framedLink
	all     []*framedLink // in the order in which they began
	awake   []*framedLink // whose turn it is
	next    time.Duration // when another one's is
	budget  *reliable.Budget
	byIndex map[uint16][]wire.PlayerID // of the list at version
	list    *playerlist.List
	version uint32
	early   []earlyFrame     // oldest first
	lacks   *playerlist.List // at version lacked it has none of the senders of early
	lacked  uint32
	inside  *peer // who said in a frame what is being handled
	parting parting
	known   map[wire.PlayerID]wire.HelloLinks // where links begin to machines that are, or were, here; 0: anywhere
}

// A framedLink is between a player of ours and one of another machine.
type framedLink struct {
	*reliable.Link
	ends
	ours, theirs wire.PlayerID
	to           netip.AddrPort // the machine's UDP socket
	peer         *peer          // nil: it is gone
	wake         time.Duration
	gone         time.Duration // since when one of its players is; 0: none
	queued       bool          // in awake
	behind       []behind
	ids          idsReading
}

// ends are the player indexes of a link, the low half of an id before the XOR (3.2.5.4), and the machine at the other one.
type ends struct {
	ours, theirs uint16
	system       wire.PlayerID
}

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
	maxEarlyFrame      = 2048 // octets; others than our own make frames of 1,500 and more (facts, reliable 6.2)
	earlyLife          = 5 * time.Second
	maxFramed          = 16 << 20 // octets that links hold together of what is not complete, or not due
	linger             = 1500 * time.Millisecond
	goneLife           = 10 * time.Minute // how long a link of a player that is gone is kept, for the player may come back
)

// An earlyFrame came before the player that it is from.
type earlyFrame struct {
	from  netip.AddrPort
	data  []byte
	until time.Duration
}

func newFraming(e *Engine, parting parting) framing {
	return framing{e: e, next: Never, budget: &reliable.Budget{Max: maxFramed}, links: map[ends]*framedLink{}, parting: parting}
}

// on reports whether the session has frames.
func (fr *framing) on() bool {
	return fr.e.state == member && fr.e.flags()&wire.SessionDirectPlayProtocol != 0
}

// index returns the player index of an id.
func (fr *framing) index(id wire.PlayerID) uint16 {
	return uint16(uint32(id) ^ fr.e.list.Desc().Reserved1)
}

// ids returns the players with an index. Parts of a session that come together can have several, of different machines, and even of
// one.
func (fr *framing) ids(index uint16) []wire.PlayerID {
	l := fr.e.list
	if fr.list != l || fr.version != l.Version() {
		fr.list, fr.version, fr.byIndex = l, l.Version(), map[uint16][]wire.PlayerID{}
		for _, id := range l.AppendSystems(nil) {
			fr.byIndex[fr.index(id)] = append(fr.byIndex[fr.index(id)], id)
		}
		for _, p := range l.Players() {
			if p.Flags&wire.PlayerSystem == 0 {
				fr.byIndex[fr.index(p.ID)] = append(fr.byIndex[fr.index(p.ID)], p.ID)
			}
		}
		fr.sweep()
	}
	return fr.byIndex[index]
}

// id returns the player of a machine that an index means, 0 for none: its system player if that has it.
func (fr *framing) id(index uint16, system wire.PlayerID) wire.PlayerID {
	for _, id := range fr.ids(index) {
		if owner, _ := fr.e.list.System(id); owner == system {
			return id
		}
	}
	return 0
}

// sweep lets go of links of which an index means somebody else now, which begins a new one. A player that is gone for us can come
// back, and may never have been gone for the other side.
func (fr *framing) sweep() {
	for _, l := range slices.Clone(fr.all) {
		ours, theirs := fr.id(l.ends.ours, fr.e.self), fr.id(l.ends.theirs, l.peer.system)
		switch {
		case ours != 0 && ours != l.ours || theirs != 0 && theirs != l.theirs:
			fr.part(l)
		case !fr.gone(l):
			l.gone = 0
		case l.gone == 0:
			l.gone = fr.e.now
		case fr.e.now-l.gone > goneLife && l.Idle():
			fr.part(l)
		}
	}
}

// link returns the link between a player of ours and a peer's.
func (fr *framing) link(p *peer, ours, theirs wire.PlayerID) *framedLink {
	at := ends{fr.index(ours), fr.index(theirs), p.system}
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
		From: at.ours, To: at.theirs, Path: p.way, Budget: fr.budget,
		First: p.begin.First, Expect: p.expects(), AnyOrder: fr.e.flags()&wire.SessionNoPreserveOrder != 0, MaxFrame: min(maxFrame, fr.e.cfg.MaxDatagram),
		Options: fr.e.cfg.Readings.Options,
	})}
	if p.modern {
		l.Ours()
	}
	fr.links[at] = l
	fr.all = append(fr.all, l)
	p.links = append(p.links, l)
	return l
}

// remove takes a link out.
func (fr *framing) remove(l *framedLink) {
	if fr.links[l.ends] == l {
		delete(fr.links, l.ends)
		fr.all = slices.DeleteFunc(fr.all, func(x *framedLink) bool { return x == l })
	}
}

// expects returns the messageid with which links of a machine begin, 0 if it did not say.
func (p *peer) expects() uint8 {
	if p.theirs == nil {
		return 0
	}
	return max(1, p.theirs.First)
}

// maxFrame is the largest frame that we send: it fits into what every way carries in one piece.
const maxFrame = 1400

// met says that a machine is one of ours.
func (fr *framing) met(p *peer) {
	p.framed, p.plain = p.framed || p.plain, false
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
		p.framed = !p.plain && (p.framed || p.older && !fr.waits(p))
	}
}

// began says that a machine announced a player: then it, too, is past the way into the session.
func (fr *framing) began(system wire.PlayerID) {
	if p := fr.e.peerByID(system); p != nil && fr.on() && !fr.waits(p) && (!p.older || len(fr.e.play.players(0)) > 0) {
		p.framed = !p.plain
	}
}

// greeted takes where a machine's links begin. Both count the turns in which they have links: who is behind was away, or was lost, and
// begins anew in the other's turn. It reports whether that is us, which the machine has to be told.
func (fr *framing) greeted(p *peer, begin wire.HelloLinks) (anew bool) {
	if fr.e.flags()&wire.SessionDirectPlayProtocol == 0 {
		return false
	}
	switch behind := int16(begin.Turn - p.begin.Turn); {
	case behind < 0, behind == 0 && p.theirs != nil && p.theirs.Turn == begin.Turn:
		return false // it is of a turn that is over, or nothing new
	case behind > 0:
		anew = true
		framed := p.framed
		fr.close(p)
		p.framed, p.begin.Turn = framed, begin.Turn
		fr.note(p)
	}
	p.theirs = &begin
	if fr.waits(p) {
		p.again = 0
		p.framed = p.framed || fr.on() && len(fr.e.play.players(0)) > 0
	}
	return anew
}

// waits reports whether a machine is to greet us before frames go between us.
func (fr *framing) waits(p *peer) bool { return p.again > fr.e.now }

// meet begins with a machine that came into the session. If it was there before, late frames can be on their way, and those that
// were kept while it was gone are of links that are over. What matters comes again.
func (fr *framing) meet(p *peer) {
	begin, ok := fr.known[p.system]
	if !ok {
		return
	}
	fr.early = slices.DeleteFunc(fr.early, func(x earlyFrame) bool { return p.at(x.from.Addr()) })
	if begin.First != 0 && fr.e.extended() { // it knows greetings
		p.begin, p.again = begin, fr.e.now+earlyLife
	}
}

// restart has the links to a machine begin anew that was away while we were not.
func (fr *framing) restart(p *peer) {
	if fr.e.flags()&wire.SessionDirectPlayProtocol != 0 && p.modern {
		fr.close(p)
		p.theirs = nil
		fr.meet(p)
		fr.e.sayHello(p, true)
	}
}

// anew reports whether a machine that was away and is not lost yet has to be lost before it is back: its links begin anew, and there are
// machines that know no greetings, to which theirs go on.
func (fr *framing) anew(back *peer) bool {
	return fr.on() && slices.ContainsFunc(fr.e.peers.all, func(p *peer) bool { return p != back && !p.modern })
}

// forget lets go of the links to a machine that is gone.
func (fr *framing) forget(p *peer) {
	fr.nextTurn(p)
	for _, l := range slices.Clone(p.links) {
		fr.part(l)
	}
	p.framed = false
}

// close ends the links to a machine at once.
func (fr *framing) close(p *peer) {
	fr.nextTurn(p)
	for _, l := range p.links {
		fr.remove(l)
		fr.end(l)
		l.peer = nil
	}
	p.links, p.framed = nil, false
}

// nextTurn notes that links to a machine are over. To one that knows greetings the next ones begin in another turn: behind the
// messageids that the last ones used, and far before they come again.
func (fr *framing) nextTurn(p *peer) {
	if fr.e.flags()&wire.SessionDirectPlayProtocol == 0 {
		return
	}
	if !p.modern {
		fr.note(p)
		return
	}
	best, most := uint8(1), -1
	for id := uint8(2); id != 0; id++ {
		room := 255
		for _, l := range p.links {
			if ahead := int(id - l.Next()); ahead > reliable.Window { // not one that is still under way
				room = min(room, 256-ahead-reliable.Window)
			} else {
				room = -1
			}
		}
		if room > most {
			best, most = id, room
		}
	}
	p.begin = wire.HelloLinks{Turn: p.begin.Turn + 1, First: best}
	fr.note(p)
}

// note keeps where links to a machine begin.
func (fr *framing) note(p *peer) {
	if fr.known == nil {
		fr.known = map[wire.PlayerID]wire.HelloLinks{}
	}
	fr.known[p.system] = p.begin
	if len(fr.known) <= maxLostPeers {
		return
	}
	gone := wire.PlayerID(0) // the one with the lowest id, for a map has no order
	for id := range fr.known {
		if fr.e.peerByID(id) == nil && id != p.system && (gone == 0 || id < gone) {
			gone = id
		}
	}
	delete(fr.known, gone)
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
		for _, l := range fr.all {
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
	if p := l.peer; p != nil && !out.Lost {
		fr.unanswered(p, l.Unanswered(e.now))
	}
	if out.Lost && e.state == member && l.peer != nil && fr.gone(l) {
		l.peer.links = slices.DeleteFunc(l.peer.links, func(x *framedLink) bool { return x == l })
		fr.remove(l)
		fr.end(l)
		l.peer = nil
	} else if out.Lost && e.state == member && l.peer != nil {
		e.liveness.unreachable(l.peer, loss{CauseSilent, "it acknowledges nothing any more"})
	}
}

// learned tells the program how a machine that is not ours reads the specification.
func (fr *framing) learned(p *peer, all []reliable.Reading) {
	for _, r := range all {
		if told := uint32(1) << r; !p.modern && p.readings&told == 0 && fr.e.peerByID(p.system) == p {
			p.readings |= told
			fr.e.event(PeerReading{System: p.system, Reading: r})
		}
	}
}

// gone reports whether a player of a link is not in the session any more: then nobody acknowledges what it was sent.
func (fr *framing) gone(l *framedLink) bool {
	_, ours := fr.e.list.System(l.ours)
	_, theirs := fr.e.list.System(l.theirs)
	return !ours || !theirs
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
		fr.e.putRaw(Outgoing{Transport: UDP, To: l.to, Data: bytes.Clone(b), Priority: true})
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
	if len(fr.early) > 0 {
		w = min(w, fr.early[0].until)
	}
	return w
}
