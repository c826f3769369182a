package dpsp

import (
	"net/netip"
	"time"

	"dplay4/hostmigrate/object"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A rejoining is the way back into a session that we were in, at another host or at one that took us for lost.
type rejoining struct {
	e       *Engine
	list    *playerlist.List // as it was for us
	self    wire.PlayerID    // what we were in it
	host    wire.PlayerID
	late    time.Duration // until then others may bring what ours was linked with
	objects *object.Table // nil: none
	refused int           // how often
	new     bool          // our id is somebody else's now: we join like a stranger
}

// rejoinTries is how often a host is asked to take us back. Both ends of a network that broke are slow to notice.
const rejoinTries = 5

// rejoin goes over to another host with all that is ours. Connections stay open: most of the machines at their ends
// will be there again.
func (pt *partition) rejoin(at netip.AddrPort, host wire.PlayerID) {
	e := pt.e
	s := e.list.Session()
	e.reconcile.table, e.reconcile.pending = nil, pending{}
	for _, p := range e.peers.all {
		pt.remember(p) // one that does not come over, too, is to hear of the other host
	}
	kept := e.leaveObjects()
	e.join = joining{
		e: e, past: e.join.past,
		want: Join{Host: at, Desc: s.Desc, Name: e.text.read(s.Name), Password: Octets(s.Password)}, admitted: true,
		back: &rejoining{e: e, list: e.list, self: e.self, host: e.migration.lastHost(), objects: kept},
	}
	pt.back, pt.askedBack = nil, askedBack{}
	for _, p := range e.peers.all {
		e.frames().Close(&p.frameLinks)
	}
	e.state, e.migration, e.peers, e.admission, e.liveness = joinState, migration{e: e}, roster{}, admission{e: e}, newLiveness(e)
	e.fragments, e.holdback = fragments{}, holdback{}
	e.requests.wait(Never)
	e.join.ask()
}

// maxTries returns how often a request on the way into a session is sent.
func (j *joining) maxTries() int {
	if j.back != nil {
		return max(j.e.cfg.Tries, rejoinTries)
	}
	return j.e.cfg.Tries
}

// goesBack reports whether we are on the way back into a session.
func (j *joining) goesBack() bool { return j.e.state == joinState && j.back != nil }

// askBack asks a host to take us back.
func (pt *partition) askBack() {
	e := pt.e
	j := &e.join
	e.sendTCP(j.want.Host, wire.NewExtension(e.self, &wire.ExtensionRejoin{
		Secret: pt.secrets.current, Instance: j.want.Desc.Instance, Reserved1: j.want.Desc.Reserved1, Host: j.back.host,
		Dialect: uint32(e.cfg.Dialect), SPData: e.cfg.spData(),
	}))
}

// notTakenBack joins like a stranger when our id is not ours any more, or ends the session for us.
func (pt *partition) notTakenBack(err error) {
	j := &pt.e.join
	if err != wire.ErrCantCreatePlayer || j.back.refused >= rejoinTries {
		pt.e.state = member // it was, so far
		host := j.want.Host
		pt.e.sessionLost(loss{CauseRefused, "the host at " + host.String() + " does not take us back: " + err.Error()})
		pt.e.hangUpAt(host)
		return
	}
	// The new id may be refused as well: one that comes back later may have brought it meanwhile.
	j.back.refused++
	j.back.new, j.admitted, j.tries = true, false, 0
	j.ask()
}

// rejoinRequest takes a machine back that was lost, or that comes over from another part of the session.
func (pt *partition) rejoinRequest(o origin, id wire.PlayerID, b *wire.ExtensionRejoin) {
	e := pt.e
	const name = "EXTENSION REJOIN"
	d := e.list.Desc()
	switch {
	case b.Instance != d.Instance || b.Reserved1 != d.Reserved1:
		e.drop(o, name, NotMember, "it does not know the session")
		return
	case e.admission.admitting(id):
		e.drop(o, name, OutOfTurn, "it is being let in already")
		return
	}
	old := e.peerOf(o)
	if old != nil && old.system == id && !e.beginsAnew(old) { // we had not lost it
		pt.merged(b.Host)
		pt.lost.forget(id)
		pt.readmitted.add(id, e.now)
		if e.admission.mayAsk(o, name) {
			e.admission.sendList(old.stream, id, ListAgain)
		}
		return
	}
	if !pt.secrets.knows(b.Secret) && !pt.wasHere(o, id) {
		e.drop(o, name, NotMember, id.String()+" was never in the session")
		pt.refuseReturn(o.direct()) // it may join like everybody
		return
	}
	pt.secrets.learn(b.Secret) // those who are still in its part show it, too
	e.admission.loseAt(o, loss{CauseReplaced, "it came back"})
	pt.lost.forget(id)
	n := newNewcomer(id, o, 0)
	if _, there := e.list.System(id); there || id == wire.IDAll || e.list.SuperSize() > wire.MaxMessage-newcomerSize ||
		!e.admission.makeRoom(o) {
		pt.refuseReturn(o.direct())
		return
	}
	pt.merged(b.Host)
	e.admission.newcomers = append(e.admission.newcomers, n)
	entry := playerlist.Entry{ID: id, Flags: wire.PlayerSystem, Dialect: b.Dialect, SPData: e.admission.filled(b.SPData, o)}
	if p := e.admission.letIn(o, name, n, entry); p != nil {
		p.modern, p.back = true, true
		pt.readmitted.add(id, e.now)
	}
}

// refuseReturn does not take a machine back under the id that it had.
func (pt *partition) refuseReturn(o origin) {
	pt.e.sendTCP(o.listener, &wire.AddForwardReply{Error: wire.ErrCantCreatePlayer})
	pt.e.hangUp(o)
}

// merged notes that machines come over that had another host. The program is told once of each.
func (pt *partition) merged(host wire.PlayerID) {
	e := pt.e
	if host == 0 || host == e.self || host == pt.mergedFrom {
		return
	}
	pt.split(host)
	pt.rival, pt.mergedFrom = 0, host
	e.event(SessionHealed{Host: e.self, System: e.self})
	for _, p := range e.peers.all {
		if p.modern {
			e.send(TCP, p.stream, pt.ourClaim(0))
		}
	}
}

// comeBack tells the program what is different now that we are back, and the others what is ours.
func (b *rejoining) comeBack() {
	e := b.e
	if h := e.peerByID(e.host); h != nil {
		h.modern = true // it understood that we come back
	}
	b.bring()
	for _, op := range playerlist.Diff(b.known(), e.list) {
		b.tell(op)
	}
	if b.host != e.host {
		e.event(HostChanged{Old: b.host, New: e.host})
	}
	for _, id := range e.list.AppendGroups(nil) {
		e.partition.recall(id)
	}
	b.late = e.now + idLife
	e.partition.back, e.partition.askedBack = b, askedBack{until: e.now + askedLate}
	e.partition.rival = 0
	e.event(SessionHealed{Host: e.host, System: e.self})
	e.requests.resume()
}

// known returns the list that the program knows. If our id changed, the old one may be another machine's by now, with players that
// have the ids of ours, so that Diff would take them for the same: known tells the program first that ours are deleted.
func (b *rejoining) known() *playerlist.List {
	if !b.new {
		return b.list
	}
	known, err := playerlist.Load(b.list.State())
	if err != nil { // no list's state is refused
		return b.list
	}
	for _, op := range known.Departed(b.self) {
		b.tell(op)
		known.Apply(op)
	}
	return known
}

// tell adds the event of an operation that changes the list which the program knows.
func (b *rejoining) tell(op playerlist.Op) {
	var before playerlist.Entry
	if gone, ok := op.(playerlist.DeletePlayer); ok {
		before, _ = b.list.Get(gone.ID)
	}
	b.e.changed(op, &before)
}

// same reports whether the entries of an id in two lists are the same player or group.
func same(p, q playerlist.Entry) bool {
	return p.ID == q.ID && p.System == q.System && p.Group == q.Group
}
