package dpsp

import (
	"net/netip"
	"slices"

	"dplay4/playerlist"
	"dplay4/wire"
)

// departed removes a machine with all it owned. If it was the host, another one is looked for, or the session is
// lost. A machine that was lost, not one that left, may live on elsewhere.
func (e *Engine) departed(system wire.PlayerID, why loss, lost bool) {
	p := e.peerByID(system)
	if system == e.host && e.migrates() {
		e.migration.begin()
	}
	for _, op := range e.list.Departed(system) {
		if g, ok := op.(playerlist.DeleteGroup); ok && lost {
			e.views.keepLinks(g.ID)
		}
		if e.apply(op) != nil {
			continue
		}
		if e.migration.running {
			e.migration.left = append(e.migration.left, deletion(op))
		}
		if e.hosting() {
			e.admission.IDs.Free(deletedID(deletion(op)))
		}
	}
	if p != nil {
		e.removePeer(p)
	}
	if e.hosting() {
		e.admission.departed(system)
	}
	switch {
	case system == e.host && e.migration.running:
		e.hostGone(why)
	case system == e.host:
		e.sessionLost(loss{why.cause, "the host is gone: " + why.text})
	case e.migration.running && system == e.migration.candidate:
		e.elect()
	}
}

// sayGone sends the others the deletions of a lost machine's players and groups. Modern peers get no DELETEGROUP: it states a program's will,
// and the machine may live on in another part of the session. If toAll is false only legacy peers get
// the deletions, because the leader's log has them.
func (s *sender) sayGone(all []wire.Message, toAll bool) {
	for _, m := range all {
		_, group := m.(*wire.DeleteGroup)
		for _, p := range s.peers.all {
			if toAll && (!group || !p.modern) || !toAll && !s.viewing.knows(p) {
				s.sendTCP(p.stream, m)
			}
		}
	}
}

// replaced removes a machine whose program ended unnoticed and began anew: a newcomer has its listener.
func (e *Engine) replaced(entry *playerlist.Entry, o origin) {
	d, ok := wire.ParseSPData(entry.SPData)
	if !ok {
		return
	}
	at := resolve(d.Stream, o.from.Addr())
	sender := e.peerOf(o) // a newcomer whose address it did not fill in seems to be where it is
	for old := e.peerAt(at); old != nil && old != sender && old.system != entry.ID; old = e.peerAt(at) {
		e.beganAnew(old)
	}
}

// beganAnew removes a machine whose listener another one has, and leaves the connection there open.
func (e *Engine) beganAnew(old *peer) {
	why := loss{CauseReplaced, "it joined again"}
	e.event(PeerLost{System: old.system, Cause: why.cause, Reason: why.text})
	e.departed(old.system, why, true)
	e.out.Close = slices.DeleteFunc(e.out.Close, func(to netip.AddrPort) bool { return to == old.stream })
}

// sessionLost ends the session against our will.
func (e *Engine) sessionLost(why loss) {
	e.end(parting{peers: e.peers.all}, ErrLost, SessionLost{Cause: why.cause, Reason: why.text})
}
