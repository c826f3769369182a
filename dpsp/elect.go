package dpsp

import (
	"slices"
	"time"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
)

// elect makes the system player with the lowest id the candidate, or the oldest one if all know the extension; old is
// who was host or candidate until now. If it is ours, we are the host, once the replicas of the name table agree;
// otherwise all are watched until it says IAMNAMESERVER or is lost as well. A machine below dialect 10 says nothing
// when it becomes host, so it is taken for one at once.
func (mg *migration) elect(old wire.PlayerID) {
	e := mg.e
	id := mg.nextHost()
	mg.due = mg.patience()
	mg.waitFor(id)
	if e.reconcile.table != nil {
		mg.resynchronise(old)
	} else if id == e.self && !(e.views.on() && e.views.newcomer()) {
		mg.becomeHost()
	} else if p := e.peerByID(id); e.views.on() && p != nil && p.claimed {
		mg.newHost(id)
	}
	if !mg.running {
		return
	}
	if id = mg.candidate; id == e.self { // or a better one, which said that it leads
		return
	}
	if p := e.peerByID(id); p != nil && p.dialect != 0 && p.dialect < wire.DX61 {
		mg.newHost(id)
		return
	}
	e.liveness.rewatch()
	e.liveness.pings.Restart(e.now)
	if p := e.peerByID(id); p != nil && !p.heard && (e.reconcile.table != nil || e.views.on()) {
		mg.asked = 0
		mg.askUnheard()
	}
}

// waitFor makes a machine the candidate.
func (mg *migration) waitFor(id wire.PlayerID) {
	mg.candidate = id
	mg.e.event(MigrationStarted{Candidate: id})
}

// unheardPings is how often a candidate of which we never heard a word is pinged before it is passed over. It may have been
// on its way in when the host died, and has no list: then it answers nothing, and is no member. One that is gets as long
// as all candidates when it answers.
const unheardPings = 3

// askUnheard pings those of whom we never heard a word, out of turn.
func (mg *migration) askUnheard() {
	e := mg.e
	mg.asked++
	mg.due = e.now + e.liveness.answerTime()/unheardPings
	for _, p := range e.peers.all {
		if !p.heard {
			e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: e.liveness.pings.Tick(e.now)})
		}
	}
}

// nextHost returns the machine that is next by the rule. Who is the oldest one the name table says, of which all have
// replicas that differ only in how far they got. Our list does not: two machines that join at the same time each find
// the other one in the list that they are sent.
func (mg *migration) nextHost() wire.PlayerID {
	passed := mg.e.peers.passed()
	if mg.rule() == hostmigrate.Modern {
		for _, id := range bySeniority(mg.e.list, mg.e.reconcile.table.Replica()) {
			if !slices.Contains(passed, id) {
				return id
			}
		}
	}
	id, _ := hostmigrate.Candidate(hostmigrate.DPlay4, mg.e.list, passed...) // ours is in the list
	if mg.e.views.on() {
		return mg.e.views.nextHost(id)
	}
	return id
}

// bySeniority returns all machines of a list in the order in which a replica of the name table has them. Those that it has not,
// or all if there is none, joined last: they follow by their ids.
func bySeniority(list, replica *playerlist.List) []wire.PlayerID {
	here := list.AppendSystems(nil)
	var all []wire.PlayerID
	if replica != nil {
		all = slices.DeleteFunc(replica.AppendSystems(nil), func(id wire.PlayerID) bool { return !slices.Contains(here, id) })
	}
	late := slices.DeleteFunc(here, func(id wire.PlayerID) bool { return slices.Contains(all, id) })
	slices.Sort(late)
	return append(all, late...)
}

// rule says which rule makes the next host: that of DirectPlay 8 if everybody knows it. A machine that was waited for, and of
// which nobody heard a word, is no member. A newcomer that has met nobody yet does not speak against a candidate that leads
// by that rule: who bears our mark and has not ignored its greeting may know it.
func (mg *migration) rule() hostmigrate.Rule {
	e := mg.e
	newcomer := e.reconcile.table != nil && e.reconcile.table.Replica() == nil && e.reconcile.table.Greeted()
	legacy := func(p *peer) bool {
		return !p.modern && (p.heard || !p.passed) && (p.ignored > 0 || !p.marked || !newcomer)
	}
	if e.reconcile.table == nil || slices.ContainsFunc(e.peers.all, legacy) {
		return hostmigrate.DPlay4
	}
	return hostmigrate.Modern
}

// oldestModern returns the machine that joined first of those that know the extension.
func (mg *migration) oldestModern() wire.PlayerID {
	e := mg.e
	for _, id := range bySeniority(e.list, e.reconcile.table.Replica()) {
		if p := e.peerByID(id); id == e.self || p != nil && p.modern {
			return id
		}
	}
	return e.self
}

// isCandidate reports whether we wait for a machine to become host. It may be host already, and have lost us.
func (mg *migration) isCandidate(p *peer) bool { return mg.running && p.system == mg.candidate }

// candidateDue is when candidateTimer has something to do. By the specification a candidate that answers pings is waited
// for (3.1.7.1). Wine's machines answer them, and never become host. One of our own may not take our host for gone.
func (mg *migration) candidateDue() time.Duration {
	if p := mg.e.peerByID(mg.candidate); !mg.running || mg.e.reconcile.table == nil && !(mg.e.views.on() && p != nil && !mg.e.views.knows(p)) || p == nil {
		return Never
	}
	return mg.due
}

// candidateTimer passes over a candidate that had its time.
func (mg *migration) candidateTimer() {
	if mg.candidateDue() > mg.e.now {
		return
	}
	switch p := mg.e.peerByID(mg.candidate); {
	case p.heard && mg.asked > 0:
		mg.asked, mg.due = 0, mg.patience()
		return
	case !p.heard && mg.asked < unheardPings:
		mg.askUnheard()
		return
	default:
		p.passed = true
	}
	for _, p := range mg.e.peers.all {
		p.passed = p.passed || !p.heard
	}
	mg.elect(mg.candidate)
}
