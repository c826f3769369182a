package link

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/pion/transport/v4"
	"github.com/quic-go/quic-go"
	"golang.org/x/time/rate"

	"dplay4/dpsp/bridge/code"
)

// acceptsWait is how many links wait to be accepted.
const acceptsWait = 64

// A Config says whom a Mesh connects.
type Config struct {
	Code       code.Code
	ForceRelay bool          // tell nobody our addresses, and take no direct ways
	Net        transport.Net // nil for that of the system
	DNS        *net.Resolver // nil for that of the system
}

// A Mesh is a Network over the internet.
type Mesh struct {
	config   Config
	keys     code.Keys
	identity *identity
	socket   *socket
	quic     *quic.Transport
	listener *quic.Listener
	ctx      context.Context // of all that runs
	cancel   context.CancelCauseFunc
	accepted chan Link
	tenants  []*tenant
	done     sync.WaitGroup // all but what close waits for first
	relays   sync.WaitGroup

	mu      sync.Mutex
	closing bool
	links   map[*connection]chan<- struct{} // where its director hears of another network
	meeting []*tenant
	leave   context.CancelFunc // ends the meeting
	left    *sync.WaitGroup
	changed chan struct{} // closed and made anew when an allocation is there or gone
}

var _ Network = (*Mesh)(nil)

// New begins to connect to the relays of the code, and returns at once. The context is for nothing else.
func New(ctx context.Context, c Config) (*Mesh, error) {
	if err := c.Code.Check(); err != nil {
		return nil, err
	}
	if c.Net == nil {
		c.Net = newSystem()
	}
	m := &Mesh{config: c, keys: c.Code.Keys(), accepted: make(chan Link, acceptsWait),
		links: map[*connection]chan<- struct{}{}, changed: make(chan struct{})}
	var err error
	if m.identity, err = newIdentity(m.keys); err != nil {
		return nil, err
	}
	m.socket = newSocket(&prober{m.identity, m.keys.Probe}, time.Now)
	var reset quic.StatelessResetKey // so that who did not hear our goodbye hears of it later
	rand.Read(reset[:])
	m.quic = &quic.Transport{Conn: m.socket, ConnContext: m.socket.called, StatelessResetKey: &reset}
	if m.listener, err = m.quic.Listen(m.identity.tls(nil), quicConfig()); err != nil {
		return nil, err
	}
	m.ctx, m.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	m.done.Go(m.socket.run)
	m.done.Go(m.accept)
	m.done.Go(m.monitor)
	m.tenants = m.tenantsOf(m.identity.tag())
	for _, t := range m.tenants {
		m.relays.Go(func() { t.run(m.ctx) })
	}
	return m, nil
}

// tenantsOf returns those of a tag: one of each relay of the code, and then of those that may have more than one site.
func (m *Mesh) tenantsOf(tag string) (all []*tenant) {
	for site := range SitesUsed {
		for i, r := range m.config.Code.Relays {
			if site > 0 && (r.Port != 0 || !isName(r.Host)) {
				continue
			}
			all = append(all, &tenant{mesh: m, index: site*code.MaxRelays + i, relay: r, site: site, tag: tag, recheck: make(chan struct{}, 1)})
		}
	}
	return all
}

// near returns the server of a relay that a tenant tries before others, not valid if there is none. A name can be that of several
// servers, which carry packets to each other, or not: the newcomer goes where the code says that it is answered, and who answers
// does so where it is itself.
func (m *Mesh) near(t *tenant) netip.Addr {
	if i := slices.IndexFunc(m.tenants, func(own *tenant) bool { return own != t && own.index == t.index }); i >= 0 {
		return m.tenants[i].state().Server.Addr()
	}
	if t.index == 0 {
		return m.config.Code.Meeting.Addr()
	}
	return netip.Addr{}
}

// relayChanged tells all who wait for an allocation, and the other machines.
func (m *Mesh) relayChanged() {
	m.mu.Lock()
	close(m.changed)
	m.changed = make(chan struct{})
	links := slices.Collect(maps.Keys(m.links))
	m.mu.Unlock()
	if at := m.Addresses(); len(at) > 0 {
		for _, c := range links {
			m.done.Go(func() { c.signals.send(signal{Relayed: at}) }) //nolint:errcheck // the link is down then
		}
	}
}

// ID returns our own.
func (m *Mesh) ID() ID { return m.identity.id }

// Addresses returns our relayed addresses.
func (m *Mesh) Addresses() []netip.AddrPort {
	var all []netip.AddrPort
	for _, t := range m.tenants {
		if s := t.state(); s.Relayed.IsValid() {
			all = append(all, s.Relayed)
		}
	}
	return all
}

// Relays says how it stands with each relay of the code, and then with the second servers of those that have one.
func (m *Mesh) Relays() (all []Relay) {
	for _, t := range m.tenants {
		if r := t.state(); !errors.Is(r.Err, errNoSite) {
			all = append(all, r)
		}
	}
	return all
}

// Meet begins or ends to answer at the address that the code names.
func (m *Mesh) Meet(on bool) {
	m.mu.Lock()
	if on == (m.leave != nil) || on && m.closing {
		m.mu.Unlock()
		return
	}
	if !on {
		leave, left := m.leave, m.left
		m.leave, m.left, m.meeting = nil, nil, nil
		m.mu.Unlock()
		leave()
		left.Wait()
		return
	}
	ctx, cancel := context.WithCancel(m.ctx)
	m.leave, m.left, m.meeting = cancel, new(sync.WaitGroup), nil
	m.meeting = m.tenantsOf(m.keys.Meeting)
	for _, t := range m.meeting {
		m.left.Go(func() { t.run(ctx) })
	}
	m.mu.Unlock()
}

// Meeting returns the addresses at which we answer newcomers, first one of each relay of the code, not valid where there is none.
func (m *Mesh) Meeting() []netip.AddrPort {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []netip.AddrPort
	for _, t := range m.meeting {
		all = append(all, t.state().Relayed)
	}
	return all
}

// occupied reports whether another machine answers at the meeting address.
func (m *Mesh) occupied(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	k, err := m.socket.knock(ctx, m.doors)
	return err == nil && k.id != m.identity.id
}

// doors returns where to knock. A relay that is not ours gave us a port of its own, if we are to answer newcomers: then that is
// where they come.
func (m *Mesh) doors() []route {
	ours := map[int]netip.AddrPort{} // by the relay
	m.mu.Lock()
	for _, t := range m.meeting {
		ours[t.index] = t.state().Relayed
	}
	m.mu.Unlock()
	ports := code.Ports(m.keys.Meeting)
	var all []route
	for _, a := range m.own() {
		switch own, named := ours[a.relay], m.config.Code.Meeting; {
		case own.IsValid() && !slices.Contains(ports[:], own.Port()):
			all = append(all, route{a, own})
		case a.relay == 0 && named.IsValid():
			all = append(all, route{a, named})
		default:
			for _, p := range ports {
				if at := netip.AddrPortFrom(a.relayed.Addr(), p); at != a.relayed { // the relay may have chosen one of them for this machine
					all = append(all, route{a, at})
				}
			}
		}
	}
	return all
}

// own returns our allocations that are not those of the meeting.
func (m *Mesh) own() (all []*allocation) {
	for _, a := range m.socket.allocations() {
		if slices.ContainsFunc(m.tenants, func(t *tenant) bool { return t.state().Relayed == a.relayed }) {
			all = append(all, a)
		}
	}
	return all
}

// Ready waits until we have an allocation.
func (m *Mesh) Ready(ctx context.Context) error {
	for {
		m.mu.Lock()
		changed := m.changed
		m.mu.Unlock()
		if len(m.own()) > 0 {
			return nil
		}
		var failed []error
		hopeless := 0
		for _, t := range m.tenants {
			if err := t.hopeless(); err != nil {
				hopeless++
				if !errors.Is(err, errNoSite) && !slices.ContainsFunc(failed, func(e error) bool { return e.Error() == err.Error() }) {
					failed = append(failed, err)
				}
			}
		}
		if hopeless == len(m.tenants) {
			return errors.Join(append([]error{ErrNoRelay}, failed...)...)
		}
		if _, err := Next(ctx, m.ctx, changed); err != nil {
			return err
		}
	}
}

// Knock connects to who answers at the address that the code names.
func (m *Mesh) Knock(ctx context.Context) (Link, error) {
	if err := m.Ready(ctx); err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeoutCause(ctx, roundtripMax, ErrNobody)
	k, err := m.socket.knock(within, m.doors)
	cancel()
	switch {
	case err != nil:
		return nil, err
	case k.id == m.identity.id:
		return nil, ErrOurselves
	}
	return m.dial(ctx, k.id, nil, k.route)
}

// Dial connects to the machine.
func (m *Mesh) Dial(ctx context.Context, id ID, at []netip.AddrPort) (Link, error) {
	if id == m.identity.id {
		return nil, ErrOurselves
	}
	if err := m.Ready(ctx); err != nil {
		return nil, err
	}
	return m.dial(ctx, id, at)
}

// dial connects to a machine, which has answered on the routes.
func (m *Mesh) dial(ctx context.Context, id ID, at []netip.AddrPort, answered ...route) (Link, error) {
	if !m.socket.hold(id, at, answered...) {
		return nil, errors.New("too many machines")
	}
	c, err := m.call(ctx, id)
	if err != nil {
		m.socket.release(id)
		return nil, err
	}
	return c, nil
}

// call makes the connection, once there is a path.
func (m *Mesh) call(ctx context.Context, id ID) (*connection, error) {
	if err := m.socket.await(ctx, id); err != nil {
		return nil, err
	}
	to := netip.AddrPortFrom(virtualAddr(id), 1)
	q, err := m.quic.Dial(ctx, udpAddr(to), m.identity.tls(&id), quicConfig())
	if err != nil {
		if err = reasonOf(err); errors.Is(err, ErrSilent) {
			err = ErrNobody
		}
		return nil, err
	}
	s, err := q.OpenStreamSync(ctx)
	if err != nil {
		return nil, errors.Join(reasonOf(err), q.CloseWithError(goodbye, "given up"))
	}
	c, err := m.begin(q, id, s)
	if err != nil {
		return nil, errors.Join(err, q.CloseWithError(goodbye, "closed"))
	}
	return c, nil
}

// begin has a connection looked after. Its machine is held, until it is down.
func (m *Mesh) begin(q *quic.Conn, id ID, s *quic.Stream) (*connection, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return nil, ErrClosed
	}
	c := newConnection(m, q, id, s)
	d := &director{mesh: m, link: c, asked: rate.NewLimiter(rate.Every(attemptsEach), attemptsMost), trying: new(try),
		events: make(chan signal), changed: make(chan struct{}, 1), deaf: make(chan struct{})}
	m.links[c] = d.changed
	m.done.Go(func() {
		c.signals.send(signal{Relayed: m.Addresses(), NoDirect: m.config.ForceRelay}) //nolint:errcheck // the link is down then
		if m.config.ForceRelay {
			close(d.deaf)
		} else {
			d.run(q.Context())
		}
		<-q.Context().Done()
		m.mu.Lock()
		delete(m.links, c)
		m.mu.Unlock()
		m.socket.release(id)
	})
	m.done.Go(func() { m.listen(c, d) })
	return c, nil
}

// A machine tells its relayed addresses when they change: several relays may have given them at once.
const (
	tellsEach  = time.Second
	tellsBurst = 16
)

// listen takes the signals of a link, until it is down.
func (m *Mesh) listen(c *connection, d *director) {
	tells := rate.NewLimiter(rate.Every(tellsEach), tellsBurst)
	for {
		s, err := c.signals.receive()
		if err != nil {
			return
		}
		if len(s.Relayed) > 0 {
			if tells.Wait(c.ctx) != nil { // more than ours say: each address has us ask the relay for something
				return
			}
			m.socket.named(c.id, s.Relayed)
		}
		select {
		case d.events <- s:
		case <-d.deaf:
		}
	}
}

// servers returns the servers that tell us our own address.
func (m *Mesh) servers() (all []netip.AddrPort) {
	for _, a := range m.own() {
		if a.transport == "udp" {
			all = append(all, a.server)
		}
	}
	return all
}

// accept takes the connections that other machines make.
func (m *Mesh) accept() {
	for {
		q, err := m.listener.Accept(m.ctx)
		if err != nil {
			return
		}
		m.done.Go(func() {
			if err := m.welcome(q); err != nil {
				q.CloseWithError(goodbye, err.Error()) //nolint:errcheck // it is for the other side
			}
		})
	}
}

// welcome takes a connection whose other side has proved that it knows the secret.
func (m *Mesh) welcome(q *quic.Conn) error {
	id, err := m.identity.prove(q.ConnectionState().TLS)
	if err != nil {
		return err
	}
	if q.RemoteAddr().String() != udpAddr(netip.AddrPortFrom(virtualAddr(id), 1)).String() {
		return ErrStranger // it called as another machine than it is
	}
	if !m.socket.hold(id, nil) {
		return errors.New("too many machines")
	}
	ctx, cancel := context.WithTimeout(m.ctx, handshakeMost)
	defer cancel()
	var c *connection
	s, err := q.AcceptStream(ctx)
	if err == nil {
		c, err = m.begin(q, id, s)
	}
	if err != nil {
		m.socket.release(id)
		return err
	}
	if !Offer(m.accepted, Link(c)) {
		return errors.New("too many links wait")
	}
	return nil
}

// Accept returns the next link that another machine made.
func (m *Mesh) Accept(ctx context.Context) (Link, error) { return Next(ctx, m.ctx, m.accepted) }

// Close ends all links and gives the allocations back.
func (m *Mesh) Close() error {
	m.mu.Lock()
	closed := m.closing
	m.closing = true
	var ended sync.WaitGroup
	for c := range m.links {
		ended.Go(func() { c.Close("closed") }) //nolint:errcheck // it ends in any case
	}
	m.mu.Unlock()
	m.Meet(false)
	ended.Wait()
	if closed {
		m.done.Wait()
		return nil
	}
	m.cancel(ErrClosed)
	err := m.listener.Close()
	m.relays.Wait()
	err = errors.Join(err, m.quic.Close(), m.socket.Close())
	m.done.Wait()
	return err
}
