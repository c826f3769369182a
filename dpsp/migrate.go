package dpsp

import (
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A migration is the time between two hosts (3.1.7.1).
type migration struct {
	e *sender
	*election
}

// An election is the state of a migration. It has no pointer to the engine.
type election struct {
	running   bool          // the host is gone, and the next one is not known yet; if not, nothing else is set
	old       wire.PlayerID // the host before
	candidate wire.PlayerID // the machine that is to be host next
	since     time.Duration
	due       time.Duration   // when a candidate is passed over that answers pings and does nothing
	asked     int             // how often machines were pinged that never sent a message
	ids       *playerlist.IDs // of the list as it was when the host was lost
	left      []wire.Message  // the deletions of the host, and of machines after it
}

// migrates reports whether the session outlives its host. Windows refuses to open one with MIGRATEHOST in which the
// host passes everything on (facts, 5.4), so that flag means nothing there.
func (s *sessionState) migrates() bool {
	const routed = wire.SessionClientServer | wire.SessionMulticastServer | wire.SessionSecureServer
	return s.flags()&wire.SessionMigrateHost != 0 && s.flags()&routed == 0
}

// freshIDs returns a source of ids for a list. The host of another part of the session is unlikely to give the same ones.
func (s *sessionState) freshIDs(l *playerlist.List) *playerlist.IDs {
	ids := l.IDs(uint16(s.rng.Uint32()))
	ids.Rotate = s.flags()&wire.SessionDirectPlayProtocol != 0
	return ids
}

// begin begins a migration, before the host is deleted from the list.
func (mg *migration) begin() {
	*mg.election = election{running: true, old: mg.e.host, since: mg.e.now, ids: mg.e.freshIDs(mg.e.list)}
}

// hostGone looks for the next host, the old one having been deleted.
func (e *Engine) hostGone(why loss) {
	e.event(HostLost{Host: e.election.old, Cause: why.cause, Reason: why.text})
	e.host = 0
	e.objects.SetHost(e.now, 0)
	e.requests.wait(e.patience()) // the next host is asked
	e.elect()
}

// lastHost returns the host, or during a migration the one before.
func (s *sessionState) lastHost() wire.PlayerID {
	if s.election.running {
		return s.election.old
	}
	return s.host
}

// patience returns until when a request waits for the next host: as long as a silent candidate stays one.
func (s *sessionState) patience() time.Duration {
	return s.now + multiple(s.cfg.Period, s.cfg.Probes+2)
}

// becomeHost makes us the host of the session that we are in.
func (e *Engine) becomeHost() {
	g := e.election
	e.election = election{}
	e.admission.IDs = g.ids
	for _, id := range e.list.AppendGroups(e.list.AppendPlayers(nil)) {
		e.admission.IDs.Hold(id) // some may be younger than the loss
	}
	for _, m := range g.left {
		e.admission.IDs.Free(deletedID(m))
	}
	e.list.Apply(playerlist.SetHost{ID: e.self})
	e.views.did(playerlist.SetHost{ID: e.self})
	e.host = e.self
	e.migration.sayHost()
	e.sayGone(g.left, !e.views.on())
	e.liveness.rewatch()
	e.liveness.pings.Restart(e.now)
	e.objects.SetHost(e.now, e.self)
	e.event(HostChanged{Old: g.old, New: e.self, Took: e.now - g.since, Hosting: true})
	for _, r := range e.requests.takeAll() {
		e.createAsHost(r)
	}
}

// sayHost says IAMNAMESERVER to legacy machines that understand it.
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
func (e *Engine) newHost(system wire.PlayerID) {
	old, took := e.host, time.Duration(0)
	if old == system {
		return
	}
	if e.election.running {
		old, took, e.election = e.election.old, e.now-e.election.since, election{}
	}
	e.list.Apply(playerlist.SetHost{ID: system})
	e.views.did(playerlist.SetHost{ID: system})
	e.host = system
	for _, p := range e.peers.all {
		p.passed = p.passed && e.views.on() && p.system != system
		e.liveness.pings.Remove(p.system)
	}
	e.liveness.rewatch()
	e.event(HostChanged{Old: old, New: system, Took: took})
	e.objects.SetHost(e.now, system)
	if len(e.requests.line) > 0 {
		e.requests.line[0].tries = 0
		e.requests.ask()
	}
}
