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
// or hosts, until the program leaves (dpsp.Leave), or the session is lost. Then it may join or host the next one. The
// sockets, and the connections that came to them, are the same from Open to Close: a host that answered a search goes on
// to talk over the connection that it answered by (facts, 10.1). Its methods may be called by several goroutines.
type Session struct {
	loop    *loop
	listing *listing // answers enumerations while we are host

	mu       sync.Mutex
	info     dpsp.SessionOpened
	token    uint64
	waiting  map[uint64]chan dpsp.Done
	searches map[*search]bool // that are under way
	backlog  *backlog
	events   chan dpsp.Event
	over     chan struct{} // closed by Close
	pump     sync.WaitGroup
	once     sync.Once
}

// ErrClosed says that the session was closed.
var ErrClosed = errors.New("the session is closed")

// Open opens the sockets, for a Session that is in no session yet.
func Open(opt Options) (*Session, error) {
	opt = opt.withDefaults()
	s := &Session{waiting: map[uint64]chan dpsp.Done{}, searches: map[*search]bool{}, backlog: newBacklog(opt.limits.backlog, opt.limits.events), events: make(chan dpsp.Event, buffered), over: make(chan struct{})}
	l, err := startLoop(opt, s.take, s.backlog)
	if err != nil {
		return nil, err
	}
	s.loop, s.listing = l, newListing(l)
	s.pump.Add(1)
	go s.deliver()
	return s, nil
}

// take sorts events that somebody's message caused, nil for the program: answers go to who waits for them, sessions that were found to the searches, the rest to the
// program. It never waits.
func (s *Session) take(events []dpsp.Event, by *source) {
	from := 0 // of those that the program is still to get
	for i, e := range events {
		switch e := e.(type) {
		case dpsp.Done:
			s.backlog.add(events[from:i], by)
			from = i + 1
			s.answer(e)
		case dpsp.SessionFound:
			s.backlog.add(events[from:i], by)
			from = i + 1
			s.found(e)
		default:
			s.follow(e)
		}
	}
	if from < len(events) {
		s.backlog.add(events[from:], by)
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

// Events gives what happens, in order: in the session, and before it the messages that were dropped. The channel is closed by
// Close. Read it: while the program leaves 32,768 events or 16 MiB waiting, nothing is taken from the others (see the package's documentation).
func (s *Session) Events() <-chan dpsp.Event { return s.events }

// Skipped is what was left out so far because the program did not read its events.
type Skipped struct {
	Datagrams uint64 // that came, all but pings and their answers; what they said is lost, as if on the way
	Reports   uint64 // Dropped and EnumerationIgnored events
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
	if !s.loop.put(dpsp.Input{Kind: dpsp.Request, Command: c, Token: token}) {
		return dpsp.Done{}, ErrClosed
	}
	select {
	case d := <-answer:
		return d, d.Err
	case <-ctx.Done():
		select {
		case d := <-answer: // what was done counts
			return d, d.Err
		default:
			return dpsp.Done{}, ctx.Err()
		}
	case <-s.loop.done:
		return dpsp.Done{}, ErrClosed
	}
}

// Do has the engine do what none of the other methods does, and gives the id of what was made, if anything. Of what
// dpsp.Enumerate finds only the loops of Enumerate learn.
func (s *Session) Do(ctx context.Context, c dpsp.Command) (wire.PlayerID, error) {
	d, err := s.request(ctx, c)
	return d.ID, err
}

// Info is the session as it is, zero before the first one: its description and name, our system player, the host's, and whether that is us. It is
// as far as the engine, which may be ahead of the events that the program has read. After the session it is as it was
// last, but that we do not host.
func (s *Session) Info() dpsp.SessionOpened {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

// Hosting says whether we are the host now.
func (s *Session) Hosting() bool { return s.Info().Hosting }

// HostID is the host's system player; once it was lost, the lost one's until another machine is host.
func (s *Session) HostID() wire.PlayerID { return s.Info().Host }

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

// CreatePlayer makes a player of ours with a name, short and long, and data. Anything else goes through Do.
func (s *Session) CreatePlayer(ctx context.Context, name dpsp.Text, data []byte) (wire.PlayerID, error) {
	return s.Do(ctx, dpsp.CreatePlayer{ShortName: name, Data: data})
}

// CreateGroup makes a group of ours.
func (s *Session) CreateGroup(ctx context.Context, name dpsp.Text, data []byte) (wire.PlayerID, error) {
	return s.Do(ctx, dpsp.CreateGroup{ShortName: name, Data: data})
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
func (s *Session) Chat(ctx context.Context, from, to wire.PlayerID, text dpsp.Text) error {
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

// Host opens a session of our own and answers enumerations for it. It fails where another process of the machine has
// the ports for that.
func (s *Session) Host(ctx context.Context, h dpsp.Host) error {
	if err := s.listing.enter(); err != nil {
		return err
	}
	defer s.listing.release()
	_, err := s.request(ctx, h)
	return err
}

// Join enters a session that Enumerate found. It fails with what the host says, an HResult, or with an error of package
// dpsp; then other sessions may be searched for and joined. If ctx ends before, the way into the session does as well.
func (s *Session) Join(ctx context.Context, at Found, password dpsp.Text) error {
	_, err := s.request(ctx, dpsp.Join{Host: at.Host, From: at.From, Desc: at.Desc, Name: at.Name, Encoding: at.Encoding, Password: password})
	if errors.Is(err, dpsp.ErrTimeout) {
		return s.loop.explained(err, at)
	}
	if err != nil && err == ctx.Err() {
		s.request(context.Background(), dpsp.Leave{}) //nolint:errcheck // it is answered at once, in any state
	}
	return err
}
