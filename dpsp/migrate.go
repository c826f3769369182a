package dpsp

import (
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
	ids       *playerlist.IDs // of the list as it was when the host was lost
	left      []wire.Message  // what says that the host and those after it are gone
}

// migrates says whether the session outlives its host. Windows refuses to open one with MIGRATEHOST in which the
// host passes everything on (facts, 5.4), so that flag means nothing there.
func (e *Engine) migrates() bool {
	const routed = wire.SessionClientServer | wire.SessionMulticastServer | wire.SessionSecureServer
	return e.flags()&wire.SessionMigrateHost != 0 && e.flags()&routed == 0
}

// freshIDs gives ids that the host of another part of the session hardly gives, too.
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
		r.tries, r.deadline = 0, e.patience() // the next host is asked
	}
	e.elect(e.migr.old)
}

// patience is until when a request waits for the next host: as long as a candidate that is silent stays one.
func (e *Engine) patience() time.Duration {
	return e.now + e.cfg.Period*time.Duration(e.cfg.Probes+2)
}

// elect makes the system player with the lowest id the candidate, or the oldest one if all know the extension; old is
// who was host or candidate until now. If it is ours, we are the host, once the replicas of the name table agree;
// otherwise all are watched until it says IAMNAMESERVER or is lost as well. A machine below dialect 10 says nothing
// when it becomes host, so it is taken for one at once.
func (e *Engine) elect(old wire.PlayerID) {
	id, _ := hostmigrate.Candidate(e.rule(), e.list, e.passed()...) // ours is in the list
	e.migr.candidate, e.migr.due = id, e.patience()
	e.event(MigrationStarted{Candidate: id})
	if e.table != nil {
		e.resynchronise(old)
	} else if id == e.self {
		e.becomeHost()
	}
	if id == e.self {
		return
	}
	if p := e.machineByID(id); p != nil && p.dialect != 0 && p.dialect < wire.DX61 {
		e.newHost(id)
		return
	}
	e.rewatch()
	e.pings.Restart(e.now)
}

// passed gives the machines that were candidates, and did not become host while they answered our pings.
func (e *Engine) passed() (all []wire.PlayerID) {
	for _, p := range e.machines {
		if p.passed {
			all = append(all, p.system)
		}
	}
	return all
}

// candidateDue is when candidateTimer has something to do. By the specification a candidate that answers pings is waited
// for (3.1.7.1). Wine's machines answer them, and never become host. One of our own may not take our host for gone.
func (e *Engine) candidateDue() time.Duration {
	if e.migr == nil || e.table == nil || e.machineByID(e.migr.candidate) == nil {
		return Never
	}
	return e.migr.due
}

// candidateTimer passes over a candidate that had its time.
func (e *Engine) candidateTimer() {
	if e.candidateDue() > e.now {
		return
	}
	p := e.machineByID(e.migr.candidate)
	p.passed = true
	e.elect(p.system)
}

// becomeHost makes us the host of the session that we are in.
func (e *Engine) becomeHost() {
	g := e.migr
	e.migr = nil
	e.ids = g.ids
	for _, id := range e.list.AppendGroups(e.list.AppendPlayers(nil)) {
		e.ids.Hold(id) // some may be younger than the loss
	}
	for _, m := range g.left {
		e.ids.Free(deletedID(m))
	}
	e.list.Apply(playerlist.SetHost{ID: e.self})
	e.host = e.self
	e.sayHost()
	for _, m := range g.left {
		e.sendAll(m)
	}
	e.rewatch()
	e.pings.Restart(e.now)
	if e.table != nil {
		e.table.Lead(e.now, e.list, e.moderns())
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
	for _, p := range e.machines {
		if p.dialect == 0 || p.dialect >= wire.DX61 {
			e.sendTCP(p.stream, &wire.IAmNameServer{
				To: p.system, Host: e.self, Flags: wire.PlayerSystem | wire.PlayerNameServer | wire.PlayerInGroup, SPData: e.spData(),
			})
		}
	}
}

// newHost makes another machine the host.
func (e *Engine) newHost(system wire.PlayerID) {
	old, took := e.host, time.Duration(0)
	if old == system {
		return
	}
	if g := e.migr; g != nil {
		old, took, e.migr = g.old, e.now-g.since, nil
		if e.table != nil && !e.table.Migrating() {
			e.erased, e.unlinked = nil, nil // the table was complete before
		}
	}
	e.list.Apply(playerlist.SetHost{ID: system})
	e.host = system
	for _, p := range e.machines {
		p.passed = false
		e.pings.Remove(p.system)
	}
	e.rewatch()
	e.event(HostChanged{Old: old, New: system, Took: took})
	if e.objects != nil {
		e.objects.SetHost(e.now, system)
	}
	if p := e.machineByID(system); e.table != nil && p != nil && e.table.Host() != system {
		e.table.Follow(e.now, system) // what it numbers is another log
		if p.modern {
			e.sayHello(p, false) // it tells us
		}
	}
	if len(e.requests) > 0 {
		e.requests[0].tries = 0
		e.askID()
	}
}

// deletedID gives the id that a message of deletion is about.
func deletedID(m wire.Message) wire.PlayerID {
	switch m := m.(type) {
	case *wire.DeletePlayer:
		return m.Player
	case *wire.DeleteGroup:
		return m.Group
	}
	return 0
}
