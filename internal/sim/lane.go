package sim

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp"
)

// The first ports of the protocol's ranges. A program takes those of the lowest slot that no other one at its address has.
const (
	streamPort   = 2300
	datagramPort = 2350
)

// A lane is a machine, with or without a program that runs. With Sharing several lanes are one machine.
type lane struct {
	w          *World
	i          int
	name       string
	addr       netip.Addr
	mates      []*lane // all at its address, itself among them
	legacy     bool
	older      bool
	rng        *rand.Rand // of its programs
	toys       *rand.Rand // of what they do with objects
	firstStart time.Duration
	on         bool // it has power
	asleep     bool
	frozen     bool          // its program stands still
	silent     time.Duration // when a fault ended that had kept it from answering
	rate       float64
	base       time.Duration // the clock showed local at base
	local      time.Duration
	proc       *process // nil: none runs
	out        []*conn  // our connections
	inbox      []dpsp.Input
	state      string // of the span that began last
}

// A process is one run of a program, with an engine and its sockets.
type process struct {
	toItself int // messages that it sent to itself
	l        *lane
	slot     int
	run      int // 1 for the first one of the world
	engine   *dpsp.Engine
	wake     uint64 // the number of the wake-up that was set last: older ones are void
	rouse    func() // wakes it
	enlisted bool   // answers enumerations at port 47624
	lastStep time.Duration
	steps    int // at lastStep
	version  uint32
	told     told
	program  program
	gone     bool
}

// clock is the machine's own.
func (l *lane) clock() time.Duration {
	return l.local + time.Duration(float64(l.w.now-l.base)*l.rate)
}

// when returns the time at which the machine's clock will show local.
func (l *lane) when(local time.Duration) time.Duration {
	if local == dpsp.Never {
		return dpsp.Never
	}
	return l.base + time.Duration(float64(local-l.local)/l.rate) + 1
}

// alive reports whether the machine has a program that may run.
func (l *lane) alive() bool { return l.on && !l.asleep && l.proc != nil }

// boot starts a program, which looks for a session; the first one of all opens it.
func (w *World) boot(l *lane) {
	if !l.on || l.proc != nil || w.settled {
		return
	}
	w.runs++
	p := &process{l: l, slot: l.freeSlot(), run: w.runs}
	p.rouse = func() { w.wakeUp(p) }
	cfg := dpsp.Config{
		Compatible: w.opt.Compatible, Period: w.opt.Period, Probes: w.opt.Probes, Tries: w.opt.Tries,
		MaxDatagram: w.opt.MaxDatagram, MaxStream: w.opt.MaxStream,
		Stream:   netip.AddrPortFrom(netip.IPv4Unspecified(), p.streamPort()),
		Datagram: netip.AddrPortFrom(netip.IPv4Unspecified(), p.datagramPort()),
	}
	if l.older {
		cfg.MaxDatagram, cfg.MaxStream = 0, 0 // what has its mark is not in pieces
	}
	for i := range cfg.Seed {
		cfg.Seed[i] = byte(l.rng.Uint32())
	}
	configure(&cfg, w.opt.Rule, l.legacy || l.older)
	p.engine = dpsp.New(cfg)
	p.told.reset()
	l.proc = p
	l.span("up")
	p.program.start(p, w.runs == 1)
}

// input gives an engine something, when its machine is there to take it. The data of in is used again afterwards.
func (w *World) input(p *process, in dpsp.Input) {
	switch l := p.l; {
	case p.gone || l.proc != p:
	case l.frozen || l.asleep:
		if len(l.inbox) < maxInbox || in.Kind == dpsp.StreamEnded || in.Kind == dpsp.StreamClosed {
			in.Data = bytes.Clone(in.Data)
			l.inbox = append(l.inbox, in)
		} else {
			w.truth.overflowed(l, in.Data)
		}
	default:
		w.step(p, in)
	}
}

// maxInbox is how many messages the system takes for a program that stands still. A datagram beyond that is lost, and what comes
// over TCP waits at its sender.
const maxInbox = 2000

// full reports whether a program stands still, and the system takes no more for it.
func (p *process) full() bool { return (p.l.frozen || p.l.asleep) && len(p.l.inbox) >= maxInbox }

// step steps an engine and does what it wants done.
func (w *World) step(p *process, in dpsp.Input) {
	l := p.l
	if p.lastStep != w.now {
		p.lastStep, p.steps = w.now, 0
	}
	if p.steps++; p.steps == w.opt.Bounds.Steps {
		w.violate(l, "busy", "%d steps at one instant", p.steps)
	}
	w.res.Steps++
	local := l.clock()
	w.traceInput(l, &in)
	out := p.engine.Step(local, in)
	w.record(l, &in, out)
	if len(out.Sends) > w.opt.Bounds.Sends {
		w.violate(l, "bounds", "%d sends in one step", len(out.Sends))
	}
	for i := range out.Sends {
		w.send(p, &out.Sends[i])
	}
	for _, to := range out.Close {
		w.hangUp(l, to)
	}
	w.events(p, out.Events)
	if in.Kind == dpsp.StreamEnded {
		from := in.From // a closure with all of in would have each step allocate it
		w.after(grace, func() { w.closed(p, from) })
	}
	w.checkVersion(p, p.engine.LogIndex())
	w.schedule(p, local, out.Wake)
}

// schedule sets the next wake-up of an engine.
func (w *World) schedule(p *process, local, wake time.Duration) {
	p.wake = 0
	if wake == dpsp.Never || p.gone {
		return
	}
	if wake <= local {
		w.violate(p.l, "busy", "the engine wants to wake at %v, and its clock shows %v", wake, local)
		wake = local + time.Millisecond
	}
	p.wake = w.at(max(p.l.when(wake), w.now+1), p.rouse)
}

// wakeUp lets time pass for an engine, if it did nothing since.
func (w *World) wakeUp(p *process) {
	if p.gone || p.wake != w.doing {
		return
	}
	if p.l.frozen || p.l.asleep {
		return // it is stepped when that ends
	}
	w.step(p, dpsp.Input{})
}

// resume has a program that stood still go on: what came meanwhile, then the clock.
func (w *World) resume(l *lane) {
	l.frozen, l.asleep, l.silent = false, false, w.now
	box := l.inbox
	l.inbox = nil
	p := l.proc
	if p == nil {
		return
	}
	l.span(p.program.phase())
	for _, in := range box {
		w.input(p, in)
	}
	if !p.gone {
		w.step(p, dpsp.Input{})
	}
}

// An ending is how a program ends.
type ending uint8

const (
	exit      ending = iota // it closes its connections, and what it said last gets out
	crash                   // the system closes them, what waits is lost
	powerLoss               // nobody closes anything
)

// end ends the program of a machine.
func (w *World) end(l *lane, how ending) {
	p := l.proc
	if p == nil {
		return
	}
	p.gone, l.proc, l.inbox, l.frozen, l.asleep = true, nil, nil, false, false
	w.truth.left(p)
	for _, c := range slices.Clone(l.out) {
		if how == exit {
			c.dying = true
			w.after(linger, func() { c.drop() })
			c.tidy()
		} else {
			c.drop()
		}
	}
	l.out = nil
	if how != powerLoss {
		w.closePeers(p)
	}
	l.span("down")
}

// linger is how long what was sent last may take to get out.
const linger = 2 * time.Second

// stream is where the machine's program listens.
func (l *lane) stream() netip.AddrPort {
	if l.proc == nil {
		return addrOf(l, streamPort)
	}
	return addrOf(l, l.proc.streamPort())
}

// addrOf returns a port of a machine.
func addrOf(l *lane, port uint16) netip.AddrPort { return netip.AddrPortFrom(l.addr, port) }
