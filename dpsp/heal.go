package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// A lostPeer was lost, not left, and knows the extension. It may live on in a part of the session that has a
// host of its own, if it was the network that broke.
type lostPeer struct {
	system   wire.PlayerID
	stream   netip.AddrPort
	datagram netip.AddrPort
	due      time.Duration // when it is told next that we are host, if we are
	wait     time.Duration // and how long after that it is told again
	doubt    bool          // it never said hello
}

// A machine remembers so many that it lost; a host tells each of them that it is host, first after one period of the
// ping timer, and ever more rarely, down to every claimPeriods: a network may be mended after hours.
const (
	maxLostPeers = 256
	claimPeriods = 8
)

// remember notes a machine that was lost. One that had no time to answer a hello may know the extension, and so may one
// that was silent all the time: its program stood still, or the network was broken.
func (e *Engine) remember(p *peer) {
	if !p.modern && p.ignored >= maxHellos || !e.migrates() || !e.extended() {
		return
	}
	e.rememberAt(p.system, p.stream, p.datagram)
	e.lostPeers[len(e.lostPeers)-1].doubt = !p.modern
}

func (e *Engine) rememberAt(system wire.PlayerID, stream, datagram netip.AddrPort) {
	e.forget(system)
	if len(e.lostPeers) >= maxLostPeers {
		e.lostPeers = e.lostPeers[1:]
	}
	e.lostPeers = append(e.lostPeers, lostPeer{system: system, stream: stream, datagram: datagram, due: e.now + e.cfg.Period, wait: e.cfg.Period})
}

// forget forgets a machine that is back.
func (e *Engine) forget(system wire.PlayerID) {
	e.lostPeers = slices.DeleteFunc(e.lostPeers, func(f lostPeer) bool { return f.system == system })
}

// claimTimer has a host tell those it lost that it is host.
func (e *Engine) claimTimer() {
	if !e.hosting() {
		return
	}
	for i := range e.lostPeers {
		f := &e.lostPeers[i]
		if f.due > e.now {
			continue
		}
		e.send(UDP, f.datagram, e.ourClaim(f.system))
		f.due, f.wait = e.now+f.wait, min(2*f.wait, claimPeriods*e.cfg.Period)
	}
}

// nextClaim is when claimTimer has something to do.
func (e *Engine) nextClaim() time.Duration {
	next := Never
	if e.hosting() {
		for i := range e.lostPeers {
			next = min(next, e.lostPeers[i].due)
		}
	}
	return next
}

// ourClaim says to a machine that we lost, or to a rival, that we are host; to 0, to members, that all is well again.
func (e *Engine) ourClaim(to wire.PlayerID) *wire.Extension {
	return wire.NewExtension(e.self, &wire.ExtensionClaim{
		To: to, Secret: e.secrets.current, Instance: e.list.Desc().Instance, Version: e.list.Version(), Stream: e.header().SockAddr,
	})
}

// claim takes the word of a host of our session that is not ours: the session is in two parts. The host with the
// lower id keeps it, by the DirectPlay 4 rule; the other one's machines go over to it.
func (e *Engine) claim(o origin, rival wire.PlayerID, b *wire.ExtensionClaim) {
	const name = "EXTENSION CLAIM"
	switch {
	case b.Instance != e.list.Desc().Instance:
		e.drop(o, name, NotMember, "it is about another session")
	case !e.hosting() && rival == e.host && e.peerByID(rival) != nil && e.peerOf(o) == e.peerByID(rival):
		e.hostsClaim(o, e.peerByID(rival), b)
	case !e.hosting():
		e.claimToMember(o, rival, b)
	case rival == e.self:
		e.drop(o, name, Conflict, "its sender has our id")
	case !e.secrets.knows(b.Secret) && !e.isVouchedFor(o, rival) && !(e.wasHere(o, rival) && (!o.udp || e.knownStream(o.direct().listener))):
		e.drop(o, name, NotMember, rival.String()+" was never in the session")
	case e.isAnother(o, rival) && !e.answered(o, rival):
		// Connections keep what was said long ago. If it is true still, our answer is answered.
		e.challenge(o, rival)
		e.drop(o, name, NotMember, "another machine is at its address")
	default:
		e.rivals(o, rival, b)
	}
}

// hostsClaim takes our own host's word that all is well again, or that it lost us. A datagram may be anybody's: then the
// host is greeted over a connection, and says there what it wants of who is not in its session.
func (e *Engine) hostsClaim(o origin, host *peer, b *wire.ExtensionClaim) {
	lost := b.To == e.self && e.table != nil && b.Version >= e.table.Version() // and not from before we came back
	switch {
	case o.udp && lost && e.mayTell(host):
		e.sayHello(host, true)
	case o.udp:
	case b.To == 0:
		e.event(SessionHealed{Host: host.system, System: e.self})
	case lost:
		e.rejoin(host.stream, host.system)
	}
}

// claimToMember has a member bring two hosts together: perhaps its sender does not know our host, and our host does not
// know of it. It may know us by the id that we had before our program began anew, and have no secret that we know, if it lost
// its first host soon; then our host would not believe it, but believes us, if we know it.
func (e *Engine) claimToMember(o origin, rival wire.PlayerID, b *wire.ExtensionClaim) {
	h := e.peerByID(e.host)
	at := o.direct().listener
	known, shown := e.knownStream(at), e.secrets.knows(b.Secret)
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
// who is reached by datagrams alone cannot be joined, and a datagram's source can be forged.
func (e *Engine) rivals(o origin, rival wire.PlayerID, b *wire.ExtensionClaim) {
	at := o.direct().listener
	if !o.udp {
		e.secrets.learn(b.Secret) // of those of its members that we do not know, too
		e.split(rival)
	}
	if e.self < rival || o.udp {
		e.sendTCP(at, e.ourClaim(rival))
		e.hangUp(o.direct())
		return
	}
	e.yield(at, rival)
}

// knownStream reports whether a listener is that of a machine which is, or was, in the session.
func (e *Engine) knownStream(at netip.AddrPort) bool {
	return e.peerAt(at) != nil || slices.ContainsFunc(e.lostPeers, func(f lostPeer) bool { return f.stream == at })
}

// challenge asks who is at a listener to claim the session once more.
func (e *Engine) challenge(o origin, rival wire.PlayerID) {
	e.challenged, e.challengedID, e.challengedAt = o.listener, rival, e.now
	e.sendTCP(o.listener, e.ourClaim(rival))
}

// answered reports whether a claim is the answer to a challenge.
func (e *Engine) answered(o origin, rival wire.PlayerID) bool {
	yes := e.challenged == o.listener && e.challengedID == rival && e.now-e.challengedAt < e.cfg.Reply
	if yes {
		e.challenged = netip.AddrPort{}
	}
	return yes
}

// twoHosts settles who is host when a member says that it is, and we thought so of ourselves.
func (e *Engine) twoHosts(p *peer) {
	e.split(p.system)
	if e.self < p.system {
		e.send(TCP, p.stream, e.ourClaim(p.system))
	} else {
		e.yield(p.stream, p.system)
	}
}

// isOurs reports whether a listener is ours, as the host that let us in saw it.
func (e *Engine) isOurs(at netip.AddrPort) bool {
	p, _ := e.list.Get(e.self)
	d, ok := wire.ParseSPData(p.SPData)
	return ok && d.Stream == sockAddr(at)
}

// tellFormers tells a member what it needs if it is host one day: whom we lost, and the secret. Who is not host tells the
// secret alone, in case that the host is gone before it told it.
func (e *Engine) tellFormers(p *peer) {
	if e.hosting() && e.secrets.current.IsZero() {
		e.secrets.take(e.guid())
	}
	b := &wire.ExtensionFormers{Secret: e.secrets.current}
	switch {
	case e.hosting():
		for _, f := range e.lostPeers {
			b.Formers = append(b.Formers, wire.ExtensionFormer{System: f.system, Stream: sockAddr(f.stream), Datagram: sockAddr(f.datagram)})
		}
	case b.Secret.IsZero():
		return
	}
	e.sayExtension(TCP, p, b)
}

// takeFormers takes the host's word on whom it lost, and on the secret; another member's on the secret until the host says it.
func (e *Engine) takeFormers(o origin, p *peer, b *wire.ExtensionFormers) {
	fromHost := p.system == e.host
	if fromHost {
		e.secrets.take(b.Secret)
	} else {
		e.secrets.learn(b.Secret)
	}
	if !fromHost && len(b.Formers) > 0 {
		e.drop(o, "EXTENSION FORMERS", NotAllowed, "it is not from the host")
		return
	}
	for _, f := range b.Formers {
		stream, datagram := resolve(f.Stream, o.from.Addr()), resolve(f.Datagram, o.from.Addr())
		if f.System != e.self && stream.Port() != 0 && e.peerByID(f.System) == nil && e.peerAt(stream) == nil {
			e.rememberAt(f.System, stream, datagram)
		}
	}
}

// wasHere reports whether a machine is one that we lost, or have. It may have joined another part of the session under
// another id since.
func (e *Engine) wasHere(o origin, system wire.PlayerID) bool {
	ip := o.from.Addr().Unmap()
	if p := e.peerByID(system); p != nil && p.at(ip) || e.peerOf(o) != nil {
		return true
	}
	return slices.ContainsFunc(e.lostPeers, func(f lostPeer) bool {
		return (f.system == system || f.stream == o.listener) && (f.stream.Addr().Unmap() == ip || f.datagram.Addr().Unmap() == ip)
	})
}

// mayComeBack reports whether a machine that does not know that it was lost is asked to come back.
func (e *Engine) mayComeBack(o origin, id wire.PlayerID) bool {
	return e.extended() && e.wasHere(o, id)
}

// mayBeLegacy reports whether a machine that was lost never said hello: it had no time to, or does not know the extension.
func (e *Engine) mayBeLegacy(id wire.PlayerID) bool {
	return slices.ContainsFunc(e.lostPeers, func(f lostPeer) bool { return f.system == id && f.doubt })
}

// lastHost is the host, or the one that is gone if there is none.
func (e *Engine) lastHost() wire.PlayerID {
	if e.migr != nil {
		return e.migr.old
	}
	return e.host
}

// split tells the program once that the session is in two parts.
func (e *Engine) split(rival wire.PlayerID) {
	if e.rival != rival && e.mergedFrom != rival {
		e.rival = rival
		e.event(SessionSplit{Host: e.lastHost(), Other: rival})
	}
}

// yield returns our part of the session to another host: all our machines go over to it, and so do we. Machines that do
// not know the extension cannot; they are told that they are dead (3.1.5.32).
func (e *Engine) yield(at netip.AddrPort, rival wire.PlayerID) {
	for _, p := range e.peers.all {
		if p.modern {
			e.sayExtension(TCP, p, &wire.ExtensionRejoinAt{Host: rival, Stream: sockAddr(at)})
		} else {
			e.sendTCP(p.stream, &wire.YouAreDead{})
		}
	}
	e.rejoin(at, rival)
}

// rejoinAt takes our host's word that the session goes on elsewhere, or without us.
//
// Or, if we are host, it is a machine that we lost, and that has another host now: that one hears of us.
func (e *Engine) rejoinAt(o origin, from wire.PlayerID, b *wire.ExtensionRejoinAt) {
	p := e.peerByID(from)
	if p != nil && e.peerOf(o) != p {
		p = nil
	}
	const name = "EXTENSION REJOINAT"
	if p == nil {
		e.displaced(o)
	}
	switch {
	case e.hosting() && (p == nil || p.modern && !o.udp && e.peerByID(b.Host) == nil):
		// It was here, or a member heard of another host. It may take us for what we were before our program began anew.
		e.claimElsewhere(o, from, b)
	case o.udp: // an answer to what we said as a host, and that we are no longer
		if !e.wasHere(o, from) {
			e.drop(o, name, NotMember, from.String()+" was never in the session")
		}
	case p == nil:
		e.drop(o, name, NotMember, from.String()+" is not in the session")
	case p.system != e.host && !e.isCandidate(p) || e.hosting():
		e.drop(o, name, NotAllowed, "it is not from our host")
	case b.Host == e.self:
		e.drop(o, name, Conflict, "it names us")
	case b.Host == e.host && p.system != e.host: // it hears of us later than we of it
	case b.Host == p.system: // it took us for lost
		e.rejoin(p.stream, b.Host)
	default:
		e.split(b.Host)
		e.rejoin(resolve(b.Stream, o.from.Addr()), b.Host)
	}
}

// claimElsewhere says to another host, which somebody told us of, that we are host. The claim has the secret in it, so it
// goes only where we know somebody to be, or where one sends us who knows the secret: a member, or a former one. A
// datagram does not prove that it is from one, so that one is asked once more, over a connection.
func (e *Engine) claimElsewhere(o origin, from wire.PlayerID, b *wire.ExtensionRejoinAt) {
	at, asked := resolve(b.Stream, o.from.Addr()), o.direct().listener
	switch {
	case !e.wasHere(o, from):
		e.drop(o, "EXTENSION REJOINAT", NotMember, from.String()+" was never in the session")
	case b.Host == e.self || e.isOurs(at):
	case !o.udp || e.knownStream(at):
		if !o.udp {
			e.vouched = voucher{b.Host, at, e.now + e.cfg.Reply}
		}
		e.sendTCP(at, e.ourClaim(b.Host))
		e.hangUpUnknown(at)
	case e.knownStream(asked):
		e.sendTCP(asked, e.ourClaim(from))
		e.hangUpUnknown(asked)
	}
}

// A voucher is what a peer, or a lost one, said over a connection: that another host of the session is at a listener. One that
// lost its first host before it was told the secret has nothing else to show, and knows the other one by nothing else.
type voucher struct {
	host  wire.PlayerID
	at    netip.AddrPort
	until time.Duration
}

// isVouchedFor reports whether a host that claims the session is the one that we were told of.
func (e *Engine) isVouchedFor(o origin, host wire.PlayerID) bool {
	return !o.udp && e.vouched.host == host && e.vouched.at == o.direct().listener && e.now < e.vouched.until
}

// hangUpUnknown has a connection to a machine that is not in the session closed when all is sent.
func (e *Engine) hangUpUnknown(at netip.AddrPort) {
	if e.peerAt(at) == nil {
		e.hangUpAt(at)
	}
}

// sendElsewhere tells a machine that takes us for the host who is. It did not hear us when we were host no more.
func (e *Engine) sendElsewhere(o origin) {
	p, h, at := e.peerOf(o), e.peerByID(e.host), e.answerTo(o).listener
	known := p != nil && p.modern || slices.ContainsFunc(e.lostPeers, func(f lostPeer) bool { return f.stream == at })
	if e.state == member && h != nil && known && e.extended() {
		e.sendTCP(at, wire.NewExtension(e.self, &wire.ExtensionRejoinAt{Host: h.system, Stream: sockAddr(h.stream)}))
	}
}

// sayWhoWeAre tells a machine that we do not know, and that greets us as if it knew us, who we are, and where our host is.
// It may take us for what we were before our program began anew.
func (e *Engine) sayWhoWeAre(o origin) {
	at := e.header().SockAddr
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
func (e *Engine) isAnother(o origin, id wire.PlayerID) bool {
	p := e.peerAt(o.listener)
	return p != nil && p.system != id
}

// displaced takes a machine for gone if another one, with another id, is where it was: its program began anew. Where the
// host decides who is gone nothing is said to it, for it sees the same, and might take us for the one that is cut off:
// then a member could have others thrown out by saying so of itself.
func (e *Engine) displaced(o origin) {
	p, h := e.peerAt(o.listener), e.peerByID(e.host)
	switch {
	case p == nil || o.udp || !p.at(o.from.Addr()):
	case e.table != nil && e.migr == nil && h != nil && h.modern && p != h:
	default:
		e.lose(p, "another machine is at its address")
	}
}
