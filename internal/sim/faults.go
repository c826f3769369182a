package sim

import (
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
		{Breaks, w.breakMany}, {Pairs, w.cutPairs}, {NoUDP, func() { w.block("UDP") }}, {NoTCP, func() { w.block("TCP") }},
		{ThreeWay, w.threeWay}, {Timeout, w.timeout}, {Strike, w.splitToStrike}, {CrashLoop, w.crashLoop}, {Sharing, w.swapPorts},
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
		w.breakNow(c)
	}
}

func (w *World) breakNow(c *conn) {
	w.res.Stats.Breaks++
	w.moment(c.owner.l, "break", "its connection to %s breaks, with %d message(s) on it", c.peer.name, len(c.queue))
	c.fail()
}

// crash ends a program without a word, or the program and all of its machine's sockets. It starts again later, at
// once, or never.
func (w *World) crash() {
	if l := w.victim(); l != nil {
		w.crashOne(l)
	}
}

func (w *World) crashOne(l *lane) {
	w.moment(l, "crash", "its program crashes")
	w.end(l, crash)
	if d, again := w.comeBack(); again {
		w.after(d, func() { w.boot(l) })
	}
}

func (w *World) power() {
	if l := w.victim(); l != nil {
		w.powerOff(l)
	}
}

func (w *World) powerOff(l *lane) {
	for _, m := range l.mates {
		w.moment(m, "power", "loses power")
		w.end(m, powerLoss)
		m.on = false
		m.span("off")
	}
	if d, again := w.comeBack(); again {
		w.after(d, func() {
			for _, m := range l.mates {
				m.on = true
				w.moment(m, "restart", "has power again")
				w.boot(m)
			}
		})
	}
}

// crashLoop has a program end without a word and start again, again and again.
func (w *World) crashLoop() {
	l := w.victim()
	if l == nil {
		return
	}
	times := 3 + w.chaos.IntN(10)
	life := oneOf(w.chaos, 50*time.Millisecond, time.Second, 3*time.Second, 10*time.Second)
	pause := oneOf(w.chaos, 0, 100*time.Millisecond, 2*time.Second)
	w.moment(l, "crashloop", "its program crashes %d times and starts again", times)
	var again func()
	again = func() {
		if times--; w.quiet || times < 0 || !l.alive() {
			return
		}
		w.moment(l, "crash", "its program crashes")
		w.end(l, crash)
		w.after(between(w.chaos, 0, pause), func() {
			w.boot(l)
			w.after(between(w.chaos, life/2, 2*life), again)
		})
	}
	again()
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
	for _, m := range l.mates {
		if m.alive() && !m.frozen {
			w.sleepFor(m, d, stops)
		}
	}
}

func (w *World) sleepFor(l *lane, d time.Duration, stops bool) {
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
	w.freezeFor(l, w.while())
}

func (w *World) freezeFor(l *lane, d time.Duration) {
	p := l.proc
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
