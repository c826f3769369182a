package sim

import (
	"slices"
	"time"

	"dplay4/dpsp"
)

// What a lobby does: so many machines, at least and at most, join within one round trip.
const (
	fewestCalled = 3
	mostCalled   = 8
)

// lobby has machines join all at once, as a lobby launches a game on all of them. Members are slow to acknowledge the
// newcomers, so that the host lets several in at the same time; then members that were there before go, and the host,
// in any order.
func (w *World) lobby() {
	h := w.aHost()
	if h == nil {
		return
	}
	stay, called := w.call(h)
	if len(stay) == 0 || len(called) < 2 {
		return
	}
	w.moment(nil, "lobby", "%s are to join %s at once", w.names(indices(called)), h.name)
	for _, l := range called {
		w.end(l, exit)
	}
	start := w.now + 3*time.Second + 4*w.trip()
	w.after(2*time.Second, func() {
		for _, l := range called {
			w.boot(l)
			if p := l.proc; p != nil {
				p.program.held = true
				w.at(start+w.trip(), func() {
					p.program.held = false
					p.program.lookAgain()
				})
			}
		}
	})
	slow := between(w.chaos, 4*w.opt.Delay, 6*time.Second)
	w.at(start, func() { w.lobbyStarts(h, stay, slow) })
}

// lobbyStarts slows the acknowledgements of members down, and has them and the host go.
func (w *World) lobbyStarts(h *lane, stay []*lane, slow time.Duration) {
	end := slow + 8*w.trip()
	for _, l := range stay {
		if c := l.connTo(h.stream()); c != nil {
			c.hold = max(c.hold, w.now+between(w.chaos, slow/2, slow))
		}
		if w.chaos.IntN(4) > 0 {
			w.after(between(w.chaos, 0, end), func() { w.quit(l, w.chaos.IntN(2) == 0) })
		}
	}
	w.after(between(w.chaos, slow/4, end), func() { w.quit(h, w.chaos.IntN(4) == 0) })
}

// quit ends a program, which says so or does not. It starts again later, when everybody had time to notice.
func (w *World) quit(l *lane, politely bool) {
	p := l.proc
	switch {
	case w.quiet || !l.alive():
	case politely && p.told.in && !l.frozen:
		p.program.leaving = true
		p.program.ask(dpsp.Leave{})
	default:
		w.moment(l, "crash", "its program crashes")
		w.end(l, crash)
		w.after(10*time.Second+w.while(), func() { w.boot(l) })
	}
}

// aHost draws a machine that hosts, nil if there is none.
func (w *World) aHost() *lane {
	var hosts []*lane
	for _, l := range w.lanes {
		if l.alive() && !l.frozen && l.proc.program.phase() == "host" {
			hosts = append(hosts, l)
		}
	}
	if len(hosts) == 0 {
		return nil
	}
	return oneOf(w.chaos, hosts...)
}

// call draws who is to join a host, and who of its members stays.
func (w *World) call(h *lane) (stay, called []*lane) {
	for _, l := range w.lanes {
		switch {
		case l == h || !l.on || l.asleep || l.frozen:
		case l.proc != nil && l.proc.told.in && l.proc.told.instance == h.proc.told.instance:
			stay = append(stay, l)
		default:
			called = append(called, l)
		}
	}
	n := fewestCalled + w.chaos.IntN(mostCalled-fewestCalled+1)
	w.chaos.Shuffle(len(called), func(i, j int) { called[i], called[j] = called[j], called[i] })
	w.chaos.Shuffle(len(stay), func(i, j int) { stay[i], stay[j] = stay[j], stay[i] })
	called = called[:min(n, len(called))]
	k := max(0, min(n-len(called), len(stay)-1))
	return stay[k:], append(called, stay[:k]...)
}

func indices(lanes []*lane) (all []int) {
	for _, l := range lanes {
		all = append(all, l.i)
	}
	slices.Sort(all)
	return all
}
