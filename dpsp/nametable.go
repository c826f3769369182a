package dpsp

import (
	"errors"
	"net/netip"
	"slices"
	"time"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
)

// The name table is the host's list with its numbers, which modern members have a replica of. The list that the
// program sees goes by the messages of DirectPlay 4; when the host is gone, the replicas say what some of us missed.

// openTable begins a name table: the host's own, or a replica of one that is still to come.
func (e *Engine) openTable() {
	e.table = nil
	if !e.extended() {
		return
	}
	answer := e.answerTime()
	e.table = hostmigrate.NewTable(hostmigrate.Config{
		Self: e.self, Rule: hostmigrate.Modern, Timeout: answer, Patience: 2*e.cfg.Period + answer,
	})
	if e.hosting() {
		e.table.Lead(e.now, e.list, nil)
	}
}

// modernJoined takes a machine into the table, and into what objects there are.
func (e *Engine) modernJoined(p *peer) {
	if e.table == nil {
		return
	}
	switch {
	case p.system == e.host:
		e.table.Follow(e.now, p.system)
	default:
		e.table.Admit(e.now, p.system)
		if e.migrates() {
			e.partition.tellFormers(p)
		}
	}
}

// tableMessage takes a message of the name table.
func (e *Engine) tableMessage(o origin, p *peer, b *wire.ExtensionTable) {
	if e.table == nil {
		e.drop(o, "EXTENSION TABLE", OutOfTurn, "we have no name table")
		return
	}
	err := e.table.Receive(e.now, p.system, b.Message)
	for _, late := range []error{hostmigrate.ErrNotHost, hostmigrate.ErrNotLeading, hostmigrate.ErrNotMember, hostmigrate.ErrCandidate,
		playerlist.ErrRepeat} {
		if errors.Is(err, late) {
			return // it crossed a change of host
		}
	}
	if err != nil {
		e.drop(o, "EXTENSION TABLE", Conflict, err.Error())
	}
}

// tableWork does what the table wants, until it wants nothing more: what it finds out may change who is in the session.
func (e *Engine) tableWork() {
	for e.table != nil && e.state == member {
		e.table.Look(e.now)
		e.table.Sync(e.now)
		out := e.table.Take()
		if len(out.Sends) == 0 && len(out.Events) == 0 {
			return
		}
		for _, s := range out.Sends {
			if p := e.peerByID(s.To); p != nil {
				e.sayExtension(TCP, p, &wire.ExtensionTable{Message: s.Message})
			}
		}
		for _, ev := range out.Events {
			if e.table != nil && e.state == member {
				e.tableEvent(ev)
			}
		}
	}
}

func (e *Engine) tableEvent(ev hostmigrate.Event) {
	switch ev := ev.(type) {
	case hostmigrate.LeaderKnown:
		e.leaderKnown(ev)
	case hostmigrate.Called:
		e.leadCalled(ev)
	case hostmigrate.Complete:
		e.resynchronised(ev)
	case hostmigrate.Drop:
		e.dropped(ev)
	case hostmigrate.Removed:
		e.toldToLeave("the host removed us: another member had lost us, and is there")
	}
}

// rule says which rule makes the next host: that of DirectPlay 8 if everybody knows it. A machine that was waited for, and of
// which nobody heard a word, is no member. A newcomer that has met nobody yet does not speak against a candidate that leads
// by that rule: who has not ignored its greeting may know it.
func (e *Engine) rule() hostmigrate.Rule {
	newcomer := e.table != nil && e.table.Replica() == nil && e.table.Greeted()
	legacy := func(p *peer) bool {
		return !p.modern && (p.heard || !p.passed) && (p.ignored > 0 || !newcomer)
	}
	if e.table == nil || slices.ContainsFunc(e.peers.all, legacy) {
		return hostmigrate.DPlay4
	}
	return hostmigrate.Modern
}

// moderns returns the machines that have a replica, in order of joining.
func (e *Engine) moderns() []wire.PlayerID {
	var all []wire.PlayerID
	for _, p := range e.peers.all {
		if p.modern {
			all = append(all, p.system)
		}
	}
	return all
}

// resynchronise begins to bring the replicas of all modern machines to one state, led by the next host. If that is a
// legacy machine, which has none, the oldest of the modern ones leads.
func (e *Engine) resynchronise(old wire.PlayerID) {
	leader, rule := e.migr.candidate, e.rule()
	if p := e.peerByID(leader); p != nil && !p.modern {
		leader, rule = e.oldestModern(), hostmigrate.Modern
	}
	e.table.UseRule(rule)
	if leader == e.self && e.table.Host() == e.self && !e.table.Migrating() && e.allFollow() {
		// We led while a legacy machine was to be host, and that one is lost.
		for _, id := range append([]wire.PlayerID{old}, e.moderns()...) {
			if e.peerByID(id) == nil {
				e.table.Lost(e.now, id)
			}
		}
		e.resynchronised(hostmigrate.Complete{List: e.table.Replica()})
		return
	}
	if leader == e.self && e.table.Host() == e.self {
		// We spoke while another machine was to be host. Who waited for that one, too, did not answer, and does now; and
		// others said hello since.
		e.table.Again(e.now, old, e.moderns())
		return
	}
	e.table.Begin(e.now, old, leader, e.moderns())
	if h := e.table.Host(); h != leader && leader == e.migr.candidate && e.peerByID(h) != nil {
		e.migr.candidate = h
		e.event(MigrationStarted{Candidate: h})
	}
}

// allFollow reports whether all that know the extension followed us when we led.
func (e *Engine) allFollow() bool {
	return !slices.ContainsFunc(e.moderns(), func(id wire.PlayerID) bool { return !e.table.Follows(id) })
}

func (e *Engine) oldestModern() wire.PlayerID {
	for _, id := range e.bySeniority() {
		if p := e.peerByID(id); id == e.self || p != nil && p.modern {
			return id
		}
	}
	return e.self
}

// leaderKnown takes a machine for the next host that says it is. If ours was not known to be gone, it is now.
func (e *Engine) leaderKnown(ev hostmigrate.LeaderKnown) {
	if e.migr == nil && e.hosting() {
		e.migr = &migration{old: e.self, since: e.now, ids: e.freshIDs()}
		e.host, e.admission = 0, admission{e: e}
	} else if e.migr == nil && e.host != ev.ID && e.peerByID(e.host) != nil {
		e.departed(e.host, ev.ID.String()+" says so", true)
	}
	if e.migr == nil || e.migr.candidate == ev.ID || e.table.Host() != ev.ID {
		return // the rule made another one candidate, and the table follows that one
	}
	if p := e.peerByID(e.migr.candidate); p == nil || p.modern {
		e.migr.candidate, e.migr.due = ev.ID, e.patience()
		e.event(MigrationStarted{Candidate: ev.ID})
	}
}

// leadCalled has us lead, for another machine waits for us: it knows more or less than we do of who is next. Who else leads
// hears of us, and the better candidate goes on. If we are host, it missed that we said so: it was still joining.
func (e *Engine) leadCalled(ev hostmigrate.Called) {
	if p := e.peerByID(ev.By); e.hosting() && p != nil {
		e.sayHostTo(p)
		return
	}
	if e.migr == nil || e.table.Greeted() || e.table.Host() == e.self {
		return
	}
	if p := e.peerByID(e.migr.candidate); p == nil || p.modern {
		e.migr.candidate = e.self
		e.event(MigrationStarted{Candidate: e.self})
		e.table.UseRule(e.rule())
	}
	e.table.Again(e.now, e.migr.old, e.moderns())
}

// resynchronised takes the table that all modern machines have now.
func (e *Engine) resynchronised(ev hostmigrate.Complete) {
	switch {
	case e.migr != nil && e.migr.candidate == e.self:
		if ev.List != nil {
			e.takeTable(ev.List)
		}
		e.pendingDeletes, e.pendingUnlinks = nil, nil
		e.becomeHost()
	case ev.List != nil:
		e.learn(ev.List)
	}
}

// takeTable goes on with the table as our list: with what it knew and we did not, which the program is told of, and
// with what we knew and it did not, which gets numbers.
func (e *Engine) takeTable(table *playerlist.List) {
	e.learn(table)
	e.trim(table)
	for _, op := range hostmigrate.Additions(table, e.list, nil) {
		table.Apply(op)
	}
	e.list, e.mine, e.mineAt = table, nil, 0
}

// trim takes out of a table what is not in our list.
func (e *Engine) trim(table *playerlist.List) {
	for _, system := range table.AppendSystems(nil) {
		if f, here := e.list.Flags(system); !here || f&wire.PlayerSystem == 0 {
			for _, op := range table.Departed(system) {
				table.Apply(op)
			}
		}
	}
	for _, g := range slices.Backward(table.Groups()) {
		if _, here := sameIn(e.list, &g); !here {
			table.Apply(playerlist.DeleteGroup{ID: g.ID})
			continue
		}
		for _, id := range table.AppendMembers(nil, g.ID) {
			if !e.list.IsMember(g.ID, id) {
				table.Apply(playerlist.RemoveMember{Group: g.ID, Player: id})
			}
		}
		shown := e.list.AppendShortcuts(nil, g.ID)
		for _, id := range table.AppendShortcuts(nil, g.ID) {
			if !slices.Contains(shown, id) {
				table.Apply(playerlist.RemoveShortcut{Parent: g.ID, Child: id})
			}
		}
	}
	for _, p := range table.Players() {
		if _, here := sameIn(e.list, &p); !here && p.Flags&wire.PlayerSystem == 0 {
			table.Apply(playerlist.DeletePlayer{ID: p.ID})
		}
	}
}

// learn adds to our list what a table has besides: what others announced while the old host was dying, and what was
// announced to us by way of it. What was deleted meanwhile stays deleted.
func (e *Engine) learn(table *playerlist.List) {
	others := func(id wire.PlayerID) bool {
		system, _ := table.System(id)
		return system != e.self && !e.deletePending(id) && !e.deletePending(system)
	}
	for _, op := range hostmigrate.Additions(e.list, table, others) {
		switch op := op.(type) {
		case playerlist.AddPlayer:
			e.addLate(op, table)
		case playerlist.AddGroup, playerlist.AddShortcut:
			e.apply(op)
		case playerlist.AddMember:
			if !e.unlinkPending(op) {
				e.apply(op)
			}
		}
	}
}

// addLate adds a player that a table has and we do not. A machine without an address cannot be reached: it was the host
// once, which says 0.0.0.0 of itself, and was lost since. One that has the address of a machine which the table no longer
// has is that one's program begun anew: we missed that the host said so. The host's own address nobody else has.
func (e *Engine) addLate(op playerlist.AddPlayer, table *playerlist.List) {
	if op.Entry.Flags&wire.PlayerSystem == 0 {
		e.apply(op)
		return
	}
	if d, ok := wire.ParseSPData(op.Entry.SPData); ok {
		at := resolve(d.Stream, netip.Addr{})
		there := slices.DeleteFunc(slices.Clone(e.peers.all), func(p *peer) bool { return p.stream != at })
		if d.Stream.Addr == [4]byte{} || e.wasUs(&op.Entry, netip.Addr{}) ||
			slices.ContainsFunc(there, func(p *peer) bool { return p.system == e.host || e.isCandidate(p) }) {
			return
		}
		for _, old := range there {
			if _, still := table.System(old.system); !still {
				e.beganAnew(old)
			}
		}
	}
	if e.apply(op) == nil {
		e.meetLate(op.Entry)
	}
}

// meetLate makes a machine of a system player that the old host let in, and had no time to tell us of.
func (e *Engine) meetLate(entry playerlist.Entry) {
	p := e.addPeer(entry.ID, entry.SPData, wire.Dialect(entry.Dialect), netip.Addr{})
	e.event(PeerJoined{System: p.system, Addr: p.stream})
	e.sayHello(p, true)
}

// maxPending bounds what is remembered of deletions that the replica has not heard of.
const maxPending = 4096

// notePending notes what was deleted, until the replica says so, too: a replica that is behind must not bring it
// back.
func (e *Engine) notePending(op playerlist.Op) {
	if e.table == nil || e.hosting() {
		return
	}
	replica := e.table.Replica()
	if replica == nil {
		return
	}
	switch op := op.(type) {
	case playerlist.AddPlayer:
		e.dropPendingDelete(op.Entry.ID)
	case playerlist.AddGroup:
		e.dropPendingDelete(op.Entry.ID)
	case playerlist.AddMember:
		gone := playerlist.Op(playerlist.RemoveMember(op))
		e.pendingUnlinks = slices.DeleteFunc(e.pendingUnlinks, func(o playerlist.Op) bool { return o == gone })
	case playerlist.DeletePlayer:
		e.addPendingDelete(op.ID)
	case playerlist.DeleteGroup:
		e.addPendingDelete(op.ID)
	case playerlist.RemoveMember:
		if len(e.pendingUnlinks) >= maxPending {
			e.pendingUnlinks = slices.DeleteFunc(e.pendingUnlinks, func(o playerlist.Op) bool {
				r := o.(playerlist.RemoveMember)
				return !replica.IsMember(r.Group, r.Player)
			})
		}
		if len(e.pendingUnlinks) < maxPending && replica.IsMember(op.Group, op.Player) {
			e.pendingUnlinks = append(e.pendingUnlinks, op)
		}
	}
}

func (e *Engine) addPendingDelete(id wire.PlayerID) {
	replica := e.table.Replica()
	if len(e.pendingDeletes) >= maxPending {
		e.pendingDeletes = slices.DeleteFunc(e.pendingDeletes, func(x pendingDelete) bool { _, there := replica.System(x.id); return !there })
	}
	if _, there := replica.System(id); there && len(e.pendingDeletes) < maxPending {
		e.pendingDeletes = append(e.pendingDeletes, pendingDelete{id: id, until: e.now + pendingPeriods*e.cfg.Period})
	}
}

// A pendingDelete is a deletion that the replica does not know of.
type pendingDelete struct {
	id    wire.PlayerID
	until time.Duration // then an audit believes the host's list
	ours  bool          // our program deleted it
}

// pendingByUs notes that it was our program which deleted a group: the host is told again if it does not say so.
func (e *Engine) pendingByUs(id wire.PlayerID) {
	for i := range e.pendingDeletes {
		e.pendingDeletes[i].ours = e.pendingDeletes[i].ours || e.pendingDeletes[i].id == id
	}
}

// destroyedHere reports whether a group of the host's was deleted by our program.
func (e *Engine) destroyedHere(g *playerlist.Entry) bool {
	return g.Group && slices.ContainsFunc(e.pendingDeletes, func(x pendingDelete) bool { return x.id == g.ID && x.ours })
}

// pendingPeriods is how long, in periods of the ping timer, a host may go on with what was deleted here. Until then it
// was told: by whoever deleted it, and by the owner's audits, after two periods at the latest. What it still has then
// was not to be deleted, or is there again: what told us was old.
const pendingPeriods = 4

// deletePending reports whether an id was deleted, and the replica has not heard of it.
func (e *Engine) deletePending(id wire.PlayerID) bool {
	return slices.ContainsFunc(e.pendingDeletes, func(x pendingDelete) bool { return x.id == id })
}

// dropPendingDelete notes that an id is in use again.
func (e *Engine) dropPendingDelete(id wire.PlayerID) {
	e.pendingDeletes = slices.DeleteFunc(e.pendingDeletes, func(x pendingDelete) bool { return x.id == id })
}

// expirePending forgets deletions that the host had time to hear of.
func (e *Engine) expirePending() {
	e.pendingDeletes = slices.DeleteFunc(e.pendingDeletes, func(x pendingDelete) bool { return x.until <= e.now })
}
