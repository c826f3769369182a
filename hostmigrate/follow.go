package hostmigrate

import (
	"errors"
	"time"

	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// Follow makes this machine a member of a host's session that it joined: the replica that it had, if it was another
// host's, is dropped, for it may be of another log. A migration needs no Follow: who follows the new host is settled
// by [Table.Begin] and by what the new host says. For the host that is followed already it says that the migration, if
// there was one, has named its host; unless it is still under way here: a candidate that knew of no peers became host at
// once, and did not say that it leads, or it went on without this machine.
func (t *Table) Follow(_ time.Duration, host wire.PlayerID) {
	switch {
	case host == t.cfg.Self:
		return
	case host == t.host && t.move == nil:
		t.named = true
		return
	}
	*t = Table{cfg: t.cfg, host: host, round: t.round, out: t.out}
}

// following reports whether operations of a peer count.
func (t *Table) following(from wire.PlayerID) error {
	if t.leading || from != t.host || from == t.cfg.Self {
		return ErrNotHost
	}
	return nil
}

// operation applies an operation of the host's. One that does not fit, or with a gap before it, means that the replica
// is none: the host is asked for the whole table.
func (t *Table) operation(from wire.PlayerID, m dpl8.Message) error {
	if err := t.following(from); err != nil {
		return err
	}
	n, err := FromOperation(m)
	if err == nil && t.list == nil {
		err = ErrUnexpected
	}
	if err == nil {
		err = t.list.ApplyAt(n.Version, n.Op)
	}
	switch {
	case errors.Is(err, playerlist.ErrRepeat):
		return err
	case err != nil:
		t.askWhole()
		return err
	}
	if add, ok := n.Op.(playerlist.AddPlayer); ok { // one that was gone may be back
		t.gone, t.olds = remove(t.gone, add.Entry.ID), remove(t.olds, add.Entry.ID)
	}
	if t.Version()%4 == 0 { // [MC-DPL8CS] 2.2.6
		t.report(0)
	}
	return nil
}

// askWhole asks the host for the whole table, once: a version of zero says that there is none.
func (t *Table) askWhole() {
	if t.asked {
		return
	}
	t.asked = true
	t.send(t.host, &dpl8.NameTableVersion{})
}

// state takes a whole table, from the host or from the peer that the leader of a migration asked.
func (t *Table) state(now time.Duration, from wire.PlayerID, m *dpl8.SendConnectInfo) error {
	wanted := t.leads() && t.move.asked == from
	if err := t.following(from); err != nil && !wanted {
		return err
	}
	l, err := t.assemble(m)
	if l == nil && err == nil {
		if wanted {
			t.move.deadline = after(now, t.cfg.Timeout)
		}
		return nil
	}
	if err == nil && l.Version() < t.Version() {
		err = ErrBehind
	}
	if err == nil {
		t.list, t.asked = l, false
	}
	switch {
	case wanted:
		t.answered(now)
	case err == nil && t.Version() > 0: // zero would ask for it again
		t.report(0)
	}
	return err
}

// assemble adds a part of a table; a list when it was the last one.
func (t *Table) assemble(m *dpl8.SendConnectInfo) (*playerlist.List, error) {
	if t.parts == nil {
		t.parts = &assembly{}
	}
	a := t.parts
	done, err := a.add(m)
	if err != nil || done {
		t.parts = nil
	}
	if err != nil || !done {
		return nil, err
	}
	return playerlist.Load(a.state)
}

// resync forgets the operations that everybody has.
func (t *Table) resync(from wire.PlayerID, m *dpl8.ResyncVersion) error {
	if err := t.following(from); err != nil {
		return err
	}
	if t.list == nil {
		return ErrUnexpected
	}
	t.list.Forget(m.Version)
	return nil
}

// requested answers the leader of a migration with the operations after its version, or with the whole table if the
// log does not reach back so far, or the leader has none.
func (t *Table) requested(from wire.PlayerID, m *dpl8.ReqNameTableOp) error {
	if err := t.following(from); err != nil {
		return err
	}
	if t.move == nil || t.list == nil || t.Version() <= m.Version {
		return ErrUnexpected
	}
	if b := t.acknowledge(m.Version); b != nil {
		t.out.Sends = append(t.out.Sends, Send{from, b})
		return nil
	}
	for _, b := range t.whole(from) {
		t.out.Sends = append(t.out.Sends, Send{from, b})
	}
	return nil
}

// acknowledge returns DN_ACK_NAMETABLE_OP with the operations after a version; nil if that is not possible.
func (t *Table) acknowledge(version uint32) []byte {
	ops, ok := t.list.Since(version)
	if !ok || version == 0 {
		return nil
	}
	a := &dpl8.AckNameTableOp{Operations: make([]dpl8.Operation, len(ops))}
	for i, n := range ops {
		m, err := message(n)
		if err != nil {
			return nil
		}
		a.Operations[i] = dpl8.Operation{ID: m.Type(), Message: m}
	}
	b, err := dpl8.Append(nil, a)
	if err != nil || len(b) > MaxMessage {
		return nil
	}
	return b
}
