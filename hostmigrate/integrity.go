package hostmigrate

import (
	"slices"
	"time"

	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// A check is a member that was asked whether it is there, because another one lost it ([MC-DPL8CS] 3.2.5.3).
type check struct {
	requester wire.PlayerID
	target    wire.PlayerID
	deadline  time.Duration
}

// askHost asks the host whether a peer that was lost is still there, unless the host has removed it already.
func (t *Table) askHost(peer wire.PlayerID) {
	if t.list != nil {
		if player, _ := t.list.Kind(peer); !player {
			return
		}
	}
	if t.host != 0 && peer != t.host {
		t.send(t.host, &dpl8.ReqIntegrityCheck{Target: dpl8.DPNID(peer)})
	}
}

// requestCheck asks the member that another one lost.
func (t *Table) requestCheck(now time.Duration, from wire.PlayerID, m *dpl8.ReqIntegrityCheck) error {
	target := wire.PlayerID(m.Target)
	switch {
	case !t.leading:
		return ErrNotLeading
	case t.indexOf(from) < 0 || t.indexOf(target) < 0 || from == target:
		return ErrNotMember
	}
	for _, c := range t.checks {
		if c.requester == from && c.target == target {
			return nil // it waits for the answer already
		}
	}
	t.checks = append(t.checks, check{from, target, after(now, t.cfg.Timeout)})
	t.send(target, &dpl8.IntegrityCheck{Requesting: dpl8.DPNID(from)})
	return nil
}

// answerCheck tells the host that this machine is there.
func (t *Table) answerCheck(from wire.PlayerID, m *dpl8.IntegrityCheck) error {
	if err := t.following(from); err != nil {
		return err
	}
	t.send(from, &dpl8.IntegrityCheckResponse{Requesting: m.Requesting})
	return nil
}

// checked takes the answer: who reported a peer that is there is itself removed (1.3.5).
func (t *Table) checked(_ time.Duration, from wire.PlayerID, m *dpl8.IntegrityCheckResponse) error {
	requester := wire.PlayerID(m.Requesting)
	if !slices.ContainsFunc(t.checks, func(c check) bool { return c.requester == requester && c.target == from }) {
		return ErrUnexpected
	}
	t.send(requester, &dpl8.TerminateSession{})
	t.drop(requester)
	t.event(Drop{requester, ErrAlive})
	return nil
}

// lookChecks drops the members that did not answer.
func (t *Table) lookChecks(now time.Duration) {
	for i := 0; i < len(t.checks); {
		c := t.checks[i]
		if now < c.deadline {
			i++
			continue
		}
		t.drop(c.target)
		t.event(Drop{c.target, ErrSilent})
		i = 0 // dropping takes checks away
	}
}

// dropChecks forgets what was asked of a peer, or on its account.
func (t *Table) dropChecks(id wire.PlayerID) {
	t.checks = slices.DeleteFunc(t.checks, func(c check) bool { return c.requester == id || c.target == id })
}

// terminated takes the host's word that this machine is out.
func (t *Table) terminated(from wire.PlayerID) error {
	if err := t.following(from); err != nil {
		return err
	}
	t.event(Removed{from})
	return nil
}
