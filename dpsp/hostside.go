package dpsp

import (
	"net/netip"
	"slices"

	"dplay4/dpsp/internal/admit"
	"dplay4/dpsp/internal/share"
	"dplay4/playerlist"
	"dplay4/wire"
)

// requestPlayerID gives an id to a newcomer or to a member (3.2.5.4).
func (a *admission) requestPlayerID(o origin, m *wire.RequestPlayerID) {
	e := a.e
	if m.Flags&wire.PlayerSystem != 0 {
		a.requestAdmission(o.direct())
		return
	}
	d := e.list.Desc()
	switch {
	case a.Full(&d) || d.Flags&wire.SessionNewPlayersDisabled != 0:
		a.refuseID(e.answerTo(o), wire.ErrNoNewPlayers)
	case m.Flags&wire.PlayerServerPlayer != 0:
		a.refuseID(e.answerTo(o), wire.ErrInvalidFlags) // the server player is the host's (facts, 5.4)
	default:
		a.promise(e.answerTo(o), false)
	}
}

// requestAdmission gives an id to a machine that wants to join.
func (a *admission) requestAdmission(o origin) {
	e := a.e
	d := e.list.Desc()
	if p := e.peerOf(o); p != nil { // its players make room for the newcomer (see loseAt)
		d.CurrentPlayers -= uint32(len(playersOf(e.list, p.system)))
	}
	const closed = wire.SessionJoinDisabled | wire.SessionNewPlayersDisabled // who may make no player does not get in (facts, 10.5)
	if a.Full(&d) || d.Flags&closed != 0 || e.list.SuperSize() > wire.MaxMessage-newcomerSize {
		a.refuseID(o, wire.ErrNoNewPlayers)
		return
	}
	// A machine that asks again did not get our answer, or does not know yet that it did: it may use either one,
	// so both give the same id.
	for _, n := range a.Newcomers {
		if n.Listener == o.direct().listener && !n.Told {
			n.Deadline = e.now + idLife
			e.sendTCP(o.listener, &wire.RequestPlayerReply{ID: n.ID})
			return
		}
	}
	if !a.makeRoom(o) {
		a.refuseID(o, wire.ErrNoNewPlayers)
		e.drop(o, "REQUESTPLAYERID", LimitReached, "too many of its address are on their way in")
		return
	}
	if e.sharedAt(o.from.Addr().Unmap()) >= share.MaxAddress+share.MaxOctets {
		a.refuseID(o, wire.ErrNoNewPlayers)
		e.drop(o, "REQUESTPLAYERID", LimitReached, "the machines of its address have their share of the list")
		return
	}
	if id, ok := a.giveID(o); ok {
		a.Newcomers = append(a.Newcomers, &admit.Newcomer{ID: id, Listener: o.listener, Deadline: e.now + idLife})
	}
}

// newcomerSize is what a newcomer adds to the list that it is sent.
const newcomerSize = wire.SuperPackedFixed + 1 + wire.SPDataSize

func (a *admission) giveID(o origin) (wire.PlayerID, bool) {
	id, err := a.IDs.Reserve()
	if err != nil {
		a.refuseID(o, wire.ErrNoNewPlayers)
		return 0, false
	}
	a.e.sendTCP(o.listener, &wire.RequestPlayerReply{ID: id})
	return id, true
}

func (a *admission) refuseID(o origin, why wire.HResult) {
	a.e.sendTCP(o.listener, &wire.RequestPlayerReply{Result: why})
	a.e.hangUp(o)
}

// requestGroupID gives a member an id for a group.
func (a *admission) requestGroupID(o origin, _ *wire.RequestGroupID) {
	a.promise(a.e.answerTo(o), true)
}

// addForwardRequest lets a newcomer in: it goes into the list, the members are told, and when all have
// acknowledged it, it gets the list (3.2.5.5).
func (e *Engine) addForwardRequest(o origin, version wire.Dialect, m *wire.AddForwardRequest) {
	const name = "ADDFORWARDREQUEST"
	n := e.admission.Newcomer(m.Player)
	if n != nil && n.Listener != o.direct().listener {
		n = nil
	}
	if p := e.peerOf(o); n == nil && p != nil && p.system == m.Player {
		if e.admission.mayAsk(o, name) {
			e.admission.sendList(p.stream, p.system, ListAgain) // it did not get the list, or not in time
		}
		return
	}
	if n == nil {
		e.drop(o, name, OutOfTurn, "its sender was given no such id")
		return
	}
	password := e.list.Session().Password
	switch {
	case n.Told:
		return // it asks once more while the members are still to know of it
	case hasText(password) && !password.Equal(m.Password):
		// Only the host can check it, and only here (facts, 5.3).
		e.admission.refuse(o, n, wire.ErrInvalidPassword)
		return
	}
	e.loseAt(o, loss{CauseReplaced, "it joined again"}) // its program ended unnoticed and began anew
	entry := playerlist.EntryOf(&m.Info)
	entry.ID, entry.Flags = m.Player, wire.PlayerSystem
	entry.SPData = e.admission.filled(m.Info.SPData, o)
	if entry.Dialect == 0 {
		entry.Dialect = uint32(version)
	}
	e.letIn(o, name, n, m.Password, entry)
}

// loseAt loses what was at a listener before. The connection to it stays: whoever is there now is about to be told.
func (e *Engine) loseAt(o origin, why loss) {
	for _, o := range []origin{o, o.direct()} {
		for old := e.peerOf(o); old != nil; old = e.peerOf(o) {
			e.lose(old, why)
		}
		e.out.Close = slices.DeleteFunc(e.out.Close, func(at netip.AddrPort) bool { return at == o.listener })
	}
}

// letIn puts a newcomer into the list and tells the members of it. Nil if that is not possible.
func (e *Engine) letIn(o origin, name string, n *admit.Newcomer, password wire.Text, entry playerlist.Entry) *peer {
	add := playerlist.AddPlayer{Entry: entry}
	err := e.share(add)
	if err == nil {
		_, err = e.list.Apply(add)
	}
	if err == nil {
		maker := e.views.maker
		e.views.maker = 0
		e.views.did(add)
		e.views.maker = maker
	}
	if err != nil {
		e.drop(o, name, Conflict, err.Error())
		e.admission.refuse(o, n, wire.ErrCantCreatePlayer)
		return nil
	}
	e.admission.IDs.Hold(n.ID)
	e.admission.tellMembers(n)
	p := e.addPeer(n.ID, entry.SPData, wire.Dialect(entry.Dialect), o.from.Addr().Unmap())
	e.peers.move(p, n.Listener, o.listener)
	p.seen = n.Listener.Addr()
	p.text.hear(password)
	e.event(PeerJoined{System: p.system, Addr: p.stream})
	e.admission.admit(n)
	return p
}

// refuse ends an admission.
func (a *admission) refuse(o origin, n *admit.Newcomer, why wire.HResult) {
	a.e.sendTCP(n.Listener, &wire.AddForwardReply{Error: why})
	a.IDs.Free(n.ID)
	a.Remove(n)
	a.e.hangUp(o.direct())
}

// filled returns a newcomer's service provider data as others need it: where it says 0.0.0.0, the address that
// it sent from, and for TCP the port of its header (footnote 22).
func (a *admission) filled(data []byte, o origin) []byte {
	d, ok := wire.ParseSPData(data)
	if !ok {
		d = wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet}, Datagram: wire.SockAddr{Family: wire.FamilyINet}}
	}
	ip := o.listener.Addr().Unmap()
	if !ip.Is4() {
		return data
	}
	if d.Stream.Addr == [4]byte{} {
		d.Stream.Addr, d.Stream.Port = ip.As4(), o.listener.Port()
	}
	if d.Datagram.Addr == [4]byte{} {
		d.Datagram.Addr = ip.As4()
	}
	if a.e.isTaken(d.Stream) {
		d.Stream = sockAddr(o.direct().listener)
	}
	return d.Append(nil)
}

// isTaken reports whether a newcomer's address is a member's already. Members take who has the listener of a newcomer for
// gone, so that one newcomer could throw another machine out.
func (s *sessionState) isTaken(stream wire.SockAddr) bool {
	at := resolve(stream, netip.Addr{})
	return slices.ContainsFunc(s.list.AppendSystems(nil), func(id wire.PlayerID) bool {
		p, _ := s.list.Get(id)
		d, ok := wire.ParseSPData(p.SPData)
		return ok && resolve(d.Stream, netip.Addr{}) == at
	})
}

// tellMembers announces a newcomer to every member. In a client/server session clients do not know each other.
func (a *admission) tellMembers(n *admit.Newcomer) {
	e := a.e
	n.Told, n.Latest = true, e.now+e.cfg.firstAck()
	n.Deadline = n.Latest
	if e.flags()&wire.SessionClientServer != 0 {
		return
	}
	info, _ := e.list.Packed(n.ID, e.self)
	for _, p := range e.peers.all {
		if a.Newcomer(p.system) != nil {
			continue // the list that it will get names the newcomer; before that it would not listen (facts, 6)
		}
		e.sendTCP(p.stream, &wire.AddForward{Player: n.ID, Info: info})
		p.owes = append(p.owes, n.ID)
	}
}

// addForwardAck notes that a member knows a newcomer. The id in it is the newcomer's by the specification; as
// no capture shows what Windows sends, the sender's own will do as well.
func (a *admission) addForwardAck(o origin, m *wire.AddForwardAck) {
	e := a.e
	p, id := e.peerOf(o), m.ID
	if i := slices.IndexFunc(p.owes, func(id wire.PlayerID) bool { return e.peerByID(id) != nil }); id == p.system && i >= 0 {
		id, p.owes = p.owes[i], p.owes[i:] // those before it are gone
	}
	if !p.acknowledges(id) {
		e.drop(o, "ADDFORWARDACK", OutOfTurn, "no acknowledgement was due")
		return
	}
	p.silent = false
	if n := a.Newcomer(id); n != nil {
		n.Deadline = min(n.Latest, e.now+e.cfg.laterAck())
		a.admit(n)
	}
}

// admit sends the list to a newcomer that is in the session, unless a member is still to acknowledge it.
func (a *admission) admit(n *admit.Newcomer) {
	if !n.Told || len(a.awaited(n)) > 0 {
		return
	}
	a.Remove(n)
	p := a.e.peerByID(n.ID)
	if p == nil {
		return // it is gone again
	}
	a.sendList(p.stream, n.ID, FirstList)
	a.e.liveness.rewatch()
}

// sendList sends the list of players to a newcomer, or to somebody who asks.
func (a *admission) sendList(to netip.AddrPort, newcomer wire.PlayerID, which List) {
	e := a.e
	out := Outgoing{Transport: TCP, To: to, Priority: true, List: which}
	v := playerlist.View{Sender: e.self, Newcomer: newcomer}
	name := e.sessionName(e.encoding())
	if p := e.peerByID(newcomer); p != nil {
		name = e.sessionName(e.encodingFor(p.text))
	}
	if e.flags()&wire.SessionClientServer == 0 {
		m := e.list.SuperEnumPlayersReply(v)
		m.Name = name
		e.sendAs(out, m)
		return
	}
	// A client knows the server's players and its own, and no groups but its own (facts, 5.4).
	v.Keep = func(id, system wire.PlayerID, _ wire.PlayerFlags) bool {
		_, group := e.list.Kind(id)
		return !group && (system == e.self || system == newcomer)
	}
	m := e.list.EnumPlayersReply(v)
	m.Name = name
	e.sendAs(out, m)
}

// enumPlayer answers a request for the list by a machine that is not in the session (3.1.4.3), if we are compatible. As
// a rule nobody is told who is not in it, or not on its way in: the list has everybody's address.
func (a *admission) enumPlayer(o origin) {
	e := a.e
	if a.mayAsk(o, "ENUMPLAYER") {
		o = e.answerTo(o)
		a.sendList(o.listener, 0, ListAgain)
		e.hangUp(o)
	}
}

// mayAsk reports whether somebody is sent the list that it asks for, and counts that: a member maxLists times in a period, a stranger
// by its address.
func (a *admission) mayAsk(o origin, name string) bool {
	may := false
	if p := a.e.peerOf(o); p != nil {
		may = p.lists.take(maxLists, a.e.now, a.e.cfg.Period)
	} else {
		may = a.MaySee(o.from.Addr().Unmap(), a.e.now)
	}
	if !may {
		a.e.drop(o, name, LimitReached, "it asks for the list of players too often")
	}
	return may
}
