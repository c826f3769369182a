package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// open begins a session of our own.
func (e *Engine) open(c Host) error {
	const routed = wire.SessionClientServer | wire.SessionMulticastServer | wire.SessionSecureServer
	switch {
	case e.state != idle:
		return ErrInSession
	case e.asking != nil:
		return ErrBusy
	case c.Flags&wire.SessionMigrateHost != 0 && c.Flags&routed != 0:
		return ErrFlags // as Windows has it (facts, 5.4)
	case c.Flags&wire.SessionSecureServer != 0:
		return ErrSecure
	case c.Flags&wire.SessionDirectPlayProtocol != 0:
		return ErrReliable
	}
	enc, _ := e.cfg.encodingOf(c.Application)
	s := playerlist.Session{Name: c.Name.in(enc), Password: c.Password.optional(enc)}
	s.Desc = wire.SessionDesc{
		Flags: sessionFlags(c.Flags, c.Password), Instance: c.Instance, Application: c.Application,
		MaxPlayers: c.MaxPlayers, Reserved1: e.rng.Uint32(), User: c.User,
	}
	if s.Desc.Instance.IsZero() {
		s.Desc.Instance = e.guid()
	}
	l, err := playerlist.New(s)
	if err != nil {
		return err
	}
	ids := playerlist.NewIDs(s.Desc.Reserved1, uint16(e.rng.Uint32N(1<<15)))
	self, err := ids.Reserve()
	if err != nil {
		return err
	}
	if _, err := l.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{
		ID: self, Flags: wire.PlayerSystem | wire.PlayerNameServer, Dialect: uint32(e.cfg.Dialect), SPData: e.spData(),
	}}); err != nil {
		return err
	}
	ids.Hold(self)
	e.list, e.ids, e.self, e.host, e.state = l, ids, self, self, member
	e.options, e.called = s.Desc.Flags, c.Name
	e.dec.Options.NoMessageID = c.Flags&wire.SessionNoMessageID != 0
	e.openTable()
	e.openObjects()
	if e.extended() {
		e.partition.secrets.take(e.guid())
	}
	e.event(SessionOpened{Desc: l.Desc(), Name: c.Name.String(), System: self, Host: self, Hosting: true})
	return nil
}

func (e *Engine) guid() wire.GUID {
	var g wire.GUID
	for i := range g {
		g[i] = byte(e.rng.Uint32())
	}
	return g
}

// requestPlayerID returns an id to a newcomer or to a member (3.2.5.4).
func (e *Engine) requestPlayerID(o origin, m *wire.RequestPlayerID) {
	const name = "REQUESTPLAYERID"
	if !e.hosting() {
		e.partition.sendElsewhere(o)
		e.drop(o, name, OutOfTurn, "we are not the host")
		return
	}
	if m.Flags&wire.PlayerSystem != 0 {
		e.requestAdmission(o.direct())
		return
	}
	d := e.list.Desc()
	switch {
	case e.peerOf(o) == nil:
		e.drop(o, name, NotMember, "its sender is not in the session")
	case e.fullWithReserved(&d) || d.Flags&wire.SessionNewPlayersDisabled != 0:
		e.refuseID(e.answerTo(o), wire.ErrNoNewPlayers)
	case m.Flags&wire.PlayerServerPlayer != 0:
		e.refuseID(e.answerTo(o), wire.ErrInvalidFlags) // the server player is the host's (facts, 5.4)
	default:
		e.promise(e.answerTo(o), false)
	}
}

// requestAdmission returns an id to a machine that wants to join.
func (e *Engine) requestAdmission(o origin) {
	d := e.list.Desc()
	const closed = wire.SessionJoinDisabled | wire.SessionNewPlayersDisabled // who may make no player does not get in (facts, 10.5)
	if e.fullWithReserved(&d) || d.Flags&closed != 0 || e.list.SuperSize() > wire.MaxMessage-newcomerSize {
		e.refuseID(o, wire.ErrNoNewPlayers)
		return
	}
	// A machine that asks again did not get our answer, or does not know yet that it did: it may use either one,
	// so both give the same id.
	for _, a := range e.admits {
		if a.is(o) && !a.told {
			a.deadline = e.now + idLife
			e.sendTCP(o.listener, &wire.RequestPlayerReply{ID: a.id})
			return
		}
	}
	if !e.roomForNewcomer(o) {
		e.refuseID(o, wire.ErrNoNewPlayers)
		e.drop(o, "REQUESTPLAYERID", LimitReached, "too many of its address are on their way in")
		return
	}
	if id, ok := e.giveID(o); ok {
		e.admits = append(e.admits, newAdmission(id, o, e.now+idLife))
	}
}

// newcomerSize is what a newcomer adds to the list that it is sent.
const newcomerSize = wire.SuperPackedFixed + 1 + wire.SPDataSize

// A promise is an id that a member was given for a player or group which is not there yet.
type promise struct {
	id       wire.PlayerID
	to       wire.PlayerID // the member's system player
	group    bool
	deadline time.Duration
}

// Ids that are promised at a time are bounded, in all and for each member. Programs ask for one after the other.
const (
	maxPromises     = 1024
	maxPromisesEach = 64
)

// promise returns a member an id.
func (e *Engine) promise(o origin, group bool) {
	to, n := e.peerOf(o).system, 0
	for _, p := range e.promises {
		if p.to == to {
			n++
		}
	}
	if len(e.promises) >= maxPromises || n >= maxPromisesEach {
		e.refuseID(o, wire.ErrNoNewPlayers)
		return
	}
	if id, ok := e.giveID(o); ok {
		e.promises = append(e.promises, promise{id, to, group, e.now + idLife})
	}
}

// promised reports whether a machine was given an id that it has not used yet. What for does not matter: a member
// whose request timed out takes the late answer for the one to its next request.
func (e *Engine) promised(id, to wire.PlayerID) bool {
	return slices.ContainsFunc(e.promises, func(p promise) bool { return p.id == id && p.to == to }) || e.partition.readmitted.has(to, e.now) ||
		e.brings(id, to)
}

// brings reports whether a machine of ours may announce an id that nobody has: the host before us gave it, or we did, and
// what announced it was lost.
func (e *Engine) brings(id, to wire.PlayerID) bool {
	p, d := e.peerByID(to), e.list.Desc()
	return p != nil && p.modern && e.migrates() && !e.ids.Reserved(id) &&
		!e.fullWithReserved(&d) && d.Flags&wire.SessionNewPlayersDisabled == 0
}

// breakPromises takes back the ids that a machine which is gone did not use.
func (e *Engine) breakPromises(to wire.PlayerID) {
	e.promises = slices.DeleteFunc(e.promises, func(p promise) bool {
		if p.to == to {
			e.ids.Free(p.id)
		}
		return p.to == to
	})
}

// keepPromise notes that an id is in use now.
func (e *Engine) keepPromise(id wire.PlayerID) {
	e.promises = slices.DeleteFunc(e.promises, func(p promise) bool { return p.id == id })
	e.ids.Hold(id)
}

// fullWithReserved reports whether the session is full, counting ids that are promised to players.
func (e *Engine) fullWithReserved(d *wire.SessionDesc) bool {
	n := int(d.CurrentPlayers)
	for _, p := range e.promises {
		if !p.group {
			n++
		}
	}
	return d.MaxPlayers > 0 && n >= int(d.MaxPlayers)
}

func (e *Engine) giveID(o origin) (wire.PlayerID, bool) {
	id, err := e.ids.Reserve()
	if err != nil {
		e.refuseID(o, wire.ErrNoNewPlayers)
		return 0, false
	}
	e.sendTCP(o.listener, &wire.RequestPlayerReply{ID: id})
	return id, true
}

func (e *Engine) refuseID(o origin, why wire.HResult) {
	e.sendTCP(o.listener, &wire.RequestPlayerReply{Result: why})
	e.hangUp(o)
}

// requestGroupID returns an id for a group.
func (e *Engine) requestGroupID(o origin, _ *wire.RequestGroupID) {
	switch {
	case !e.hosting():
		e.partition.sendElsewhere(o)
		e.drop(o, "REQUESTGROUPID", OutOfTurn, "we are not the host")
	case e.peerOf(o) == nil:
		e.drop(o, "REQUESTGROUPID", NotMember, "its sender is not in the session")
	default:
		e.promise(e.answerTo(o), true)
	}
}

// addForwardRequest lets a newcomer in: it goes into the list, the members are told, and when all have
// acknowledged it, it gets the list (3.2.5.5).
func (e *Engine) addForwardRequest(o origin, version wire.Dialect, m *wire.AddForwardRequest) {
	const name = "ADDFORWARDREQUEST"
	if !e.hosting() {
		e.drop(o, name, OutOfTurn, "we are not the host")
		return
	}
	i := slices.IndexFunc(e.admits, func(a *admission) bool { return a.id == m.Player && a.is(o) })
	if p := e.peerOf(o); i < 0 && p != nil && p.system == m.Player {
		e.sendList(p.stream, p.system) // it did not get the list, or not in time
		return
	}
	if i < 0 {
		e.drop(o, name, OutOfTurn, "its sender was given no such id")
		return
	}
	a := e.admits[i]
	password := e.list.Session().Password
	switch {
	case a.told:
		return // it asks once more while the members are still to know of it
	case hasText(password) && !password.Equal(m.Password):
		// Only the host can check it, and only here (facts, 5.3).
		e.refuse(o, a, wire.ErrInvalidPassword)
		return
	}
	a.text.hear(m.Password)
	e.loseAt(o, "it joined again") // its program ended unnoticed and began anew
	entry := playerlist.EntryOf(&m.Info)
	entry.ID, entry.Flags = m.Player, wire.PlayerSystem
	entry.SPData = e.filled(m.Info.SPData, o)
	if entry.Dialect == 0 {
		entry.Dialect = uint32(version)
	}
	e.letIn(o, name, a, entry)
}

// loseAt loses what was at a listener before. The connection to it stays: whoever is there now is about to be told.
func (e *Engine) loseAt(o origin, why string) {
	for _, o := range []origin{o, o.direct()} {
		for old := e.peerOf(o); old != nil; old = e.peerOf(o) {
			e.lose(old, why)
			e.partition.lost.forget(old.system)
		}
		e.out.Close = slices.DeleteFunc(e.out.Close, func(at netip.AddrPort) bool { return at == o.listener })
	}
}

// letIn puts a newcomer into the list and tells the members of it. Nil if that is not possible.
func (e *Engine) letIn(o origin, name string, a *admission, entry playerlist.Entry) *peer {
	add := playerlist.AddPlayer{Entry: entry}
	err := e.share(add)
	if err == nil {
		_, err = e.list.Apply(add)
	}
	if err != nil {
		e.drop(o, name, Conflict, err.Error())
		e.refuse(o, a, wire.ErrCantCreatePlayer)
		return nil
	}
	e.ids.Hold(a.id)
	e.tellMembers(a)
	p := e.addPeer(a.id, entry.SPData, wire.Dialect(entry.Dialect), o.from.Addr().Unmap())
	e.peers.move(p, a.listener, o.listener)
	p.seen, p.text = a.from, a.text
	e.event(PeerJoined{System: p.system, Addr: p.stream})
	e.admit(a)
	return p
}

// refuse ends an admission.
func (e *Engine) refuse(o origin, a *admission, why wire.HResult) {
	e.sendTCP(a.listener, &wire.AddForwardReply{Error: why})
	e.ids.Free(a.id)
	e.removeAdmission(a)
	e.hangUp(o.direct())
}

// filled returns a newcomer's service provider data as others need it: where it says 0.0.0.0, the address that
// it sent from, and for TCP the port of its header (footnote 22).
func (e *Engine) filled(data []byte, o origin) []byte {
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
	if e.isTaken(d.Stream) {
		d.Stream = sockAddr(o.direct().listener)
	}
	return d.Append(nil)
}

// isTaken reports whether a newcomer's address is a member's already. Members take who has the listener of a newcomer for
// gone, so that one newcomer could throw another machine out.
func (e *Engine) isTaken(stream wire.SockAddr) bool {
	at := resolve(stream, netip.Addr{})
	return slices.ContainsFunc(e.list.AppendSystems(nil), func(id wire.PlayerID) bool {
		p, _ := e.list.Get(id)
		d, ok := wire.ParseSPData(p.SPData)
		return ok && resolve(d.Stream, netip.Addr{}) == at
	})
}

// tellMembers announces a newcomer to every member. In a client/server session clients do not know each other.
func (e *Engine) tellMembers(a *admission) {
	a.told, a.deadline = true, e.now+e.cfg.Populate
	if e.flags()&wire.SessionClientServer != 0 {
		return
	}
	info, _ := e.list.Packed(a.id, e.self)
	for _, p := range e.peers.all {
		if e.admitting(p.system) {
			continue // the list that it will get names the newcomer; before that it would not listen (facts, 6)
		}
		e.sendTCP(p.stream, &wire.AddForward{Player: a.id, Info: info})
		if !p.silent {
			a.waiting = append(a.waiting, p.system)
		}
	}
}

// addForwardAck notes that a member knows a newcomer. The id in it is the newcomer's by the specification; as
// no capture shows what Windows sends, the sender's own will do as well.
func (e *Engine) addForwardAck(o origin, m *wire.AddForwardAck) {
	p := e.peerOf(o)
	switch {
	case !e.hosting():
		e.drop(o, "ADDFORWARDACK", OutOfTurn, "we are not the host")
		return
	case p == nil:
		e.drop(o, "ADDFORWARDACK", NotMember, "its sender is not in the session")
		return
	}
	p.silent = false
	for _, a := range slices.Clone(e.admits) {
		if !a.told || m.ID != a.id && m.ID != p.system {
			continue
		}
		if i := slices.Index(a.waiting, p.system); i >= 0 {
			a.waiting = slices.Delete(a.waiting, i, i+1)
			e.admit(a)
			return
		}
	}
	e.drop(o, "ADDFORWARDACK", OutOfTurn, "no acknowledgement was due")
}

// admit sends the list to a newcomer that nobody is waited for any more.
func (e *Engine) admit(a *admission) {
	if len(a.waiting) > 0 {
		return
	}
	e.removeAdmission(a)
	p := e.peerByID(a.id)
	if p == nil {
		return // it is gone again
	}
	e.sendList(p.stream, a.id)
	e.rewatch()
}

// sendList sends the list of players to a newcomer, or to somebody who asks.
func (e *Engine) sendList(to netip.AddrPort, newcomer wire.PlayerID) {
	v := playerlist.View{Sender: e.self, Newcomer: newcomer}
	name := e.sessionName(e.encoding())
	if p := e.peerByID(newcomer); p != nil {
		name = e.sessionName(e.encodingFor(p.text))
	}
	if e.flags()&wire.SessionClientServer == 0 {
		m := e.list.SuperEnumPlayersReply(v)
		m.Name = name
		e.sendTCP(to, m)
		return
	}
	// A client knows the server's players and its own, and no groups but its own (facts, 5.4).
	v.Keep = func(id, system wire.PlayerID, _ wire.PlayerFlags) bool {
		_, group := e.list.Kind(id)
		return !group && (system == e.self || system == newcomer)
	}
	m := e.list.EnumPlayersReply(v)
	m.Name = name
	e.sendTCP(to, m)
}

// enumPlayer answers a request for the list by a machine that is not in the session (3.1.4.3), if we are compatible. As
// a rule nobody is told who is not in it, or not on its way in: the list has everybody's address.
func (e *Engine) enumPlayer(o origin) {
	switch {
	case !e.hosting():
		e.drop(o, "ENUMPLAYER", OutOfTurn, "we are not the host")
	case !e.cfg.Compatible && e.peerOf(o) == nil:
		e.drop(o, "ENUMPLAYER", NotMember, "its sender is not in the session")
	default:
		o = e.answerTo(o)
		e.sendList(o.listener, 0)
		e.hangUp(o)
	}
}
