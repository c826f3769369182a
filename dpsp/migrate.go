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
	e         *Engine
	running   bool          // the host is gone, and the next one is not known yet; if not, nothing else is set
	old       wire.PlayerID // who was host
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

// freshIDs returns where to draw ids of a list that the host of another part of the session is unlikely to give, too.
func (e *Engine) freshIDs(l *playerlist.List) *playerlist.IDs {
	ids := l.IDs(uint16(e.rng.Uint32()))
	ids.Rotate = e.flags()&wire.SessionDirectPlayProtocol != 0
	return ids
}

// begin notes what has to be kept of the list before the host is deleted from it, or is host no more.
func (mg *migration) begin() {
	*mg = migration{e: mg.e, running: true, old: mg.e.host, since: mg.e.now, ids: mg.e.freshIDs(mg.e.list)}
}

// hostGone looks for the next host, the old one having been deleted.
func (mg *migration) hostGone(why loss) {
	e := mg.e
	e.event(HostLost{Host: mg.old, Cause: why.cause, Reason: why.text})
	e.host = 0
	e.objects.SetHost(e.now, 0)
	e.requests.wait(mg.patience()) // the next host is asked
	mg.elect(mg.old)
}

// lastHost is the host, or the one that is gone if there is none.
func (mg *migration) lastHost() wire.PlayerID {
	if mg.running {
		return mg.old
	}
	return mg.e.host
}

// patience is until when a request waits for the next host: as long as a candidate that is silent stays one.
func (mg *migration) patience() time.Duration {
	return mg.e.now + multiple(mg.e.cfg.Period, mg.e.cfg.Probes+2)
}

// becomeHost makes us the host of the session that we are in.
func (mg *migration) becomeHost() {
	e := mg.e
	g := *mg
	*mg = migration{e: e}
	e.admission.ids = g.ids
	for _, id := range e.list.AppendGroups(e.list.AppendPlayers(nil)) {
		e.admission.ids.Hold(id) // some may be younger than the loss
	}
	for _, m := range g.left {
		e.admission.ids.Free(deletedID(m))
	}
	e.list.Apply(playerlist.SetHost{ID: e.self})
	e.views.did(playerlist.SetHost{ID: e.self})
	e.host, e.partition.misled = e.self, nil
	mg.sayHost()
	e.sayGone(g.left)
	e.liveness.rewatch()
	e.liveness.pings.Restart(e.now)
	if e.reconcile.table != nil {
		e.reconcile.table.Lead(e.now, e.list, e.peers.moderns())
		e.objects.SetHost(e.now, e.self)
	}
	e.event(HostChanged{Old: g.old, New: e.self, Took: e.now - g.since, Hosting: true})
	for _, r := range e.requests.takeAll() {
		e.requests.asHost(r)
	}
}

// sayHost says IAMNAMESERVER to everybody who understands it.
func (mg *migration) sayHost() {
	for _, p := range mg.e.peers.all {
		if mg.e.views.on() && (p.modern || p.marked) {
			continue
		}
		if p.dialect == 0 || p.dialect >= wire.DX61 {
			mg.sayHostTo(p)
		}
	}
}

func (mg *migration) sayHostTo(p *peer) {
	mg.e.sendTCP(p.stream, &wire.IAmNameServer{
		To: p.system, Host: mg.e.self, Flags: wire.PlayerSystem | wire.PlayerNameServer | wire.PlayerInGroup, SPData: mg.e.cfg.spData(),
	})
}

// newHost makes another machine the host.
func (mg *migration) newHost(system wire.PlayerID) {
	e := mg.e
	old, took := e.host, time.Duration(0)
	if old == system {
		return
	}
	if mg.running {
		old, took, *mg = mg.old, e.now-mg.since, migration{e: e}
		if e.reconcile.table != nil && !e.reconcile.table.Migrating() {
			e.reconcile.pending = pending{} // the table was complete before
		}
	}
	e.list.Apply(playerlist.SetHost{ID: system})
	e.views.did(playerlist.SetHost{ID: system})
	e.host = system
	for _, p := range e.peers.all {
		p.passed, p.back = p.passed && e.views.on() && p.system != system, false
		e.liveness.pings.Remove(p.system)
	}
	e.liveness.rewatch()
	e.event(HostChanged{Old: old, New: system, Took: took})
	e.objects.SetHost(e.now, system)
	if p, table := e.peerByID(system), e.reconcile.table; table != nil && p != nil {
		other := table.Host() != system || table.Migrating() // what it numbers is another log, or it went on without us
		table.Follow(e.now, system)
		if other && p.modern {
			e.sayHello(p, false) // it tells us
		}
	}
	if len(e.requests.line) > 0 {
		e.requests.line[0].tries = 0
		e.requests.ask()
	}
}

// resynchronise begins to bring the replicas of all modern machines to one state, led by the next host. If that is a
// legacy machine, which has none, the oldest of the modern ones leads.
func (mg *migration) resynchronise(old wire.PlayerID) {
	e, table := mg.e, mg.e.reconcile.table
	leader, rule := mg.candidate, mg.rule()
	if p := e.peerByID(leader); p != nil && !p.modern {
		leader, rule = mg.oldestModern(), hostmigrate.Modern
	}
	table.UseRule(rule)
	if leader == e.self && table.Host() == e.self && !table.Migrating() && mg.allFollow() {
		// We led while a legacy machine was to be host, and that one is lost.
		for _, id := range append([]wire.PlayerID{old}, e.peers.moderns()...) {
			if e.peerByID(id) == nil {
				table.Lost(e.now, id)
			}
		}
		e.reconcile.resynchronised(hostmigrate.Complete{List: table.Replica()})
		return
	}
	if leader == e.self && table.Host() == e.self {
		// We spoke while another machine was to be host. Who waited for that one, too, did not answer, and does now; and
		// others said hello since.
		table.Again(e.now, old, e.peers.moderns())
		return
	}
	table.Begin(e.now, old, leader, e.peers.moderns())
	if h := table.Host(); h != leader && leader == mg.candidate && e.peerByID(h) != nil {
		mg.waitFor(h)
	}
}

// allFollow reports whether all that know the extension followed us when we led.
func (mg *migration) allFollow() bool {
	return !slices.ContainsFunc(mg.e.peers.moderns(), func(id wire.PlayerID) bool { return !mg.e.reconcile.table.Follows(id) })
}

// leaderKnown takes a machine for the next host that says it is. If ours was not known to be gone, it is now, unless who says
// so is gone itself.
func (mg *migration) leaderKnown(ev hostmigrate.LeaderKnown) {
	e := mg.e
	here := e.peerByID(ev.ID) != nil
	if !here && e.reconcile.table.Host() != ev.ID {
		return // the table follows another one by now
	}
	if h := e.peerByID(e.host); !here && !mg.running && h != nil {
		// What it said was held until we had the list, and so was our host's word that it is gone. The host, which we have just
		// greeted, tells us its table.
		e.reconcile.table.Follow(e.now, h.system)
		return
	}
	if !mg.running && e.hosting() {
		mg.begin()
		e.host = 0
		e.admission.end()
	} else if !mg.running && e.host != ev.ID && e.peerByID(e.host) != nil {
		e.departed(e.host, loss{CauseOtherHost, "another machine says that it is the host now"}, true)
	}
	if mg.running && !here {
		mg.elect(ev.ID)
		return
	}
	if !mg.running || mg.candidate == ev.ID || e.reconcile.table.Host() != ev.ID {
		return // the rule made another one candidate, and the table follows that one
	}
	if p := e.peerByID(mg.candidate); p == nil || p.modern {
		mg.due = mg.patience()
		mg.waitFor(ev.ID)
	}
}

// leadCalled has us lead, for another machine waits for us: it knows more or less than we do of who is next. Who else leads
// hears of us, and the better candidate goes on. If we are host, it missed that we said so: it was still joining.
func (mg *migration) leadCalled(ev hostmigrate.Called) {
	e := mg.e
	if p := e.peerByID(ev.By); e.hosting() && p != nil {
		mg.sayHostTo(p)
		return
	}
	if !mg.running || e.reconcile.table.Greeted() || e.reconcile.table.Host() == e.self {
		return
	}
	if p := e.peerByID(mg.candidate); p == nil || p.modern {
		mg.waitFor(e.self)
		e.reconcile.table.UseRule(mg.rule())
	}
	e.reconcile.table.Again(e.now, mg.old, e.peers.moderns())
}

// knownModern goes on with a migration in which a machine said hello: what we took for a legacy machine that is to be
// host knows the other rule. Whether it waits for another one by now, or has become host itself, it is asked.
func (mg *migration) knownModern() {
	e := mg.e
	if !mg.running || mg.candidate == e.self || e.views.on() || e.reconcile.table.Greeted() {
		return
	}
	switch id := mg.nextHost(); {
	case id == mg.candidate:
	case id == e.self && e.reconcile.table.Host() == e.self:
		mg.waitFor(id)
		e.reconcile.table.UseRule(mg.rule())
		e.reconcile.table.Again(e.now, mg.old, e.peers.moderns())
	default:
		mg.elect(mg.old)
	}
}
