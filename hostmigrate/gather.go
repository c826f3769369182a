package hostmigrate

import (
	"cmp"
	"slices"
	"time"

	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// heard takes the version that a peer answers the leader with. Of an earlier round, it may be older than what the peer
// has by now. A peer that answers twice followed somebody else in between, who may have numbered operations: it gets the
// whole table.
func (t *Table) heard(now time.Duration, from wire.PlayerID, m *dpl8.NameTableVersion) error {
	p := t.move.find(from)
	switch {
	case p == nil:
		return ErrNotMember
	case m.VersionNotUsed != t.round:
		return ErrUnexpected
	}
	if t.move.asked == from { // the request may have come while it followed somebody else
		t.move.asked = 0
	}
	t.Left(from) // it follows this machine now, whatever it said before
	p.heard, p.whole, p.version = true, p.heard || m.Version == 0, m.Version
	t.gather(now)
	return nil
}

// gather does what is next for the leader: it waits until all peers have said their version, gets the operations that
// it lacks from the newest one, and then gives everybody what it lacks.
func (t *Table) gather(now time.Duration) {
	v := t.move
	if v.asked != 0 || slices.ContainsFunc(v.peers, func(p peer) bool { return !p.heard }) {
		return
	}
	newest, version := wire.PlayerID(0), t.Version()
	for _, p := range v.peers {
		if p.version > version {
			newest, version = p.id, p.version
		}
	}
	if newest == 0 {
		t.finish(now)
		return
	}
	v.asked, v.deadline, t.parts = newest, after(now, t.cfg.Timeout), nil
	t.send(newest, &dpl8.ReqNameTableOp{Version: t.Version()})
}

// acknowledged takes the operations of the newest peer.
func (t *Table) acknowledged(now time.Duration, from wire.PlayerID, m *dpl8.AckNameTableOp) error {
	if !t.leads() || t.move.asked != from {
		return ErrUnexpected
	}
	err := t.catchUp(m)
	t.answered(now)
	return err
}

// catchUp applies operations that somebody else numbered. Those that are there already are left alone.
func (t *Table) catchUp(m *dpl8.AckNameTableOp) error {
	for i := range m.Operations {
		op := &m.Operations[i]
		if op.Err != nil {
			return op.Err
		}
		n, err := FromOperation(op.Message)
		switch {
		case err != nil:
			return err
		case t.list == nil:
			return ErrUnexpected
		case n.Version <= t.list.Version():
			continue
		}
		if err := t.list.ApplyAt(n.Version, n.Op); err != nil {
			return err
		}
	}
	return nil
}

// answered goes on when the peer that was asked has answered. If it did not send what it said it has, the session goes
// on without it: its table is newer than anything that can be had.
func (t *Table) answered(now time.Duration) {
	p := t.move.find(t.move.asked)
	t.move.asked = 0
	if p != nil && p.version > t.Version() {
		t.giveUp(p.id, ErrAnswer)
	}
	t.gather(now)
}

// without goes on without a peer.
func (t *Table) without(now time.Duration, id wire.PlayerID) {
	v := t.move
	v.peers = slices.DeleteFunc(v.peers, func(p peer) bool { return p.id == id })
	if v.asked == id {
		v.asked, t.parts = 0, nil
	}
	t.gather(now)
}

// giveUp has a peer removed from the session.
func (t *Table) giveUp(id wire.PlayerID, why error) {
	t.move.peers = slices.DeleteFunc(t.move.peers, func(p peer) bool { return p.id == id })
	t.gone = include(t.gone, id)
	t.event(Drop{id, why})
}

// expire does without those that did not answer in time.
func (t *Table) expire(now time.Duration) {
	v := t.move
	if v.leader != t.cfg.Self {
		if best, ok := t.bestHeld(); ok && !v.greeted {
			t.joinHeld(now, best)
			return
		}
		v.deadline = Never
		t.event(Drop{v.leader, ErrSilent})
		return
	}
	var silent []wire.PlayerID
	for _, p := range v.peers {
		if !p.heard || p.id == v.asked {
			silent = append(silent, p.id)
		}
	}
	v.asked, t.parts = 0, nil
	for _, id := range silent {
		t.giveUp(id, ErrSilent)
	}
	t.gather(now)
}

// bestHeld is the best candidate that spoke besides the one that did not.
func (t *Table) bestHeld() (best wire.PlayerID, ok bool) {
	if len(t.held) == 0 {
		return 0, false
	}
	c := slices.MinFunc(t.held, func(a, b candidacy) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.from, b.from))
	})
	return c.from, true
}

// finish brings everybody up to date and ends the migration.
func (t *Table) finish(now time.Duration) {
	peers := t.move.peers
	t.move, t.members, t.oldest = nil, nil, 0
	for _, p := range peers {
		t.members = append(t.members, member{id: p.id, sent: p.version, whole: p.whole, known: p.version, follows: true})
	}
	t.leading = t.list != nil
	t.Sync(now)
	for _, p := range peers {
		if t.leading {
			t.send(p.id, &dpl8.ResyncVersion{Version: t.Version()})
		}
		t.send(p.id, &dpl8.HostMigrateComplete{})
	}
	t.event(Complete{t.Version(), t.list})
}
