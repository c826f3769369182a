package hostmigrate

import (
	"slices"
	"time"

	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// Receive takes a message of [MC-DPL8CS] that a peer sent, the body of wire.ExtensionTable. Who sent it is for the
// caller to know: from is believed. An error says why the message was ignored: a *wire.DecodeError, or an *IgnoredError
// around a reason; the table is then as it was, except that it may ask the host for the whole table, or give up on a
// peer that answered nonsense. Nothing of octets is kept but in copies.
func (t *Table) Receive(now time.Duration, from wire.PlayerID, octets []byte) error {
	m, err := dpl8.Decode(octets)
	if err != nil {
		return err
	}
	if from == t.cfg.Self || slices.Contains(t.gone, from) || slices.Contains(t.olds, from) {
		err = ErrGone
	} else {
		err = t.receive(now, from, m)
	}
	if err != nil {
		return &IgnoredError{m.Type(), from, err}
	}
	return nil
}

func (t *Table) receive(now time.Duration, from wire.PlayerID, m dpl8.Message) error {
	if t.move != nil && from == t.move.leader && t.move.deadline != Never {
		t.move.deadline = after(now, t.cfg.Patience)
	}
	switch m := m.(type) {
	case *dpl8.HostMigrate:
		return t.hostMigrate(now, from, m)
	case *dpl8.NameTableVersion:
		return t.nameTableVersion(now, from, m)
	case *dpl8.ReqNameTableOp:
		return t.requested(from, m)
	case *dpl8.AckNameTableOp:
		return t.acknowledged(now, from, m)
	case *dpl8.ResyncVersion:
		return t.resync(from, m)
	case *dpl8.HostMigrateComplete:
		return t.migrated(from)
	case *dpl8.SendConnectInfo:
		return t.state(now, from, m)
	case *dpl8.ReqIntegrityCheck:
		return t.requestCheck(now, from, m)
	case *dpl8.IntegrityCheck:
		return t.answerCheck(from, m)
	case *dpl8.IntegrityCheckResponse:
		return t.checked(now, from, m)
	case *dpl8.TerminateSession:
		return t.terminated(from)
	}
	if !m.Type().Operation() {
		return ErrUnexpected
	}
	return t.operation(from, m)
}

// nameTableVersion takes a version that somebody reports: to the leader of a migration, or to the host now and then.
func (t *Table) nameTableVersion(now time.Duration, from wire.PlayerID, m *dpl8.NameTableVersion) error {
	switch {
	case m.VersionNotUsed == calling:
		t.isCalled(from)
		return nil
	case t.leads():
		return t.heard(now, from, m)
	case t.leading:
		return t.reported(now, from, m)
	case m.VersionNotUsed == t.round && t.round != 0: // it follows this machine, which let a better candidate lead
		t.isCalled(from)
		return nil
	}
	return ErrNotLeading
}
