package dpsp

import (
	"bytes"
	"fmt"
	"slices"
	"time"

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
	e.objects.Audit()
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
		if e.views.on() && p.modern && !p.greeted { // by its view; objects, links and counts need its HELLO
			e.sayHello(p, true)
		}
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
	if rc.table == nil {
		return
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

// A differing collects the differences that an audit finds.
type differing struct {
	rc      *reconcile
	replica *playerlist.List
	all     []difference
	kept    map[playerlist.RemoveMember]bool // the links, shortcuts too, that unlinks has looked at
}

// differences returns how our list and the replica differ, in an order in which that can be put right.
func (rc *reconcile) differences() []difference {
	d := differing{rc: rc, replica: rc.table.Replica()}
	for _, op := range playerlist.Diff(rc.e.list, d.replica) {
		switch op := op.(type) {
		case playerlist.DeletePlayer:
			d.lacked(op, op.ID)
		case playerlist.DeleteGroup:
			d.lacked(op, op.ID)
		case playerlist.AddPlayer:
			d.missed(op, &op.Entry, func() { rc.addLate(op, d.replica) })
		case playerlist.AddGroup:
			d.missed(op, &op.Entry, func() { rc.e.apply(rc.e.rooted(op)) })
		case playerlist.SetName:
			d.changed(op.ID)
		case playerlist.SetData:
			d.changed(op.ID)
		case playerlist.SetInfo:
			d.changed(op.ID)
		case playerlist.AddMember:
			d.linked(op)
		case playerlist.RemoveMember:
			d.unlinked(op)
		case playerlist.AddShortcut:
			if !slices.Contains(rc.e.list.AppendGroupsOf(nil, op.Child), op.Parent) { // else lacked kept both
				d.take(op)
			}
		case playerlist.RemoveShortcut: // the host's list decides
			d.take(op)
		} // the others do not count: each list has the addresses at which its machine met the others
	}
	return d.all
}

// add adds a difference: the operation that would make our list equal to the replica, and the fix.
func (d *differing) add(op playerlist.Op, fix func()) {
	d.all = append(d.all, difference{fmt.Sprintf("%T %x", op, op), fix})
}

// take adds a difference in which the host's list is right.
func (d *differing) take(op playerlist.Op) { d.add(op, func() { d.rc.e.apply(op) }) }

// tell adds a difference in which ours is right: the host is sent a message.
func (d *differing) tell(op playerlist.Op, m wire.Message) {
	e := d.rc.e
	d.add(op, func() {
		if h := e.peerByID(e.host); h != nil {
			e.sendTCP(h.stream, m)
		}
	})
}

// lacked adds the fix for a player or group that our list has and the replica lacks, which op deletes. Other members' are deleted
// here; our own are announced to the host again. What a lost machine owns goes with the machine.
func (d *differing) lacked(op playerlist.Op, id wire.PlayerID) {
	e := d.rc.e
	p, _ := e.list.Get(id)
	q, there := d.replica.Look(id)
	_, machine := d.replica.System(p.System)
	switch {
	case there && same(p, q): // only its parent or its flags differ, and no message changes those
		d.changed(id)
		d.unlinks(id)
	case p.Flags&wire.PlayerSystem != 0:
		if m := e.peerByID(id); m != nil && !there {
			d.add(op, func() { d.rc.gone(m) })
		}
	case p.System == e.self && there:
		d.add(op, func() { d.rc.giveUpID(p) })
	case p.System == e.self:
		info, _ := e.list.Packed(id, e.self)
		if p.Group {
			d.tell(op, &wire.CreateGroup{Player: id, Info: info})
		} else {
			d.tell(op, &wire.CreatePlayer{Player: id, Info: info})
		}
	case !machine:
	default:
		d.add(op, func() {
			if p.Group {
				e.partition.keepLinks(id)
			}
			e.apply(op)
		})
	}
}

// gone removes a machine that the host does not have.
func (rc *reconcile) gone(p *peer) {
	if rc.e.peerByID(p.system) == p {
		why := loss{CauseRemoved, "the host does not know it"}
		rc.e.event(PeerLost{System: p.system, Cause: why.cause, Reason: why.text})
		rc.e.departed(p.system, why, true)
	}
}

// missed adds the fix for a player or group that the replica has and our list lacks, which op adds. Other members' are added here.
// Our own, and groups that our program deleted, are deleted at the host.
func (d *differing) missed(op playerlist.Op, q *playerlist.Entry, fix func()) {
	e, pending := d.rc.e, &d.rc.pending
	p, here := e.list.Look(q.ID)
	switch {
	case here && same(p, *q): // lacked has it
	case q.System == e.self && (here || q.Flags&wire.PlayerSystem != 0):
	case q.Group && !here && (q.System == e.self || pending.deletedByUs(q.ID)):
		d.tell(op, &wire.DeleteGroup{Group: q.ID})
	case q.System == e.self:
		d.tell(op, &wire.DeletePlayer{Player: q.ID})
	case pending.deleted(q.ID) || pending.deleted(q.System):
	default:
		d.add(op, fix)
	}
}

// linked adds the fix for a player that only the replica has in a group. The host is right, whoever owns the two, unless a removal
// is pending: then the host is told of it once more.
func (d *differing) linked(op playerlist.AddMember) {
	e, gone := d.rc.e, playerlist.RemoveMember(op)
	switch {
	case e.list.IsMember(op.Group, op.Player): // lacked kept both
		return
	case !d.rc.pending.unlinked(op):
		d.take(op)
		return
	}
	d.add(op, func() {
		if h := e.peerByID(e.host); h != nil {
			e.sendTCP(h.stream, &wire.DeletePlayerFromGroup{Player: op.Player, Group: op.Group})
		}
		d.rc.pending.relink(gone)
	})
}

// unlinked adds the fix for a player that only our list has in a group. Any member may change that, so the host is right, except
// about players of ours.
func (d *differing) unlinked(op playerlist.RemoveMember) {
	if e := d.rc.e; e.ours(op.Player) {
		d.tell(op, &wire.AddPlayerToGroup{Player: op.Player, Group: op.Group})
	} else {
		d.take(op)
	}
}

// unlinks adds fixes for the memberships and shortcuts of a player or group that Diff replaces and the audit keeps. Diff returns no
// operation for those that only our list has, because they go with the old row.
func (d *differing) unlinks(id wire.PlayerID) {
	list := d.rc.e.list
	for _, group := range list.AppendGroupsOf(nil, id) {
		d.unlink(group, id)
	}
	for _, in := range list.AppendShortcuts(list.AppendMembers(nil, id), id) {
		d.unlink(id, in)
	}
}

// unlink adds the fix for a player or group that only our list has in a group, once.
func (d *differing) unlink(group, id wire.PlayerID) {
	gone := playerlist.RemoveMember{Group: group, Player: id}
	if d.kept[gone] || slices.Contains(d.replica.AppendGroupsOf(nil, id), group) {
		return
	}
	if d.kept == nil {
		d.kept = map[playerlist.RemoveMember]bool{}
	}
	d.kept[gone] = true
	for _, end := range [...]wire.PlayerID{group, id} {
		p, _ := d.rc.e.list.Look(end)
		if q, there := d.replica.Look(end); !there || !same(p, q) {
			return // lacked has it
		}
	}
	if player, _ := d.replica.Kind(id); player {
		d.unlinked(gone)
	} else {
		d.take(playerlist.RemoveShortcut{Parent: group, Child: id})
	}
}

// changed adds the fixes for names and data that differ: the host is right about others, we are about ours.
func (d *differing) changed(id wire.PlayerID) {
	e := d.rc.e
	p, _ := e.list.Get(id)
	q, _ := d.replica.Look(id)
	if id == e.self {
		return
	}
	names := !bytes.Equal(p.ShortName, q.ShortName) || !bytes.Equal(p.LongName, q.LongName)
	data := !bytes.Equal(p.Data, q.Data) && !d.rc.silentData(id)
	name := playerlist.SetName{ID: id, ShortName: q.ShortName, LongName: q.LongName}
	if p.System == e.self {
		if names {
			d.tell(name, nameChange(&p))
		}
		if data {
			d.tell(playerlist.SetData{ID: id, Data: q.Data}, dataChange(&p))
		}
		return
	}
	switch {
	case names && data:
		d.take(playerlist.SetInfo{ID: id, ShortName: q.ShortName, LongName: q.LongName, Data: q.Data})
	case names:
		d.take(name)
	case data:
		d.take(playerlist.SetData{ID: id, Data: q.Data})
	}
}

// silentData reports whether nobody is told of a player's data (NODATAMESSAGES).
func (rc *reconcile) silentData(id wire.PlayerID) bool {
	player, _ := rc.e.list.Kind(id)
	return player && rc.e.flags()&wire.SessionNoDataMessages != 0
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
