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
	if p != nil && lost {
		e.partition.remember(p)
	}
	if system == e.host && e.migrates() {
		e.migration.begin()
	}
	for _, op := range e.list.Departed(system) {
		if g, ok := op.(playerlist.DeleteGroup); ok && lost {
			e.partition.keepLinks(g.ID)
		}
		if e.apply(op) != nil {
			continue
		}
		if e.migration.running {
			e.migration.left = append(e.migration.left, deletion(op))
		}
		if e.hosting() {
			switch op := op.(type) {
			case playerlist.DeletePlayer:
				e.admission.ids.Free(op.ID)
			case playerlist.DeleteGroup:
				e.admission.ids.Free(op.ID)
			}
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
		e.migration.hostGone(why)
	case system == e.host:
		e.sessionLost(loss{why.cause, "the host is gone: " + why.text})
	case e.migration.running && system == e.migration.candidate:
		e.migration.elect(system)
	}
}

// sayGone tells the others that a machine is gone, by what says so of all that it had. That its groups go with it is known
// to peers with the extension. They take DELETEGROUP for somebody's will, and the machine may live on in another part of
// the session.
func (e *Engine) sayGone(all []wire.Message) {
	for _, m := range all {
		_, group := m.(*wire.DeleteGroup)
		for _, p := range e.peers.all {
			if !group || !p.modern {
				e.sendTCP(p.stream, m)
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

// beganAnew takes a machine for gone whose listener another one has now, and leaves what is sent there alone.
func (e *Engine) beganAnew(old *peer) {
	why := loss{CauseReplaced, "it joined again"}
	e.event(PeerLost{System: old.system, Cause: why.cause, Reason: why.text})
	e.departed(old.system, why, true)
	e.out.Close = slices.DeleteFunc(e.out.Close, func(to netip.AddrPort) bool { return to == old.stream })
}

// sessionLost ends the session against our will.
func (e *Engine) sessionLost(why loss) {
	if all := e.peers.all; !e.part(func() { e.closeAll(all) }) {
		e.closeAll(all)
	}
	requests := e.requests.takeAll()
	e.reset()
	for _, r := range requests {
		e.requests.answer(r, 0, ErrLost)
	}
	e.event(SessionLost{Cause: why.cause, Reason: why.text})
}

// deletion returns the message that announces an operation of Departed.
func deletion(op playerlist.Op) wire.Message {
	switch op := op.(type) {
	case playerlist.DeletePlayer:
		return &wire.DeletePlayer{Player: op.ID}
	case playerlist.DeleteGroup:
		return &wire.DeleteGroup{Group: op.ID}
	}
	return nil
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
