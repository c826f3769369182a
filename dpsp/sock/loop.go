package sock

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"dplay4/dpsp"
)

// A loop runs one engine with its sockets. Whoever has something for the engine steps it himself, one at a time:
// handing each message to another goroutine takes longer than the step. No step ever waits for the network.
type loop struct {
	opt     Options
	limits  limits
	start   time.Time
	stream  net.Listener
	udp     DatagramSocket
	outbox  outbox                      // what goes out over udp; taken under stepping
	notify  func([]dpsp.Event, *source) // the events of a step, and whose; called under stepping, so it only queues them
	crowd   *backlog                    // what waits for the program
	quit    context.Context             // ends when the loop does; under mu
	quitNow context.CancelFunc
	done    chan struct{}   // closed when there will be no more steps
	abort   context.Context // of connecting; ends a while after quit
	cancel  context.CancelFunc
	group   sync.WaitGroup // all goroutines
	writers sync.WaitGroup // those of group that write to peers

	stepping  line   // taken before mu
	strangers source // what is to be done because of those who have no source of their own
	engine    *dpsp.Engine
	stopped   bool          // no more steps
	cause     dpsp.Input    // of what is sent
	causer    *source       // whose that is; nil: ours
	due       time.Duration // when the engine wants its next step
	armed     time.Duration // when timer elapses next: at due or before
	timer     *time.Timer   // has elapse run

	mu       sync.Mutex
	births   uint64 // connections so far, to us and from us
	inbound  map[*inbound]bool
	sources  map[netip.AddrPort]*source
	peers    map[netip.AddrPort][]*inbound // by the listener of their other ends, oldest first
	outbound map[netip.AddrPort]*outbound
	ending   map[*outbound]bool // that were ended and still have something to write
	closed   []dpsp.Input       // what later put here
	woken    bool               // there is something to tend to
	tended   bool               // somebody tends to it
	asker    DatagramSocket     // enumerations go out from here
	record   Recorder
	recMu    sync.Mutex    // one packet is recorded after the other
	skipped  atomic.Uint64 // datagrams

	evictions  atomic.Uint64 // of connections to us
	queued     atomic.Int64  // octets that wait to be sent, but for those of connections that were given up
	guests     *gate         // connections to us, and what came over them
	dials      *gate         // connections of ours to strangers
	trials     *trials       // connections of ours to machines from which none came
	dialing    chan struct{} // holds one for each connection to a member that is being opened
	complaints complaints
}

// startLoop opens the sockets and runs an engine.
func startLoop(opt Options, notify func([]dpsp.Event, *source), crowd *backlog) (*loop, error) {
	ln, err := listenStream(opt.Network, opt.Bind, opt.StreamPorts)
	if err != nil {
		return nil, err
	}
	udp, err := listenDatagram(opt.Network, opt.Bind, opt.DatagramPorts)
	if err != nil {
		ln.Close()
		return nil, err
	}
	enlarge(udp, datagramRoom)
	in, err := newReader(udp)
	if err != nil {
		ln.Close()
		udp.Close()
		return nil, err
	}
	cfg := opt.Config
	cfg.Stream = netip.AddrPortFrom(opt.Advertise, addrPort(ln.Addr()).Port())
	cfg.Datagram = netip.AddrPortFrom(opt.Advertise, uint16(udp.LocalAddr().(*net.UDPAddr).Port))
	l := &loop{
		opt: opt, limits: opt.limits, engine: dpsp.New(cfg), start: time.Now(),
		stream: ln, udp: udp, outbox: newOutbox(udp), notify: notify, crowd: crowd, record: opt.Record,
		done: make(chan struct{}), due: dpsp.Never, armed: dpsp.Never,
		inbound: map[*inbound]bool{}, sources: map[netip.AddrPort]*source{},
		peers: map[netip.AddrPort][]*inbound{}, outbound: map[netip.AddrPort]*outbound{}, ending: map[*outbound]bool{},
		guests: newGate(opt.limits.guests), dials: newGate(opt.limits.dials),
		trials: newTrials(opt.limits.trials, opt.limits.trialHold), dialing: make(chan struct{}, opt.limits.dialing),
	}
	l.timer = time.AfterFunc(dpsp.Never, l.elapse)
	l.timer.Stop()
	l.quit, l.quitNow = context.WithCancel(context.Background())
	l.abort, l.cancel = context.WithCancel(context.Background())
	l.group.Go(func() { l.accept(ln) })
	l.group.Go(func() { l.receive(in, addrPort(udp.LocalAddr())) })
	return l, nil
}

// elapse steps the engine if it is time to.
func (l *loop) elapse() {
	defer l.group.Done()
	l.stepping.Lock()
	defer l.stepping.Unlock()
	l.armed = dpsp.Never
	switch {
	case l.stopped:
	case l.due <= time.Since(l.start):
		l.step(dpsp.Input{}, nil)
	default:
		l.arm()
	}
}

// arm has elapse run when the engine is due. Running it too early costs less than setting the timer with each step.
func (l *loop) arm() {
	if l.due < l.armed {
		l.armed = l.due
		if !l.timer.Reset(max(0, l.due-time.Since(l.start))) {
			l.group.Add(1) // one more run of elapse
		}
	}
}

// stop has no more steps taken.
func (l *loop) stop() {
	l.stepping.Lock()
	defer l.stepping.Unlock()
	l.stopped = true
	if l.timer.Stop() {
		l.group.Done()
	}
	close(l.done)
}

// step feeds the engine and does what it answers. The events are valid until stepping is unlocked.
func (l *loop) step(in dpsp.Input, by *source) []dpsp.Event {
	now := time.Since(l.start)
	out := l.engine.Step(now, in)
	l.cause, l.causer = in, by
	for i := range out.Sends {
		l.send(&out.Sends[i])
	}
	l.outbox.flush()
	for _, to := range out.Close {
		l.closeStream(to)
	}
	if len(out.Events) > 0 {
		l.notify(out.Events, by)
	}
	l.due = out.Wake
	l.arm()
	return out.Events
}

func (l *loop) send(s *dpsp.Outgoing) {
	switch s.Transport {
	case dpsp.TCP:
		l.sendStream(s.To, s.Data, s.List)
	case dpsp.UDP:
		l.recorded(dpsp.UDP, addrPort(l.udp.LocalAddr()), s.To, s.Data)
		l.outbox.add(s.To, s.Data)
	case dpsp.Ask:
		l.ask(s)
	}
}

// put hands an input to the engine, which is done with it when put returns; false when the loop has ended.
func (l *loop) put(in dpsp.Input) bool {
	return l.do(func(*dpsp.Engine) { l.step(in, nil) })
}

// request is put for a request for sessions that came to a socket of the directory.
func (l *loop) request(in dpsp.Input, local netip.AddrPort) {
	l.doFor(&l.strangers, func(*dpsp.Engine) { l.feed(in, local, &l.strangers) })
}

// transports are those of inputs from the network.
var transports = map[dpsp.Kind]dpsp.Transport{dpsp.Stream: dpsp.TCP, dpsp.Datagram: dpsp.UDP}

// feed steps the engine with a message.
func (l *loop) feed(in dpsp.Input, local netip.AddrPort, by *source) []dpsp.Event {
	l.recorded(transports[in.Kind], in.From, local, in.Data)
	return l.step(in, by)
}

// command has the engine do something that it answers at once, with token 0, which nobody waits for.
func (l *loop) command(c dpsp.Command) error {
	l.stepping.Lock()
	defer l.stepping.Unlock()
	if l.stopped {
		return ErrClosed
	}
	for _, e := range l.step(dpsp.Input{Kind: dpsp.Request, Command: c}, nil) {
		if d, ok := e.(dpsp.Done); ok && d.Token == 0 {
			return d.Err
		}
	}
	return nil
}

// later hands an input to the engine without ever waiting, also from inside a step.
func (l *loop) later(in dpsp.Input) {
	l.mu.Lock()
	l.closed = append(l.closed, in)
	l.mu.Unlock()
	l.wakeUp()
}

// wakeUp has somebody tend to what is to be done beside the steps.
func (l *loop) wakeUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.woken = true
	if l.tended || l.quit.Err() != nil {
		return
	}
	l.tended = true
	l.group.Go(l.tend)
}

// tend steps the engine for connections that ended, and reports refusals.
func (l *loop) tend() {
	for {
		l.mu.Lock()
		if !l.woken || l.quit.Err() != nil {
			l.tended = false
			l.mu.Unlock()
			return
		}
		l.woken = false
		list := l.closed
		l.closed = nil
		l.mu.Unlock()
		for _, in := range list {
			l.put(in)
		}
		l.report()
	}
}

// report tells the program of what was refused.
func (l *loop) report() {
	l.stepping.Lock()
	defer l.stepping.Unlock()
	if all := l.complaints.take(time.Now()); len(all) > 0 && !l.stopped {
		l.notify(all, nil)
	}
}

// do runs f between steps; false when the loop has ended.
func (l *loop) do(f func(*dpsp.Engine)) bool { return l.doFor(&l.stepping.own, f) }

// doFor is do in a turn of somebody.
func (l *loop) doFor(by *source, f func(*dpsp.Engine)) bool {
	l.stepping.enter(by, nil)
	defer l.stepping.leave(by, overhead)
	if l.stopped {
		return false
	}
	f(l.engine)
	return true
}

// close ends everything and waits until all goroutines are gone. What is queued for peers, a goodbye as a rule, gets a
// moment to be written. Until then no connection to us is closed: its peer would notice that before our goodbye came. It is called
// once.
func (l *loop) close() {
	l.mu.Lock()
	l.quitNow()
	l.mu.Unlock()
	l.stop()
	l.outbox.close()
	l.udp.Close()
	l.mu.Lock()
	if l.asker != nil {
		l.asker.Close()
	}
	l.mu.Unlock()
	for _, o := range l.outbounds() {
		l.forget(o)
	}
	late := time.AfterFunc(l.limits.linger, l.cancel)
	l.writers.Wait()
	late.Stop()
	l.cancel()
	l.stream.Close()
	l.mu.Lock()
	l.guests.close()
	for c := range l.inbound {
		c.conn.Close()
	}
	l.mu.Unlock()
	l.group.Wait()
}

// temporary says whether a socket goes on after an error. The numbers are Windows' own, which no other system has and which
// package syscall does not take for its own there.
func temporary(err error) bool {
	const wsaReset, wsaRefused syscall.Errno = 10054, 10061
	return isAny(err, syscall.ECONNREFUSED, syscall.ECONNRESET, wsaReset, wsaRefused)
}
