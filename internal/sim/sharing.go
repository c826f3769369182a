package sim

import (
	"slices"
	"time"
)

// streamPort returns where a program listens.
func (p *process) streamPort() uint16 { return uint16(streamPort + p.slot) }

// datagramPort returns the port of a program's UDP socket.
func (p *process) datagramPort() uint16 { return uint16(datagramPort + p.slot) }

// at returns the machine at l's address whose program has a port; if none has it, the first one there.
func (l *lane) at(port uint16) *lane {
	for _, m := range l.mates {
		if p := m.proc; p != nil && (p.listens(port, p.streamPort()) || port == p.datagramPort()) {
			return m
		}
	}
	return l.mates[0]
}

// freeSlot returns the lowest slot that no program at the machine's address has.
func (l *lane) freeSlot() (slot int) {
	for slices.ContainsFunc(l.mates, func(m *lane) bool { return m.proc != nil && m.proc.slot == slot }) {
		slot++
	}
	return slot
}

// shareAddresses makes one or two machines with two or three programs each out of as many lanes.
func (w *World) shareAddresses() {
	if !w.opt.has(Sharing) {
		return
	}
	r := source(w.opt.Seed, forSharing)
	order := r.Perm(len(w.lanes))
	for range 1 + r.IntN(2) {
		n := min(2+r.IntN(2), len(order))
		if n < 2 {
			return
		}
		ours := slices.Sorted(slices.Values(order[:n]))
		order = order[n:]
		var mates []*lane
		for _, i := range ours {
			mates = append(mates, w.lanes[i])
		}
		for _, l := range mates {
			l.addr, l.mates = mates[0].addr, mates
		}
		w.moment(nil, "sharing", "%s are programs at one address, %v", w.names(ours), mates[0].addr)
	}
}

// withMates adds to machines those that share an address with one of them.
func (w *World) withMates(some []int) (all []int) {
	for _, i := range some {
		all = append(all, indices(w.lanes[i].mates)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// swapPorts ends all programs at one address, which start again in any order and take the lowest free ports.
func (w *World) swapPorts() {
	var firsts []*lane
	for _, l := range w.lanes {
		if l == l.mates[0] && len(l.mates) > 1 && l.on && !l.asleep {
			firsts = append(firsts, l)
		}
	}
	if len(firsts) == 0 {
		return
	}
	mates := slices.Clone(oneOf(w.chaos, firsts...).mates)
	w.chaos.Shuffle(len(mates), func(i, j int) { mates[i], mates[j] = mates[j], mates[i] })
	within := oneOf(w.chaos, 0, 100*time.Millisecond, time.Second, 10*time.Second)
	for _, l := range mates {
		if l.proc != nil {
			w.moment(l, "crash", "its program crashes with all at its address, and starts again at any of their ports")
		}
		w.end(l, crash)
	}
	for _, l := range mates {
		w.after(between(w.chaos, 0, within), func() { w.boot(l) })
	}
}
