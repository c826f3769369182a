package dpsp

import (
	"net/netip"
	"slices"

	"dplay4/hostmigrate"
	"dplay4/pingtimer"
	"dplay4/wire"
)

// A liveness is the state of who is still there: pings, and the machines that are asked.
type liveness struct {
	e *sender
	*signs
}

// The signs of life of the others. They have no pointer to the engine.
type signs struct {
	pings *pingtimer.Timer[wire.PlayerID]
	asked questions
}

func newSigns(c *Config) signs {
	return signs{pings: pingtimer.New[wire.PlayerID](pingtimer.Config{Period: c.Period, Probes: c.Probes, Grid: c.Grid})}
}

// watched reports whether we look after a machine's life: the host after all, the others after the host alone, and
// only where the session wants it (3.1.2.5, 3.2.2.2). While there is no host everybody looks after all. A newcomer that
// waits for its list answers nothing yet.
func (lv *liveness) watched(system wire.PlayerID) bool {
	e := lv.e
	if e.reserved.Newcomer(system) != nil {
		return false
	}
	return e.election.running || e.flags()&wire.SessionKeepAlive != 0 && (e.hosting() || system == e.host || e.viewing.leads(system))
}

// ping answers a ping of a member, at the UDP socket that it registered, not where the datagram came from
// (facts, 3.15).
func (lv *liveness) ping(o origin, m *wire.Ping) {
	e := lv.e
	p := e.pinger(o, m.From)
	lv.pings.Heard(p.system)
	e.send(UDP, p.datagram, &wire.PingReply{From: e.self, Tick: m.Tick})
}

// pingReply handles the answer to a ping.
func (lv *liveness) pingReply(o origin, m *wire.PingReply) {
	e := lv.e
	p := e.pinger(o, m.From)
	p.speaks(e.now)
	lv.answered(p, m.Tick)
	lv.pings.Heard(p.system)
	e.answeredFrames(p, o, m.Tick)
}

// pinger returns the peer that a ping or its answer is from: the owner of the player that it names, system player or not
// (3.1.5.30). An id that is no player's, or one of ours, as 2.2.43 would have it in an answer, says nothing: then it is
// the member at its sender's listener, if there is one.
func (s *sessionState) pinger(o origin, id wire.PlayerID) *peer {
	if player, _ := s.list.Kind(id); player && !s.ours(id) {
		return s.owner(id)
	}
	return s.peerOf(o)
}

// notInSession answers a ping, or its answer, from somebody who is no member. A host says so (3.2.5.10, 3.2.5.11): it
// may be a machine that was taken for lost. Anybody else keeps silent (3.1.5.30).
func (s *sender) notInSession(o origin, id wire.PlayerID) {
	switch at := o.direct(); {
	case !s.hosting() || !o.listener.IsValid():
	case s.views.lost(at.listener): // it gets a CLAIM
	default:
		s.liveness.sayDead(at)
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
func (e *Engine) youAreDead(o origin) {
	p := e.peerOf(o)
	switch {
	case e.hosting() && (p.system > e.self || !p.claimed):
		e.drop(o, "YOUAREDEAD", OutOfTurn, "we are the host")
		if !p.claimed && (e.migrates() || e.flags()&wire.SessionKeepAlive != 0) {
			e.lose(p, loss{CauseOtherHost, "it says that it is host, and that we are dead"})
		}
	case e.hosting():
		e.toldToLeave(loss{CauseOtherHost, "another host with a lower id says that we are not in the session"})
	case p != nil && e.views.knows(p) && e.views.suspects(p): // such a host claims those that it lost: it is another program
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
func (s *sessionState) Renews(listener netip.AddrPort) (kind, now, kept bool) {
	p := s.renewable(listener)
	if p == nil {
		return false, false, false
	}
	return true, !p.spent && p.renewals.left(maxRenewals, s.now, s.cfg.Period), s.peers.newest(listener).link.Counts()
}

// renewable returns the machine to which connections are made once more when they break, nil if they are not.
func (s *sessionState) renewable(listener netip.AddrPort) *peer {
	p := s.peerAt(listener)
	if s.state != member || p == nil || !p.marked && !p.modern && !p.older {
		return nil
	}
	return p
}

// maxRenewals bounds how often in a period of the ping timer a connection to one machine is made once more.
const maxRenewals = 4

// streamEnded makes a connection that broke once more, before anybody is accused. It asks the machine over the new connection, and
// by a datagram, whether it is there. If that connection breaks before the answer came, it asks again with the same deadline. A refused
// connection (err) and an unanswered question are answers. A machine whose connections break too often is accused in any case. Only
// machines of ours are asked, of older releases as well, because they say goodbye when they leave: with others the end of a connection is
// the goodbye (facts, 6).
func (lv *liveness) streamEnded(listener netip.AddrPort, err error, lost bool) {
	e := lv.e
	p := e.renewable(listener)
	if p == nil || err != nil || p.spent {
		return
	}
	if !p.link.Keeps() { // a message that waited, and did not count, is not handed over if the peer counts by now
		p.lostWords = p.lostWords || lost || p.bare && p.link.Counts() // until it is told
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
	p.renewing = true
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
func (e *Engine) streamClosed(listener netip.AddrPort, anew bool) {
	p := e.peerAt(listener)
	switch {
	case e.state != member || p == nil || anew && p.answered:
	case e.views.asksHost(p):
	case e.views.on() && p.answered && !p.spent: // it is there
		p.answered, p.renewing = false, true
		if e.signs.asked.add(p.system, e.now, hostmigrate.DefaultTimeout); !anew {
			e.liveness.asksOver(p)
		}
	case anew && !p.spent && e.signs.asked.has(p.system):
		e.signs.asked.hasten(p.system, e.now+hungUpGrace)
	default:
		e.unreachable(p, loss{CauseClosed, ClosedConnection})
	}
}

// answered takes the answer to a ping. The one that went over the new connection proves that it arrives there. The one that went by a
// datagram proves that the machine is there, and in the session: it is not accused.
func (lv *liveness) answered(p *peer, tick uint32) {
	switch {
	case p.askedTCP != 0 && tick == p.askedTCP:
		lv.renewed(p)
	case lv.asked.has(p.system) && !p.spent && tick == p.askedUDP && p.renewing:
		p.answered = true
	case lv.asked.has(p.system) && !p.spent && tick == p.askedUDP:
		lv.asked.forget(p.system)
	}
}

// renewed notes that a machine answered over a connection: with ARRIVED, HELLO, or the answer to the ping that went there. Other
// messages may be from a program that began anew at its address. The connection need not be a new one, because the leader asks members.
func (lv *liveness) renewed(p *peer) {
	if !lv.asked.has(p.system) || p.spent {
		return
	}
	lv.asked.forget(p.system)
	if p.renewing {
		p.renewing, p.answered = false, true
		lv.e.event(ConnectionRenewed{System: p.system, Lost: p.lostWords})
		p.lostWords = false
	}
}

// unreachable accuses a machine that gets none of our messages.
func (e *Engine) unreachable(p *peer, why loss) {
	if !e.views.suspects(p) {
		e.lose(p, why)
	}
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
	e.sayGone(gone, true)
}

// pingTimer sends the pings that are due and loses machines that answer none.
func (e *Engine) pingTimer() {
	ping, lost := e.signs.pings.Look(e.now)
	for _, id := range ping {
		if p := e.peerByID(id); p != nil {
			e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: e.signs.pings.Tick(e.now)})
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
