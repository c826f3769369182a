package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// remember notes a machine that was lost. One with our mark that had no time to answer a hello may know the extension, and so
// may one that was silent all the time: its program stood still, or the network was broken.
func (pt *partition) remember(p *peer) {
	if !p.modern && (!p.marked || p.ignored >= maxHellos) || !pt.e.migrates() || !pt.e.extended() || pt.e.views.on() {
		return
	}
	pt.lost.remember(newLostPeer(p.system, p.stream, p.datagram, pt.e.now, pt.e.cfg.Period, !p.modern))
}

// claimTimer has a host tell those it lost that it is host.
func (pt *partition) claimTimer() {
	if !pt.e.hosting() {
		return
	}
	for i := range pt.lost {
		if f := &pt.lost[i]; f.claimDue(pt.e.now, pt.e.cfg.Period) {
			pt.e.send(UDP, f.datagram, pt.ourClaim(f.system))
		}
	}
}

// nextClaim is when claimTimer has something to do.
func (pt *partition) nextClaim() time.Duration {
	if !pt.e.hosting() {
		return Never
	}
	return pt.lost.next()
}

// ourClaim says to a machine that we lost, or to a rival, that we are host; to 0, to members, that all is well again.
func (pt *partition) ourClaim(to wire.PlayerID) *wire.Extension {
	pt.drawSecret()
	return pt.claimWith(pt.secrets.current, to)
}

// claimWith says that we are host, and shows a secret.
func (pt *partition) claimWith(secret wire.GUID, to wire.PlayerID) *wire.Extension {
	return wire.NewExtension(pt.e.self, &wire.ExtensionClaim{
		To: to, Secret: secret, Instance: pt.e.list.Desc().Instance, Version: pt.e.list.Version(),
		Stream: pt.e.cfg.header().SockAddr,
	})
}

// claim takes the word of a host of our session that is not ours: the session is in two parts. The host with the
// lower id keeps it, by the DirectPlay 4 rule; the other one's machines go over to it.
func (pt *partition) claim(o origin, rival wire.PlayerID, b *wire.ExtensionClaim) {
	e := pt.e
	const name = "EXTENSION CLAIM"
	switch {
	case b.Instance != e.list.Desc().Instance:
		e.drop(o, name, NotMember, "it is about another session")
	case !e.hosting() && rival == e.host && e.peerByID(rival) != nil && e.peerOf(o) == e.peerByID(rival):
		pt.hostsClaim(o, e.peerByID(rival), b)
	case !e.hosting():
		pt.claimToMember(o, rival, b)
	case rival == e.self:
		e.drop(o, name, Conflict, "its sender has our id")
	case !pt.believes(o, rival, b.Secret):
		e.drop(o, name, NotMember, rival.String()+" was never in the session")
		if b.To == e.self {
			pt.answerStranger(o, rival)
		}
	case pt.isAnother(o, rival) && !pt.challenged.answered(o.listener, rival, e.now):
		// Connections keep what was said long ago. If it is true still, our answer is answered.
		pt.challenge(o, rival)
		e.drop(o, name, NotMember, "another machine is at its address")
	default:
		pt.rivals(o, rival, b)
	}
}

// believes reports whether a host that claims the session is, or was, in it: it shows a secret, somebody vouches for it over
// a connection, or it is one that we lost, where somebody of the session was.
func (pt *partition) believes(o origin, rival wire.PlayerID, secret wire.GUID) bool {
	at := o.direct().listener
	return pt.secrets.knows(secret) || !o.udp && pt.vouched.covers(rival, at, pt.e.now) ||
		pt.wasHere(o, rival) && (!o.udp || pt.knownStream(at))
}

// hostsClaim takes our own host's word that all is well again, or that it lost us. A datagram may be anybody's: then the
// host is greeted over a connection, and says there what it wants of who is not in its session.
func (pt *partition) hostsClaim(o origin, host *peer, b *wire.ExtensionClaim) {
	e := pt.e
	lost := b.To == e.self && e.reconcile.table != nil && b.Version >= e.reconcile.table.Version() // and not from before we came back
	switch {
	case o.udp && lost && host.told.take(maxTold, e.now, e.cfg.Period):
		e.sayHello(host, true)
	case o.udp:
	case b.To == 0:
		e.event(SessionHealed{Host: host.system, System: e.self})
	case lost:
		pt.rejoin(host.stream, host.system)
	}
}

// claimToMember has a member bring two hosts together: perhaps its sender does not know our host, and our host does not
// know of it. It may know us by the id that we had before our program began anew, and have no secret that we know, if it lost
// its first host soon; then our host would not believe it, but believes us, if we know it.
func (pt *partition) claimToMember(o origin, rival wire.PlayerID, b *wire.ExtensionClaim) {
	e := pt.e
	h := e.peerByID(e.host)
	at := o.direct().listener
	known, shown := pt.knownStream(at), pt.secrets.knows(b.Secret)
	if h == nil || b.To == 0 || b.To != e.self && !shown && !known {
		e.drop(o, "EXTENSION CLAIM", NotMember, "its sender knows neither us nor the session")
		return
	}
	ours := wire.NewExtension(e.self, &wire.ExtensionRejoinAt{Host: h.system, Stream: sockAddr(h.stream)})
	switch {
	case o.udp:
		e.send(UDP, o.from, ours)
	case known || shown: // all of us that knew it may have left
		e.sendTCP(at, ours)
		e.hangUpUnknown(at)
	}
	switch {
	case !known && !shown:
		e.drop(o, "EXTENSION CLAIM", NotMember, rival.String()+" was never in the session")
	case !shown:
		e.sayExtension(TCP, h, &wire.ExtensionRejoinAt{Host: rival, Stream: sockAddr(at)})
	}
}

// rivals settles which of two hosts keeps the session. We give ours away only to one that we heard over a connection:
// who is reached by datagrams alone cannot be joined, and a datagram's source can be forged. One that shows no secret believes
// nothing of us: it cannot come over.
func (pt *partition) rivals(o origin, rival wire.PlayerID, b *wire.ExtensionClaim) {
	at := o.direct().listener
	if !o.udp {
		pt.secrets.learn(b.Secret) // of those of its members that we do not know, too
		pt.split(rival)
	}
	unknown := b.Secret.IsZero() && pt.e.peerByID(rival) == nil // we are unknown to it; members know us
	if pt.e.self < rival && !unknown || o.udp {
		pt.e.sendTCP(at, pt.ourClaim(rival))
		pt.e.hangUp(o.direct())
		return
	}
	pt.yield(at, rival)
}

// knownStream reports whether a listener is that of a machine which is, or was, in the session.
func (pt *partition) knownStream(at netip.AddrPort) bool {
	return pt.e.peerAt(at) != nil || pt.lost.listensAt(at)
}

// answerStranger tells a host of which we know nothing that we are host as well, and shows it no secret. It may have been told of us
// by a host that is gone, while nobody could tell us of it: then it comes over.
func (pt *partition) answerStranger(o origin, rival wire.PlayerID) {
	if at := o.direct().listener; o.udp && pt.strangers <= pt.e.now {
		pt.strangers = pt.e.now + pt.e.cfg.Reply // who sends us elsewhere with forged datagrams gets one connection in that time
		pt.e.sendTCP(at, pt.claimWith(wire.GUID{}, rival))
		pt.e.hangUpUnknown(at)
	}
}

// challenge asks who is at a listener to claim the session once more.
func (pt *partition) challenge(o origin, rival wire.PlayerID) {
	pt.challenged = challenge{o.listener, rival, pt.e.now + pt.e.cfg.Reply}
	pt.e.sendTCP(o.listener, pt.ourClaim(rival))
}

// twoHosts settles who is host when a member says that it is, and we thought so of ourselves.
func (pt *partition) twoHosts(p *peer) {
	pt.split(p.system)
	if pt.e.self < p.system {
		pt.e.send(TCP, p.stream, pt.ourClaim(p.system))
	} else {
		pt.yield(p.stream, p.system)
	}
}

// drawSecret draws the session's secret if we are host, and were told none.
func (pt *partition) drawSecret() {
	if pt.e.hosting() && pt.secrets.current.IsZero() {
		pt.secrets.take(newGUID(pt.e.rng))
	}
}

// tellFormers tells a member what it needs if it is host one day: whom we lost, and the secret. Who is not host tells the
// secret alone, in case that the host is gone before it told it.
func (pt *partition) tellFormers(p *peer) {
	pt.drawSecret()
	b := &wire.ExtensionFormers{Secret: pt.secrets.current}
	switch {
	case pt.e.hosting():
		for _, f := range pt.lost {
			former := wire.ExtensionFormer{System: f.system, Stream: sockAddr(f.stream), Datagram: sockAddr(f.datagram)}
			b.Formers = append(b.Formers, former)
		}
	case b.Secret.IsZero():
		return
	}
	pt.e.sayExtension(TCP, p, b)
}

// takeFormers takes the host's word on whom it lost, and on the secret; another member's on the secret until the host says it.
func (pt *partition) takeFormers(o origin, p *peer, b *wire.ExtensionFormers) {
	e := pt.e
	fromHost := p.system == e.host
	if fromHost {
		pt.secrets.take(b.Secret)
	} else {
		pt.secrets.learn(b.Secret)
	}
	if !fromHost && len(b.Formers) > 0 {
		e.drop(o, "EXTENSION FORMERS", NotAllowed, "it is not from the host")
		return
	}
	for _, f := range b.Formers {
		stream, datagram := resolve(f.Stream, o.from.Addr()), resolve(f.Datagram, o.from.Addr())
		if f.System != e.self && stream.Port() != 0 && e.peerByID(f.System) == nil && e.peerAt(stream) == nil {
			pt.lost.remember(newLostPeer(f.System, stream, datagram, e.now, e.cfg.Period, false))
		}
	}
}

// wasHere reports whether a machine is one that we lost, or have. It may have joined another part of the session under
// another id since.
func (pt *partition) wasHere(o origin, system wire.PlayerID) bool {
	ip := o.from.Addr().Unmap()
	if p := pt.e.peerByID(system); p != nil && p.at(ip) || pt.e.peerOf(o) != nil {
		return true
	}
	return pt.lost.was(system, o.listener, ip)
}

// mayComeBack reports whether a machine that does not know that it was lost is asked to come back, which one without our mark
// would not understand.
func (pt *partition) mayComeBack(o origin, id wire.PlayerID) bool {
	p := pt.e.peerOf(o)
	return pt.e.extended() && (p == nil || p.marked) && pt.wasHere(o, id)
}

// mayBeLegacy reports whether a machine that was lost never said hello: it had no time to, or does not know the extension.
func (pt *partition) mayBeLegacy(id wire.PlayerID) bool {
	return pt.lost.silent(id)
}

// split tells the program once that the session is in two parts.
func (pt *partition) split(rival wire.PlayerID) {
	if pt.rival != rival && pt.mergedFrom != rival {
		pt.rival = rival
		pt.e.event(SessionSplit{Host: pt.e.migration.lastHost(), Other: rival})
	}
}

// yield leaves our part of the session to another host: all our machines go over to it, and so do we. Machines that do
// not know the extension cannot; they are told that they are dead (3.1.5.32).
func (pt *partition) yield(at netip.AddrPort, rival wire.PlayerID) {
	for _, p := range pt.e.peers.all {
		if p.modern {
			pt.e.sayExtension(TCP, p, &wire.ExtensionRejoinAt{Host: rival, Stream: sockAddr(at)})
		} else {
			pt.e.sendTCP(p.stream, &wire.YouAreDead{})
		}
	}
	pt.rejoin(at, rival)
}

// rejoinAt takes our host's word that the session goes on elsewhere, or without us.
//
// Or, if we are host, it is a machine that we lost, and that has another host now: that one hears of us.
func (pt *partition) rejoinAt(o origin, from wire.PlayerID, b *wire.ExtensionRejoinAt) {
	e := pt.e
	p := e.peerByID(from)
	if p != nil && e.peerOf(o) != p {
		p = nil
	}
	const name = "EXTENSION REJOINAT"
	if p == nil && pt.displaced(o) && (e.state != member || !e.migrates()) {
		return
	}
	switch {
	case !e.migrates():
		e.drop(o, name, OutOfTurn, diesWithHost)
	case e.hosting() && (p == nil || p.modern && !o.udp && e.peerByID(b.Host) == nil):
		// It was here, or a member heard of another host. It may take us for what we were before our program began anew.
		pt.claimElsewhere(o, from, b)
	case o.udp: // an answer to what we said as a host, and that we are no longer
		if !pt.wasHere(o, from) {
			e.drop(o, name, NotMember, from.String()+" was never in the session")
		}
	case p == nil:
		e.drop(o, name, NotMember, from.String()+" is not in the session")
	case p.system != e.host && !e.migration.isCandidate(p) || e.hosting():
		e.drop(o, name, NotAllowed, "it is not from our host")
	case b.Host == e.self:
		e.drop(o, name, Conflict, "it names us")
	case b.Host == e.host && p.system != e.host: // it hears of us later than we of it
	case b.Host == p.system && p.system == e.host && pt.mayBeOld():
		e.drop(o, name, OutOfTurn, "it may be of before we came back")
	case b.Host == p.system: // it took us for lost
		pt.rejoin(p.stream, b.Host)
	default:
		pt.split(b.Host)
		pt.rejoin(resolve(b.Stream, o.from.Addr()), b.Host)
	}
}

// claimElsewhere says to another host, which somebody told us of, that we are host. The claim has the secret in it, so it
// goes only where we know somebody to be, or where one sends us who knows the secret: a member, or a former one. A
// datagram does not prove that it is from one, so that one is asked once more, over a connection.
func (pt *partition) claimElsewhere(o origin, from wire.PlayerID, b *wire.ExtensionRejoinAt) {
	e := pt.e
	at, asked := resolve(b.Stream, o.from.Addr()), o.direct().listener
	switch {
	case !pt.wasHere(o, from):
		e.drop(o, "EXTENSION REJOINAT", NotMember, from.String()+" was never in the session")
	case b.Host == e.self || e.isOurs(at):
	case !o.udp || pt.knownStream(at):
		if !o.udp {
			pt.vouched = voucher{b.Host, at, e.now + e.cfg.Reply}
		}
		e.sendTCP(at, pt.ourClaim(b.Host))
		e.hangUpUnknown(at)
	case pt.knownStream(asked):
		e.sendTCP(asked, pt.ourClaim(from))
		e.hangUpUnknown(asked)
	}
}

// sendElsewhere tells a machine that takes us for the host who is. It did not hear us when we were host no more.
func (pt *partition) sendElsewhere(o origin) {
	e := pt.e
	p, h, at := e.peerOf(o), e.peerByID(e.host), e.answerTo(o).listener
	if e.views.on() {
		return
	}
	known := p != nil && p.modern || pt.lost.listensAt(at)
	if e.state == member && h != nil && known && e.extended() {
		e.sendTCP(at, wire.NewExtension(e.self, &wire.ExtensionRejoinAt{Host: h.system, Stream: sockAddr(h.stream)}))
	}
}

// misleads notes that a machine follows us, and we are no host any more. Ours may be gone as well, and who goes there then loses
// the session: so it is asked first.
func (pt *partition) misleads(p *peer) {
	e := pt.e
	if h := e.peerByID(e.host); e.state == member && h != nil && h != p && h.modern && e.migrates() && !slices.Contains(pt.misled, p.system) {
		pt.misled = append(pt.misled, p.system)
		e.send(UDP, h.datagram, &wire.Ping{From: e.self, Tick: e.liveness.pings.Tick(e.now)})
	}
}

// hostSpoke sends those who followed us to our host, which is there.
func (pt *partition) hostSpoke(h *peer) {
	for _, id := range pt.misled {
		if p := pt.e.peerByID(id); p != nil && p != h {
			pt.e.sayExtension(TCP, p, &wire.ExtensionRejoinAt{Host: h.system, Stream: sockAddr(h.stream)})
		}
	}
	pt.misled = nil
}

// sayWhoWeAre tells a machine that we do not know, and that speaks to us as if we did, who we are, and where our host is.
// It may take us for what we were before our program began anew.
func (pt *partition) sayWhoWeAre(o origin) {
	e := pt.e
	if e.views.on() {
		return
	}
	at := e.cfg.header().SockAddr
	if h := e.peerByID(e.host); h != nil {
		at = sockAddr(h.stream)
	} else if !e.hosting() {
		return
	}
	if !o.udp && o.listener.IsValid() && o.listener.Addr().Unmap() == o.from.Addr().Unmap() {
		e.sendTCP(o.listener, wire.NewExtension(e.self, &wire.ExtensionRejoinAt{Host: e.host, Stream: at}))
		e.hangUpUnknown(o.listener)
	}
}

// isAnother reports whether a machine of ours, with another id, is where a message says that its sender is.
func (pt *partition) isAnother(o origin, id wire.PlayerID) bool {
	p := pt.e.peerAt(o.listener)
	return p != nil && p.system != id
}

// displaced takes a machine for gone if another one, with another id, is where it was: its program began anew. It reports whether
// there was one. Where the host decides who is gone nothing is said to it, for it sees the same, and might take us for the one
// that is cut off: then a member could have others thrown out by saying so of itself.
func (pt *partition) displaced(o origin) bool {
	e := pt.e
	p, h := e.peerAt(o.listener), e.peerByID(e.host)
	switch {
	case p == nil || o.udp || !p.at(o.from.Addr()):
	case e.reconcile.table != nil && !e.migration.running && h != nil && h.modern && p != h:
	default:
		e.lose(p, loss{CauseReplaced, "another machine is at its address"})
		return true
	}
	return false
}
