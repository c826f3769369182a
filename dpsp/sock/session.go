package sock

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A Session is our part in a session, with its sockets. Its methods may be called by several goroutines.
type Session struct {
	loop  *loop
	leave func() // ends answering enumerations; nil if we are no host
	info  dpsp.SessionOpened

	mu      sync.Mutex
	token   uint64
	waiting map[uint64]chan dpsp.Done
	queue   []dpsp.Event
	flooded bool
	more    chan struct{}
	events  chan dpsp.Event
	over    chan struct{} // closed by Close
	pump    sync.WaitGroup
	once    sync.Once
}

// ErrClosed says that the session was closed.
var ErrClosed = errors.New("the session is closed")

// newSession starts an engine with its sockets.
func newSession(opt Options) (*Session, error) {
	s := &Session{waiting: map[uint64]chan dpsp.Done{}, more: make(chan struct{}, 1), events: make(chan dpsp.Event, buffered), over: make(chan struct{})}
	l, err := startLoop(opt, s.take)
	if err != nil {
		return nil, err
	}
	s.loop = l
	s.pump.Add(1)
	go s.deliver()
	return s, nil
}

// take sorts events: answers go to who waits for them, the rest to the program. It never waits.
func (s *Session) take(events []dpsp.Event) {
	s.mu.Lock()
	for _, e := range events {
		switch e := e.(type) {
		case dpsp.Done:
			if c := s.waiting[e.Token]; c != nil {
				delete(s.waiting, e.Token)
				c <- e
			}
			continue
		case dpsp.SessionOpened:
			s.info = e
		}
		if len(s.queue) >= maxEvents {
			s.flooded = true
			continue
		}
		s.queue = append(s.queue, e)
	}
	queued := len(s.queue) > 0
	s.mu.Unlock()
	if !queued {
		return
	}
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// deliver hands the queued events to the program, one after the other.
func (s *Session) deliver() {
	defer s.pump.Done()
	defer close(s.events)
	for {
		s.mu.Lock()
		list, flooded := s.queue, s.flooded
		s.queue = nil
		s.mu.Unlock()
		for _, e := range list {
			select {
			case s.events <- e:
			case <-s.over:
				return
			}
		}
		if flooded {
			go s.Close()
			return
		}
		if len(list) > 0 {
			continue
		}
		select {
		case <-s.more:
		case <-s.over:
			return
		}
	}
}

// Events gives what happens in the session, in order. The channel is closed by Close. Read it: a program that
// leaves 65,536 events waiting loses its session.
func (s *Session) Events() <-chan dpsp.Event { return s.events }

// request has the engine do something and waits for the answer.
func (s *Session) request(ctx context.Context, c dpsp.Command) (dpsp.Done, error) {
	answer := make(chan dpsp.Done, 1)
	s.mu.Lock()
	s.token++
	token := s.token
	s.waiting[token] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, token)
		s.mu.Unlock()
	}()
	if !s.loop.put(dpsp.Input{Kind: dpsp.Request, Command: c, Token: token}) {
		return dpsp.Done{}, ErrClosed
	}
	select {
	case d := <-answer:
		return d, d.Err
	case <-ctx.Done():
		return dpsp.Done{}, ctx.Err()
	case <-s.loop.done:
		return dpsp.Done{}, ErrClosed
	}
}

// Do has the engine do what none of the methods below does, and gives the id of what was made, if anything.
func (s *Session) Do(ctx context.Context, c dpsp.Command) (wire.PlayerID, error) {
	d, err := s.request(ctx, c)
	return d.ID, err
}

// Info is the session as it was when it opened: its description, our system player, the host's.
func (s *Session) Info() dpsp.SessionOpened {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// StreamAddr is our TCP listener, DatagramAddr our UDP socket.
func (s *Session) StreamAddr() netip.AddrPort { return addrPort(s.loop.stream.Addr()) }

// DatagramAddr is our UDP socket.
func (s *Session) DatagramAddr() netip.AddrPort {
	return netip.MustParseAddrPort(s.loop.udp.LocalAddr().String())
}

// CreatePlayer makes a player of ours with a name, in UTF-16, and data. Anything else goes through Do.
func (s *Session) CreatePlayer(ctx context.Context, name string, data []byte) (wire.PlayerID, error) {
	return s.Do(ctx, dpsp.CreatePlayer{ShortName: wire.NewText(name), Data: data})
}

// CreateGroup makes a group of ours.
func (s *Session) CreateGroup(ctx context.Context, name string, data []byte) (wire.PlayerID, error) {
	return s.Do(ctx, dpsp.CreateGroup{ShortName: wire.NewText(name), Data: data})
}

// Send sends a game message from a player of ours to a player, a group, or everybody (wire.IDAll). It waits
// until the message is on its way, not until it arrived; payload is free again then.
func (s *Session) Send(ctx context.Context, from, to wire.PlayerID, payload []byte, guaranteed bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.loop.command(dpsp.Send{From: from, To: to, Payload: payload, Guaranteed: guaranteed})
}

// Chat sends text from a player of ours.
func (s *Session) Chat(ctx context.Context, from, to wire.PlayerID, text string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.loop.command(dpsp.Chat{From: from, To: to, Text: text, Guaranteed: true})
}

// Players gives everybody in the session but system players, as copies, in order of joining.
func (s *Session) Players() []dpsp.PlayerCreated {
	var all []dpsp.PlayerCreated
	s.loop.do(func(e *dpsp.Engine) { all = e.Players() })
	return all
}

// closeTime is how long Close waits for the engine to say goodbye.
const closeTime = 2 * time.Second

// Close leaves the session and frees everything. No goroutine is left when it returns. It may be called more than
// once.
func (s *Session) Close() error {
	s.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		if s.leave != nil {
			s.leave()
		}
		s.request(ctx, dpsp.Leave{}) // fails where there is no session to leave any more
		s.loop.close()
		close(s.over)
		s.pump.Wait()
	})
	return nil
}

// A Found is a session that a host told us of.
type Found = dpsp.SessionFound

// Ask says what to enumerate.
type Ask struct {
	Application wire.GUID // zero: every game
	Flags       wire.EnumFlags
	Password    string
	Hosts       []netip.Addr  // asked one by one, by UDP and TCP; none: everybody on the network is asked
	Repeat      time.Duration // between requests; 0 means half a second
}

// Enumerate asks for sessions until ctx ends and tells found of each answer, repeated ones included. It returns
// nil when ctx ends.
func Enumerate(ctx context.Context, opt Options, ask Ask, found func(Found)) error {
	s, err := newSession(opt)
	if err != nil {
		return err
	}
	defer s.Close()
	c := dpsp.Enumerate{Application: ask.Application, Flags: ask.Flags, Password: ask.Password}
	for _, h := range ask.Hosts {
		at := netip.AddrPortFrom(h, dpsp.EnumPort)
		c.To, c.Streams = append(c.To, at), append(c.Streams, at)
	}
	if ask.Repeat == 0 {
		ask.Repeat = 500 * time.Millisecond
	}
	again := time.NewTicker(ask.Repeat)
	defer again.Stop()
	if _, err := s.request(ctx, c); err != nil {
		return ctxErr(ctx, err)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
			if _, err := s.request(ctx, c); err != nil {
				return ctxErr(ctx, err)
			}
		case e := <-s.events:
			if f, ok := e.(dpsp.SessionFound); ok {
				found(f)
			}
		}
	}
}

func ctxErr(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Join enters a session that Enumerate found.
func Join(ctx context.Context, opt Options, at Found, password string) (*Session, error) {
	s, err := newSession(opt)
	if err != nil {
		return nil, err
	}
	if _, err := s.request(ctx, dpsp.Join{Host: at.Host, Desc: at.Desc, Name: at.Name, Password: password}); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Host opens a session of our own and answers enumerations for it.
func Host(ctx context.Context, opt Options, h dpsp.Host) (*Session, error) {
	s, err := newSession(opt)
	if err != nil {
		return nil, err
	}
	if _, err := s.request(ctx, h); err != nil {
		s.Close()
		return nil, err
	}
	if s.leave, err = enlist(s.loop); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
