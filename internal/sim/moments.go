package sim

import (
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A watch waits for an event, so that a fault strikes just then.
type watch struct {
	until time.Duration
	which func(p *process, ev dpsp.Event) *lane // the machine to strike, nil: it is another event
	after time.Duration
	do    func(l *lane)
}

// await has a fault strike at an event, if it comes within a while.
func (w *World) await(x watch) {
	x.until = w.now + w.opt.longest()
	w.watches = append(w.watches, x)
}

// noticed has those faults strike that wait for an event.
func (w *World) noticed(p *process, ev dpsp.Event) {
	w.watches = slices.DeleteFunc(w.watches, func(x watch) bool {
		if w.now > x.until || w.quiet {
			return true
		}
		l := x.which(p, ev)
		if l != nil {
			w.after(x.after, func() {
				if !w.quiet && l.alive() {
					x.do(l)
				}
			})
		}
		return l != nil
	})
}

// soon draws how long after a moment a fault strikes.
func (w *World) soon() time.Duration {
	return oneOf(w.chaos, 0, w.opt.Delay, 200*time.Millisecond, grace, time.Second)
}

// breakMany breaks connections while the network is well: those between two machines in both directions, all of one
// machine, or some; once or repeatedly; now, or when somebody is next told that the session changed.
func (w *World) breakMany() {
	a, b := w.pair()
	if b == nil {
		return
	}
	var which func(c *conn) bool
	switch w.chaos.IntN(3) {
	case 0:
		which = func(c *conn) bool { return c.owner.l == a && c.peer == b || c.owner.l == b && c.peer == a }
	case 1:
		which = func(c *conn) bool { return c.owner.l == a || c.peer == a }
	default:
		part := 2 + w.chaos.IntN(4)
		which = func(*conn) bool { return w.chaos.IntN(part) == 0 }
	}
	times := 1 + w.chaos.IntN(4)
	pause := oneOf(w.chaos, 10*time.Millisecond, grace, time.Second, w.opt.Period)
	if w.chaos.IntN(2) == 0 {
		w.breakAgain(which, times, pause)
		return
	}
	w.await(watch{after: w.soon(), do: func(*lane) { w.breakAgain(which, times, pause) },
		which: func(p *process, ev dpsp.Event) *lane {
			switch ev.(type) {
			case dpsp.PeerJoined, dpsp.PeerLost, dpsp.HostLost, dpsp.MigrationStarted, dpsp.HostChanged, dpsp.SessionSplit,
				dpsp.SessionHealed:
				return p.l
			}
			return nil
		}})
}

// breakAgain breaks connections so many times.
func (w *World) breakAgain(which func(*conn) bool, times int, pause time.Duration) {
	if w.quiet || times == 0 {
		return
	}
	for _, l := range w.lanes {
		for _, c := range slices.Clone(l.out) {
			if c.peer != nil && !c.dead && which(c) {
				w.breakNow(c)
			}
		}
	}
	w.after(pause, func() { w.breakAgain(which, times-1, pause) })
}

// splitToStrike has the network fall into two for long enough that both parts have a host. When it is one again a machine
// dies.
func (w *World) splitToStrike() {
	if some, others := w.halves(); len(some) > 0 && len(others) > 0 {
		d := between(w.chaos, w.opt.notice(), 3*w.opt.notice())
		w.sever(Cut{Senders: some, Others: others, Both: true}, min(d, w.opt.FaultsEnd()-w.now))
	}
}

// mended has a machine die, now that packets come through again: a host, the one that is next to be host, the one that is about
// to go over to another part, or the one that became host.
func (w *World) mended() {
	if !w.opt.has(Strike) || w.quiet || w.chaos.IntN(3) == 0 {
		return
	}
	after := w.soon()
	die := func(l *lane) {
		if w.chaos.IntN(2) == 0 {
			w.crashOne(l)
		} else {
			w.powerOff(l)
		}
	}
	var which func(p *process, ev dpsp.Event) *lane
	switch w.chaos.IntN(5) {
	case 0:
		which = func(p *process, ev dpsp.Event) *lane {
			if ev, ok := ev.(dpsp.MigrationStarted); ok {
				return w.laneOf(p.told.instance, ev.Candidate)
			}
			return nil
		}
	case 1:
		which = func(p *process, ev dpsp.Event) *lane {
			if _, ok := ev.(dpsp.SessionSplit); ok {
				return p.l
			}
			return nil
		}
	case 2:
		which = func(p *process, ev dpsp.Event) *lane {
			if ev, ok := ev.(dpsp.HostChanged); ok && ev.Hosting {
				return p.l
			}
			return nil
		}
	default:
		w.moment(nil, "strike", "a host is to die in %.3fs", after.Seconds())
		w.after(after, func() {
			if h := w.aHost(); h != nil && !w.quiet {
				die(h)
			}
		})
		return
	}
	w.moment(nil, "strike", "a machine is to die while the parts come together")
	w.await(watch{which: which, after: after, do: die})
}

// laneOf returns the machine with a system player in a session, nil for none.
func (w *World) laneOf(instance wire.GUID, system wire.PlayerID) *lane {
	for _, l := range w.lanes {
		if p := l.proc; p != nil && p.told.in && p.told.instance == instance && p.told.self == system {
			return l
		}
	}
	return nil
}

// An aim waits for the next ping to a machine.
type aim struct {
	at   *lane
	then func(by *lane)
}

// timeout has a machine be silent for as long as a ping timer waits, give or take a nanosecond or the time that an answer
// takes. The silence begins with a ping, because the timer's end is counted from there.
func (w *World) timeout() {
	l := w.victim()
	if l == nil || l.frozen {
		return
	}
	periods := w.opt.Probes + w.chaos.IntN(3) - 1
	off := oneOf(w.chaos, 0, 1, -1, w.opt.Delay, -w.opt.Delay, -2*w.opt.Delay, w.opt.Delay+w.opt.Jitter, -w.opt.Delay-w.opt.Jitter)
	freezes := w.chaos.IntN(2) == 0
	var a *aim
	a = &aim{at: l, then: func(by *lane) {
		if w.aimed == a {
			w.aimed = nil
		}
		a.then = func(*lane) {}
		if w.quiet || !l.alive() || l.frozen {
			return
		}
		d := time.Duration(float64(w.opt.Period)*float64(max(periods, 1))/by.rate) + off
		d = max(1, min(d, w.opt.FaultsEnd()-w.now))
		w.moment(l, "timeout", "is silent for %v, counted from a ping of %s", d, by.name)
		if freezes {
			w.freezeFor(l, d)
			return
		}
		var others []int
		for _, m := range w.lanes {
			if m.addr != l.addr {
				others = append(others, m.i)
			}
		}
		w.sever(Cut{Senders: indices(l.mates), Others: others, Both: true}, d)
	}}
	w.aimed = a
	w.after(2*w.opt.Period, func() { a.then(l) }) // nobody pings it
}

// aimAt begins what waits for a ping to a machine.
func (w *World) aimAt(by, to *lane, data []byte) {
	a := w.aimed
	if a == nil || a.at != to {
		return
	}
	if env, err := w.decoder.DecodeDatagram(data); err == nil && env.System() && env.Message.Command() == wire.CmdPing {
		w.aimed = nil
		w.after(0, func() { a.then(by) })
	}
}
