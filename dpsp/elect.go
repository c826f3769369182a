package dpsp

import (
	"time"

	"dplay4/wire"
)

// elect chooses the candidate in a session with legacy machines, or without views. If it is this machine, it becomes host. Otherwise all are
// pinged until the candidate says IAMNAMESERVER or is lost as well. A machine below dialect 10 says nothing, and counts as host at once.
func (e *Engine) elect() {
	id := e.nextHost()
	e.election.due = e.patience()
	e.migration.waitFor(id)
	if id == e.self && !(e.views.on() && e.views.newcomer()) {
		e.becomeHost()
	} else if p := e.peerByID(id); e.views.on() && p != nil && p.claimed {
		e.newHost(id)
	}
	if !e.election.running {
		return
	}
	if id = e.election.candidate; id == e.self { // or a better one, which said that it leads
		return
	}
	if p := e.peerByID(id); p != nil && p.dialect != 0 && p.dialect < wire.DX61 {
		e.newHost(id)
		return
	}
	e.liveness.rewatch()
	e.liveness.pings.Restart(e.now)
	if p := e.peerByID(id); p != nil && !p.heard && e.views.on() {
		e.election.asked = 0
		e.migration.askUnheard()
	}
}

// waitFor makes a machine the candidate.
func (mg *migration) waitFor(id wire.PlayerID) {
	mg.candidate = id
	mg.e.event(MigrationStarted{Candidate: id})
}

// unheardPings is how often a candidate that never sent a message is pinged before it is passed over. It may have been on its way in when the
// host died: without a list it answers nothing. One that answers has as long as any candidate.
const unheardPings = 3

// askUnheard pings the machines that never sent a message, out of turn.
func (mg *migration) askUnheard() {
	e := mg.e
	mg.asked++
	mg.due = e.now + e.answerTime()/unheardPings
	for _, p := range e.peers.all {
		if !p.heard {
			e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: e.liveness.pings.Tick(e.now)})
		}
	}
}

// nextHost returns the next host by the rule of DirectPlay 4, or by views.
func (s *sender) nextHost() wire.PlayerID {
	id, _ := s.list.Lowest(s.peers.passed()...) // ours is in the list
	if s.views.on() {
		return s.views.nextHost(id)
	}
	return id
}

// isCandidate reports whether we wait for a machine to become host. It may be host already, and have lost us.
func (mg *election) isCandidate(p *peer) bool { return mg.running && p.system == mg.candidate }

// candidateDue returns when the candidate is passed over. By the specification one that answers pings is waited for (3.1.7.1), but Wine's
// machines answer them, and never become host. A modern candidate is the core's.
func (mg *migration) candidateDue() time.Duration {
	if p := mg.e.peerByID(mg.candidate); !mg.running || p == nil || !mg.e.views.on() || mg.e.views.knows(p) {
		return Never
	}
	return mg.due
}

// candidateTimer passes over a candidate that had its time.
func (e *Engine) candidateTimer() {
	if e.migration.candidateDue() > e.now {
		return
	}
	switch p := e.peerByID(e.election.candidate); {
	case p.heard && e.election.asked > 0:
		e.election.asked, e.election.due = 0, e.patience()
		return
	case !p.heard && e.election.asked < unheardPings:
		e.migration.askUnheard()
		return
	default:
		p.passed = true
	}
	for _, p := range e.peers.all {
		p.passed = p.passed || !p.heard
	}
	e.elect()
}
