package sim

import (
	"slices"
	"strings"
	"time"
)

// plan has the faults happen, one after the other, until they end. What a fault hits is drawn when it happens, so
// that hosts are hit more often than others.
func (w *World) plan() {
	kinds := []struct {
		f  Faults
		do func()
	}{
		{Stall, w.stall}, {Break, w.breakOne}, {Partition, func() { w.partition(true) }}, {OneWay, func() { w.partition(false) }},
		{Crash, w.crash}, {Power, w.power}, {Sleep, w.sleep}, {Freeze, w.freeze},
		{Lobby, w.lobby},
	}
	var on []func()
	for _, k := range kinds {
		if w.opt.has(k.f) {
			on = append(on, k.do)
		}
	}
	if len(on) == 0 {
		return
	}
	var next func()
	next = func() {
		if w.quiet {
			return
		}
		oneOf(w.chaos, on...)()
		w.after(time.Second+about(w.chaos, w.opt.Between), next)
	}
	w.after(10*time.Second+about(w.chaos, w.opt.Between), next)
}

// victim draws a machine with a program, half of the time one that hosts; nil if there is none.
func (w *World) victim() *lane {
	var all, hosts []*lane
	for _, l := range w.lanes {
		if l.alive() {
			all = append(all, l)
			if l.proc.program.phase() == "host" {
				hosts = append(hosts, l)
			}
		}
	}
	if len(hosts) > 0 && w.chaos.IntN(2) == 0 {
		return oneOf(w.chaos, hosts...)
	}
	if len(all) == 0 {
		return nil
	}
	return oneOf(w.chaos, all...)
}

// while draws how long a fault lasts: a moment, about as long as it takes to notice, or long.
func (w *World) while() time.Duration {
	notice := w.opt.notice()
	d := oneOf(w.chaos, time.Second, 10*time.Second, notice/2, notice, 2*notice)
	return max(0, min(between(w.chaos, d/2, d*3/2), w.opt.FaultsEnd()-w.now))
}

// notice is about how long it takes to notice that a machine is silent.
func (o *Options) notice() time.Duration { return o.Period * time.Duration(o.Probes+2) }

// longest is how long a fault lasts at most.
func (o *Options) longest() time.Duration { return max(15*time.Second, 3*o.notice()) }

// aConn draws a connection, nil if there is none.
func (w *World) aConn() *conn {
	var all []*conn
	for _, l := range w.lanes {
		all = append(all, l.out...)
	}
	if len(all) == 0 {
		return nil
	}
	return oneOf(w.chaos, all...)
}

func (w *World) stall() {
	if c := w.aConn(); c != nil && c.peer != nil {
		d := between(w.chaos, time.Second, 30*time.Second)
		c.hold = w.now + d
		w.moment(c.owner.l, "stall", "its connection to %s stalls for %.1fs", c.peer.name, d.Seconds())
	}
}

func (w *World) breakOne() {
	if c := w.aConn(); c != nil && c.peer != nil {
		w.res.Stats.Breaks++
		w.moment(c.owner.l, "break", "its connection to %s breaks, with %d message(s) on it", c.peer.name, len(c.queue))
		c.fail()
	}
}

// partition lets nothing through from some machines to the others; with both, not back either.
func (w *World) partition(both bool) {
	var some, others []int
	if v := w.victim(); v != nil && w.chaos.IntN(2) == 0 {
		some = []int{v.i} // one machine loses its network
	}
	for _, l := range w.lanes {
		switch {
		case slices.Contains(some, l.i):
		case len(some) != 1 && w.chaos.IntN(2) == 0:
			some = append(some, l.i)
		default:
			others = append(others, l.i)
		}
	}
	if len(some) == 0 || len(others) == 0 {
		return
	}
	d := w.while()
	k := len(w.res.Cuts)
	w.res.Cuts = append(w.res.Cuts, Cut{From: w.now, To: w.now + d, Senders: some, Others: others, Both: both})
	w.cutting(&w.res.Cuts[k], 1)
	arrow := "->"
	if both {
		arrow = "<->"
	}
	w.moment(nil, "partition", "nothing goes %s %s %s for %.1fs", w.names(some), arrow, w.names(others), d.Seconds())
	w.after(d, func() {
		w.cutting(&w.res.Cuts[k], -1)
		w.moment(nil, "connected", "again %s %s %s", w.names(some), arrow, w.names(others))
	})
}

func (w *World) cutting(c *Cut, n int) {
	for _, i := range slices.Concat(c.Senders, c.Others) {
		w.lanes[i].silent = w.now
	}
	for _, a := range c.Senders {
		for _, b := range c.Others {
			w.cut[a][b] += n
			if c.Both {
				w.cut[b][a] += n
			}
		}
	}
}

func (w *World) names(lanes []int) string {
	var all []string
	for _, i := range lanes {
		all = append(all, w.lanes[i].name)
	}
	return strings.Join(all, " ")
}

// crash ends a program without a word, or the program and all of its machine's sockets. It starts again later, at
// once, or never.
func (w *World) crash() {
	if l := w.victim(); l != nil {
		w.moment(l, "crash", "its program crashes")
		w.end(l, crash)
		if d, again := w.comeBack(); again {
			w.after(d, func() { w.boot(l) })
		}
	}
}

func (w *World) power() {
	l := w.victim()
	if l == nil {
		return
	}
	w.moment(l, "power", "loses power")
	w.end(l, powerLoss)
	l.on = false
	l.span("off")
	if d, again := w.comeBack(); again {
		w.after(d, func() {
			l.on = true
			w.moment(l, "restart", "has power again")
			w.boot(l)
		})
	}
}

// comeBack draws whether and when what crashed starts again.
func (w *World) comeBack() (time.Duration, bool) {
	switch w.chaos.IntN(8) {
	case 0:
		running := 0
		for _, l := range w.lanes {
			if l.alive() {
				running++
			}
		}
		return w.while(), running <= len(w.lanes)/2 // enough are to be left for a session
	case 1, 2:
		return between(w.chaos, 0, time.Second), true
	}
	return w.while(), true
}

// sleep has a machine sleep. Its clock stands still meanwhile, or has gone on when it wakes.
func (w *World) sleep() {
	l := w.victim()
	if l == nil || l.frozen {
		return
	}
	d, stops := w.while(), w.chaos.IntN(2) == 0
	at := l.clock()
	l.asleep = true
	l.span("asleep")
	w.moment(l, "sleep", "sleeps for %.1fs", d.Seconds())
	p := l.proc
	w.after(d, func() {
		if stops {
			l.local, l.base = at, w.now
		}
		if l.proc != p || !l.asleep {
			l.asleep = false
			return
		}
		w.moment(l, "wake", "wakes up")
		w.resume(l)
	})
}

// freeze has a program stand still while its machine goes on.
func (w *World) freeze() {
	l := w.victim()
	if l == nil || l.frozen {
		return
	}
	d, p := w.while(), l.proc
	l.frozen = true
	l.span("frozen")
	w.moment(l, "freeze", "its program stands still for %.1fs", d.Seconds())
	w.after(d, func() {
		if l.proc == p && l.frozen && !l.asleep {
			w.moment(l, "thaw", "its program goes on")
			w.resume(l)
		}
	})
}

// endFaults makes the network perfect. Partitions, sleep and freezing were bounded by this moment.
func (w *World) endFaults() {
	w.quiet = true
	w.moment(nil, "quiet", "the faults end")
	for _, l := range w.lanes {
		for _, c := range l.out {
			c.hold = min(c.hold, w.now)
		}
	}
}

func (w *World) endCuts() {
	for i := range w.res.Cuts {
		w.res.Cuts[i].To = min(w.res.Cuts[i].To, w.now)
	}
}
