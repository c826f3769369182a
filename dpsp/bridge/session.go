package bridge

import (
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"slices"
	"sync"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
	"dplay4/dpsp/bridge/plan"
	"dplay4/dpsp/sock"
)

// Options are what a user decides.
type Options struct {
	// Name is how others see this machine, the user's choice or the machine's name. What is too long or no text is left out.
	Name string
	// Relays are those of a session that is shared, what is best first. A session that is joined has those of its code.
	Relays []code.Relay
	// Ask has each newcomer wait for Answer on the machine that answers newcomers: on this one, and once it has left on the one that
	// does then. Who joins asks once it is that one.
	Ask bool
	// ForceRelay hides this machine's addresses from the others: nothing goes directly.
	ForceRelay bool
	// Visit has this machine be in the session without a game: it holds no ports, and nothing of a game's gets anywhere. That is how
	// a doctor sees the ways to the others.
	Visit bool
	// Record, if not nil, is told what passes between the game of this machine and those of the others.
	Record sock.Recorder
	// Waits, if not nil, is told what Share and Join wait for before they return, one thing after the other.
	Waits func(Wait)

	network func(context.Context, code.Code) (link.Network, error) // in tests, another one
	stands  func(local.Options) (stands, error)
	// running returns the game that runs already on this machine, if there is one, and the ports that this machine is to have in
	// the session, if they matter. The number decides where anything else would do.
	running func(random uint64) (game local.Game, wish filter.Ports, err error)
}

// A Wait is what Share and Join wait for before they return.
type Wait string

// What there is to wait for.
const (
	ForRelay   Wait = "relay"   // to answer
	ForSession Wait = "session" // somebody in it to answer
	ForYes     Wait = "yes"     // of who lets newcomers in
)

// CleanName returns what others see of a name.
func CleanName(name string) string { return plan.CleanName(name) }

// stands is what stands for the games of others on this machine.
type stands interface {
	Stand(slot int, ports filter.Ports, way link.Link) error
	Drop(slot int)
	Move(slot int, ports filter.Ports) error
	LetHost(on bool)
	Hosts() []int
	Close() error
}

// withDefaults puts in what the program has and a test has its own of.
func (o Options) withDefaults() Options {
	if o.network == nil {
		o.network = func(ctx context.Context, c code.Code) (link.Network, error) {
			return link.New(ctx, link.Config{Code: c, ForceRelay: o.ForceRelay})
		}
	}
	if o.stands == nil {
		o.stands = func(opt local.Options) (stands, error) { return local.Open(opt) }
	}
	if o.running == nil {
		o.running = running
	}
	if o.Visit {
		o.stands = func(local.Options) (stands, error) { return nobody{}, nil }
		o.running = func(uint64) (game local.Game, wish filter.Ports, err error) { return }
	}
	if o.Waits == nil {
		o.Waits = func(Wait) {}
	}
	return o
}

// nobody stands for the games of others on a machine that is in the session without one.
type nobody struct{}

func (nobody) Stand(int, filter.Ports, link.Link) error { return nil }
func (nobody) Drop(int)                                 {}
func (nobody) Move(int, filter.Ports) error             { return nil }
func (nobody) LetHost(bool)                             {}
func (nobody) Hosts() []int                             { return nil }
func (nobody) Close() error                             { return nil }

// A Session is this machine's part in a bridged session. Its methods may be called by several goroutines.
type Session struct {
	loop   *loop
	leave  context.CancelFunc
	over   context.Context // done when all is closed
	end    context.CancelFunc
	events chan Event

	mu      sync.Mutex
	closed  bool // events is
	code    code.Code
	members []seen // in the order of their slots
	asking  []Asked
}

// A seen is a member and the link with it.
type seen struct {
	member Member
	link   link.Link // nil: none
}

// Share opens a session. It fails if none of the relays answers, or if other programs have ports that the session needs.
// Done of the context ends the session, as Close does.
func Share(ctx context.Context, opt Options) (*Session, error) {
	with := code.Code{Relays: slices.Clone(opt.Relays)}
	rand.Read(with.Secret[:])
	return begin(ctx, with, opt, true)
}

// Join enters a session. It fails if nobody answers at the code's address, if this machine is not let in, or as Share does.
func Join(ctx context.Context, with code.Code, opt Options) (*Session, error) {
	return begin(ctx, with, opt, false)
}

// begin opens a session or enters one.
func begin(ctx context.Context, with code.Code, opt Options, found bool) (*Session, error) {
	if err := with.Check(); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	seed := mathrand.Uint64()
	game, wish, err := opt.running(seed)
	if err != nil {
		return nil, err
	}
	net, err := opt.network(ctx, with)
	if err != nil {
		return nil, err
	}
	opt.Waits(ForRelay)
	if err := net.Ready(ctx); err != nil {
		net.Close() //nolint:errcheck // it is of no use
		return nil, err
	}
	s := &Session{events: make(chan Event, eventsWait), code: with}
	s.over, s.end = context.WithCancel(context.Background())
	ctx, s.leave = context.WithCancel(ctx)
	l := newLoop(ctx, s, net, opt, game)
	s.loop = l
	l.plan = plan.New(plan.Config{ID: plan.ID(net.ID()), Name: opt.Name, Ports: plan.Ports(wish), Found: found, Ask: opt.Ask,
		Seed: seed})
	if !found {
		opt.Waits(ForSession)
	}
	go l.run()
	if err := <-l.opened; err != nil {
		<-s.over.Done()
		return nil, err
	}
	return s, nil
}

// Code returns what newcomers need to know at the moment.
func (s *Session) Code() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.code.String()
}

// Events returns what happens. Whoever does not read it loses nothing but the events; it is closed behind Ended.
func (s *Session) Events() <-chan Event { return s.events }

// Members returns the machines of the session, this one among them, in the order of their slots.
func (s *Session) Members() []Member {
	s.mu.Lock()
	members := slices.Clone(s.members)
	s.mu.Unlock()
	all := make([]Member, len(members))
	for i, m := range members {
		all[i] = m.now()
	}
	return all
}

// now returns the member with the way as it is.
func (m seen) now() Member {
	if m.link != nil {
		m.member.Way = m.link.Way()
		m.member.Linked = m.member.Way.Over != ""
	}
	return m.member
}

// Kick sends the machine in a slot away, for all. ErrNotKeeper: that is for the machine that answers newcomers.
// What is sent away does not get in again with the key of that start.
func (s *Session) Kick(slot int, reason string) error {
	return s.ask(func(l *loop) error {
		if !l.keeps() {
			return ErrNotKeeper
		}
		return l.kick(slot, reason)
	})
}

// Cut has this machine have nothing to do any more with the one in a slot, for good. The others still have it, and to most games a
// session in which two machines do not reach each other is broken. On the machine that answers newcomers it is Kick.
func (s *Session) Cut(slot int) error {
	return s.ask(func(l *loop) error { return l.kick(slot, "") })
}

func (l *loop) kick(slot int, reason string) error {
	m, found := find(l.plan.Members(), func(m plan.Member) bool { return m.Slot == slot })
	if !found {
		return ErrNobodyThere
	}
	l.step(plan.Kick{ID: m.ID, Reason: reason})
	return nil
}

// Asking returns the newcomers that wait for Answer, the first one first.
func (s *Session) Asking() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asking)
}

// Answer lets a newcomer in, or not, that an Asked event told of. ErrNobodyThere: it does not wait any more.
func (s *Session) Answer(id link.ID, yes bool) error {
	return s.ask(func(l *loop) error {
		if !slices.ContainsFunc(l.plan.Asking(), func(m plan.Machine) bool { return m.ID == plan.ID(id) }) {
			return ErrNobodyThere
		}
		l.step(plan.Answer{ID: plan.ID(id), Yes: yes})
		return nil
	})
}

// LetHost has a game of this machine host although that of another one does, so that there are two sessions; or no longer. It is
// over when that game hosts no more. Meanwhile games of this machine do not find the sessions of others.
func (s *Session) LetHost(on bool) error {
	return s.ask(func(l *loop) error {
		l.local.LetHost(on)
		return nil
	})
}

// ask has the loop do something.
func (s *Session) ask(do func(*loop) error) error {
	answer := make(chan error, 1)
	if !s.loop.post(func() { answer <- do(s.loop) }) {
		return link.ErrClosed
	}
	return <-answer
}

// Close says goodbye to the others, which have the slot free at once, and closes all that the session has open.
func (s *Session) Close() error {
	s.leave()
	<-s.over.Done()
	return nil
}

// eventsWait is how many events wait to be read. Behind them the oldest are forgotten.
const eventsWait = 1024

// tell has the program hear of an event.
func (s *Session) tell(e Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(e)
}

// open tells that the session is open, before what has happened on the way there: nobody reads events yet.
func (s *Session) open(o Opened) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var early []Event
	for len(s.events) > 0 {
		early = append(early, <-s.events)
	}
	s.put(o)
	for _, e := range early[max(0, len(early)+1-eventsWait):] {
		s.put(e)
	}
}

// put has an event wait to be read. Locked.
func (s *Session) put(e Event) {
	for !s.closed && !link.Offer(s.events, e) {
		select {
		case <-s.events:
		default:
		}
	}
}

// tellLocal has the program hear of what happened on this machine.
func (s *Session) tellLocal(e local.Event) {
	here, is := e.(local.Elsewhere)
	if !is {
		s.tell(Local{Event: e})
		return
	}
	told := HostElsewhere{On: here.Slot >= 0}
	told.Member, _ = find(s.Members(), func(m Member) bool { return m.Slot == here.Slot })
	s.tell(told)
}

// close tells that we are out, and nothing after it.
func (s *Session) close(reason string) {
	s.tell(Ended{Reason: reason})
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	close(s.events)
	s.end()
}
