package sim

import (
	"cmp"
	"slices"

	"dplay4/wire"
)

// The acquainted are pairs of programs of which the first was told that the second is in its session.
type acquainted map[[2]*process]bool

// meet notes that p was told of a machine. That one has its id only when it is in, which may be later: then entered notes it.
func (t *truth) meet(p *process, system wire.PlayerID) {
	if q := t.w.owners[owned{p.told.instance, system}]; q != nil && q != p {
		t.met[[2]*process{p, q}] = true
	}
}

// entered notes who was told of a newcomer before it was in.
func (t *truth) entered(q *process) {
	t.enters(q)
	for _, l := range t.w.lanes {
		p := l.proc
		if p != nil && p != q && p.told.in && p.told.instance == q.told.instance && p.told.host == q.told.host &&
			p.told.has(q.told.self) {
			t.met[[2]*process{p, q}] = true
		}
	}
	for id := range q.told.peers {
		t.meet(q, id)
	}
}

// forget notes that a program is in no session any more. What others were told of it led nowhere.
func (a acquainted) forget(p *process) {
	for pair := range a {
		if pair[0] == p || pair[1] == p {
			delete(a, pair)
		}
	}
}

// parts divides the members of a session into those that can find each other: a member and its host can, and two of which
// one was ever told of the other. Machines that never heard of each other, nor of anybody who did and is still there, have
// no way to know that they are in one session: package dpsp promises nothing about them.
func (t *truth) parts(all, hosts []*process) (parts [][]*process) {
	for _, p := range all {
		part := []*process{p}
		h := hostOf(p, hosts)
		parts = slices.DeleteFunc(parts, func(other []*process) bool {
			known := slices.ContainsFunc(other, func(q *process) bool {
				return h == q || hostOf(q, hosts) == p || t.met[[2]*process{p, q}] || t.met[[2]*process{q, p}]
			})
			if known {
				part = append(slices.Clone(other), part...)
			}
			return known
		})
		slices.SortFunc(part, func(a, b *process) int { return cmp.Compare(a.l.i, b.l.i) })
		parts = append(parts, part)
	}
	return parts
}
