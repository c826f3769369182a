package sim

import (
	"slices"

	"dplay4/wire"
)

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

// out counts a program that is out of its session: as thrown out, unless there is an excuse.
func (t *truth) out(p *process, why Excuse) {
	s := &t.w.res.Stats
	if why != "" {
		if s.Excused == nil {
			s.Excused = map[Excuse]int{}
		}
		s.Excused[why]++
		t.w.moment(p.l, "out", "is out of the session for a reason: %s", why)
		return
	}
	s.ThrownOut++
	t.w.moment(p.l, "out", "is thrown out of the session")
}

// stranded counts members that are out of their session in the end and do not know it: a machine that no other one of its part
// has. The part of a session is where its host with the most members is.
func (t *truth) stranded(part, hosts []*process) {
	var main *process
	most := 0
	for _, h := range hosts {
		n := 0
		for _, p := range part {
			if hostOf(p, hosts) == h {
				n++
			}
		}
		if n > most {
			main, most = h, n
		}
	}
	for _, p := range part {
		if p == main || len(part) == 1 || slices.ContainsFunc(part, func(q *process) bool { return q != p && q.has(p) }) {
			continue
		}
		t.w.res.Stats.Stranded++
		why, ok := t.dropped[p.l]
		switch {
		case ok:
		case !t.w.extended(main.l): // nobody comes back to that host
			why = OldRules
		default:
			why = t.excuse(p)
		}
		t.out(p, why)
	}
}

// has reports whether a program has another one's machine in its session: players of it, if there are any.
func (p *process) has(q *process) bool {
	return p.knows(q.told.self) || len(q.program.players) == 0 && p.told.has(q.told.self)
}

// excuse returns why a program may lose its session, "" for no reason.
func (t *truth) excuse(p *process) Excuse {
	host := t.host(p)
	switch {
	case host == nil && t.w.opt.Flags&wire.SessionMigrateHost == 0:
		return HostGone
	case !t.w.extended(p.l) || host != nil && !t.w.extended(host.l):
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
