package sock

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"dplay4/dpsp"
)

// A loop runs one engine with its sockets. One goroutine steps the engine; others read and write.
type loop struct {
	opt    Options
	limits limits
	engine *dpsp.Engine
	start  time.Time
	stream *net.TCPListener
	udp    *net.UDPConn
	in     chan dpsp.Input
	calls  chan func(*dpsp.Engine) // run between steps, by the goroutine that steps
	notify func([]dpsp.Event)      // by the same goroutine, with no lock held
	quit   chan struct{}
	done   chan struct{}
	abort  context.Context // of connecting; ends a while after quit
	cancel context.CancelFunc
	group  sync.WaitGroup // all goroutines but the one that steps

	mu       sync.Mutex
	closing  bool
	inbound  map[*net.TCPConn]bool
	outbound map[netip.AddrPort]*outbound
	closed   []dpsp.Input // what later put here
	wake     chan struct{}
	asker    *net.UDPConn // enumerations go out from here
	record   Recorder
}

// startLoop opens the sockets and runs an engine.
func startLoop(opt Options, notify func([]dpsp.Event)) (*loop, error) {
	opt = opt.withDefaults()
	ln, err := listenStream(opt.Bind, opt.StreamPort)
	if err != nil {
		return nil, portError("tcp", netip.AddrPortFrom(opt.Bind, opt.StreamPort), err)
	}
	udp, err := listenDatagram(opt.Bind, opt.DatagramPort)
	if err != nil {
		ln.Close()
		return nil, portError("udp", netip.AddrPortFrom(opt.Bind, opt.DatagramPort), err)
	}
	cfg := opt.Config
	cfg.Stream = netip.AddrPortFrom(opt.Advertise, addrPort(ln.Addr()).Port())
	cfg.Datagram = netip.AddrPortFrom(opt.Advertise, uint16(udp.LocalAddr().(*net.UDPAddr).Port))
	l := &loop{
		opt: opt, limits: opt.limits, engine: dpsp.New(cfg), start: time.Now(), stream: ln, udp: udp, notify: notify, record: opt.Record,
		in: make(chan dpsp.Input, inputs), calls: make(chan func(*dpsp.Engine)), quit: make(chan struct{}), done: make(chan struct{}),
		inbound: map[*net.TCPConn]bool{}, outbound: map[netip.AddrPort]*outbound{}, wake: make(chan struct{}, 1),
	}
	l.abort, l.cancel = context.WithCancel(context.Background())
	l.group.Add(2)
	go l.accept(ln)
	go l.receive(udp)
	go l.run()
	return l, nil
}

// run steps the engine until close.
func (l *loop) run() {
	defer close(l.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-l.quit:
			return
		case in := <-l.in:
			l.step(in, timer)
		case <-l.wake:
			l.mu.Lock()
			list := l.closed
			l.closed = nil
			l.mu.Unlock()
			for _, in := range list {
				l.step(in, timer)
			}
		case f := <-l.calls:
			f(l.engine)
		case <-timer.C:
			l.step(dpsp.Input{}, timer)
		}
	}
}

// step feeds the engine and does what it answers.
func (l *loop) step(in dpsp.Input, timer *time.Timer) {
	now := time.Since(l.start)
	if l.record != nil && in.Data != nil {
		l.recordInput(&in)
	}
	out := l.engine.Step(now, in)
	for i := range out.Sends {
		l.send(&out.Sends[i])
	}
	for _, to := range out.Close {
		l.closeStream(to)
	}
	if len(out.Events) > 0 {
		l.notify(out.Events)
	}
	if out.Wake == dpsp.Never {
		timer.Stop()
	} else {
		timer.Reset(max(0, out.Wake-time.Since(l.start)))
	}
}

func (l *loop) send(s *dpsp.Outgoing) {
	if l.record != nil {
		l.recordOutput(s)
	}
	switch s.Transport {
	case dpsp.TCP:
		l.sendStream(s.To, s.Data)
	case dpsp.UDP:
		l.udp.WriteToUDPAddrPort(s.Data, s.To) // a datagram may get lost, here as anywhere
	case dpsp.Ask:
		l.ask(s)
	}
}

// put hands an input to the engine; false when the loop ends.
func (l *loop) put(in dpsp.Input) bool {
	select {
	case l.in <- in:
		return true
	case <-l.quit:
		return false
	}
}

// later hands an input to the engine without ever waiting, also from inside a step.
func (l *loop) later(in dpsp.Input) {
	l.mu.Lock()
	l.closed = append(l.closed, in)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// do runs f where the engine is stepped, and waits for it; false when the loop has ended.
func (l *loop) do(f func(*dpsp.Engine)) bool {
	ran := make(chan struct{})
	select {
	case l.calls <- func(e *dpsp.Engine) { f(e); close(ran) }:
		<-ran
		return true
	case <-l.done:
		return false
	}
}

// close ends everything and waits until all goroutines are gone. What is queued for peers gets a moment.
func (l *loop) close() {
	l.mu.Lock()
	if l.closing {
		l.mu.Unlock()
		<-l.done
		l.group.Wait()
		return
	}
	l.closing = true
	l.mu.Unlock()
	close(l.quit)
	<-l.done
	l.stream.Close()
	l.udp.Close()
	l.mu.Lock()
	if l.asker != nil {
		l.asker.Close()
	}
	for c := range l.inbound {
		c.Close()
	}
	var all []*outbound
	for _, o := range l.outbound {
		all = append(all, o)
	}
	l.mu.Unlock()
	for _, o := range all {
		l.forget(o)
	}
	late := time.AfterFunc(l.limits.linger, l.cancel)
	l.group.Wait()
	late.Stop()
	l.cancel()
}

func (l *loop) isClosing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closing
}

// localTCP is where our connections come from: the address that we are bound to, if we are to one.
func (l *loop) localTCP() net.Addr {
	if l.opt.Bind.IsUnspecified() {
		return nil
	}
	return &net.TCPAddr{IP: l.opt.Bind.AsSlice()}
}

// temporary says whether a socket goes on after an error.
func temporary(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET)
}
