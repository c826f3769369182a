package dpsp

import (
	"errors"
	"net/netip"
	"slices"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// The name table is the host's list with its numbers, which modern members have a replica of. The list that the
// program sees goes by the messages of DirectPlay 4; when the host is gone, the replicas say what some of us missed.

// A reconcile is what keeps our list and the replica of the host's the same, and what it has to remember to do so.
type reconcile struct {
	e          *Engine
	table      *hostmigrate.Table // nil: we do not know the extension, or it is not for this session
	pending    pending
	tombstones tombstones
	audit      auditing
}

// open begins a name table: the host's own, or a replica of one that is still to come.
func (rc *reconcile) open() {
	e := rc.e
	rc.table = nil
	if e.views.open(); !e.extended() || e.views.on() {
		return
	}
	answer := e.liveness.answerTime()
	rc.table = hostmigrate.NewTable(hostmigrate.Config{
		Self: e.self, Rule: hostmigrate.Modern, Timeout: answer, Patience: 2*e.cfg.Period + answer,
	})
	if e.hosting() {
		rc.table.Lead(e.now, e.list, nil)
	}
}

// meet takes a machine into the table, and tells a member what it needs if it is host one day.
func (rc *reconcile) meet(p *peer) {
	e := rc.e
	if rc.table == nil {
		return
	}
	switch {
	case p.system == e.host:
		rc.table.Follow(e.now, p.system)
	default:
		rc.table.Admit(e.now, p.system)
		if e.migrates() {
			e.partition.tellFormers(p)
		}
	}
}

// receive takes a message of the name table.
func (rc *reconcile) receive(o origin, p *peer, b *wire.ExtensionTable) {
	if rc.table == nil {
		rc.e.drop(o, "EXTENSION TABLE", OutOfTurn, "we have no name table")
		return
	}
	if p.isLate(o) || p.back && rc.e.hosting() && isHostMigrate(b.Message) {
		rc.e.drop(o, "EXTENSION TABLE", OutOfTurn, lateWord)
		return
	}
	if rc.e.hosting() && asksWhole(b.Message) && !p.tables.take(maxTables, rc.e.now, rc.e.cfg.Period) {
		rc.e.drop(o, "EXTENSION TABLE", LimitReached, "it asks for the name table too often")
		return
	}
	err := rc.table.Receive(rc.e.now, p.system, b.Message)
	if errors.Is(err, hostmigrate.ErrNotLeading) { // it takes us for the host
		rc.e.partition.misleads(p)
	}
	if rc.table.Follows(p.system) {
		p.back = false
	}
	for _, late := range []error{hostmigrate.ErrNotHost, hostmigrate.ErrNotLeading, hostmigrate.ErrNotMember, hostmigrate.ErrCandidate,
		playerlist.ErrRepeat} {
		if errors.Is(err, late) {
			return // it crossed a change of host
		}
	}
	if err != nil {
		rc.e.drop(o, "EXTENSION TABLE", Conflict, err.Error())
	}
}

// isHostMigrate reports whether a message says that its sender leads.
func isHostMigrate(octets []byte) bool {
	m, err := dpl8.Decode(octets)
	return err == nil && m.Type() == dpl8.TypeHostMigrate
}

// asksWhole reports whether a message asks the host for the whole table.
func asksWhole(octets []byte) bool {
	m, err := dpl8.Decode(octets)
	v, ok := m.(*dpl8.NameTableVersion)
	return err == nil && ok && v.Version == 0 && v.VersionNotUsed == 0
}

// work does what the table wants, until it wants nothing more: what it finds out may change who is in the session.
func (rc *reconcile) work() {
	e := rc.e
	for rc.table != nil && e.state == member {
		rc.table.Look(e.now)
		rc.table.Sync(e.now)
		out := rc.table.Take()
		if len(out.Sends) == 0 && len(out.Events) == 0 {
			return
		}
		for _, s := range out.Sends {
			if p := e.peerByID(s.To); p != nil {
				e.sayExtension(TCP, p, &wire.ExtensionTable{Message: s.Message})
			}
		}
		for _, ev := range out.Events {
			if rc.table != nil && e.state == member {
				rc.happened(ev)
			}
		}
	}
}

func (rc *reconcile) happened(ev hostmigrate.Event) {
	switch ev := ev.(type) {
	case hostmigrate.LeaderKnown:
		rc.e.migration.leaderKnown(ev)
	case hostmigrate.Called:
		rc.e.migration.leadCalled(ev)
	case hostmigrate.Complete:
		rc.resynchronised(ev)
	case hostmigrate.Drop:
		rc.e.liveness.dropped(ev)
	case hostmigrate.Removed:
		rc.e.toldToLeave(loss{CauseRemoved, "the host removed us: another member had lost us, and is there"})
	}
}

// resynchronised takes the table that all modern machines have now.
func (rc *reconcile) resynchronised(ev hostmigrate.Complete) {
	switch {
	case rc.e.migration.running && rc.e.migration.candidate == rc.e.self:
		if ev.List != nil {
			rc.takeTable(ev.List)
		}
		rc.pending = pending{}
		rc.e.migration.becomeHost()
	case ev.List != nil:
		rc.learn(ev.List)
	}
}

// takeTable goes on with the table as our list: with what it knew and we did not, which the program is told of, and
// with what we knew and it did not, which gets numbers. The host and the description stay those of the table.
func (rc *reconcile) takeTable(table *playerlist.List) {
	rc.learn(table)
	for _, op := range playerlist.Diff(table, rc.e.list) {
		switch op.(type) {
		case playerlist.SetHost, playerlist.SetDesc:
		default:
			table.Apply(op)
		}
	}
	rc.e.list = table
}

// learn adds to our list what a table has besides: what others announced while the old host was dying, and what was
// announced to us by way of it. What was deleted meanwhile stays deleted.
func (rc *reconcile) learn(table *playerlist.List) {
	others := func(id wire.PlayerID) bool {
		system, _ := table.System(id)
		return system != rc.e.self && !rc.pending.deleted(id) && !rc.pending.deleted(system)
	}
	for _, op := range playerlist.Diff(rc.e.list, table) {
		switch op := op.(type) {
		case playerlist.AddPlayer:
			if others(op.Entry.ID) {
				rc.addLate(op, table)
			}
		case playerlist.AddGroup:
			if others(op.Entry.ID) {
				rc.e.apply(rc.e.rooted(op))
			}
		case playerlist.AddShortcut:
			if others(op.Parent) && others(op.Child) {
				rc.e.apply(op)
			}
		case playerlist.AddMember:
			if others(op.Group) && others(op.Player) && !rc.pending.unlinked(op) {
				rc.e.apply(op)
			}
		}
	}
}

// rooted returns the operation that adds a group at the top if the list does not have its parent.
func (e *Engine) rooted(op playerlist.AddGroup) playerlist.AddGroup {
	if _, group := e.list.Kind(op.Entry.Parent); !group {
		op.Entry.Parent = 0
	}
	return op
}

// addLate adds a player that a table has and we do not. A machine without an address cannot be reached: it was the host
// once, which says 0.0.0.0 of itself, and was lost since. One that has the address of a machine which the table no longer
// has is that one's program begun anew: we missed that the host said so. The host's own address nobody else has.
func (rc *reconcile) addLate(op playerlist.AddPlayer, table *playerlist.List) {
	e := rc.e
	if _, taken := e.list.System(op.Entry.ID); taken || op.Entry.Flags&wire.PlayerSystem == 0 {
		e.apply(op)
		return
	}
	if d, ok := wire.ParseSPData(op.Entry.SPData); ok {
		at := resolve(d.Stream, netip.Addr{})
		there := slices.DeleteFunc(slices.Clone(e.peers.all), func(p *peer) bool { return p.stream != at })
		if d.Stream.Addr == [4]byte{} || e.wasUs(&op.Entry, netip.Addr{}) ||
			slices.ContainsFunc(there, func(p *peer) bool { return p.system == e.host || e.migration.isCandidate(p) }) {
			return
		}
		for _, old := range there {
			if _, still := table.System(old.system); !still {
				e.beganAnew(old)
			}
		}
	}
	if e.apply(op) == nil {
		rc.meetLate(op.Entry)
	}
}

// meetLate makes a machine of a system player that the old host let in, and had no time to tell us of.
func (rc *reconcile) meetLate(entry playerlist.Entry) {
	p := rc.e.addPeer(entry.ID, entry.SPData, wire.Dialect(entry.Dialect), netip.Addr{})
	rc.e.event(PeerJoined{System: p.system, Addr: p.stream})
	rc.e.greet(p)
}

// note notes a change of our list that the replica has not heard of.
func (rc *reconcile) note(op playerlist.Op) {
	if rc.table == nil || rc.e.hosting() {
		return
	}
	if replica := rc.table.Replica(); replica != nil {
		rc.pending.note(op, replica, rc.e.now+pendingPeriods*rc.e.cfg.Period)
	}
}
