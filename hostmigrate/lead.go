package hostmigrate

import (
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// Lead makes this machine the host, who numbers: l is the table from now on. It stays the caller's, who applies
// operations to it and then calls [Table.Sync]. All of members are told: those who were resynchronised in a migration
// that ended with l are at its version, all others get the whole table. A migration that is under way is over.
func (t *Table) Lead(now time.Duration, l *playerlist.List, members []wire.PlayerID) {
	old := t.members
	if l != t.list {
		old, t.oldest = nil, 0
	}
	t.host, t.list, t.leading = t.cfg.Self, l, true
	t.move, t.parts, t.asked, t.held, t.lost = nil, nil, false, nil, nil
	t.members, t.checks, t.named = nil, nil, true
	for _, id := range members {
		if id == 0 || id == t.cfg.Self || t.indexOf(id) >= 0 {
			continue
		}
		m := member{id: id, whole: true}
		for i := range old {
			if old[i].id == id {
				m = old[i]
			}
		}
		t.members = append(t.members, m)
		t.gone, t.olds = remove(t.gone, id), remove(t.olds, id)
	}
	t.Sync(now)
}

// Admit begins to tell a member: it gets the whole table, then every operation. For a member that is told already, it
// begins anew. While this machine leads a migration, the member takes part in it; if it is not the host, this does
// nothing.
func (t *Table) Admit(now time.Duration, id wire.PlayerID) {
	if id == 0 || id == t.cfg.Self {
		return
	}
	t.gone, t.olds = remove(t.gone, id), remove(t.olds, id)
	switch {
	case t.leading:
		t.drop(id)
		t.members = append(t.members, member{id: id, whole: true})
		t.Sync(now)
	case t.leads():
		t.include(id)
	}
}

// Remove ends telling a member: it left, or never was one.
func (t *Table) Remove(now time.Duration, id wire.PlayerID) { t.lostAsLeader(now, id) }

// Sync sends every operation that members were not sent yet. It is to be called after operations were applied to the
// table; a member that lags further behind than the list remembers gets the whole table.
func (t *Table) Sync(time.Duration) {
	if !t.leading {
		return
	}
	var last batch
	for i := range t.members {
		t.update(&t.members[i], &last)
	}
}

// A batch is what was encoded for one member; the next one often needs the same.
type batch struct {
	since    uint32
	messages [][]byte // nil: nothing was encoded
}

// update sends a member what it lacks.
func (t *Table) update(m *member, last *batch) {
	v := t.list.Version()
	if !m.whole && m.sent == v || m.tried == v && v != 0 {
		return
	}
	messages := t.operations(m, last)
	if messages == nil {
		if messages = t.whole(m.id); messages == nil {
			m.tried = v
			return
		}
	}
	for _, b := range messages {
		t.out.Sends = append(t.out.Sends, Send{m.id, b})
	}
	m.sent, m.whole, m.tried = v, false, 0
}

// operations returns what a member lacks as operations; nil if that is not possible.
func (t *Table) operations(m *member, last *batch) [][]byte {
	if m.whole {
		return nil
	}
	if last.messages != nil && last.since == m.sent {
		return last.messages
	}
	ops, ok := t.list.Since(m.sent)
	if !ok {
		return nil
	}
	messages := make([][]byte, len(ops))
	for i, n := range ops {
		b, err := AppendOperation(nil, n)
		if err != nil {
			return nil
		}
		messages[i] = b
	}
	*last = batch{m.sent, messages}
	return messages
}

// whole returns the whole table as messages; nil if it does not fit.
func (t *Table) whole(to wire.PlayerID) [][]byte {
	s := t.list.State()
	infos, err := ConnectInfos(&s, to)
	if err != nil {
		return nil
	}
	messages := make([][]byte, len(infos))
	for i, m := range infos {
		b, err := dpl8.Append(nil, m)
		if err != nil {
			return nil
		}
		messages[i] = b
	}
	return messages
}

// rejoined takes back a member that answers the migration which made this machine host once more: it followed somebody
// else in between, who is gone. Operations that it has from there are of another log: it gets the whole table, and if
// its own has come further, it cannot stay.
func (t *Table) rejoined(now time.Duration, i int, version uint32) error {
	id := t.members[i].id
	if version > t.list.Version() {
		t.drop(id)
		t.event(Drop{id, ErrAhead})
		return ErrAhead
	}
	t.members[i] = member{id: id, whole: true, follows: true}
	t.Sync(now)
	t.send(id, &dpl8.HostMigrateComplete{})
	return nil
}

// drop ends telling a member and forgets what was asked on its account.
func (t *Table) drop(id wire.PlayerID) {
	if i := t.indexOf(id); i >= 0 {
		t.members = append(t.members[:i], t.members[i+1:]...)
	}
	t.dropChecks(id)
}

// reported takes a member's version. When the oldest of all advances, everybody may forget what came before it
// ([MC-DPL8CS] 2.2.6). A member that says zero has nothing, and gets the whole table.
func (t *Table) reported(now time.Duration, from wire.PlayerID, m *dpl8.NameTableVersion) error {
	i := t.indexOf(from)
	again := m.VersionNotUsed != 0 && m.VersionNotUsed == t.round
	switch {
	case i < 0:
		return ErrNotMember
	case again:
		return t.rejoined(now, i, m.Version)
	case m.Version > t.list.Version() || m.VersionNotUsed != 0:
		return ErrUnexpected
	}
	t.members[i].follows = true
	if m.Version == 0 {
		t.members[i] = member{id: from, whole: true, follows: true}
		t.Sync(now)
		return nil
	}
	t.members[i].known = max(t.members[i].known, m.Version)
	oldest := t.list.Version()
	for i := range t.members {
		oldest = min(oldest, t.members[i].known)
	}
	if oldest <= t.oldest {
		return nil
	}
	t.oldest = oldest
	t.list.Forget(oldest)
	for i := range t.members {
		t.send(t.members[i].id, &dpl8.ResyncVersion{Version: oldest})
	}
	return nil
}
