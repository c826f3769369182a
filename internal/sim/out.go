package sim

import "dplay4/wire"

// An Excuse is a reason for which a member may lose its session although its program lives.
type Excuse string

// The excuses.
const (
	HostGone Excuse = "host_gone" // the session has no MIGRATEHOST, and its host is gone
	OldRules Excuse = "old_rules" // it, or its host, has the rules of DirectPlay 4 alone, by which nobody comes back
	Silent   Excuse = "silent"    // a fault kept it from answering, or did until lately
)

// Excuses returns all of them, in order.
func Excuses() []Excuse { return []Excuse{HostGone, OldRules, Silent} }

// out counts a program that loses its session: as thrown out, unless there is an excuse.
func (t *truth) out(p *process) {
	s := &t.w.res.Stats
	if why := t.excuse(p); why != "" {
		if s.Excused == nil {
			s.Excused = map[Excuse]int{}
		}
		s.Excused[why]++
		return
	}
	s.ThrownOut++
}

// excuse returns why a program may lose its session, "" for no reason.
func (t *truth) excuse(p *process) Excuse {
	host := t.host(p)
	switch {
	case host == nil && t.w.opt.Flags&wire.SessionMigrateHost == 0:
		return HostGone
	case !t.w.extended(p.l) || host != nil && host.l.legacy:
		return OldRules
	case t.w.isCut(p.l) || p.l.silent > 0 && t.w.now-p.l.silent < t.w.opt.Bounds.Converge:
		return Silent
	}
	return ""
}

// host returns the program that is a member's host, nil if it is in the session no more.
func (t *truth) host(p *process) *process {
	for _, l := range t.w.lanes {
		if q := l.proc; q != nil && q.told.in && q.told.instance == p.told.instance && q.told.self == p.told.host {
			return q
		}
	}
	return nil
}

// isCut reports whether nothing gets from a machine to some other one, or back.
func (w *World) isCut(l *lane) bool {
	for i := range w.lanes {
		if w.cut[l.i][i] > 0 || w.cut[i][l.i] > 0 {
			return true
		}
	}
	return false
}
