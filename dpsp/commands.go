package dpsp

import (
	"dplay4/playerlist"
	"dplay4/wire"
)

// command does what the program asks, and answers it unless the host has to be asked first.
func (e *Engine) command(c Command, token uint64) {
	var err error
	switch c := c.(type) {
	case Enumerate:
		err = e.search.enumerate(c)
	case EnumeratePlayers:
		if err = e.search.enumeratePlayers(token, c); err == nil {
			return
		}
	case Host:
		err = e.open(c)
	case Join:
		if err = e.join.begin(token, c); err == nil {
			return
		}
		e.event(JoinFailed{Host: c.Host, Err: err})
	case Leave:
		if err = e.leave(token, true); err == nil {
			return
		}
	case Send:
		err = e.sendGame(c)
	case Cancel:
		if e.frames().Cancel(c.Notify, min(c.Priority, MaxPriority)) == 0 {
			err = ErrNoMessage
		}
	case Chat:
		err = e.sendChat(c)
	case CreateObject, UpdateObject, MigrateObject, DestroyObject, BalanceObjects:
		if e.state != member {
			err = ErrNoSession
			break
		}
		e.objectCommand(token, c)
		return
	case CreatePlayer, CreateGroup:
		if e.state != member {
			err = ErrNoSession
			break
		}
		e.create(token, c)
		return
	default:
		if e.state != member {
			err = ErrNoSession
			break
		}
		err = e.listCommand(c)
	}
	e.done(token, e.self, err)
}

// checkNew reports whether the program may make a player or group at all.
func (s *sessionState) checkNew(c Command) error {
	p, ok := c.(CreatePlayer)
	switch {
	case s.share(s.newEntry(0, c)) != nil:
		return ErrShare
	case !ok:
		return nil
	case s.flags()&wire.SessionNewPlayersDisabled != 0:
		return wire.ErrCantCreatePlayer // also for the host (facts, 5.4)
	case p.Flags&wire.PlayerServerPlayer != 0 && !s.hosting():
		return wire.ErrInvalidFlags
	case p.Flags&wire.PlayerServerPlayer == 0 && s.hosting() && s.flags()&wire.SessionClientServer != 0:
		return wire.ErrAccessDenied // the host of such a session has the server player alone (facts, 5.4)
	}
	return nil
}

// makeOurs puts a player or group of ours into the list and announces it.
func (e *Engine) makeOurs(id wire.PlayerID, c Command) error {
	e.viewing.maker = 0 // not the host, whose answer gave the id
	op := e.newEntry(id, c)
	if err := e.applyShared(op); err != nil {
		return err
	}
	e.announce(e.messageOf(op))
	if _, ok := op.(playerlist.AddPlayer); ok {
		e.verify.made(id, e.now)
	}
	return nil
}

// newEntry returns the operation that makes a player or group of ours.
func (s *sessionState) newEntry(id wire.PlayerID, c Command) playerlist.Op {
	switch c := c.(type) {
	case CreatePlayer:
		short, long := bothNames(c.ShortName, c.LongName, s.encoding())
		return playerlist.AddPlayer{Entry: playerlist.Entry{
			ID: id, System: s.self, Flags: c.Flags, ShortName: short, LongName: long, Data: c.Data, SPData: s.cfg.spData(),
		}}
	case CreateGroup:
		short, long := bothNames(c.ShortName, c.LongName, s.encoding())
		return playerlist.AddGroup{Entry: playerlist.Entry{
			ID: id, System: s.self, Flags: c.Flags | wire.PlayerGroup, Parent: c.Parent,
			ShortName: short, LongName: long, Data: c.Data, // no SP data, as with Windows (facts, 10.3)
		}}
	}
	return nil
}

// routed reports whether what is meant for several goes through the host (MULTICASTSERVER).
func (s *sessionState) routed() bool {
	return !s.hosting() && s.flags()&wire.SessionMulticastServer != 0
}

// announce tells all members of a change of ours; through the host in a session with MULTICASTSERVER.
func (s *sender) announce(m wire.Message) {
	_, deletes := m.(*wire.DeletePlayer)
	switch {
	case ruleOf(m).group && s.flags()&wire.SessionClientServer != 0:
		// Machines of such a session do not share groups (facts, 5.4).
	case s.routed() && !deletes: // DELETEPLAYER is the one that goes to everybody all the same (3.1.4.5)
		if h := s.peerByID(s.host); h != nil {
			s.sendTCP(h.stream, &wire.Ask4Multicast{From: s.self, Inner: wire.Inner{Version: s.cfg.Dialect, Message: m}})
		}
	default:
		s.sendAll(m)
	}
	if _, ok := m.(*wire.CreatePlayer); ok {
		s.introduced()
	}
}

// listCommand does what changes the list without asking the host.
func (e *Engine) listCommand(c Command) error {
	switch c := c.(type) {
	case DeletePlayer:
		return e.change(c.ID, playerlist.DeletePlayer(c))
	case DeleteGroup:
		return e.destroyGroup(c.ID)
	case SetName:
		short, long := bothNames(c.ShortName, c.LongName, e.encoding())
		return e.change(c.ID, playerlist.SetName{ID: c.ID, ShortName: short, LongName: long})
	case SetData:
		return e.change(c.ID, playerlist.SetData(c))
	case AddToGroup:
		return e.change(0, playerlist.AddMember{Group: c.Group, Player: c.Player})
	case RemoveFromGroup:
		return e.change(0, playerlist.RemoveMember{Group: c.Group, Player: c.Player})
	case AddShortcut:
		return e.change(0, playerlist.AddShortcut{Parent: c.Parent, Child: c.Child})
	case RemoveShortcut:
		return e.change(0, playerlist.RemoveShortcut{Parent: c.Parent, Child: c.Child})
	case SetDesc:
		return e.setDesc(c)
	}
	return ErrNoID
}

// change applies and announces a change of one of our players or groups. id is 0 for a membership, which belongs to nobody.
func (e *Engine) change(id wire.PlayerID, op playerlist.Op) error {
	if id != 0 {
		switch _, ok := e.list.System(id); {
		case !ok:
			return ErrNoID
		case !e.ours(id) || id == e.self:
			return ErrNotOurs
		}
	}
	if err := e.applyShared(op); err != nil {
		return err
	}
	if _, ok := op.(playerlist.DeletePlayer); ok && e.hosting() {
		e.admission.IDs.Free(id)
	}
	if _, ok := op.(playerlist.SetData); ok && e.flags()&wire.SessionNoDataMessages != 0 && isPlayer(e.list, id) {
		return nil // ND: changes of players' data are not sent. The flag does not apply to groups (2.2.5, 3.1.1)
	}
	e.announce(e.messageOf(op))
	return nil
}

// fixedFlags are those under which members joined: they cannot change while the session lasts. Of the last two the SDK says
// so (facts, 10.5).
const fixedFlags = wire.SessionSecureServer | wire.SessionDirectPlayProtocol | wire.SessionNoMessageID | wire.SessionClientServer |
	wire.SessionMulticastServer | wire.SessionMigrateHost | wire.SessionKeepAlive

// setDesc changes the session. Every call is announced, also when nothing changed (facts, 5.4).
func (e *Engine) setDesc(c SetDesc) error {
	if !e.hosting() {
		return ErrNotHost
	}
	const routed = wire.SessionClientServer | wire.SessionMulticastServer
	switch {
	case c.Flags&wire.SessionSecureServer != 0:
		return wire.ErrInvalidParams // facts, 5.4
	case c.Flags&wire.SessionMigrateHost != 0 && e.flags()&routed != 0:
		return ErrFlags
	case (c.Flags^e.flags())&(wire.SessionMigrateHost|wire.SessionKeepAlive) != 0:
		return ErrFixed
	}
	old := e.list.Session()
	enc := e.encoding()
	s := playerlist.Session{Name: c.Name.in(enc), Password: c.Password.optional(enc), Desc: old.Desc}
	s.Desc.Flags = sessionFlags(c.Flags&^fixedFlags|old.Desc.Flags&fixedFlags, c.Password)
	s.Desc.MaxPlayers, s.Desc.User = c.MaxPlayers, c.User
	if err := e.apply(playerlist.SetDesc{Session: s}); err != nil {
		return err
	}
	e.text.called = c.Name
	if e.flags()&wire.SessionNoSessionDescMessages != 0 {
		return nil
	}
	s = e.list.Session()
	return e.eachEncoding(e.peers.all, func(enc wire.Encoding, to []*peer) error {
		e.sendTo(to, &wire.SessionDescChanged{Desc: s.Desc, Name: c.Name.in(enc), Password: c.Password.optional(enc)})
		return nil
	})
}
