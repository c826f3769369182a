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
	loop    *loop
	listing *listing // answers enumerations while we are host

	mu      sync.Mutex
	info    dpsp.SessionOpened
	token   uint64
	waiting map[uint64]chan dpsp.Done
	backlog *backlog
	events  chan dpsp.Event
	over    chan struct{} // closed by Close
	pump    sync.WaitGroup
	once    sync.Once
}

// ErrClosed says that the session was closed.
var ErrClosed = errors.New("the session is closed")

// newSession starts an engine with its sockets.
func newSession(opt Options) (*Session, error) {
	opt = opt.withDefaults()
	s := &Session{waiting: map[uint64]chan dpsp.Done{}, backlog: newBacklog(opt.limits.backlog), events: make(chan dpsp.Event, buffered), over: make(chan struct{})}
	l, err := startLoop(opt, s.take, s.backlog)
	if err != nil {
		return nil, err
	}
	s.loop, s.listing = l, newListing(l)
	s.pump.Add(1)
	go s.deliver()
	return s, nil
}

// take sorts events: answers go to who waits for them, the rest to the program. It never waits.
func (s *Session) take(events []dpsp.Event) {
	from := 0 // of those that the program is still to get
	for i, e := range events {
		switch e := e.(type) {
		case dpsp.Done:
			s.backlog.add(events[from:i])
			from = i + 1
			s.answer(e)
		default:
			s.follow(e)
		}
	}
	if from < len(events) {
		s.backlog.add(events[from:])
	}
}

// follow keeps our picture of the session up to date, and has enumerations answered while we are host.
func (s *Session) follow(e dpsp.Event) {
	s.mu.Lock()
	switch e := e.(type) {
	case dpsp.SessionOpened:
		s.info = e
	case dpsp.SessionChanged:
		s.info.Desc, s.info.Name = e.Desc, e.Name
		s.mu.Unlock()
		return
	case dpsp.HostChanged:
		s.info.Host, s.info.Hosting = e.New, e.Hosting
	case dpsp.SessionHealed: // who was away long may have come back as another machine
		s.info.System, s.info.Host, s.info.Hosting = e.System, e.Host, e.Host == e.System
	case dpsp.SessionLost, dpsp.SessionClosed:
		s.info.Hosting = false
	default:
		s.mu.Unlock()
		return
	}
	host := s.info.Hosting
	s.mu.Unlock()
	s.listing.want(host)
}

// answer gives an answer to who waits for it, if anybody does.
func (s *Session) answer(d dpsp.Done) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.waiting[d.Token]; c != nil {
		delete(s.waiting, d.Token)
		c <- d
	}
}

// deliver hands the queued events to the program, one after the other.
func (s *Session) deliver() {
	defer s.pump.Done()
	defer close(s.events)
	for {
		list, flooded := s.backlog.take()
		for _, e := range list {
			select {
			case s.events <- e:
				s.backlog.delivered(e)
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
		case <-s.backlog.more:
		case <-s.over:
			return
		}
	}
}

// Events gives what happens in the session, in order. The channel is closed by Close. Read it: while the program
// leaves 32,768 events or 16 MiB waiting, nothing is taken from the others (see the package's documentation).
func (s *Session) Events() <-chan dpsp.Event { return s.events }

// Skipped is what was left out so far because the program did not read its events.
type Skipped struct {
	Datagrams uint64 // that came, all but pings and their answers; what they said is lost, as if on the way
	Reports   uint64 // Dropped events
}

// Skipped gives what was left out so far.
func (s *Session) Skipped() Skipped {
	return Skipped{Datagrams: s.loop.skipped.Load(), Reports: s.backlog.reports.Load()}
}

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
	if !s.loop.put(dpsp.Input{Kind: dpsp.Request, Command: c, Token: token}, netip.AddrPort{}) {
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

// Info is the session as it is: its description and name, our system player, the host's, and whether that is us. It is
// as far as the engine, which may be ahead of the events that the program has read. After the session it is as it was
// last, but that we do not host.
func (s *Session) Info() dpsp.SessionOpened {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// Hosting says whether we are the host now.
func (s *Session) Hosting() bool { return s.Info().Hosting }

// Host is the host's system player; once it was lost, the lost one's until another machine is host.
func (s *Session) Host() wire.PlayerID { return s.Info().Host }

// ListingError says why nobody who looks for the session finds it although we are its host: as a rule another process
// of the machine has UDP or TCP port 47624. The session goes on, members and who knows our address notice nothing, and
// the ports are tried again every two seconds. It is nil if enumerations are answered, if we are not the host, and for
// an instant after HostChanged, before the ports were tried.
func (s *Session) ListingError() error { return s.listing.failure() }

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
		s.listing.close()
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

// Host opens a session of our own and answers enumerations for it. Where another process of the machine has the ports
// for that, it fails.
func Host(ctx context.Context, opt Options, h dpsp.Host) (*Session, error) {
	s, err := newSession(opt)
	if err != nil {
		return nil, err
	}
	s.listing.hold()
	if _, err := s.request(ctx, h); err != nil {
		s.listing.release()
		s.Close()
		return nil, err
	}
	if err := s.listing.first(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
