package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// watched reports whether we look after a machine's life: the host after all, the others after the host alone, and
// only where the session wants it (3.1.2.5, 3.2.2.2). While there is no host everybody looks after all. A newcomer that
// waits for its list answers nothing yet.
func (e *Engine) watched(system wire.PlayerID) bool {
	if e.admission.admitting(system) {
		return false
	}
	return e.migration.running || e.flags()&wire.SessionKeepAlive != 0 && (e.hosting() || system == e.host)
}

// ping answers a ping of a member, at the UDP socket that it registered, not where the datagram came from
// (facts, 3.15).
func (e *Engine) ping(o origin, m *wire.Ping) {
	if e.join.goesBack() {
		return
	}
	if e.state != member {
		e.drop(o, "PING", OutOfTurn, "we are in no session")
		return
	}
	p := e.pinger(o, m.From)
	if p == nil {
		e.notInSession(o, "PING", m.From)
		return
	}
	if !p.at(o.from.Addr()) && !(e.cfg.Compatible && e.peers.hasSender(o)) {
		e.drop(o, "PING", NotAllowed, m.From.String()+" is not at "+o.from.String())
		return
	}
	e.pings.Heard(p.system)
	e.send(UDP, p.datagram, &wire.PingReply{From: e.self, Tick: m.Tick})
}

// pingReply measures a round trip.
func (e *Engine) pingReply(o origin, m *wire.PingReply) {
	if e.join.goesBack() {
		return
	}
	if e.state != member {
		e.drop(o, "PINGREPLY", OutOfTurn, "we are in no session")
		return
	}
	switch p := e.pinger(o, m.From); {
	case p == nil:
		e.notInSession(o, "PINGREPLY", m.From)
	case !p.at(o.from.Addr()) && !(e.cfg.Compatible && e.peers.hasSender(o)):
		e.drop(o, "PINGREPLY", NotAllowed, m.From.String()+" is not at "+o.from.String())
	default:
		p.speaks(e.now)
		e.pings.Answer(p.system, m.Tick, e.now)
	}
}

// pinger returns the peer that a ping or its answer is from: the owner of the player that it names, system player or not
// (3.1.5.30). An id that is no player's, or one of ours, as 2.2.43 would have it in an answer, says nothing: then it is
// the member at its sender's listener, if there is one.
func (e *Engine) pinger(o origin, id wire.PlayerID) *peer {
	if player, _ := e.list.Kind(id); player && !e.ours(id) {
		return e.owner(id)
	}
	return e.peerOf(o)
}

// notInSession drops a ping or its answer from somebody who is no member. A host says so (3.2.5.10, 3.2.5.11): it
// may be a machine that was taken for lost. Anybody else keeps silent (3.1.5.30).
func (e *Engine) notInSession(o origin, name string, id wire.PlayerID) {
	switch at := o.direct(); {
	case !e.hosting() || !o.listener.IsValid():
	case e.partition.mayComeBack(o, id):
		e.sendTCP(at.listener, wire.NewExtension(e.self, &wire.ExtensionRejoinAt{Host: e.self, Stream: e.cfg.header().SockAddr}))
		if e.partition.mayBeLegacy(id) { // it ignores that, and obeys this; one of ours is on its way when this comes
			e.sendTCP(at.listener, &wire.YouAreDead{})
		}
	default:
		e.sayDead(at)
	}
	e.drop(o, name, NoSuchID, id.String()+" is not in the session")
}

// sayDead tells somebody at the address that its packet came from that it is not in the session. A member is told so only
// for what it says over a connection: with the source of a datagram forged, another one would have us end its session.
func (e *Engine) sayDead(at origin) {
	if slices.ContainsFunc(e.peers.all, func(p *peer) bool { return p.listensAt(at.listener) }) {
		return
	}
	e.sendTCP(at.listener, &wire.YouAreDead{})
	e.hangUp(at)
}

// youAreDead ends the session for us: the host does not know us (3.1.5.32). Two hosts that hear of each other both
// say it. If both obeyed, nobody would be left to host: the one with the lower id does not.
func (e *Engine) youAreDead(o origin) {
	p := e.peerOf(o)
	switch {
	case e.join.goesBack(): // it is said to whom a host has lost and does not know well: we are on our way back
	case e.state != member:
		e.drop(o, "YOUAREDEAD", OutOfTurn, "we are in no session")
	case e.hosting() && (p == nil || p.system > e.self || !p.claimed):
		e.drop(o, "YOUAREDEAD", OutOfTurn, "we are the host")
		if p != nil && !p.claimed && (e.migrates() || e.flags()&wire.SessionKeepAlive != 0) {
			e.lose(p, "it says that it is host, and that we are dead")
		}
	case e.hosting():
		e.toldToLeave("another host with a lower id says that we are not in the session")
	case p == nil || p.system != e.host && !e.migration.isCandidate(p) && !e.cfg.Compatible:
		e.drop(o, "YOUAREDEAD", NotAllowed, "it is not from the host")
	default:
		e.toldToLeave("the host says that we are not in the session")
	}
}

// iAmNameServer takes a new host.
func (e *Engine) iAmNameServer(o origin, m *wire.IAmNameServer) {
	const name = "IAMNAMESERVER"
	switch {
	case e.state != member:
		e.drop(o, name, OutOfTurn, "we are in no session")
	case e.peerOf(o).isLate(o):
		e.drop(o, name, OutOfTurn, lateWord)
	case e.hosting():
		e.anotherHost(o, m)
	case !e.cfg.Compatible && !e.migrates():
		e.drop(o, name, NotAllowed, "the session does not outlive its host")
	case e.peerByID(m.Host) == nil:
		e.drop(o, name, NoSuchID, m.Host.String()+" is not in the session")
	case !e.mayName(o, e.peerByID(m.Host)):
		e.drop(o, name, NotAllowed, "its sender is not "+m.Host.String())
	default:
		host := e.peerByID(m.Host)
		if e.peerOf(o) == nil {
			e.peers.move(host, host.stream, o.listener) // it says that it is somewhere else than others say
		}
		if p := e.peerOf(o); p == nil || p == host {
			e.correctAddress(o, host, m.SPData)
		}
		e.migration.newHost(m.Host)
	}
}

// lateWord is why a late message is dropped.
const lateWord = "its sender said it before it was lost and came back"

// anotherHost answers who says that it is host, as we are.
func (e *Engine) anotherHost(o origin, m *wire.IAmNameServer) {
	const name = "IAMNAMESERVER"
	p := e.peerOf(o)
	switch {
	case p == nil:
		e.sayDead(o.direct())
	case e.reconcile.table != nil && e.reconcile.table.Follows(p.system):
		e.drop(o, name, OutOfTurn, "its sender follows us since") // it came over an older connection
		return
	case p.modern && m.Host == p.system && e.migrates():
		p.claimed = true
		e.partition.twoHosts(p)
		return
	default:
		p.claimed = true
		e.sendTCP(p.stream, &wire.YouAreDead{})
	}
	e.drop(o, name, OutOfTurn, "we are the host")
}

// correctAddress takes the addresses that a new host gives itself (2.2.33). 0.0.0.0, as it is to say, is where its message
// came from. Another one is believed if its packets may come from there: anybody could have us connect to a third machine.
func (e *Engine) correctAddress(o origin, host *peer, data []byte) {
	d, ok := wire.ParseSPData(data)
	stream, datagram := resolve(d.Stream, o.from.Addr()), resolve(d.Datagram, o.from.Addr())
	if !ok || stream.Port() == 0 || datagram.Port() == 0 || !host.at(stream.Addr()) || !host.at(datagram.Addr()) {
		return
	}
	if p := e.peerAt(stream); p != nil && p != host {
		return
	}
	if stream != host.stream {
		e.peers.move(host, stream, host.stream) // what it sent before still counts
	}
	host.datagram = datagram
	d.Stream, d.Datagram = sockAddr(stream), sockAddr(datagram)
	e.list.Apply(playerlist.SetSPData{ID: host.system, SPData: d.Append(nil)})
}

// mayName reports whether the sender of a message may say that a machine is host: that machine itself. A compatible engine
// believes any member, and that machine even if its header names another listener than others say.
func (e *Engine) mayName(o origin, host *peer) bool {
	p := e.peerOf(o)
	return p == host || e.cfg.Compatible && (p != nil || host.at(o.from.Addr()))
}

// rewatch looks after those machines that it should look after now.
func (e *Engine) rewatch() {
	for _, p := range e.peers.all {
		if !e.watched(p.system) {
			e.pings.Remove(p.system)
		} else {
			e.pings.Add(p.system, e.now) // changes nothing for one that is watched
		}
	}
}

// streamClosed says that a machine closed our connection to it, or refused one. Wine's machines say nothing
// else when they leave (facts, 6).
func (e *Engine) streamClosed(listener netip.AddrPort) {
	if e.state != member {
		return
	}
	switch p := e.peerAt(listener); {
	case p == nil:
	case e.hostDecides(p):
		p.heard = false // should the host be gone as well, it has to speak to be waited for
		e.reconcile.table.Lost(e.now, p.system)
	default:
		e.lose(p, "it closed its connection")
	}
}

// hostDecides reports whether the host is asked what to do about a machine that we lost contact with: a modern one knows
// whether others have, too, and removes one of the two ([MC-DPL8CS] 1.3.5).
func (e *Engine) hostDecides(p *peer) bool {
	h := e.peerByID(e.host)
	return e.reconcile.table != nil && !e.migration.running && h != nil && h.modern && p != h && p.modern
}

// lose removes a machine that vanished, and tells the others if we are the host: who has no connection to it
// could not know.
func (e *Engine) lose(p *peer, why string) {
	e.event(PeerLost{System: p.system, Reason: why})
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

// timers does what is due.
func (e *Engine) timers() {
	switch e.state {
	case idle:
		e.search.timer()
	case joinState:
		e.join.timer()
	case member:
		e.requests.timer()
		if e.hosting() {
			e.admission.timers()
		}
		e.migration.candidateTimer()
		e.doubtTimer()
		e.fragments.timers()
		e.holdback.timers()
		e.pingTimers()
	}
}

// pingTimers sends the pings that are due and loses machines that answer none.
func (e *Engine) pingTimers() {
	ping, lost := e.pings.Look(e.now)
	for _, id := range ping {
		if p := e.peerByID(id); p != nil {
			e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: e.pings.Tick(e.now)})
		}
	}
	for _, id := range slices.Clone(lost) {
		if p := e.peerByID(id); p != nil {
			e.lose(p, "it answers no pings")
			if e.state != member {
				return
			}
		}
	}
}

// wake returns the time of the next timer.
func (e *Engine) wake() time.Duration {
	w := Never
	switch e.state {
	case idle:
		w = e.search.next()
	case joinState:
		w = e.join.next()
	case member:
		w = min(w, e.pings.Next(), e.partition.nextClaim(), e.reconcile.audit.at, e.migration.candidateDue(), e.nextDoubt(),
			e.admission.next(), e.holdback.next(), e.fragments.next(), e.requests.next())
		if e.reconcile.table != nil {
			w = min(w, e.reconcile.table.Next())
		}
		w = min(w, e.objects.next())
	}
	return w
}
