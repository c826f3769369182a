package dpsp

import (
	"bytes"
	"fmt"
	"slices"

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

// auditTimer runs an audit when one is due.
func (e *Engine) auditTimer() {
	if e.state != member || !e.migrates() || e.table == nil {
		e.auditAt, e.audited = Never, nil
		return
	}
	if e.auditAt == Never {
		e.auditAt = e.now + e.cfg.Period
	}
	if e.auditAt > e.now {
		return
	}
	e.auditAt = e.now + e.cfg.Period
	e.hellosAgain()
	if e.objects != nil {
		e.objects.Audit()
	}
	if !e.audits() {
		e.audited = nil
		return
	}
	e.expireErased()
	var keys []string
	var again []difference
	for _, d := range e.differences() {
		keys = append(keys, d.key)
		if _, known := slices.BinarySearch(e.audited, d.key); known {
			again = append(again, d)
		}
	}
	slices.Sort(keys)
	e.audited = keys
	for _, d := range again {
		if !e.audits() {
			return // it was the last thing that held the session together
		}
		d.fix()
	}
}

// maxHellos bounds how often a machine is greeted that does not answer: as a rule it is a legacy one.
const maxHellos = 4

// hellosAgain says hello once more to those who may not have heard us, and tells a host that was silent what we have of
// its table: it may have lost us and found us again.
func (e *Engine) hellosAgain() {
	for _, p := range e.machines {
		if !p.modern && p.hellos < maxHellos && !e.admitting(p.system) {
			p.hellos++
			e.sayHello(p, true)
		}
	}
	h := e.machineByID(e.host)
	if v := e.table.Version(); h != nil && h.modern && v == e.auditedAt {
		e.sayHello(h, false)
	}
	e.auditedAt = e.table.Version()
}

// audits says whether there is a replica to compare with, of a host that is there.
func (e *Engine) audits() bool {
	if e.state != member || !e.migrates() || e.hosting() || e.migr != nil || e.table == nil || e.table.Migrating() {
		return false
	}
	return e.table.Host() == e.host && e.table.Replica() != nil
}

// differences gives what differs, in an order in which it can be put right.
func (e *Engine) differences() []difference {
	replica := e.table.Replica()
	all := append(e.missed(replica), e.missedLinks(replica)...)
	all = append(all, e.surplus(replica)...)
	all = append(all, e.untold(replica)...)
	return append(all, e.unlinks(replica)...)
}

// missed gives what others did and we did not hear.
func (e *Engine) missed(replica *playerlist.List) []difference {
	var all []difference
	others := func(id wire.PlayerID) bool {
		system, _ := replica.System(id)
		return system != e.self && !e.erasedHere(id) && !e.erasedHere(system)
	}
	for _, op := range hostmigrate.Additions(e.list, replica, others) {
		if change, ok := op.(playerlist.SetData); ok && e.silentData(change.ID) {
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
				e.addLate(add, replica)
			} else {
				e.apply(op)
			}
		}})
	}
	return all
}

// unlinkedHere says whether a player was taken out of a group, and the host has not said so yet.
func (e *Engine) unlinkedHere(add playerlist.AddMember) bool {
	return slices.Contains(e.unlinked, playerlist.Op(playerlist.RemoveMember(add)))
}

// missedLinks gives who is in a group for the host, and not for us, whoever owns them: the host's list says what is.
func (e *Engine) missedLinks(replica *playerlist.List) []difference {
	var all []difference
	for _, g := range e.list.Groups() {
		if _, group := replica.Kind(g.ID); !group {
			continue
		}
		for _, id := range replica.AppendMembers(nil, g.ID) {
			add := playerlist.AddMember{Group: g.ID, Player: id}
			if player, _ := e.list.Kind(id); player && !e.list.IsMember(g.ID, id) && !e.unlinkedHere(add) {
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

// silentData says whether nobody is told of a player's data (NODATAMESSAGES).
func (e *Engine) silentData(id wire.PlayerID) bool {
	player, _ := e.list.Kind(id)
	return player && e.flags()&wire.SessionNoDataMessages != 0
}

// surplus gives what others have no more: machines first, with all that is theirs.
func (e *Engine) surplus(replica *playerlist.List) []difference {
	var all []difference
	gone := func(what string, id wire.PlayerID, fix func()) {
		all = append(all, difference{fmt.Sprintf("surplus %s %x", what, id), fix})
	}
	for _, p := range slices.Clone(e.machines) {
		if _, there := replica.System(p.system); !there {
			gone("machine", p.system, func() {
				if e.machineByID(p.system) == p {
					e.event(PeerLost{System: p.system, Reason: "the host does not know it"})
					e.departed(p.system, "the host does not know it", true)
				}
			})
		}
	}
	is := func(p *playerlist.Entry) bool {
		q, ok := replica.Get(p.ID)
		return ok && q.Group == p.Group && q.System == p.System
	}
	for _, g := range slices.Backward(e.list.Groups()) {
		if g.System != e.self && !is(&g) {
			gone("group", g.ID, func() { e.apply(playerlist.DeleteGroup{ID: g.ID}) })
		}
	}
	for _, p := range e.list.Players() {
		if p.System != e.self && p.Flags&wire.PlayerSystem == 0 && !is(&p) {
			gone("player", p.ID, func() { e.apply(playerlist.DeletePlayer{ID: p.ID}) })
		}
	}
	return all
}

// untold gives what the host did not hear of ours.
func (e *Engine) untold(replica *playerlist.List) []difference {
	var all []difference
	tell := func(what string, id wire.PlayerID, m wire.Message) {
		all = append(all, difference{fmt.Sprintf("untold %s %x", what, id), func() {
			if h := e.machineByID(e.host); h != nil {
				e.sendTCP(h.stream, m)
			}
		}})
	}
	for _, p := range append(e.list.Players(), e.list.Groups()...) {
		if p.System != e.self || p.Flags&wire.PlayerSystem != 0 {
			continue
		}
		q, ok := replica.Get(p.ID)
		info, _ := e.list.Packed(p.ID, e.self)
		switch {
		case !ok && p.Group:
			tell("group", p.ID, &wire.CreateGroup{Player: p.ID, Info: info})
		case !ok:
			tell("player", p.ID, &wire.CreatePlayer{Player: p.ID, Info: info})
		case q.System == e.self && q.Group == p.Group:
			e.untoldChanges(&p, &q, tell)
		default:
			all = append(all, difference{fmt.Sprintf("taken %x", uint32(p.ID)), func() { e.giveUpID(p) }})
		}
	}
	for _, q := range append(replica.Groups(), replica.Players()...) {
		if _, ours := e.list.System(q.ID); q.System != e.self || q.Flags&wire.PlayerSystem != 0 || ours {
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
func (e *Engine) giveUpID(p playerlist.Entry) {
	idle := len(e.requests) == 0
	if p.Group {
		e.apply(playerlist.DeleteGroup{ID: p.ID})
		e.request(recreateGroup(&p))
	} else {
		e.apply(playerlist.DeletePlayer{ID: p.ID})
		e.request(recreatePlayer(&p))
	}
	e.unerase(p.ID) // it is the other one that the replica knows
	if idle {
		e.askID()
	}
}

// untoldChanges gives names and data of ours that the host has otherwise.
func (e *Engine) untoldChanges(p, q *playerlist.Entry, tell func(string, wire.PlayerID, wire.Message)) {
	if !bytes.Equal(p.ShortName, q.ShortName) || !bytes.Equal(p.LongName, q.LongName) {
		if p.Group {
			tell("name", p.ID, &wire.GroupNameChanged{Group: p.ID, ShortName: p.ShortName, LongName: p.LongName})
		} else {
			tell("name", p.ID, &wire.PlayerNameChanged{Player: p.ID, ShortName: p.ShortName, LongName: p.LongName})
		}
	}
	if bytes.Equal(p.Data, q.Data) || e.silentData(p.ID) {
		return
	}
	if p.Group {
		tell("data", p.ID, &wire.GroupDataChanged{Group: p.ID, Data: p.Data})
	} else {
		tell("data", p.ID, &wire.PlayerDataChanged{Player: p.ID, Data: p.Data})
	}
}

// unlinks gives who is in a group for us, and not for the host. That anybody may change, so the host's list says what
// is, except for players of ours.
func (e *Engine) unlinks(replica *playerlist.List) []difference {
	var all []difference
	for _, op := range e.unlinked {
		r := op.(playerlist.RemoveMember)
		if !replica.IsMember(r.Group, r.Player) {
			continue
		}
		all = append(all, difference{fmt.Sprintf("still linked %x %x", r.Group, r.Player), func() {
			if h := e.machineByID(e.host); h != nil {
				e.sendTCP(h.stream, &wire.DeletePlayerFromGroup{Player: r.Player, Group: r.Group})
			}
			e.unlinked = slices.DeleteFunc(e.unlinked, func(o playerlist.Op) bool { return o == op })
		}})
	}
	for _, g := range e.list.Groups() {
		if _, group := replica.Kind(g.ID); !group {
			continue
		}
		for _, id := range e.list.AppendMembers(nil, g.ID) {
			if replica.IsMember(g.ID, id) {
				continue
			}
			all = append(all, difference{fmt.Sprintf("unlinked %x %x", g.ID, id), func() {
				if h := e.machineByID(e.host); e.ours(id) && h != nil {
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
