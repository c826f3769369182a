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
	answer := min(hostmigrate.DefaultTimeout, e.cfg.Period)
	e.table = hostmigrate.NewTable(hostmigrate.Config{
		Self: e.self, Rule: hostmigrate.Modern, Timeout: answer, Patience: 2*e.cfg.Period + answer,
	})
	if e.hosting() {
		e.table.Lead(e.now, e.list, nil)
	}
}

// modernJoined takes a machine into the table, and into what objects there are.
func (e *Engine) modernJoined(p *machine) {
	if e.table == nil {
		return
	}
	switch {
	case p.system == e.host:
		e.table.Follow(e.now, p.system)
	default:
		e.table.Admit(e.now, p.system)
		if e.hosting() && e.migrates() {
			e.tellFormers(p)
		}
	}
}

// tableMessage takes a message of the name table.
func (e *Engine) tableMessage(o origin, p *machine, b *wire.ExtensionTable) {
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
			if p := e.machineByID(s.To); p != nil {
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
	case hostmigrate.Complete:
		e.resynchronised(ev)
	case hostmigrate.Drop:
		if p := e.machineByID(ev.ID); p != nil {
			e.lose(p, ev.Err.Error())
		}
	case hostmigrate.Removed:
		e.sessionLost("the host removed us: another member had lost us, and is there")
	}
}

// rule says which rule makes the next host: that of DirectPlay 8 if everybody knows it.
func (e *Engine) rule() hostmigrate.Rule {
	if e.table == nil || slices.ContainsFunc(e.machines, func(p *machine) bool { return !p.modern }) {
		return hostmigrate.DPlay4
	}
	return hostmigrate.Modern
}

// moderns gives the machines that have a replica, in order of joining.
func (e *Engine) moderns() []wire.PlayerID {
	var all []wire.PlayerID
	for _, p := range e.machines {
		if p.modern {
			all = append(all, p.system)
		}
	}
	return all
}

// resynchronise begins to bring the replicas of all modern machines to one state, led by the next host. If that is a
// legacy machine, which has none, the oldest of the modern ones leads.
func (e *Engine) resynchronise(old wire.PlayerID) {
	leader := e.migr.candidate
	if p := e.machineByID(leader); p != nil && !p.modern {
		leader = e.oldestModern()
	}
	e.table.UseRule(e.rule())
	if leader == e.self && e.table.Host() == e.self && !e.table.Migrating() {
		// We led while a legacy machine was to be host, and that one is lost.
		for _, id := range append([]wire.PlayerID{old}, e.moderns()...) {
			if e.machineByID(id) == nil {
				e.table.Lost(e.now, id)
			}
		}
		e.resynchronised(hostmigrate.Complete{List: e.table.Replica()})
		return
	}
	e.table.Begin(e.now, old, leader, e.moderns())
}

func (e *Engine) oldestModern() wire.PlayerID {
	for _, id := range e.list.AppendSystems(nil) {
		if p := e.machineByID(id); id == e.self || p != nil && p.modern {
			return id
		}
	}
	return e.self
}

// leaderKnown takes a machine for the next host that says it is. If ours was not known to be gone, it is now.
func (e *Engine) leaderKnown(ev hostmigrate.LeaderKnown) {
	if e.migr == nil && e.hosting() {
		e.migr = &migration{old: e.self, since: e.now, ids: e.freshIDs()}
		e.host, e.ids, e.admits, e.promises = 0, nil, nil, nil
	} else if e.migr == nil && e.host != ev.ID && e.machineByID(e.host) != nil {
		e.departed(e.host, ev.ID.String()+" says so", true)
	}
	if e.migr == nil || e.migr.candidate == ev.ID || e.table.Host() != ev.ID {
		return // the rule made another one candidate, and the table follows that one
	}
	if p := e.machineByID(e.migr.candidate); p == nil || p.modern {
		e.migr.candidate, e.migr.due = ev.ID, e.patience()
		e.event(MigrationStarted{Candidate: ev.ID})
	}
}

// resynchronised takes the table that all modern machines have now.
func (e *Engine) resynchronised(ev hostmigrate.Complete) {
	switch {
	case e.migr != nil && e.migr.candidate == e.self:
		if ev.List != nil {
			e.takeTable(ev.List)
		}
		e.erased, e.unlinked = nil, nil
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
		if _, here := e.same(&g); !here {
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
		if _, here := e.same(&p); !here && p.Flags&wire.PlayerSystem == 0 {
			table.Apply(playerlist.DeletePlayer{ID: p.ID})
		}
	}
}

// learn adds to our list what a table has besides: what others announced while the old host was dying, and what was
// announced to us by way of it. What was deleted meanwhile stays deleted.
func (e *Engine) learn(table *playerlist.List) {
	others := func(id wire.PlayerID) bool {
		system, _ := table.System(id)
		return system != e.self && !e.erasedHere(id) && !e.erasedHere(system)
	}
	for _, op := range hostmigrate.Additions(e.list, table, others) {
		switch op := op.(type) {
		case playerlist.AddPlayer:
			e.addLate(op, table)
		case playerlist.AddGroup, playerlist.AddShortcut:
			e.apply(op)
		case playerlist.AddMember:
			if !e.unlinkedHere(op) {
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
		there := slices.DeleteFunc(slices.Clone(e.machines), func(p *machine) bool { return p.stream != at })
		if d.Stream.Addr == [4]byte{} || e.wasUs(&op.Entry, netip.Addr{}) ||
			slices.ContainsFunc(there, func(p *machine) bool { return p.system == e.host || e.isCandidate(p) }) {
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
	p := e.addMachine(entry.ID, entry.SPData, wire.Dialect(entry.Dialect), netip.Addr{})
	e.event(PeerJoined{System: p.system, Addr: p.stream})
	e.sayHello(p, true)
}

// maxErased bounds what is remembered of deletions that the replica has not heard of.
const maxErased = 4096

// remembersErased notes what was deleted, until the replica says so, too: a replica that is behind must not bring it
// back.
func (e *Engine) rememberErased(op playerlist.Op) {
	if e.table == nil || e.hosting() {
		return
	}
	replica := e.table.Replica()
	if replica == nil {
		return
	}
	switch op := op.(type) {
	case playerlist.AddPlayer:
		e.unerase(op.Entry.ID)
	case playerlist.AddGroup:
		e.unerase(op.Entry.ID)
	case playerlist.AddMember:
		gone := playerlist.Op(playerlist.RemoveMember(op))
		e.unlinked = slices.DeleteFunc(e.unlinked, func(o playerlist.Op) bool { return o == gone })
	case playerlist.DeletePlayer:
		e.erase(op.ID)
	case playerlist.DeleteGroup:
		e.erase(op.ID)
	case playerlist.RemoveMember:
		if len(e.unlinked) >= maxErased {
			e.unlinked = slices.DeleteFunc(e.unlinked, func(o playerlist.Op) bool {
				r := o.(playerlist.RemoveMember)
				return !replica.IsMember(r.Group, r.Player)
			})
		}
		if len(e.unlinked) < maxErased && replica.IsMember(op.Group, op.Player) {
			e.unlinked = append(e.unlinked, op)
		}
	}
}

func (e *Engine) erase(id wire.PlayerID) {
	replica := e.table.Replica()
	if len(e.erased) >= maxErased {
		e.erased = slices.DeleteFunc(e.erased, func(x erasure) bool { _, there := replica.System(x.id); return !there })
	}
	if _, there := replica.System(id); there && len(e.erased) < maxErased {
		e.erased = append(e.erased, erasure{id, e.now + erasedPeriods*e.cfg.Period})
	}
}

// An erasure is a deletion that the replica does not know of.
type erasure struct {
	id    wire.PlayerID
	until time.Duration // then an audit believes the host's list
}

// erasedPeriods is how long, in periods of the ping timer, a host may go on with what was deleted here. Until then it
// was told: by whoever deleted it, and by the owner's audits, after two periods at the latest. What it still has then
// was not to be deleted, or is there again: what told us was old.
const erasedPeriods = 4

// erasedHere says whether an id was deleted, and the replica has not heard of it.
func (e *Engine) erasedHere(id wire.PlayerID) bool {
	return slices.ContainsFunc(e.erased, func(x erasure) bool { return x.id == id })
}

// unerase notes that an id is in use again.
func (e *Engine) unerase(id wire.PlayerID) {
	e.erased = slices.DeleteFunc(e.erased, func(x erasure) bool { return x.id == id })
}

// expireErased forgets deletions that the host had time to hear of.
func (e *Engine) expireErased() {
	e.erased = slices.DeleteFunc(e.erased, func(x erasure) bool { return x.until <= e.now })
}
