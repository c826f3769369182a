package dpsp

import (
	"net/netip"
	"slices"

	"dplay4/hostmigrate"
	"dplay4/pingtimer"
	"dplay4/wire"
)

// A liveness is who is still there: what pings say, and who is doubted.
type liveness struct {
	e      *Engine
	pings  *pingtimer.Timer[wire.PlayerID]
	doubts doubts // of machines that may be lost
	asked  doubts // of machines that were asked over a new connection, because the one before broke
}

func newLiveness(e *Engine) liveness {
	cfg := pingtimer.Config{Period: e.cfg.Period, Probes: e.cfg.Probes, Grid: e.cfg.Grid}
	return liveness{e: e, pings: pingtimer.New[wire.PlayerID](cfg)}
}

// watched reports whether we look after a machine's life: the host after all, the others after the host alone, and
// only where the session wants it (3.1.2.5, 3.2.2.2). While there is no host everybody looks after all. A newcomer that
// waits for its list answers nothing yet.
func (lv *liveness) watched(system wire.PlayerID) bool {
	e := lv.e
	if e.admission.admitting(system) {
		return false
	}
	return e.migration.running || e.flags()&wire.SessionKeepAlive != 0 && (e.hosting() || system == e.host || e.views.leads(system))
}

// ping answers a ping of a member, at the UDP socket that it registered, not where the datagram came from
// (facts, 3.15).
func (lv *liveness) ping(o origin, m *wire.Ping) {
	e := lv.e
	p := lv.pinger(o, m.From)
	lv.pings.Heard(p.system)
	e.send(UDP, p.datagram, &wire.PingReply{From: e.self, Tick: m.Tick})
}

// pingReply measures a round trip.
func (lv *liveness) pingReply(o origin, m *wire.PingReply) {
	e := lv.e
	p := lv.pinger(o, m.From)
	p.speaks(e.now)
	lv.answered(p, m.Tick)
	lv.pings.Answer(p.system, m.Tick, e.now)
	e.answeredFrames(p, o, m.Tick)
}

// pinger returns the peer that a ping or its answer is from: the owner of the player that it names, system player or not
// (3.1.5.30). An id that is no player's, or one of ours, as 2.2.43 would have it in an answer, says nothing: then it is
// the member at its sender's listener, if there is one.
func (lv *liveness) pinger(o origin, id wire.PlayerID) *peer {
	e := lv.e
	if player, _ := e.list.Kind(id); player && !e.ours(id) {
		return e.owner(id)
	}
	return e.peerOf(o)
}

// notInSession answers a ping, or its answer, from somebody who is no member. A host says so (3.2.5.10, 3.2.5.11): it
// may be a machine that was taken for lost. Anybody else keeps silent (3.1.5.30).
func (lv *liveness) notInSession(o origin, id wire.PlayerID) {
	e := lv.e
	switch at := o.direct(); {
	case !e.hosting() || !o.listener.IsValid():
	case e.views.lost(at.listener): // it hears of it by a claim
	case e.partition.mayComeBack(o, id):
		e.sendTCP(at.listener, wire.NewExtension(e.self, &wire.ExtensionRejoinAt{Host: e.self, Stream: e.cfg.header().SockAddr}))
		if e.partition.mayBeLegacy(id) { // it ignores that, and obeys this; one of ours is on its way when this comes
			e.sendTCP(at.listener, &wire.YouAreDead{})
		}
	default:
		lv.sayDead(at)
	}
}

// sayDead tells somebody at the address that its packet came from that it is not in the session. A member is told so only
// for what it says over a connection: with the source of a datagram forged, another one would have us end its session.
func (lv *liveness) sayDead(at origin) {
	if slices.ContainsFunc(lv.e.peers.all, func(p *peer) bool { return p.listensAt(at.listener) }) {
		return
	}
	lv.e.sendTCP(at.listener, &wire.YouAreDead{})
	lv.e.hangUp(at)
}

// youAreDead ends the session for us: the host does not know us (3.1.5.32). Two hosts that hear of each other both
// say it. If both obeyed, nobody would be left to host: the one with the lower id does not.
func (lv *liveness) youAreDead(o origin) {
	e := lv.e
	p := e.peerOf(o)
	switch {
	case e.views.on() && p != nil && (p.modern || p.marked): // such a host claims those that it lost: it is another program
		e.views.suspects(p)
	case e.hosting() && (p.system > e.self || !p.claimed):
		e.drop(o, "YOUAREDEAD", OutOfTurn, "we are the host")
		if !p.claimed && (e.migrates() || e.flags()&wire.SessionKeepAlive != 0) {
			e.lose(p, loss{CauseOtherHost, "it says that it is host, and that we are dead"})
		}
	case e.hosting():
		e.toldToLeave(loss{CauseOtherHost, "another host with a lower id says that we are not in the session"})
	default:
		e.toldToLeave(loss{CauseRemoved, "the host says that we are not in the session"})
	}
}

// rewatch looks after those machines that it should look after now.
func (lv *liveness) rewatch() {
	for _, p := range lv.e.peers.all {
		if !lv.watched(p.system) {
			lv.pings.Remove(p.system)
		} else {
			lv.pings.Add(p.system, lv.e.now) // changes nothing for one that is watched
		}
	}
}

// Renews reports whether a connection to a listener is of a kind that is made once more when it breaks, and whether it is made once more
// if it breaks now: not if it broke too often. Then messages that it did not take go over the new one. If kept is true, the engine
// sends all guaranteed messages again that do not arrive, or reports them: see [ConnectionRenewed].
func (e *Engine) Renews(listener netip.AddrPort) (kind, now, kept bool) {
	p := e.liveness.renewable(listener)
	if p == nil {
		return false, false, false
	}
	return true, !p.spent && p.renewals.left(maxRenewals, e.now, e.cfg.Period), e.peers.newest(listener).link.Counts()
}

// renewable returns the machine to which connections are made once more when they break, nil if they are not.
func (lv *liveness) renewable(listener netip.AddrPort) *peer {
	p := lv.e.peerAt(listener)
	if lv.e.state != member || p == nil || !p.marked && !p.modern && !p.older {
		return nil
	}
	return p
}

// maxRenewals bounds how often in a period of the ping timer a connection to one machine is made once more.
const maxRenewals = 4

// streamEnded makes a connection that broke once more, before anybody is accused. It asks the machine over the new connection, and
// by a datagram, whether it is there. If that connection breaks before the answer came, it asks again, but waits no longer. A refused
// connection (err) and an unanswered question are answers. A machine whose connections break too often is accused in any case. Only
// machines of ours are asked, of older releases as well, because they say goodbye when they leave: with others the end of a connection is
// the goodbye (facts, 6).
func (lv *liveness) streamEnded(listener netip.AddrPort, err error, lost bool) {
	e := lv.e
	p := lv.renewable(listener)
	if p == nil || err != nil || p.spent {
		return
	}
	if !p.link.Keeps() { // a message that waited, and did not count, is not handed over if the peer counts by now
		p.lostWords = p.lostWords || lost || p.link.Counts() // until it is told
	}
	if p.answered {
		lv.asked.forget(p.system) // a new question has its own time
		p.answered = false
	}
	if p.spent = !p.renewals.take(maxRenewals, e.now, e.cfg.Period); p.spent {
		lv.asked.add(p.system, e.now, hungUpGrace) // its goodbye may be on the way
		lv.asked.hasten(p.system, e.now+hungUpGrace)
		return
	}
	lv.asked.add(p.system, e.now, hostmigrate.DefaultTimeout)
	p.askedUDP, p.askedTCP = lv.pings.Tick(e.now), 0
	e.arrivals.say(p, p.link.Greet(e.now))
	if p.link.Keeps() { // what it does not have goes once more when it answers
		e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: p.askedUDP})
		return
	}
	lv.asksOver(p)
	e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: p.askedUDP})
	e.verifyPlayers(p.system)
}

// asksOver asks a machine over a new connection whether it is there: with HELLO, or with PING if it does not know our extension.
func (lv *liveness) asksOver(p *peer) {
	e := lv.e
	if e.extended() && !p.older {
		e.sayHello(p, true)
		return
	}
	p.askedTCP = e.rng.Uint32() | 1
	e.sendRaw(TCP, p.stream, &wire.Ping{From: e.self, Tick: p.askedTCP})
}

// streamClosed accuses a machine that closed our connection to it, or refused one, and that has none to us. Wine's machines say
// nothing else when they leave (facts, 6). If it was asked over a new connection, its answer decides; it has to come soon, because the
// program at the other end may be another one.
func (lv *liveness) streamClosed(listener netip.AddrPort, anew bool) {
	e := lv.e
	p := e.peerAt(listener)
	switch {
	case e.state != member || p == nil || anew && p.answered:
	case e.views.asksHost(p):
	case e.views.on() && p.answered && !p.spent: // it is there
		p.answered = false
		if lv.asked.add(p.system, e.now, hostmigrate.DefaultTimeout); !anew {
			lv.asksOver(p)
		}
	case anew && !p.spent && lv.asked.has(p.system):
		lv.asked.hasten(p.system, e.now+hungUpGrace)
	default:
		lv.unreachable(p, loss{CauseClosed, ClosedConnection})
	}
}

// answered takes the answer to a ping. The one that went over the new connection proves that it arrives there. The one that went by a
// datagram proves that the machine is there, and in the session: it is not accused.
func (lv *liveness) answered(p *peer, tick uint32) {
	switch {
	case p.askedTCP != 0 && tick == p.askedTCP:
		lv.renewed(p)
	case lv.asked.has(p.system) && !p.spent && tick == p.askedUDP:
		p.answered = true
	}
}

// renewed notes that a machine answered over a new connection: with ARRIVED, HELLO, or the answer to the ping that went there. Other
// messages may be from a program that began anew at its address.
func (lv *liveness) renewed(p *peer) {
	if lv.asked.has(p.system) && !p.spent {
		lv.asked.forget(p.system)
		p.answered = true
		lv.e.event(ConnectionRenewed{System: p.system, Lost: p.lostWords})
		p.lostWords = false
	}
}

// unreachable says that nothing that we say to a machine arrives any more.
func (lv *liveness) unreachable(p *peer, why loss) {
	if lv.e.views.suspects(p) {
		return
	}
	if lv.hostDecides(p) {
		p.heard = false // should the host be gone as well, it has to speak to be waited for
		lv.e.reconcile.table.Lost(lv.e.now, p.system)
		return
	}
	lv.e.lose(p, why)
}

// hostDecides reports whether the host is asked what to do about a machine that we lost contact with: a modern one knows
// whether others have, too, and removes one of the two ([MC-DPL8CS] 1.3.5).
func (lv *liveness) hostDecides(p *peer) bool {
	e := lv.e
	h := e.peerByID(e.host)
	return e.reconcile.table != nil && !e.migration.running && h != nil && h.modern && p != h && p.modern
}

// lose removes a machine that vanished, and tells the others if we are the host: who has no connection to it
// could not know.
func (e *Engine) lose(p *peer, why loss) {
	if !e.hosting() && e.views.suspects(p) {
		return
	}
	e.event(PeerLost{System: p.system, Cause: why.cause, Reason: why.text})
	if !e.hosting() {
		e.departed(p.system, why, true)
		return
	}
	ops := e.list.Departed(p.system)
	e.departed(p.system, why, true)
	if e.flags()&wire.SessionClientServer != 0 {
		return // clients never knew of each other
	}
	var gone []wire.Message
	for _, op := range ops {
		gone = append(gone, deletion(op))
	}
	e.sayGone(gone)
}

// pingTimer sends the pings that are due and loses machines that answer none.
func (lv *liveness) pingTimer() {
	e := lv.e
	ping, lost := lv.pings.Look(e.now)
	for _, id := range ping {
		if p := e.peerByID(id); p != nil {
			e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: lv.pings.Tick(e.now)})
		}
	}
	for _, id := range slices.Clone(lost) {
		if p := e.peerByID(id); p != nil {
			if !e.views.suspects(p) {
				e.lose(p, loss{CauseSilent, "it answers no pings"})
			}
			if e.state != member {
				return
			}
		}
	}
}
