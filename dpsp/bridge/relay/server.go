package relay

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Server is a relay.
type Server struct {
	config      Config
	counts      counts
	exchange    *exchange
	strangers   *strangers // whose addresses may be made up
	proved      *strangers // who get what is sent to them
	key         []byte     // of the proof
	connections *connections
	store       *store
	refusals    *rate.Limiter // that are told
	began       time.Time
	cancel      func() // ends what looks for other addresses

	mu     sync.Mutex
	closed bool
	fronts []*front
}

// A ListenError says where a relay could not listen.
type ListenError struct {
	Network string // "udp" or "tcp"
	At      netip.AddrPort
	Err     error
}

func (e *ListenError) Error() string {
	return fmt.Sprintf("cannot listen at %s port %d of %s: %v", e.Network, e.At.Port(), e.At.Addr(), e.Err)
}

func (e *ListenError) Unwrap() error { return e.Err }

// SaveMemory has the whole program take less memory, for some more work when many clients come: a relay that passes packets on
// makes no garbage, but lives on small machines.
func SaveMemory() { debug.SetGCPercent(50) }

// Open begins a relay.
func Open(c Config) (*Server, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	const told = 10 // refusals a second
	s := &Server{config: c, strangers: newStrangers(), proved: newStrangers(), key: []byte(rand.Text()),
		connections: &connections{limits: c.Limits, of: map[netip.Addr]int{}}, store: &store{most: int64(c.Limits.Memory)},
		refusals: rate.NewLimiter(told, told), began: time.Now()}
	s.exchange = newExchange(&s.config, &s.counts)
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	for _, at := range c.Listen {
		if err := s.listen(ctx, at.Unmap()); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// listen begins to serve at an address.
func (s *Server) listen(ctx context.Context, a netip.Addr) error {
	if a.IsUnspecified() {
		e := &everywhere{server: s, six: a.Is6(), at: map[netip.Addr]*front{}}
		if err := e.look(); err != nil {
			return err
		}
		go e.follow(ctx)
	} else if _, err := s.listenUDP(a); err != nil {
		return err
	}
	if err := s.listenTCP(netip.AddrPortFrom(a, s.config.Port), "tcp", nil); err != nil || s.config.TLSPort == 0 {
		return err
	}
	return s.listenTCP(netip.AddrPortFrom(a, s.config.TLSPort), "tls",
		&tls.Config{GetCertificate: s.config.Certificate, MinVersion: tls.VersionTLS12})
}

// listenUDP opens the sockets of an address, and begins to serve there.
func (s *Server) listenUDP(a netip.Addr) (*front, error) {
	at := netip.AddrPortFrom(a, s.config.Port)
	d := &datagrams{front: &front{server: s, transport: "udp"}}
	d.way = d
	var err error
	if d.socket, err = openDatagrams(at); err != nil {
		return nil, &ListenError{"udp", at, err}
	}
	if p := s.config.AlternatePort; p != 0 {
		at := netip.AddrPortFrom(a, p)
		if d.alternate, err = openDatagrams(at); err != nil {
			return nil, errors.Join(&ListenError{"udp", at, err}, d.socket.Close())
		}
	}
	if err := s.serve(d.front); err != nil {
		return nil, err
	}
	if d.alternate != nil {
		go d.answerAlternate()
	}
	return d.front, nil
}

// listenTCP opens a listener, and begins to serve there.
func (s *Server) listenTCP(at netip.AddrPort, transport string, t *tls.Config) error {
	network := "tcp4"
	if at.Addr().Is6() {
		network = "tcp6"
	}
	l, err := net.Listen(network, at.String())
	if err != nil {
		return &ListenError{"tcp", at, err}
	}
	f := &front{server: s, transport: transport}
	w := newStreams(f, l, t)
	f.way = w
	if err := s.serve(f); err != nil {
		return err
	}
	go w.accept()
	return nil
}

// serve begins to serve TURN at a front. The front is closed after an error.
func (s *Server) serve(f *front) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := net.ErrClosed
	if !s.closed {
		err = f.serve()
	}
	if err != nil {
		return errors.Join(err, f.way.Close())
	}
	s.fronts = append(s.fronts, f)
	return nil
}

// leave ends a front.
func (s *Server) leave(f *front) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fronts = slices.DeleteFunc(s.fronts, func(o *front) bool { return o == f })
	return f.way.Close()
}

// all returns the fronts.
func (s *Server) all() []*front {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.fronts)
}

// other returns the other address that tells the kind of a NAT; none if there is none.
func (s *Server) other(f *front, client netip.Addr, alternate bool) netip.AddrPort {
	public := s.config.public(client.Is6())
	switch {
	case !public.IsValid() || s.config.AlternatePort == 0 || f.transport != "udp":
		return netip.AddrPort{}
	case alternate:
		return netip.AddrPortFrom(public, s.config.Port)
	}
	return netip.AddrPortFrom(public, s.config.AlternatePort)
}

// tell tells who wants to know.
func (s *Server) tell(e Event) {
	if s.config.Tell != nil {
		s.config.Tell(e)
	}
}

// Allocations returns how many there are.
func (s *Server) Allocations() int {
	s.exchange.mu.RLock()
	defer s.exchange.mu.RUnlock()
	return len(s.exchange.at)
}

// Drain refuses new allocations from now on, and returns when the last one is gone, or with the context's error.
func (s *Server) Drain(ctx context.Context) error {
	select {
	case <-s.exchange.end():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends the relay at once.
func (s *Server) Close() error {
	s.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var errs []error
	for _, f := range s.fronts {
		if err := f.way.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// connections counts those that are open, by their address.
type connections struct {
	limits Limits
	mu     sync.Mutex
	of     map[netip.Addr]int
	all    int
}

// enter counts one more, if it may be.
func (c *connections) enter(a netip.Addr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	a = sourceOf(a)
	if c.all >= c.limits.Allocations || c.of[a] >= c.limits.PerAddress {
		return false
	}
	c.all++
	c.of[a]++
	return true
}

// leave counts one less.
func (c *connections) leave(a netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a = sourceOf(a)
	c.all--
	if c.of[a]--; c.of[a] == 0 {
		delete(c.of, a)
	}
}

// Refusals returns how many requests for an allocation, or about one, were refused, by the reason.
func (s *Server) Refusals() map[Reason]uint64 {
	all := map[Reason]uint64{}
	for why, c := range refusedFor {
		all[why] = s.counts[c].Load()
	}
	return all
}
