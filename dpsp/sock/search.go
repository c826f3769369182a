package sock

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A Found is a session that a host told us of.
type Found = dpsp.SessionFound

// Ask says what to enumerate.
type Ask struct {
	Application wire.GUID // zero: every game
	Flags       wire.EnumFlags
	Password    dpsp.Text
	Hosts       []netip.Addr  // asked one by one, by UDP and TCP; none: everybody on the network is asked
	Repeat      time.Duration // between requests; 0 means half a second
}

// ErrNotFound is the error of Find if the context ends before a session is found.
var ErrNotFound = errors.New("no session was found")

// Enumerate asks for sessions, again and again, and yields each answer, repeated ones included. The loop ends with ctx, by
// break, or with an error that is yielded: ErrClosed. It may be run as often as wanted, several at a time, also in a
// session; each gets all answers that come while it runs. An answer that comes between two loops is nobody's.
func (s *Session) Enumerate(ctx context.Context, ask Ask) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		x := &search{more: make(chan struct{}, 1)}
		s.mu.Lock()
		s.searches[x] = true
		s.mu.Unlock()
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.searches, x)
		}()
		c := dpsp.Enumerate{Application: ask.Application, Flags: ask.Flags, Password: ask.Password}
		for _, h := range ask.Hosts {
			at := netip.AddrPortFrom(h, dpsp.EnumPort)
			c.To, c.Streams = append(c.To, at), append(c.Streams, at)
		}
		defer s.hangUp(c.Streams)
		repeat := cmp.Or(max(ask.Repeat, 0), 500*time.Millisecond)
		again := time.NewTimer(0)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.loop.done:
				yield(Found{}, ErrClosed)
				return
			case <-again.C:
				again.Reset(repeat)
				if _, err := s.request(ctx, c); err != nil {
					if ctx.Err() == nil {
						yield(Found{}, err)
					}
					return
				}
			case <-x.more:
				for _, f := range s.answers(x) {
					if !yield(f, nil) {
						return
					}
				}
			}
		}
	}
}

// Find returns the first session that Enumerate finds, or ErrNotFound when ctx ends.
func (s *Session) Find(ctx context.Context, ask Ask) (Found, error) {
	for f, err := range s.Enumerate(ctx, ask) {
		return f, err
	}
	return Found{}, fmt.Errorf("%w: %w", ErrNotFound, ctx.Err())
}

// EnumeratePlayers asks the host of a session that Enumerate found who is in it, or answers at once from our own list if we are
// in a session. As a rule only Windows' and Wine's hosts answer who is in no session: dpsp.EnumeratePlayers has the rules. A
// context with a deadline has the host asked once.
func (s *Session) EnumeratePlayers(ctx context.Context, at Found) (dpsp.PlayersFound, error) {
	c := dpsp.EnumeratePlayers{Host: at.Host, From: at.From}
	if end, ok := ctx.Deadline(); ok {
		c.Within = max(time.Until(end), 1)
	}
	r, err := s.request(ctx, c)
	return r.players, err
}

// A search is a loop of Enumerate that is under way, and the answers that it is still to get.
type search struct {
	queue  []Found       // guarded by Session.mu
	octets int           // of the names in queue; likewise
	more   chan struct{} // holds one if answers came
}

// Answers that wait for a slow loop are bounded. What is left out comes again with the next request.
const (
	maxAnswers      = 1024
	maxAnswerOctets = 1 << 20
)

// found gives an answer to all searches.
func (s *Session) found(f Found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := range s.searches {
		if len(x.queue) < maxAnswers && x.octets+len(f.Name) <= maxAnswerOctets {
			x.queue, x.octets = append(x.queue, f), x.octets+len(f.Name)
			signal(x.more)
		}
	}
}

// answers takes the answers to a search that came.
func (s *Session) answers(x *search) (all []Found) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, x.queue, x.octets = x.queue, nil, 0
	return all
}

// hangUp closes our connections to hosts that were asked by TCP: one that is asked more hears it on the next one. One that could
// not be reached is of no use to us any more, and whoever closes the session is not to wait for it.
func (s *Session) hangUp(hosts []netip.AddrPort) {
	s.loop.mu.Lock()
	defer s.loop.mu.Unlock()
	for _, at := range hosts {
		if o := s.loop.outbound[at]; o != nil && s.loop.end(o) && o.conn == nil {
			o.until = time.Now()
			o.abandon() // also a connection that is yet to be opened
		}
	}
}

// explained adds to the news that a host does not answer what it began to say, and does not wait for that any longer.
func (l *loop) explained(err error, host Found) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.inbound {
		if n := i.awaited.Load(); n > 0 && (i.from.Addr() == host.Host.Addr() || i.from.Addr() == host.From) {
			i.conn.Close()
			return fmt.Errorf("%w: of a message of %d octets that it began the rest does not come", err, n)
		}
	}
	return err
}
