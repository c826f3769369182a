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

// A Session is the sockets of one machine and its part in a session: in none after Open, then in the one that it joins
// or hosts, until the program leaves, or the session is lost. Then it may join or host the next one. The
// sockets, and the connections that came to them, are the same from Open to Close: a host that answered a search goes on
// to talk over the connection that it answered by (facts, 10.1). Its methods may be called by several goroutines.
type Session struct {
	loop    *loop
	listing *listing // answers enumerations while we are host

	mu       sync.Mutex
	info     dpsp.SessionOpened
	token    uint64
	waiting  map[uint64]chan reply
	searches map[*search]bool // that are under way
	backlog  *backlog
	events   chan dpsp.Event
	over     chan struct{}  // closed by Close
	pump     sync.WaitGroup // who delivers
	closed   sync.Once      // by Close
}

// ErrClosed is the error of what is asked of a Session after Close.
var ErrClosed = errors.New("the session is closed")

// Open opens the sockets, for a Session that is in no session yet.
func Open(opt Options) (*Session, error) {
	opt = opt.withDefaults()
	s := &Session{
		waiting: map[uint64]chan reply{}, searches: map[*search]bool{}, backlog: newBacklog(opt.limits.backlog, opt.limits.events),
		events: make(chan dpsp.Event, buffered), over: make(chan struct{}),
	}
	l, err := startLoop(opt, s.take, s.backlog)
	if err != nil {
		return nil, err
	}
	s.loop, s.listing = l, newListing(l)
	return s, nil
}

// take sorts events that somebody's message caused, nil for the program: answers go to who waits for them, sessions that
// were found to the searches, the rest to the program. It never waits.
func (s *Session) take(events []dpsp.Event, by *source) {
	from := 0                     // of those that the program is still to get
	var players dpsp.PlayersFound // what the next answer is about
	for i, e := range events {
		switch e := e.(type) {
		case dpsp.Done:
			s.backlog.add(events[from:i], by)
			from = i + 1
			s.answer(reply{e, players})
			players = dpsp.PlayersFound{}
		case dpsp.PlayersFound:
			s.backlog.add(events[from:i], by)
			from = i + 1
			players = e
		case dpsp.SessionFound:
			s.backlog.add(events[from:i], by)
			from = i + 1
			s.found(e)
		default:
			s.follow(e)
		}
	}
	s.backlog.add(events[from:], by)
	if s.backlog.begin() {
		s.pump.Go(s.deliver)
	}
}

// follow keeps our picture of the session up to date, and has enumerations answered while we are host.
func (s *Session) follow(e dpsp.Event) {
	s.mu.Lock()
	was := s.info.Hosting
	switch e := e.(type) {
	case dpsp.SessionOpened:
		s.info = e
	case dpsp.SessionChanged:
		s.info.Desc, s.info.Name = e.Desc, e.Name
	case dpsp.PlayerCreated: // those that were there before us come before SessionOpened, which counts them
		s.info.Desc.CurrentPlayers++
	case dpsp.PlayerDeleted:
		s.info.Desc.CurrentPlayers--
	case dpsp.HostChanged:
		s.info.Host, s.info.Hosting = e.New, e.Hosting
	case dpsp.SessionHealed: // who was away long may have come back as another machine
		s.info.System, s.info.Host, s.info.Hosting = e.System, e.Host, e.Host == e.System
	case dpsp.SessionLost, dpsp.SessionClosed:
		s.info.Hosting = false
	}
	host := s.info.Hosting
	s.mu.Unlock()
	if host != was {
		s.listing.want(host)
	}
}

// A reply is the answer to a command.
type reply struct {
	dpsp.Done
	players dpsp.PlayersFound // of EnumeratePlayers
}

// answer gives an answer to who waits for it, if anybody does.
func (s *Session) answer(r reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.waiting[r.Token]; c != nil {
		delete(s.waiting, r.Token)
		c <- r
	}
}

// deliver hands the queued events to the program, one after the other, while there are some.
func (s *Session) deliver() {
	for {
		list, flooded := s.backlog.take()
		for _, e := range list {
			select {
			case s.events <- e.Event:
				s.backlog.delivered(e)
			case <-s.over:
				return
			}
		}
		if flooded {
			go s.Close()
			return
		}
		if len(list) == 0 {
			return
		}
	}
}

// Events returns the channel of what happens, in order: in the session, and before it the messages that were dropped. The
// events for the players and groups that were in a session before us come before SessionOpened. It is closed by Close. Read it: while
// 32,768 events or 16 MiB wait, nothing is taken from the others (see Events above).
func (s *Session) Events() <-chan dpsp.Event { return s.events }

// Told returns how many events there were so far, those included that wait in Events. The events of what a command changed are among
// them when its method returns: who has read so many knows all that it did.
func (s *Session) Told() uint64 { return s.backlog.told() }

// Skipped is what was left out so far because the program did not read its events.
type Skipped struct {
	Datagrams uint64 // that came, all but pings and their answers; what they said is lost, as if on the way
	Reports   uint64 // Dropped and EnumerationIgnored events
}

// Skipped returns what was left out so far.
func (s *Session) Skipped() Skipped {
	return Skipped{Datagrams: s.loop.skipped.Load(), Reports: s.backlog.reports.Load()}
}

// request has the engine do something and waits for the answer.
func (s *Session) request(ctx context.Context, c dpsp.Command) (reply, error) {
	answer := make(chan reply, 1)
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
		return reply{}, ErrClosed
	}
	select {
	case r := <-answer:
		return r, r.Err
	case <-ctx.Done():
		select {
		case r := <-answer: // what was done counts
			return r, r.Err
		default:
			return reply{}, ctx.Err()
		}
	case <-s.loop.done:
		return reply{}, ErrClosed
	}
}

// Info returns the session as it is, zero before the first one: its description with the number of players of this moment, its
// name, our system player, the host's, and whether that is us. It is as far as the engine, which may be ahead of the events that the
// program has read. After the session it is as it was last, but that we do not host.
func (s *Session) Info() dpsp.SessionOpened {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// Hosting reports whether we are the host now.
func (s *Session) Hosting() bool { return s.Info().Hosting }

// HostID returns the host's system player; once it was lost, the lost one's until another machine is host.
func (s *Session) HostID() wire.PlayerID { return s.Info().Host }

// ListingError returns why nobody who looks for the session finds it although we are its host: as a rule another process
// of the machine has UDP or TCP port 47624. The session goes on, members and who knows our address notice nothing, and
// the ports are tried again every two seconds. It is nil if enumerations are answered, if we are not the host, and for
// an instant after HostChanged, before the ports were tried.
func (s *Session) ListingError() error { return s.listing.failure() }

// StreamAddr returns the address of our TCP listener.
func (s *Session) StreamAddr() netip.AddrPort { return addrPort(s.loop.stream.Addr()) }

// DatagramAddr returns the address of our UDP socket.
func (s *Session) DatagramAddr() netip.AddrPort {
	return netip.MustParseAddrPort(s.loop.udp.LocalAddr().String())
}

// Players returns everybody in the session but system players, as copies, in order of joining.
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
	s.closed.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		s.listing.close()
		s.request(ctx, dpsp.Leave{}) // fails where there is no session to leave any more
		s.loop.close()
		close(s.over)
		s.pump.Wait()
		close(s.events)
	})
	return nil
}
