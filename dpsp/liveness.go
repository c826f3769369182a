package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// watched says whether we look after a machine's life: the host after all, the others after the host alone, and
// only where the session wants it (3.1.2.5, 3.2.2.2). While there is no host everybody looks after all. A newcomer that
// waits for its list answers nothing yet.
func (e *Engine) watched(system wire.PlayerID) bool {
	if e.admitting(system) {
		return false
	}
	return e.migr != nil || e.flags()&wire.SessionKeepAlive != 0 && (e.hosting() || system == e.host)
}

// ping answers a ping of a member, at the UDP socket that it registered, not where the datagram came from
// (facts, 3.15).
func (e *Engine) ping(o origin, m *wire.Ping) {
	if e.rejoining() {
		return
	}
	if e.state != member {
		e.drop(o, "PING", OutOfTurn, "we are in no session")
		return
	}
	p := e.machineByID(m.From)
	if p == nil {
		e.notInSession(o, "PING", m.From)
		return
	}
	if e.cfg.Strict && !p.at(o.from.Addr()) {
		e.drop(o, "PING", NotAllowed, m.From.String()+" is not at "+o.from.String())
		return
	}
	e.pings.Heard(p.system)
	e.send(UDP, p.datagram, &wire.PingReply{From: e.self, Tick: m.Tick})
}

// pingReply measures a round trip.
func (e *Engine) pingReply(o origin, m *wire.PingReply) {
	if e.rejoining() {
		return
	}
	if e.state != member {
		e.drop(o, "PINGREPLY", OutOfTurn, "we are in no session")
		return
	}
	switch p := e.machineByID(m.From); {
	case p == nil:
		e.notInSession(o, "PINGREPLY", m.From)
	case e.cfg.Strict && !p.at(o.from.Addr()):
		e.drop(o, "PINGREPLY", NotAllowed, m.From.String()+" is not at "+o.from.String())
	default:
		e.pings.Answer(m.From, m.Tick, e.now)
	}
}

// notInSession drops a ping or its answer from somebody who is no member. A host says so (3.2.5.10, 3.2.5.11): it
// may be a machine that was taken for lost. Anybody else keeps silent (3.1.5.30).
func (e *Engine) notInSession(o origin, name string, id wire.PlayerID) {
	switch at := o.direct(); {
	case !e.hosting() || !o.listener.IsValid():
	case e.mayComeBack(o, id):
		e.sendTCP(at.listener, wire.NewExtension(e.self, &wire.ExtensionRejoinAt{Host: e.self, Stream: e.header().SockAddr}))
	default:
		o = at
		e.sendTCP(o.listener, &wire.YouAreDead{})
		e.hangUp(o)
	}
	e.drop(o, name, NoSuchID, id.String()+" is not in the session")
}

// youAreDead ends the session for us: the host does not know us (3.1.5.32). Two hosts that hear of each other both
// say it. If both obeyed, nobody would be left to host: the one with the lower id does not.
func (e *Engine) youAreDead(o origin) {
	p := e.machineOf(o)
	switch {
	case e.state != member:
		e.drop(o, "YOUAREDEAD", OutOfTurn, "we are in no session")
	case e.hosting() && (p == nil || p.system > e.self || !p.claimed):
		e.drop(o, "YOUAREDEAD", OutOfTurn, "we are the host")
		if p != nil && !p.claimed && (e.migrates() || e.flags()&wire.SessionKeepAlive != 0) {
			e.lose(p, "it says that it is host, and that we are dead")
		}
	case e.hosting():
		e.sessionLost("another host with a lower id says that we are not in the session")
	case e.cfg.Strict && (p == nil || p.system != e.host && !e.isCandidate(p)):
		e.drop(o, "YOUAREDEAD", NotAllowed, "it is not from the host")
	default:
		e.sessionLost("the host says that we are not in the session")
	}
}

// isCandidate says whether we wait for a machine to become host. It may be host already, and have lost us.
func (e *Engine) isCandidate(p *machine) bool { return e.migr != nil && p.system == e.migr.candidate }

// iAmNameServer takes a new host.
func (e *Engine) iAmNameServer(o origin, m *wire.IAmNameServer) {
	const name = "IAMNAMESERVER"
	switch {
	case e.state != member:
		e.drop(o, name, OutOfTurn, "we are in no session")
	case e.hosting():
		if p := e.machineOf(o); p != nil {
			p.claimed = true
			if p.modern && m.Host == p.system && e.migrates() {
				e.twoHosts(p)
				return
			}
		}
		e.sendTCP(o.direct().listener, &wire.YouAreDead{})
		e.hangUp(o.direct())
		e.drop(o, name, OutOfTurn, "we are the host")
	case e.cfg.Strict && !e.migrates():
		e.drop(o, name, NotAllowed, "the session does not outlive its host")
	case e.machineByID(m.Host) == nil:
		e.drop(o, name, NoSuchID, m.Host.String()+" is not in the session")
	case e.cfg.Strict && e.machineOf(o) != e.machineByID(m.Host):
		e.drop(o, name, NotAllowed, "its sender is not "+m.Host.String())
	default:
		if e.machineOf(o) == nil {
			e.machineByID(m.Host).alias = o.listener // it says that it is somewhere else than others say
		}
		e.newHost(m.Host)
	}
}

// rewatch looks after those machines that it should look after now.
func (e *Engine) rewatch() {
	for _, p := range e.machines {
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
	if e.state == joinState && e.join.want.Host == listener {
		return // it may close what we asked on and answer on a new connection; the timer decides
	}
	if e.state != member {
		return
	}
	switch p := e.machineAt(listener); {
	case p == nil:
	case e.hostDecides(p):
		e.table.Lost(e.now, p.system)
	default:
		e.lose(p, "it closed its connection")
	}
}

// hostDecides says whether the host is asked what to do about a machine that we lost contact with: a modern one knows
// whether others have, too, and removes one of the two ([MC-DPL8CS] 1.3.5).
func (e *Engine) hostDecides(p *machine) bool {
	h := e.machineByID(e.host)
	return e.table != nil && e.migr == nil && h != nil && h.modern && p != h && p.modern
}

// lose removes a machine that vanished, and tells the others if we are the host: who has no connection to it
// could not know.
func (e *Engine) lose(p *machine, why string) {
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
	for _, op := range ops {
		if m := deletion(op); m != nil {
			e.sendAll(m)
		}
	}
}

// timers does what is due.
func (e *Engine) timers() {
	switch e.state {
	case idle:
		e.askingTimer()
	case joinState:
		if j := e.join; j.deadline <= e.now {
			if j.tries >= e.joinTries() {
				e.joinFailed(ErrTimeout)
				return
			}
			e.askAdmission()
		}
	case member:
		e.requestTimer()
		if e.hosting() {
			e.admissionTimers()
		}
		e.candidateTimer()
		e.packetTimers()
		e.earlyTimers()
		e.pingTimers()
	}
}

// requestTimer asks the host once more for an id, or gives up.
func (e *Engine) requestTimer() {
	if len(e.requests) == 0 || e.requests[0].deadline > e.now {
		return
	}
	if e.machineByID(e.host) == nil {
		// There was none in all this time, and nobody knows for how long.
		requests := e.requests
		e.requests = nil
		for _, r := range requests {
			e.answer(r, 0, ErrTimeout)
		}
		return
	}
	if r := e.requests[0]; r.tries < e.cfg.Tries {
		e.askID()
		return
	}
	waited := e.now - time.Duration(e.cfg.Tries)*e.cfg.Reply
	for first := true; len(e.requests) > 0; first = false {
		r := e.requests[0]
		if !first && (r.own || r.since > waited) { // others behind it waited as long for the same host
			e.askID()
			return
		}
		e.requests = e.requests[1:]
		e.answer(r, 0, ErrTimeout)
	}
}

// pingTimers sends the pings that are due and loses machines that answer none.
func (e *Engine) pingTimers() {
	ping, lost := e.pings.Look(e.now)
	for _, id := range ping {
		if p := e.machineByID(id); p != nil {
			e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: e.pings.Tick(e.now)})
		}
	}
	for _, id := range slices.Clone(lost) {
		if p := e.machineByID(id); p != nil {
			e.lose(p, "it answers no pings")
			if e.state != member {
				return
			}
		}
	}
}

// wake gives the time of the next timer.
func (e *Engine) wake() time.Duration {
	w := Never
	switch e.state {
	case idle:
		if e.asking != nil {
			w = e.asking.deadline
		}
	case joinState:
		w = e.join.deadline
	case member:
		if len(e.requests) > 0 {
			w = min(w, e.requests[0].deadline)
		}
		for _, a := range e.admits {
			w = min(w, a.deadline)
		}
		for _, p := range e.promises {
			w = min(w, p.deadline)
		}
		for _, id := range e.largeIDs {
			w = min(w, e.large[id].deadline)
		}
		for _, p := range e.parts.work {
			w = min(w, p.deadline)
		}
		for _, h := range e.early.held {
			w = min(w, h.deadline)
		}
		w = min(w, e.pings.Next(), e.nextClaim(), e.auditAt, e.candidateDue())
		if e.table != nil {
			w = min(w, e.table.Next())
		}
		if e.objects != nil {
			w = min(w, e.objects.Next())
		}
	}
	return w
}
