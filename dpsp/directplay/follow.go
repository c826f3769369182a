package directplay

import (
	"context"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// follow takes what happens in the session, from the first search to Release.
func (o *Object) follow(s *sock.Session) {
	events := s.Events()
	var b burst
	for {
		e, ok := o.next(events, &b)
		if !ok {
			break
		}
		b.events++
		m, said := e.(dpsp.Message)
		switch {
		case !said || !b.add(m):
			o.tell(&b, e)
		case len(b.all) == o.addressed(m):
			o.tell(&b, nil)
		}
	}
	o.tell(&b, nil)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.deaf = true
	o.told.Broadcast()
}

// next returns the next event. The rest of a burst is on its way, so it is waited for, if not for long.
func (o *Object) next(events <-chan dpsp.Event, b *burst) (dpsp.Event, bool) {
	if len(b.all) > 0 {
		ctx, cancel := context.WithTimeout(o.ctx, 20*time.Millisecond)
		defer cancel()
		select {
		case e, ok := <-events:
			return e, ok
		case <-ctx.Done():
			o.tell(b, nil)
		}
	}
	e, ok := <-events
	return e, ok
}

// addressed returns how many of our players a message is for.
func (o *Object) addressed(m dpsp.Message) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.roster.hearers(m.From, m.Sent))
}

// A burst is what one message to several of our players became. Windows puts it into their queues in another order than the
// engine tells of it: who was made last gets it first.
type burst struct {
	all    []dpsp.Message
	events uint64 // not told yet
}

// add takes a message, unless it is not of the same burst, or is for one player.
func (b *burst) add(m dpsp.Message) bool {
	if m.Sent == m.To || len(b.all) > 0 && (m.From != b.all[0].From || m.Sent != b.all[0].Sent ||
		slices.ContainsFunc(b.all, func(x dpsp.Message) bool { return x.To == m.To })) {
		return false
	}
	b.all = append(b.all, m)
	return true
}

// tell takes the burst, and what came after it, if anything did.
func (o *Object) tell(b *burst, e dpsp.Event) {
	if b.events == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(b.all) > 0 {
		ours := o.roster.ordered(true)
		slices.SortFunc(b.all, func(x, y dpsp.Message) int { return slices.Index(ours, x.To) - slices.Index(ours, y.To) })
	}
	for _, m := range b.all {
		o.said(m)
	}
	b.all = b.all[:0]
	if m, ok := e.(dpsp.Message); ok {
		o.said(m)
	} else if e != nil {
		o.take(e)
	}
	o.heard += b.events
	b.events = 0
	o.told.Broadcast()
}

// said queues a message of the game.
func (o *Object) said(m dpsp.Message) {
	if e := o.roster.our(m.To); e != nil {
		o.queue(e, &Message{From: m.From, To: m.To, Data: m.Payload})
	}
}

// queue puts a message into the queue of a player of ours.
func (o *Object) queue(e *entry, m *Message) {
	if e.first && m.System != nil {
		old := asFirst(m.System)
		if old == nil {
			return
		}
		m = &Message{To: m.To, System: old}
	}
	o.sink.Put(m)
	if e.wake != nil {
		e.wake()
	}
}

// notify tells all our players but one of something.
func (o *Object) notify(but wire.PlayerID, m SystemMessage) {
	for _, e := range o.roster.hearers(but, wire.IDAll) {
		o.queue(e, &Message{To: e.id, System: m})
	}
}

// take takes an event. The object is locked.
func (o *Object) take(e dpsp.Event) {
	switch e := e.(type) {
	case dpsp.PlayerCreated:
		o.appeared(e, &entry{id: e.ID, mine: e.Local}, e.Instead)
	case dpsp.GroupCreated:
		o.appeared(e, &entry{id: e.ID, mine: e.Local}, e.Instead)
	case dpsp.PlayerDeleted:
		o.destroyed(e, e.ID)
	case dpsp.GroupDeleted:
		for _, id := range o.roster.Subtree(e.ID) { // just one, but when the session is lost
			o.destroyed(dpsp.GroupDeleted{ID: id}, id)
		}
	case dpsp.PlayerChanged:
		o.changed(e, e.ID, e.Renamed)
	case dpsp.GroupChanged:
		o.changed(e, e.ID, e.Renamed)
	case dpsp.MemberAdded:
		o.put(e, SysAddPlayerToGroup, e.Group, e.Player)
	case dpsp.MemberRemoved:
		o.put(e, SysDeletePlayerFromGroup, e.Group, e.Player)
	case dpsp.ShortcutAdded:
		o.put(e, SysAddGroupToGroup, e.Parent, e.Child)
	case dpsp.ShortcutRemoved:
		o.put(e, SysDeleteGroupFromGroup, e.Parent, e.Child)
	case dpsp.ChatMessage:
		o.chatted(e)
	case dpsp.Delivered:
		o.delivered(e)
	default:
		o.takeSession(e)
	}
}

// takeSession takes an event about the session itself.
func (o *Object) takeSession(e dpsp.Event) {
	switch e := e.(type) {
	case dpsp.SessionOpened:
		o.state, o.opened = inside, e
		o.roster.host = e.Host
		o.roster.before = o.roster.Version()
		o.opt.Neighbours.in(o, true)
	case dpsp.PeerJoined:
		o.roster.at[e.System] = e.Addr.Addr()
	case dpsp.SessionChanged:
		o.opened.Desc = e.Desc
		o.notify(0, &DescSet{o.described(&e.Desc, e.Name, nil)})
	case dpsp.HostChanged:
		o.roster.host = e.New
		if e.Hosting {
			o.notify(0, &Bare{SysHost})
			go o.listed(o.sess)
			if o.becameHost != nil {
				go o.becameHost(o.opened.Desc.Instance) // it waits for others
			}
		}
	case dpsp.SessionHealed:
		o.opened.System, o.roster.host = e.System, e.Host
	case dpsp.SessionLost:
		o.log.Info("session lost", "why", e.Reason)
		o.lose()
	case dpsp.SessionClosed:
		o.forget()
	case dpsp.Dropped:
		o.log.Debug("dropped", "from", e.From, "command", e.Command, "why", e.Text)
	}
}

// listed logs why nobody finds the session, of which this machine has just become the host.
func (o *Object) listed(s *sock.Session) {
	ctx, cancel := context.WithTimeout(o.ctx, time.Second) // the port of hosts has been tried by then
	defer cancel()
	<-ctx.Done()
	o.mu.Lock()
	over := o.ctx.Err() != nil || o.sess != s
	o.mu.Unlock()
	if over {
		return
	}
	if err := s.ListingError(); err != nil {
		o.log.Warn("hosting", "but", "nobody who looks for the session finds it here, and the port is tried again: "+err.Error())
	}
}

// created puts a player or group in, and notifies our players. The number of players that they are told includes a new one of
// another machine, and not a new one of this machine, as with Windows (facts, dll 11).
func (o *Object) created(c dpsp.Change, e *entry) {
	if !o.roster.add(c, e) {
		return
	}
	group := o.roster.subject(e).Group
	if m := o.maker; m != nil && e.mine && m.group == group {
		e.own, e.wake, e.first, o.maker = &m.name, m.wake, m.first, nil
	}
	o.tellOurs(e.mine && !group)
	current := o.roster.count(group)
	if e.mine {
		current--
	}
	o.notify(e.id, &Created{o.roster.subject(e), current})
}

// appeared puts in what came. One of ours that had another id before, until a session healed, keeps what this machine alone
// knows of it, and is itself told that it has another one: its game would send for ever by an id that is somebody else's.
func (o *Object) appeared(c dpsp.Change, e *entry, instead wire.PlayerID) {
	was := o.roster.former[instead]
	if was == nil {
		o.created(c, e)
		return
	}
	delete(o.roster.former, instead)
	e.own, e.given, e.local, e.wake, e.first = was.own, was.given, was.local, was.wake, was.first
	m := o.maker // of another one, which is yet to come
	o.maker = nil
	o.created(c, e)
	o.maker = m
	if !was.was.Group {
		o.queue(e, &Message{To: e.id, System: &Destroyed{was.was, was.local}})
		o.queue(e, &Message{To: e.id, System: &Created{o.roster.subject(e), o.roster.count(false) - 1}})
	}
}

func (o *Object) destroyed(c dpsp.Change, id wire.PlayerID) {
	if e := o.roster.remove(c, id); e != nil {
		o.tellOurs(e.mine && !e.was.Group)
		o.notify(0, &Destroyed{e.was, e.local})
	}
}

// tellOurs tells the sink which players are ours, if they changed.
func (o *Object) tellOurs(changed bool) {
	if changed {
		o.sink.Ours(o.roster.ordered(true))
	}
}

// changed takes a new name, or new data. Our own names stay as the game gave them.
func (o *Object) changed(c dpsp.Change, id wire.PlayerID, renamed bool) {
	e := o.roster.all[id]
	switch {
	case e == nil || dpsp.Follow(&o.roster.List, c) != nil:
		return
	case renamed:
		e.own, e.given = nil, nil
		if m := o.maker; m != nil && m.renames == id {
			e.own, o.maker = &m.name, nil
		}
		o.notify(0, &NameSet{o.roster.subject(e)})
	case o.opened.Desc.Flags&wire.SessionNoDataMessages == 0: // otherwise the game wants to hear nothing of data
		o.notify(0, &DataSet{o.roster.subject(e)})
	}
}

// put puts a player or group into a group, or takes it out, and tells our players.
func (o *Object) put(c dpsp.Change, kind uint32, group, member wire.PlayerID) {
	if dpsp.Follow(&o.roster.List, c) == nil {
		o.notify(0, &Membership{kind, group, member})
	}
}

// chatted queues chat. What is for everybody names neither player nor group.
func (o *Object) chatted(c dpsp.ChatMessage) {
	to := o.roster.our(c.To)
	if to == nil {
		return
	}
	m := &Chat{From: c.From, Text: c.Text}
	if c.Guaranteed {
		m.Flags = SendGuaranteed
	}
	switch c.Sent {
	case c.To:
		m.To = c.To
	case wire.IDAll:
	default:
		m.Group = c.Sent
	}
	o.queue(to, &Message{To: c.To, System: m})
}

// lose tells our players that all others are gone, and then that the session is. Games take it in this order: one that hears of
// the session alone sends to players that will never answer.
func (o *Object) lose() {
	for _, id := range o.roster.AppendGroups(o.roster.players()) {
		switch e := o.roster.all[id]; {
		case e == nil || e.mine:
		case o.roster.subject(e).Group:
			o.take(dpsp.GroupDeleted{ID: id})
		default:
			o.take(dpsp.PlayerDeleted{ID: id})
		}
	}
	o.state = lost
	o.notify(0, &Bare{SysSessionLost})
}

// forget is for the end of a session: nothing of it is left.
func (o *Object) forget() {
	o.state, o.roster, o.maker, o.password, o.sends = outside, newRoster(), nil, nil, sends{o.sends.last, map[uint32]*Sending{}}
	o.sink.Clear()
	o.opt.Neighbours.in(o, false)
}
