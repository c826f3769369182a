package dpsp

import (
	"slices"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A pending is what was taken out of our list until the replica says so, too: a replica that is behind must not bring it back.
type pending struct {
	deletes []pendingDelete
	unlinks []playerlist.RemoveMember
}

// A pendingDelete is a deletion that the replica does not know of.
type pendingDelete struct {
	id    wire.PlayerID
	until time.Duration // then an audit believes the host's list
	ours  bool          // our program deleted it
}

// maxPending bounds what is remembered of deletions that the replica has not heard of.
const maxPending = 4096

// pendingPeriods is how long, in periods of the ping timer, a host may go on with what was deleted here. Until then it
// was told: by whoever deleted it, and by the owner's audits, after two periods at the latest. What it still has then
// was not to be deleted, or is there again: what told us was old.
const pendingPeriods = 4

// note notes a change of our list. What is deleted and in the replica is pending until then.
func (p *pending) note(op playerlist.Op, replica *playerlist.List, until time.Duration) {
	switch op := op.(type) {
	case playerlist.AddPlayer:
		p.forget(op.Entry.ID)
	case playerlist.AddGroup:
		p.forget(op.Entry.ID)
	case playerlist.AddMember:
		p.relink(playerlist.RemoveMember(op))
	case playerlist.DeletePlayer:
		p.delete(op.ID, replica, until)
	case playerlist.DeleteGroup:
		p.delete(op.ID, replica, until)
	case playerlist.RemoveMember:
		if len(p.unlinks) >= maxPending {
			p.unlinks = slices.DeleteFunc(p.unlinks, func(r playerlist.RemoveMember) bool { return !replica.IsMember(r.Group, r.Player) })
		}
		if len(p.unlinks) < maxPending && replica.IsMember(op.Group, op.Player) {
			p.unlinks = append(p.unlinks, op)
		}
	}
}

func (p *pending) delete(id wire.PlayerID, replica *playerlist.List, until time.Duration) {
	if len(p.deletes) >= maxPending {
		p.deletes = slices.DeleteFunc(p.deletes, func(x pendingDelete) bool { _, there := replica.System(x.id); return !there })
	}
	if _, there := replica.System(id); there && len(p.deletes) < maxPending {
		p.deletes = append(p.deletes, pendingDelete{id: id, until: until})
	}
}

// byUs notes that it was our program which deleted a group: the host is told again if it does not say so.
func (p *pending) byUs(id wire.PlayerID) {
	for i := range p.deletes {
		p.deletes[i].ours = p.deletes[i].ours || p.deletes[i].id == id
	}
}

// deleted reports whether an id was deleted, and the replica has not heard of it.
func (p *pending) deleted(id wire.PlayerID) bool {
	return slices.ContainsFunc(p.deletes, func(x pendingDelete) bool { return x.id == id })
}

// deletedByUs reports whether it was our program that deleted an id.
func (p *pending) deletedByUs(id wire.PlayerID) bool {
	return slices.ContainsFunc(p.deletes, func(x pendingDelete) bool { return x.id == id && x.ours })
}

// unlinked reports whether a player was taken out of a group, and the replica has not heard of it.
func (p *pending) unlinked(add playerlist.AddMember) bool {
	return slices.Contains(p.unlinks, playerlist.RemoveMember(add))
}

// forget notes that an id is in use again.
func (p *pending) forget(id wire.PlayerID) {
	p.deletes = slices.DeleteFunc(p.deletes, func(x pendingDelete) bool { return x.id == id })
}

// relink notes that a player is in a group again, or that the host was told once more that it is not.
func (p *pending) relink(gone playerlist.RemoveMember) {
	p.unlinks = slices.DeleteFunc(p.unlinks, func(r playerlist.RemoveMember) bool { return r == gone })
}

// expire forgets deletions that the host had time to hear of.
func (p *pending) expire(now time.Duration) {
	p.deletes = slices.DeleteFunc(p.deletes, func(x pendingDelete) bool { return x.until <= now })
}
