package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/plan"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// Slots is how many machines a session can have.
const Slots = plan.Slots

// At returns the ports of a slot whose machine announced no others.
func At(slot int) filter.Ports { return filter.Ports(plan.At(slot)) }

// Options say where the game of this machine is.
type Options struct {
	Slot  int          // ours
	Ports filter.Ports // of our slot, for all machines; zero: At(Slot)
	// Game is where our game listens: one that was there before us, see Find; zero: on the ports of our slot. On other ports, what
	// it says is translated.
	Game filter.Ports
	// Report, if not nil, is told what happens, one event after the other. It must not call the Local.
	Report func(Event)
	// Record, if not nil, is told what passes between our game and the other machines, one message or piece of a connection after
	// the other, with the ports of the plan. Data is valid during the call.
	Record sock.Recorder

	within func(func()) // calls a function that opens sockets: in tests, on another machine
	// table returns who has ports of a range, as the system tells: in tests, what one tells that does not, or not always.
	table func(network string, at netip.Addr, ports wire.Ports) ([]sock.Holding, bool)
	by    func([]sock.Holding) []string // names the processes of ports: in tests, with a memory
	times times                         // zero: usual
}

// times are the times that a test has its own of.
type times struct {
	games   time.Duration // between two looks at the ports of our game, as long as the same programs have port 47624
	tell    time.Duration // between two reports of our game's state to the other machines, and to the user
	settled time.Duration // until a game without connections to others counts as in no session, and one port of two as another program's
	connect time.Duration // that a game may take to accept a connection; the system alone gives up after minutes
	// announced is the limit for the first octet of a stream, which is its kind, and for a request by TCP.
	announced time.Duration
}

// usual are the times of the program.
var usual = times{games: time.Second, tell: time.Second, settled: time.Second, connect: 3 * time.Second, announced: 10 * time.Second}

// withDefaults puts in what the program has and a test has its own of, and what nobody chose.
func (o Options) withDefaults() Options {
	o.Ports = cmp.Or(o.Ports, At(o.Slot))
	o.Game = cmp.Or(o.Game, o.Ports)
	o.times = cmp.Or(o.times, usual)
	if o.within == nil {
		o.within = func(do func()) { do() }
	}
	if o.table == nil {
		o.table = sock.Holdings
	}
	if o.by == nil {
		o.by = sock.By
	}
	return o
}

// A Local is the sockets of one machine that stand for the others of the session. Its methods may be called by several
// goroutines.
type Local struct {
	opt    Options
	ctx    context.Context // done when it is closed
	end    context.CancelFunc
	group  sync.WaitGroup
	tells  sync.Mutex // held while Report or Record are called
	pace   *pace
	list   *listing
	tenant *tenant

	mu      sync.RWMutex
	at      filter.Translation // where our game is, and the ports of our slot
	slot    int                // ours
	slots   [Slots]*neighbour
	plan    *filter.Plan
	session filter.Session
	open    map[socket]io.Closer // what stands for others, by its port here
	missing map[socket]error     // why what should stand for a slot does not
}

// Open opens the sockets. A port that another program has is tried again and again; where it is most of them, Open fails.
func Open(opt Options) (*Local, error) {
	if err := checkSlot(opt.Slot); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	l := &Local{opt: opt, at: filter.Translation{Game: opt.Game, Slot: opt.Ports}, slot: opt.Slot, open: map[socket]io.Closer{},
		missing: map[socket]error{}}
	l.ctx, l.end = context.WithCancel(context.Background())
	l.pace = newPace()
	l.list, l.tenant = &listing{l: l, told: Elsewhere{-1}}, &tenant{l: l}
	l.hold()
	open := map[bool]int{} // by whether they are of UDP
	for at := range l.open {
		open[at.datagram]++
	}
	if min(open[false], open[true]) < Slots/2 { // another bridge, as a rule
		err := fmt.Errorf("%w: quit it", l.held())
		l.Close()
		return nil, err
	}
	l.tellTranslation()
	l.group.Go(l.list.run)
	return l, nil
}

// checkSlot returns an error for a slot that no session has.
func checkSlot(slot int) error {
	if slot < 0 || slot >= Slots {
		return fmt.Errorf("there is no slot %d", slot)
	}
	return nil
}

// hold opens what stands for the other slots and is not open yet, closes what is not needed any more, and makes the plan. Locked, or
// nobody else knows l yet.
func (l *Local) hold() {
	clear(l.missing)
	if l.ctx.Err() != nil {
		return
	}
	planned := []filter.Ports{l.at.Slot}
	wanted := map[socket]bool{}
	for slot, n := range l.slots {
		p := At(slot)
		if n != nil {
			p = n.ports
		}
		var there filter.Ports // 0: ours, or somebody else's
		for _, datagram := range []bool{false, true} {
			port := *p.Of(datagram)
			if port == *l.at.Slot.Of(datagram) {
				continue
			}
			at := socket{l.at.Port(port, datagram), datagram}
			wanted[at] = true
			// A member whose port another program of this machine has is not reached; but lists that name it are the others'. Where
			// that is no port of a slot it is left out: a member could choose one where a service of this machine is.
			if l.stands(at) || n != nil && within(port, kinds[datagram].ports) {
				*there.Of(datagram) = port
			}
		}
		planned = append(planned, there)
	}
	maps.DeleteFunc(l.open, func(at socket, s io.Closer) bool {
		if !wanted[at] {
			s.Close()
		}
		return !wanted[at]
	})
	l.plan = filter.NewPlan(planned...)
}

// stands opens a socket that stands for a slot, if it is not open. It reports whether it is then.
func (l *Local) stands(at socket) bool {
	if l.open[at] != nil {
		return true
	}
	l.opt.within(func() {
		open := l.listen
		if at.datagram {
			open = l.receive
		}
		s, err := open(at.port)
		if err != nil {
			l.missing[at] = err
			return
		}
		l.open[at] = s
	})
	return l.open[at] != nil
}

// A socket is a port of this machine and its kind.
type socket struct {
	port     uint16
	datagram bool
}

// kinds has the kinds of sockets, by whether they are of UDP.
var kinds = map[bool]struct {
	network string
	ports   wire.Ports // of slots
}{false: {"TCP", wire.StreamPorts}, true: {"UDP", wire.DatagramPorts}}

// held says why sockets that should stand for slots are not there: for the first of those, or of all, that is not; nil if they
// are. Locked.
func (l *Local) held(of ...socket) error {
	if len(of) == 0 {
		of = slices.SortedFunc(maps.Keys(l.missing), func(a, b socket) int { return cmp.Compare(a.port, b.port) })
	}
	for _, at := range of {
		err := l.missing[at]
		if err == nil {
			continue
		}
		network := kinds[at.datagram].network
		all, _ := l.holdings(network, one(at.port))
		if by := isHeld(network, at.port, l.opt.by(all)); by != "" {
			return errors.New(by)
		}
		return fmt.Errorf("%s port %d: %w", network, at.port, err)
	}
	return nil
}

// retry tries again what could not be opened. It returns why our game does not get its ports, or does not reach a machine of the
// session, "" if it does.
func (l *Local) retry() string {
	if why := l.tenant.waits(l.translation().Game); why != "" {
		return why
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.missing) == 0 {
		return ""
	}
	l.hold()
	for _, n := range l.slots {
		if n == nil {
			continue
		}
		if err := l.held(socket{l.at.Port(n.ports.TCP, false), false}, socket{l.at.Port(n.ports.UDP, true), true}); err != nil {
			return fmt.Sprintf("%v: the game does not reach machine %d. Quit it; if it is the game, start it again", err, n.slot)
		}
	}
	return ""
}

// loopback is where games are.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// translation returns where our game is, and the ports of our slot.
func (l *Local) translation() filter.Translation {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.at
}

// planNow returns what our game may be told of.
func (l *Local) planNow() *filter.Plan {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.plan
}

// framed reports whether our game's datagrams are frames of the reliable protocol.
func (l *Local) framed() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.session.Framed()
}

// Move gives us another slot. A game that is on the ports of the one before stays there, and what it says is translated.
func (l *Local) Move(slot int, ports filter.Ports) error {
	if err := checkSlot(slot); err != nil {
		return err
	}
	l.Drop(slot)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slot, l.at.Slot = slot, cmp.Or(ports, At(slot))
	if is := l.tenant.look(l.at.Game, 0); is != ourGame && is != untold {
		l.at.Game = l.at.Slot
	}
	l.hold()
	l.tellTranslation()
	return nil
}

// tellTranslation reports that our game is translated, if it is. Locked, or nobody else knows l yet.
func (l *Local) tellTranslation() {
	if l.at.Changes() {
		l.report(Translating{Game: l.at.Game, Plan: l.at.Slot})
	}
}

// holdings says who of this machine has ports of a range.
func (l *Local) holdings(network string, ports wire.Ports) (all []sock.Holding, known bool) {
	l.opt.within(func() { all, known = l.opt.table(network, loopback, ports) })
	return all, known
}

// Close closes all sockets and resets all connections. No goroutine is left when it returns. Links stay open.
func (l *Local) Close() error {
	l.end()
	for slot := range Slots {
		l.Drop(slot)
	}
	l.mu.Lock()
	for _, s := range l.open {
		s.Close()
	}
	l.mu.Unlock()
	l.list.close()
	l.group.Wait()
	return nil
}
