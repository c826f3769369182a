package dpsp

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"time"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
)

// An audit compares our list with the replica of the host's, once a period: what one machine says to all others can be
// lost on the way to some, when a connection breaks. What differs in two audits running is put right. Of others' players
// and groups the host's list says what is; of ours, we do, and tell the host once more.

// A difference is one thing that is not the same, and what to do about it.
type difference struct {
	key string
	fix func()
}

// An auditing is when audits are, and what they found.
type auditing struct {
	at       time.Duration // when the next one is; Never: none
	version  uint32        // the name table's at the last one
	differed []string      // the keys of what differed in the last one, in order
	equal    comparison    // what the last one compared in which nothing differed
}

// due reports whether an audit is to be run now, which makes the next one due. The first one is after a period.
func (a *auditing) due(now, period time.Duration) bool {
	if a.at == Never {
		a.at = now + period
	}
	if a.at > now {
		return false
	}
	a.at = now + period
	return true
}

// again takes what differs, and returns what differed the last time as well.
func (a *auditing) again(all []difference) []difference {
	var keys []string
	var again []difference
	for _, d := range all {
		keys = append(keys, d.key)
		if _, known := slices.BinarySearch(a.differed, d.key); known {
			again = append(again, d)
		}
	}
	slices.Sort(keys)
	a.differed = keys
	return again
}

// auditTimer runs an audit when one is due.
func (rc *reconcile) auditTimer() {
	e := rc.e
	if e.state != member || !e.migrates() || rc.table == nil {
		rc.audit.at, rc.audit.differed = Never, nil
		return
	}
	if !rc.audit.due(e.now, e.cfg.Period) {
		return
	}
	rc.hellosAgain()
	e.objects.audit()
	if !rc.audits() {
		rc.audit.differed = nil
		return
	}
	rc.pending.expire(e.now)
	compared := rc.comparison()
	if compared == rc.audit.equal {
		return // nothing differed, and nothing changed since
	}
	all := rc.differences()
	if len(all) == 0 {
		rc.audit.equal = compared
	}
	for _, d := range rc.audit.again(all) {
		if !rc.audits() {
			return // it was the last thing that held the session together
		}
		d.fix()
	}
}

// A comparison is all that the differences depend on: both lists, and what is remembered of deletions. That changes with
// our list, but for what is forgotten.
type comparison struct {
	list, replica                  *playerlist.List
	ours, hosts                    uint32 // their versions
	pendingDeletes, pendingUnlinks int
	peers                          int
}

// comparison returns what an audit would compare now.
func (rc *reconcile) comparison() comparison {
	replica := rc.table.Replica()
	return comparison{rc.e.list, replica, rc.e.list.Version(), replica.Version(), len(rc.pending.deletes), len(rc.pending.unlinks),
		len(rc.e.peers.all)}
}

// maxHellos bounds how often a machine is greeted that does not answer.
const maxHellos = 4

// hellosAgain says hello once more to those who may not have heard us, and tells a host that was silent what we have of
// its table: it may have lost us and found us again.
func (rc *reconcile) hellosAgain() {
	e := rc.e
	for _, p := range e.peers.all {
		if p.modern || e.admission.admitting(p.system) {
			continue
		}
		if p.spoke {
			p.spoke = false
			p.ignored++
		}
		if p.marked && p.hellos < maxHellos {
			p.hellos++
			e.greet(p)
		}
	}
	h := e.peerByID(e.host)
	if v := rc.table.Version(); h != nil && h.modern && v == rc.audit.version {
		e.sayHello(h, false)
	}
	rc.audit.version = rc.table.Version()
}

// audits reports whether there is a replica to compare with, of a host that is there.
func (rc *reconcile) audits() bool {
	e := rc.e
	if e.state != member || !e.migrates() || e.hosting() || e.migration.running || rc.table == nil || rc.table.Migrating() {
		return false
	}
	return rc.table.Host() == e.host && rc.table.Replica() != nil
}

// differences returns how our list and the replica differ, in an order in which that can be put right.
func (rc *reconcile) differences() []difference {
	replica := rc.table.Replica()
	all := append(rc.missed(replica), rc.missedLinks(replica)...)
	all = append(all, rc.surplus(replica)...)
	all = append(all, rc.untold(replica)...)
	return append(all, rc.unlinks(replica)...)
}

// missed returns what others did and we did not hear.
func (rc *reconcile) missed(replica *playerlist.List) []difference {
	var all []difference
	others := func(id wire.PlayerID) bool {
		system, _ := replica.System(id)
		return system != rc.e.self && !rc.pending.deleted(id) && !rc.pending.deleted(system)
	}
	if !lacks(rc.e.list, replica, others) {
		return nil
	}
	for _, op := range hostmigrate.Additions(rc.e.list, replica, others) {
		if change, ok := op.(playerlist.SetData); ok && rc.silentData(change.ID) {
			continue
		}
		if _, ok := op.(playerlist.SetSPData); ok {
			continue // each list has the addresses that it met them at
		}
		switch op.(type) {
		case playerlist.AddMember, playerlist.AddShortcut:
			continue // missedLinks
		}
		all = append(all, difference{fmt.Sprintf("missed %T %x", op, op), func() {
			if add, ok := op.(playerlist.AddPlayer); ok {
				rc.addLate(add, replica)
			} else {
				rc.e.apply(op)
			}
		}})
	}
	return all
}

// lacks reports whether a list has not all players and groups of the replica with their names and data, but for some.
// Nearly always it has, and to say so costs less than to say what to do.
func lacks(list, replica *playerlist.List, keep func(wire.PlayerID) bool) bool {
	for q := range both(replica.EachPlayer(), replica.EachGroup()) {
		if p, ok := list.Look(q.ID); keep(q.ID) && !(ok && p.Group == q.Group && bytes.Equal(p.ShortName, q.ShortName) &&
			bytes.Equal(p.LongName, q.LongName) && bytes.Equal(p.Data, q.Data)) {
			return true
		}
	}
	return false
}

// both returns one sequence after the other.
func both(a, b iter.Seq[playerlist.Entry]) iter.Seq[playerlist.Entry] {
	return func(yield func(playerlist.Entry) bool) {
		for p := range a {
			if !yield(p) {
				return
			}
		}
		b(yield)
	}
}

// missedLinks returns who is in a group for the host, and not for us, whoever owns them: the host's list says what is.
func (rc *reconcile) missedLinks(replica *playerlist.List) []difference {
	e := rc.e
	var all []difference
	for g := range e.list.EachGroup() {
		if _, group := replica.Kind(g.ID); !group {
			continue
		}
		for _, id := range replica.AppendMembers(nil, g.ID) {
			add := playerlist.AddMember{Group: g.ID, Player: id}
			if player, _ := e.list.Kind(id); player && !e.list.IsMember(g.ID, id) && !rc.pending.unlinked(add) {
				all = append(all, difference{fmt.Sprintf("missed link %x %x", g.ID, id), func() { e.apply(add) }})
			}
		}
		shown := e.list.AppendShortcuts(nil, g.ID)
		for _, id := range replica.AppendShortcuts(nil, g.ID) {
			if _, group := e.list.Kind(id); group && !slices.Contains(shown, id) {
				all = append(all, difference{fmt.Sprintf("missed shortcut %x %x", g.ID, id), func() {
					e.apply(playerlist.AddShortcut{Parent: g.ID, Child: id})
				}})
			}
		}
	}
	return all
}

// silentData reports whether nobody is told of a player's data (NODATAMESSAGES).
func (rc *reconcile) silentData(id wire.PlayerID) bool {
	player, _ := rc.e.list.Kind(id)
	return player && rc.e.flags()&wire.SessionNoDataMessages != 0
}

// surplus returns what others have no more: machines first, with all that is theirs.
func (rc *reconcile) surplus(replica *playerlist.List) []difference {
	e := rc.e
	var all []difference
	gone := func(what string, id wire.PlayerID, fix func()) {
		all = append(all, difference{fmt.Sprintf("surplus %s %x", what, id), fix})
	}
	for _, p := range slices.Clone(e.peers.all) {
		if _, there := replica.System(p.system); !there {
			gone("machine", p.system, func() {
				if e.peerByID(p.system) == p {
					why := loss{CauseRemoved, "the host does not know it"}
					e.event(PeerLost{System: p.system, Cause: why.cause, Reason: why.text})
					e.departed(p.system, why, true)
				}
			})
		}
	}
	is := func(p *playerlist.Entry) bool {
		q, ok := replica.Look(p.ID)
		return ok && q.Group == p.Group && q.System == p.System
	}
	for _, g := range slices.Backward(e.list.Groups()) {
		if g.System != e.self && !is(&g) {
			gone("group", g.ID, func() {
				e.partition.keepLinks(g.ID)
				e.apply(playerlist.DeleteGroup{ID: g.ID})
			})
		}
	}
	for p := range e.list.EachPlayer() {
		if p.System != e.self && p.Flags&wire.PlayerSystem == 0 && !is(&p) {
			gone("player", p.ID, func() { e.apply(playerlist.DeletePlayer{ID: p.ID}) })
		}
	}
	return all
}

// untold returns what the host did not hear of ours.
func (rc *reconcile) untold(replica *playerlist.List) []difference {
	e := rc.e
	var all []difference
	tell := func(what string, id wire.PlayerID, m wire.Message) {
		all = append(all, difference{fmt.Sprintf("untold %s %x", what, id), func() {
			if h := e.peerByID(e.host); h != nil {
				e.sendTCP(h.stream, m)
			}
		}})
	}
	for p := range both(e.list.EachPlayer(), e.list.EachGroup()) {
		if p.System != e.self || p.Flags&wire.PlayerSystem != 0 {
			continue
		}
		q, ok := replica.Look(p.ID)
		info, _ := e.list.Packed(p.ID, e.self)
		switch {
		case !ok && p.Group:
			tell("group", p.ID, &wire.CreateGroup{Player: p.ID, Info: info})
		case !ok:
			tell("player", p.ID, &wire.CreatePlayer{Player: p.ID, Info: info})
		case q.System == e.self && q.Group == p.Group:
			rc.untoldChanges(&p, &q, tell)
		default:
			all = append(all, difference{fmt.Sprintf("taken %x", uint32(p.ID)), func() { rc.giveUpID(p) }})
		}
	}
	for q := range both(replica.EachGroup(), replica.EachPlayer()) {
		_, here := e.list.System(q.ID)
		mine := q.System == e.self || q.Group && rc.pending.deletedByUs(q.ID)
		if here || !mine || q.Flags&wire.PlayerSystem != 0 {
			continue
		}
		if q.Group {
			tell("no group", q.ID, &wire.DeleteGroup{Group: q.ID})
		} else {
			tell("no player", q.ID, &wire.DeletePlayer{Player: q.ID})
		}
	}
	return all
}

// giveUpID gives up the id of a player or group of ours that is somebody else's for the host: two parts of the session
// gave it while they were apart. It gets another one.
func (rc *reconcile) giveUpID(p playerlist.Entry) {
	e := rc.e
	idle := len(e.requests.line) == 0
	if p.Group {
		e.apply(playerlist.DeleteGroup{ID: p.ID})
	} else {
		e.apply(playerlist.DeletePlayer{ID: p.ID})
	}
	e.requests.recreate(&p)
	rc.pending.forget(p.ID) // it is the other one that the replica knows
	if idle {
		e.requests.ask()
	}
}

// untoldChanges returns names and data of ours that the host has otherwise.
func (rc *reconcile) untoldChanges(p, q *playerlist.Entry, tell func(string, wire.PlayerID, wire.Message)) {
	if !bytes.Equal(p.ShortName, q.ShortName) || !bytes.Equal(p.LongName, q.LongName) {
		tell("name", p.ID, nameChange(p))
	}
	if bytes.Equal(p.Data, q.Data) || rc.silentData(p.ID) {
		return
	}
	tell("data", p.ID, dataChange(p))
}

// unlinks returns who is in a group for us, and not for the host. That anybody may change, so the host's list says what
// is, except for players of ours.
func (rc *reconcile) unlinks(replica *playerlist.List) []difference {
	e := rc.e
	var all []difference
	for _, r := range rc.pending.unlinks {
		if !replica.IsMember(r.Group, r.Player) {
			continue
		}
		all = append(all, difference{fmt.Sprintf("still linked %x %x", r.Group, r.Player), func() {
			if h := e.peerByID(e.host); h != nil {
				e.sendTCP(h.stream, &wire.DeletePlayerFromGroup{Player: r.Player, Group: r.Group})
			}
			rc.pending.relink(r)
		}})
	}
	for g := range e.list.EachGroup() {
		if _, group := replica.Kind(g.ID); !group {
			continue
		}
		for _, id := range e.list.AppendMembers(nil, g.ID) {
			if replica.IsMember(g.ID, id) {
				continue
			}
			all = append(all, difference{fmt.Sprintf("unlinked %x %x", g.ID, id), func() {
				if h := e.peerByID(e.host); e.ours(id) && h != nil {
					e.sendTCP(h.stream, &wire.AddPlayerToGroup{Player: id, Group: g.ID})
				} else if !e.ours(id) {
					e.apply(playerlist.RemoveMember{Group: g.ID, Player: id})
				}
			}})
		}
		shown := replica.AppendShortcuts(nil, g.ID)
		for _, id := range e.list.AppendShortcuts(nil, g.ID) {
			if !slices.Contains(shown, id) {
				all = append(all, difference{fmt.Sprintf("unlinked %x %x", g.ID, id), func() {
					e.apply(playerlist.RemoveShortcut{Parent: g.ID, Child: id})
				}})
			}
		}
	}
	return all
}
