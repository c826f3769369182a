package dpsp

import (
	"slices"
	"time"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A migration is the time between two hosts (3.1.7.1).
type migration struct {
	old       wire.PlayerID
	candidate wire.PlayerID // who is to say IAMNAMESERVER next
	since     time.Duration
	due       time.Duration   // when a candidate is passed over that answers pings, and knows nothing of migration
	asked     int             // how often machines were pinged that we never heard a word of
	ids       *playerlist.IDs // of the list as it was when the host was lost
	left      []wire.Message  // what says that the host and those after it are gone
}

// migrates reports whether the session outlives its host. Windows refuses to open one with MIGRATEHOST in which the
// host passes everything on (facts, 5.4), so that flag means nothing there.
func (e *Engine) migrates() bool {
	const routed = wire.SessionClientServer | wire.SessionMulticastServer | wire.SessionSecureServer
	return e.flags()&wire.SessionMigrateHost != 0 && e.flags()&routed == 0
}

// freshIDs returns ids that the host of another part of the session hardly gives, too.
func (e *Engine) freshIDs() *playerlist.IDs { return e.list.IDs(uint16(e.rng.Uint32())) }

// beginMigration notes what has to be kept of the list before the host is deleted from it.
func (e *Engine) beginMigration() {
	e.migr = &migration{old: e.host, since: e.now, ids: e.freshIDs()}
}

// hostGone looks for the next host, the old one having been deleted.
func (e *Engine) hostGone(why string) {
	e.event(HostLost{Host: e.migr.old, Reason: why})
	e.host = 0
	if e.objects != nil {
		e.objects.SetHost(e.now, 0)
	}
	for _, r := range e.requests {
		r.tries, r.deadline, r.again = 0, e.patience(), 0 // the next host is asked
	}
	e.elect(e.migr.old)
}

// lastHost is the host, or the one that is gone if there is none.
func (e *Engine) lastHost() wire.PlayerID {
	if e.migr != nil {
		return e.migr.old
	}
	return e.host
}

// patience is until when a request waits for the next host: as long as a candidate that is silent stays one.
func (e *Engine) patience() time.Duration {
	return e.now + multiple(e.cfg.Period, e.cfg.Probes+2)
}

// elect makes the system player with the lowest id the candidate, or the oldest one if all know the extension; old is
// who was host or candidate until now. If it is ours, we are the host, once the replicas of the name table agree;
// otherwise all are watched until it says IAMNAMESERVER or is lost as well. A machine below dialect 10 says nothing
// when it becomes host, so it is taken for one at once.
func (e *Engine) elect(old wire.PlayerID) {
	id := e.nextHost()
	e.migr.candidate, e.migr.due = id, e.patience()
	e.event(MigrationStarted{Candidate: id})
	if e.reconcile.table != nil {
		e.resynchronise(old)
	} else if id == e.self {
		e.becomeHost()
	}
	if e.migr == nil {
		return
	}
	if id = e.migr.candidate; id == e.self { // or a better one, which said that it leads
		return
	}
	if p := e.peerByID(id); p != nil && p.dialect != 0 && p.dialect < wire.DX61 {
		e.newHost(id)
		return
	}
	e.rewatch()
	e.pings.Restart(e.now)
	if p := e.peerByID(id); p != nil && !p.heard && e.reconcile.table != nil {
		e.migr.asked = 0
		e.askUnheard()
	}
}

// unheardPings is how often a candidate of which we never heard a word is pinged before it is passed over. It may have been
// on its way in when the host died, and has no list: then it answers nothing, and is no member. One that is gets as long
// as all candidates when it answers.
const unheardPings = 3

// askUnheard pings those of whom we never heard a word, out of turn.
func (e *Engine) askUnheard() {
	e.migr.asked++
	e.migr.due = e.now + e.answerTime()/unheardPings
	for _, p := range e.peers.all {
		if !p.heard {
			e.send(UDP, p.datagram, &wire.Ping{From: e.self, Tick: e.pings.Tick(e.now)})
		}
	}
}

// nextHost returns the machine that is next by the rule. Who is the oldest one the name table says, of which all have
// replicas that differ only in how far they got. Our list does not: two machines that join at the same time each find
// the other one in the list that they are sent.
func (e *Engine) nextHost() wire.PlayerID {
	passed := e.passed()
	if e.rule() == hostmigrate.Modern {
		for _, id := range e.bySeniority() {
			if !slices.Contains(passed, id) {
				return id
			}
		}
	}
	id, _ := hostmigrate.Candidate(hostmigrate.DPlay4, e.list, passed...) // ours is in the list
	return id
}

// bySeniority returns all machines, ours among them, in the order in which the replica of the name table has them. Those
// that it has not joined last: they follow by their ids.
func (e *Engine) bySeniority() []wire.PlayerID {
	here := e.list.AppendSystems(nil)
	var all []wire.PlayerID
	if replica := e.reconcile.table.Replica(); replica != nil {
		all = slices.DeleteFunc(replica.AppendSystems(nil), func(id wire.PlayerID) bool { return !slices.Contains(here, id) })
	}
	late := slices.DeleteFunc(here, func(id wire.PlayerID) bool { return slices.Contains(all, id) })
	slices.Sort(late)
	return append(all, late...)
}

// knownModern goes on with a migration in which a machine said hello: what we took for a legacy machine that is to be
// host knows the other rule. Whether it waits for another one by now, or has become host itself, it is asked.
func (e *Engine) knownModern() {
	if e.migr == nil || e.migr.candidate == e.self || e.reconcile.table.Greeted() {
		return
	}
	switch id := e.nextHost(); {
	case id == e.migr.candidate:
	case id == e.self && e.reconcile.table.Host() == e.self:
		e.migr.candidate = id
		e.event(MigrationStarted{Candidate: id})
		e.reconcile.table.UseRule(e.rule())
		e.reconcile.table.Again(e.now, e.migr.old, e.peers.moderns())
	default:
		e.elect(e.migr.old)
	}
}

// passed returns the machines that were candidates, and did not become host while they answered our pings.
func (e *Engine) passed() (all []wire.PlayerID) {
	for _, p := range e.peers.all {
		if p.passed {
			all = append(all, p.system)
		}
	}
	return all
}

// candidateDue is when candidateTimer has something to do. By the specification a candidate that answers pings is waited
// for (3.1.7.1). Wine's machines answer them, and never become host. One of our own may not take our host for gone.
func (e *Engine) candidateDue() time.Duration {
	if e.migr == nil || e.reconcile.table == nil || e.peerByID(e.migr.candidate) == nil {
		return Never
	}
	return e.migr.due
}

// candidateTimer passes over a candidate that had its time.
func (e *Engine) candidateTimer() {
	if e.candidateDue() > e.now {
		return
	}
	switch p := e.peerByID(e.migr.candidate); {
	case p.heard && e.migr.asked > 0:
		e.migr.asked, e.migr.due = 0, e.patience()
		return
	case !p.heard && e.migr.asked < unheardPings:
		e.askUnheard()
		return
	default:
		p.passed = true
	}
	for _, p := range e.peers.all {
		p.passed = p.passed || !p.heard
	}
	e.elect(e.migr.candidate)
}

// becomeHost makes us the host of the session that we are in.
func (e *Engine) becomeHost() {
	g := e.migr
	e.migr = nil
	e.admission.ids = g.ids
	for _, id := range e.list.AppendGroups(e.list.AppendPlayers(nil)) {
		e.admission.ids.Hold(id) // some may be younger than the loss
	}
	for _, m := range g.left {
		e.admission.ids.Free(deletedID(m))
	}
	e.list.Apply(playerlist.SetHost{ID: e.self})
	e.host = e.self
	e.sayHost()
	e.sayGone(g.left)
	e.rewatch()
	e.pings.Restart(e.now)
	if e.reconcile.table != nil {
		e.reconcile.table.Lead(e.now, e.list, e.peers.moderns())
		e.objects.SetHost(e.now, e.self)
	}
	e.event(HostChanged{Old: g.old, New: e.self, Took: e.now - g.since, Hosting: true})
	requests := e.requests
	e.requests = nil
	for _, r := range requests {
		e.createAsHost(r)
	}
}

// sayHost says IAMNAMESERVER to everybody who understands it.
func (e *Engine) sayHost() {
	for _, p := range e.peers.all {
		if p.dialect == 0 || p.dialect >= wire.DX61 {
			e.sayHostTo(p)
		}
	}
}

func (e *Engine) sayHostTo(p *peer) {
	e.sendTCP(p.stream, &wire.IAmNameServer{
		To: p.system, Host: e.self, Flags: wire.PlayerSystem | wire.PlayerNameServer | wire.PlayerInGroup, SPData: e.spData(),
	})
}

// newHost makes another machine the host.
func (e *Engine) newHost(system wire.PlayerID) {
	old, took := e.host, time.Duration(0)
	if old == system {
		return
	}
	if g := e.migr; g != nil {
		old, took, e.migr = g.old, e.now-g.since, nil
		if e.reconcile.table != nil && !e.reconcile.table.Migrating() {
			e.reconcile.pending = pending{} // the table was complete before
		}
	}
	e.list.Apply(playerlist.SetHost{ID: system})
	e.host = system
	for _, p := range e.peers.all {
		p.passed = false
		e.pings.Remove(p.system)
	}
	e.rewatch()
	e.event(HostChanged{Old: old, New: system, Took: took})
	if e.objects != nil {
		e.objects.SetHost(e.now, system)
	}
	if p := e.peerByID(system); e.reconcile.table != nil && p != nil {
		other := e.reconcile.table.Host() != system || e.reconcile.table.Migrating() // what it numbers is another log, or it went on without us
		e.reconcile.table.Follow(e.now, system)
		if other && p.modern {
			e.sayHello(p, false) // it tells us
		}
	}
	if len(e.requests) > 0 {
		e.requests[0].tries = 0
		e.askID()
	}
}

// deletedID returns the id that a message of deletion is about.
func deletedID(m wire.Message) wire.PlayerID {
	switch m := m.(type) {
	case *wire.DeletePlayer:
		return m.Player
	case *wire.DeleteGroup:
		return m.Group
	}
	return 0
}
