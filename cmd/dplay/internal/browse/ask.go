package browse

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// An answer is what a host says of one of its sessions, and what was seen around it.
type answer struct {
	sock.Found
	at      time.Time     // when it came
	trip    time.Duration // from the request to the answer, 1 at least; 0 where that cannot be told
	dialect wire.Dialect  // of the answer; 0 where it is not known
	via     netip.Addr    // the card that asked; invalid unless all are asked one by one

	// What a list knows beside the answer.
	hostAt  time.Time      // when the host that is shown answered last: at may be another one's
	oldHost netip.AddrPort // where the host was before; invalid if it has always been there
	moved   time.Time      // when it was found to be elsewhere
}

// rhythm is how often those who watch ask. Answers do not say which request they are for, so one that takes longer than
// this is counted from a later one: it is long enough for a host on another continent.
const rhythm = time.Second

// A stopwatch times the answers of one enumeration. It is told the traffic, for the events say neither when something
// came nor in which dialect.
type stopwatch struct {
	steady  bool // every answer is timed; otherwise only those to the first request, which are beyond doubt
	mu      sync.Mutex
	asked   map[netip.Addr]time.Time // when each address was asked last, by datagram
	last    time.Time                // when anybody was asked last
	again   bool                     // some address was asked twice
	answers map[origin]timed
	decoder wire.Decoder
}

// An origin is a session at an address: two hosts may answer for the same one.
type origin struct {
	instance wire.GUID
	from     netip.Addr
}

// timed is the first answer of an origin to the request of a time.
type timed struct {
	asked   time.Time
	trip    time.Duration
	dialect wire.Dialect
}

func newStopwatch(steady bool) *stopwatch {
	return &stopwatch{steady: steady, asked: map[netip.Addr]time.Time{}, answers: map[origin]timed{}}
}

// Packet is told a message. A host that is asked by TCP as well answers twice: what counts is the time from the
// datagram to the first answer.
func (s *stopwatch) Packet(at time.Time, transport dpsp.Transport, from, to netip.AddrPort, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if transport == dpsp.Ask {
		_, before := s.asked[to.Addr()]
		s.again = s.again || before
		s.asked[to.Addr()], s.last = at, at // as many as there are hosts, or networks of this machine
		return
	}
	decode := s.decoder.DecodeDatagram
	if transport == dpsp.TCP {
		decode = s.decoder.DecodeStream
	}
	e, err := decode(data)
	if err != nil {
		return
	}
	if m, ok := e.Message.(*wire.EnumSessionsReply); ok {
		s.answered(at, from.Addr().Unmap(), e.Version, m.Desc.Instance)
	}
}

// answered takes the time of an answer; under mu.
func (s *stopwatch) answered(at time.Time, from netip.Addr, dialect wire.Dialect, instance wire.GUID) {
	asked, directly := s.asked[from]
	if !directly {
		asked = s.last
	}
	key := origin{instance, from}
	known, ok := s.answers[key]
	if ok && known.asked.Equal(asked) || !ok && len(s.answers) >= cli.MaxFound {
		return
	}
	var trip time.Duration
	if !asked.IsZero() && (s.steady || !s.again) {
		trip = max(at.Sub(asked), 1)
	}
	s.answers[key] = timed{asked, trip, dialect}
}

// of completes what was found.
func (s *stopwatch) of(f sock.Found, now time.Time) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.answers[origin{f.Desc.Instance, f.From}]
	return answer{Found: f, at: now, trip: t.trip, dialect: t.dialect}
}

// enumerate asks until ctx ends, and calls tell with one answer at a time. repeat is that of sock.Ask. With --all-interfaces each
// network card asks for itself. warn is called about a card that cannot ask; only if none can, that is an error.
func (o *Options) enumerate(ctx context.Context, repeat time.Duration, tell func(answer), warn func(error)) error {
	if !o.AllCards {
		return o.enumerateBy(ctx, o.Bind.Addr, repeat, tell)
	}
	cards, err := o.cardAddresses()
	if errors.Is(err, errUnlisted) {
		warn(fmt.Errorf("%w: asking by the card that the system chooses, as without --all-interfaces", err))
		return o.enumerateBy(ctx, o.Bind.Addr, repeat, tell)
	}
	if err != nil {
		return err
	}
	var mu sync.Mutex // tell and warn are called by one at a time
	var group sync.WaitGroup
	var failed []error
	for _, card := range cards {
		group.Go(func() {
			err := o.enumerateBy(ctx, card, repeat, func(a answer) {
				mu.Lock()
				defer mu.Unlock()
				a.via = card
				tell(a)
			})
			if err == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			failed = append(failed, fmt.Errorf("the network card with %s cannot ask: %w", card, err))
			if len(failed) < len(cards) {
				warn(failed[len(failed)-1])
			}
		})
	}
	group.Wait()
	if len(failed) == len(cards) {
		return errors.Join(failed...)
	}
	return nil
}

// A seeker asks for sessions: *sock.Session, and those that tests make up.
type seeker interface {
	Enumerate(context.Context, sock.Ask) iter.Seq2[sock.Found, error]
	Close() error
}

func openSession(opt sock.Options) (seeker, error) { return sock.Open(opt) }

// enumerateBy asks from one local address, or from any.
func (o *Options) enumerateBy(ctx context.Context, bind netip.Addr, repeat time.Duration, tell func(answer)) error {
	ask := sock.Ask{Application: o.App.GUID, Flags: cli.EnumFlags(o.All), Password: cli.Typed(o.Password), Repeat: repeat}
	for _, h := range o.hosts {
		ask.Hosts = append(ask.Hosts, h.addr)
	}
	watch := newStopwatch(repeat > 0)
	s, err := o.open(sock.Options{Bind: bind, StreamPorts: o.Ports, Record: watch, Config: dpsp.Config{Text: o.Text.Encodings()}})
	if err != nil {
		return err
	}
	defer s.Close()
	for found, err := range s.Enumerate(ctx, ask) {
		if err != nil {
			return err
		}
		if o.App.Given() && o.App.GUID.IsZero() && !found.Desc.Application.IsZero() { // to GUID_NULL every game answers
			continue
		}
		tell(watch.of(found, time.Now()))
	}
	return nil
}

// maxCards bounds the network cards that ask.
const maxCards = 64

// errUnlisted is why not every network card can ask for itself, where the system does not say which there are.
var errUnlisted = errors.New("the network cards of this machine cannot be listed")

// cardAddresses returns an IPv4 address of each network of this machine. What is bound to it broadcasts by its card.
func (o *Options) cardAddresses() ([]netip.Addr, error) {
	cards, err := o.adapters()
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", errUnlisted, err)
	}
	var all []netip.Addr
	for _, card := range cards {
		var nets []netip.Prefix // of this card: two addresses in one network would ask the same hosts twice
		for _, p := range card.Addrs {
			if !p.Addr().Is4() || slices.Contains(nets, p.Masked()) {
				continue
			}
			nets = append(nets, p.Masked())
			all = append(all, p.Addr())
		}
	}
	switch {
	case len(all) == 0:
		return nil, errors.New("this machine has no network card with an IPv4 address")
	case len(all) > maxCards:
		return nil, fmt.Errorf("this machine has %d networks, more than %d: choose some with --bind", len(all), maxCards)
	}
	return all, nil
}

// asked is a host that the user named.
type asked struct {
	name string
	addr netip.Addr
}

// lookUp stores the addresses of the hosts that the user named, and returns an error for each that has none. A host that has
// two names is asked once.
func (o *Options) lookUp(ctx context.Context) (failed []error) {
	for _, name := range o.Hosts {
		addr, err := cli.LookUp(ctx, name)
		if err != nil {
			failed = append(failed, err)
		} else if !slices.ContainsFunc(o.hosts, func(h asked) bool { return h.addr == addr }) {
			o.hosts = append(o.hosts, asked{name, addr})
		}
	}
	return failed
}

// patience is how long a session may be silent until it is gone, for those who watch.
func (o *Options) patience() time.Duration { return goneAfter * o.round() }

// round is how long those who watch wait for the answers to one request.
func (o *Options) round() time.Duration { return max(o.Timeout, rhythm) }
