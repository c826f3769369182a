package link

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"
	"golang.org/x/time/rate"

	"dplay4/dpsp/bridge/code"
)

const (
	packetMost   = 1500            // octets; ours have 1200
	packetsWait  = 1024            // that came and that QUIC has not taken
	peersMost    = 256             // machines that are remembered; whoever knows the secret can make some up
	addressesMax = 8               // that a machine can tell of itself
	idlePeer     = time.Minute     // a machine without a link is forgotten
	probesMost   = 400             // that are read in a second, of machines that we have no link with
	probesEach   = 100             // of each other one
	callsMost    = 16              // connections of one machine, proved to be its own or not yet
	linksMost    = 8               // with one machine: one, and those that take its place
	roundtripMax = 3 * time.Second // for the first answer of a machine that is called
)

// A socket is the packet connection below QUIC. Its addresses are machines. It knows the paths to each of them, measures them,
// and sends each packet over the best, so that QUIC does not notice when that changes.
type socket struct {
	unbuffered
	prober *prober
	now    func() time.Time
	in     packets
	kick   chan struct{} // something is due earlier than it was
	ended  context.Context
	end    context.CancelCauseFunc
	reads  context.Context // done when reading is to end: QUIC does that before it is closed
	unread context.CancelCauseFunc

	mu      sync.RWMutex
	peers   map[ID]*peer
	virtual map[netip.Addr]*peer
	routes  map[route]*peer
	relays  []*allocation // that work at the moment
	knocks  map[uint64]chan<- knocked
	probes  *rate.Limiter // of machines without a link
}

// packets are packets that came and wait to be read.
type packets chan packet

type packet struct {
	buffer *[packetMost]byte
	n      int
	from   *net.UDPAddr
}

var buffers = sync.Pool{New: func() any { return new([packetMost]byte) }}

// put adds a copy of a packet, or loses it if too many wait.
func (c packets) put(b []byte, from *net.UDPAddr) {
	buffer := buffers.Get().(*[packetMost]byte)
	if !Offer(c, packet{buffer, copy(buffer[:], b), from}) {
		buffers.Put(buffer)
	}
}

// take copies a packet to b, and gives its memory back.
func (p packet) take(b []byte) int {
	defer buffers.Put(p.buffer)
	return copy(b, p.buffer[:p.n])
}

// A peer is another machine.
type peer struct {
	id      ID
	address *net.UDPAddr     // made up, for QUIC
	named   []netip.AddrPort // relayed addresses that it has told
	paths   paths
	links   int // and who waits for one
	calls   int // connections that it began
	probes  *rate.Limiter
	idle    time.Time
	up      bool          // it answers
	called  bool          // it has called us: by then it takes our packets
	wrong   bool          // another machine answers where it was called
	changed chan struct{} // closed and made anew when up, called or wrong changes

	current, spare atomic.Pointer[path]
}

func newSocket(p *prober, now func() time.Time) *socket {
	s := &socket{prober: p, now: now, in: make(packets, packetsWait), kick: make(chan struct{}, 1),
		peers: map[ID]*peer{}, virtual: map[netip.Addr]*peer{}, routes: map[route]*peer{},
		knocks: map[uint64]chan<- knocked{}, probes: rate.NewLimiter(probesMost, probesMost)}
	s.ended, s.end = context.WithCancelCause(context.Background())
	s.reads, s.unread = context.WithCancelCause(s.ended)
	return s
}

// virtualAddr returns the address that stands for a machine: one of those that are for private use, fd00::/8.
func virtualAddr(id ID) netip.Addr {
	id[0] = 0xfd
	return netip.AddrFrom16(id)
}

// run sends probes when they are due, until the socket is closed.
func (s *socket) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.ended.Done():
			return
		case <-s.kick:
		case <-timer.C:
		}
		timer.Reset(max(s.step().Sub(s.now()), time.Millisecond))
	}
}

// step sends the probes that are due and returns when to do so again.
func (s *socket) step() (wake time.Time) {
	type call struct {
		due
		to ID
	}
	var calls []call
	s.mu.Lock()
	now := s.now()
	wake = now.Add(idlePeer)
	for id, p := range s.peers {
		if p.links == 0 && now.Sub(p.idle) > idlePeer {
			s.forget(p)
			continue
		}
		known := len(p.paths.all)
		for _, d := range p.paths.step(now) {
			calls = append(calls, call{d, id})
		}
		if len(p.paths.all) != known {
			s.reroute(p)
		}
		s.chosen(p)
		wake = p.paths.wake(wake)
	}
	s.mu.Unlock()
	for _, c := range calls {
		b := s.prober.seal(false, c.to, c.sequence)
		if c.large {
			b = enlarge(b)
		}
		c.path.carrier.send(b, c.path.to)
	}
	return wake
}

// peer returns the machine, which it remembers from now on. Where there are too many, that without a link is forgotten which has
// had none for the longest time; nil if all have one. The caller has locked s.
func (s *socket) peer(id ID) *peer {
	if p := s.peers[id]; p != nil {
		return p
	}
	if len(s.peers) >= peersMost {
		idle := slices.DeleteFunc(slices.Collect(maps.Values(s.peers)), func(q *peer) bool { return q.links > 0 })
		if len(idle) == 0 {
			return nil
		}
		s.forget(slices.MinFunc(idle, func(a, b *peer) int { return a.idle.Compare(b.idle) }))
	}
	at := virtualAddr(id)
	p := &peer{id: id, address: net.UDPAddrFromAddrPort(netip.AddrPortFrom(at, 1)), idle: s.now(), changed: make(chan struct{}),
		probes: rate.NewLimiter(probesEach, probesEach)}
	s.peers[id], s.virtual[at] = p, p
	return p
}

// with calls do with the peer of an ID while s is locked. It calls nothing if there is no such peer.
func (s *socket) with(id ID, do func(*peer)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.peers[id]; p != nil {
		do(p)
	}
}

// at returns the machine that an address stands for, nil if there is none. The caller has locked s.
func (s *socket) at(a net.Addr) *peer {
	u, ok := a.(*net.UDPAddr)
	if !ok {
		return nil
	}
	key, _ := netip.AddrFromSlice(u.IP)
	return s.virtual[key]
}

// forget drops a machine. The caller has locked s.
func (s *socket) forget(p *peer) {
	p.paths.all = nil
	s.reroute(p)
	delete(s.peers, p.id)
	delete(s.virtual, virtualAddr(p.id))
}

// reroute makes routes say what the paths to a machine are. The caller has locked s.
func (s *socket) reroute(p *peer) {
	for r, q := range s.routes {
		if q == p && p.paths.find(r) == nil {
			delete(s.routes, r)
		}
	}
	for _, x := range p.paths.all {
		s.routes[x.route] = p
	}
}

// chosen tells all of the path in use. The caller has locked s.
func (s *socket) chosen(p *peer) {
	p.spare.Store(p.paths.spare())
	c := p.paths.current
	p.current.Store(c)
	p.note(&p.up, c != nil && c.alive)
}

// note sets up, called or wrong, and wakes those that wait for a change.
func (p *peer) note(what *bool, is bool) {
	if *what != is {
		*what = is
		close(p.changed)
		p.changed = make(chan struct{})
	}
}

// try adds a path to a machine, and returns it: one that the machine has told, or one where it showed itself by a signed probe.
// What one machine has shown is not undone by what another one says. The caller has locked s.
func (s *socket) try(p *peer, r route, named bool) *path {
	if q := s.routes[r]; q != nil && q != p {
		if x := q.paths.find(r); x.alive || named && x.heard {
			return nil
		}
		s.leave(q, r) // a machine was there that is no more
	}
	x := p.paths.add(r, named, rand.Uint64(), s.now())
	if x != nil && s.routes[r] != p {
		s.reroute(p)
		nudge(s.kick)
	}
	return x
}

// leave takes a path from a machine. The caller has locked s.
func (s *socket) leave(p *peer, r route) {
	p.paths.remove(func(x *path) bool { return x.route == r })
	s.reroute(p)
	s.chosen(p)
}

// shows takes it that a machine has answered on a route just now: whoever was there is no more. The caller has locked s.
func (s *socket) shows(p *peer, r route) {
	if q := s.routes[r]; q != nil && q != p {
		s.leave(q, r)
	}
	s.calls(p, r)
}

// calls takes it that a machine has signed what came from there, sometime. The caller has locked s.
func (s *socket) calls(p *peer, r route) {
	if x := s.try(p, r, false); x != nil {
		x.heard = true
	}
}

// weave adds the paths from our allocations to the addresses that the machine has told: of those of the same relay, which has one
// address for all, and where there is none, of all. The caller has locked s.
func (s *socket) weave(p *peer) {
	for _, at := range p.named {
		same := slices.ContainsFunc(s.relays, func(a *allocation) bool { return a.relayed.Addr() == at.Addr() })
		for _, a := range s.relays {
			if a.relayed != at && (!same || a.relayed.Addr() == at.Addr()) {
				s.try(p, route{a, at}, true)
			}
		}
	}
}

// attach has an allocation used.
func (s *socket) attach(a *allocation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.relays = append(s.relays, a)
	for _, p := range s.peers {
		s.weave(p)
	}
}

// join has a direct connection with a machine used.
func (s *socket) join(id ID, c carrier) {
	s.with(id, func(p *peer) { s.try(p, route{carrier: c}, true) })
}

// detach has a carrier no longer used.
func (s *socket) detach(c carrier) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.relays = slices.DeleteFunc(s.relays, func(a *allocation) bool { return carrier(a) == c })
	for _, p := range s.peers {
		p.paths.remove(func(x *path) bool { return x.carrier == c })
		s.reroute(p)
		s.chosen(p)
	}
}

// hold remembers a machine until release, with the addresses that it has told and the routes on which it has answered.
func (s *socket) hold(id ID, at []netip.AddrPort, answered ...route) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.peer(id)
	if p == nil || p.links >= linksMost {
		return false
	}
	p.links++
	p.wrong = false
	s.name(p, at)
	for _, r := range answered {
		s.shows(p, r)
	}
	return true
}

// errMany is why a connection is refused.
var errMany = errors.New("too many connections of one machine")

// called counts a connection that a machine begins, until it is over.
func (s *socket) called(ctx context.Context, info *quic.ClientInfo) (context.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.at(info.RemoteAddr)
	if p == nil || p.calls >= callsMost {
		return nil, errMany
	}
	p.calls++
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		p.calls--
	})
	return ctx, nil
}

func (s *socket) release(id ID) {
	s.with(id, func(p *peer) { p.links, p.idle = p.links-1, s.now() })
}

// named has a machine called at the addresses that it tells.
func (s *socket) named(id ID, at []netip.AddrPort) {
	s.with(id, func(p *peer) { s.name(p, at) })
}

func (s *socket) name(p *peer, at []netip.AddrPort) {
	if len(at) == 0 {
		return
	}
	p.named = nil
	for _, a := range at[:min(len(at), addressesMax)] {
		if a = unmapped(a); a.Port() != 0 && code.Reachable(a.Addr()) {
			p.named = append(p.named, a)
		}
	}
	for _, x := range p.paths.all {
		x.named = x.carrier.direct() || slices.Contains(p.named, x.to)
	}
	s.weave(p)
}

// await waits until a machine, that is held, answers on some path, and has called us: then it knows that we are there, and takes
// what we send.
func (s *socket) await(ctx context.Context, id ID) error {
	ctx, cancel := context.WithTimeoutCause(ctx, roundtripMax, ErrNobody)
	defer cancel()
	for {
		s.mu.RLock()
		p := s.peers[id]
		up, wrong, changed := p.up && p.called, p.wrong, p.changed
		s.mu.RUnlock()
		switch {
		case up:
			return nil
		case wrong:
			return ErrStranger
		}
		if _, err := Next(ctx, s.ended, changed); err != nil {
			return err
		}
	}
}

// alive reports whether a machine answers over the carrier.
func (s *socket) alive(id ID, c carrier) (alive bool) {
	s.with(id, func(p *peer) {
		alive = slices.ContainsFunc(p.paths.all, func(x *path) bool { return x.carrier == c && x.alive })
	})
	return alive
}

// way returns how packets go to a machine; none while it does not answer.
func (s *socket) way(id ID) (way Way) {
	s.with(id, func(p *peer) {
		if c := p.paths.current; p.up {
			way = Way{Direct: c.carrier.direct(), Over: c.carrier.String(), RTT: c.rtt, Loss: c.loss()}
		}
	})
	return way
}

// allocations returns those that work.
func (s *socket) allocations() []*allocation {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.relays)
}

// ReadFrom returns the next packet for QUIC.
func (s *socket) ReadFrom(b []byte) (int, net.Addr, error) {
	select {
	case p := <-s.in:
		return p.take(b), p.from, nil
	case <-s.reads.Done():
		return 0, nil, context.Cause(s.reads)
	}
}

// WriteTo sends a packet of QUIC to a machine, or loses it: QUIC sends it again.
func (s *socket) WriteTo(b []byte, to net.Addr) (int, error) {
	if s.ended.Err() != nil {
		return 0, net.ErrClosed
	}
	s.mu.RLock()
	p := s.at(to)
	s.mu.RUnlock()
	if p == nil || len(b) == 0 || b[0]&quicBit == 0 {
		return len(b), nil
	}
	for _, c := range []*path{p.current.Load(), p.spare.Load()} {
		if c != nil {
			c.carrier.send(b, c.to)
		}
	}
	return len(b), nil
}

// Close ends the socket.
func (s *socket) Close() error {
	s.end(ErrClosed)
	return nil
}

// LocalAddr returns our own made up address.
func (s *socket) LocalAddr() net.Addr {
	return net.UDPAddrFromAddrPort(netip.AddrPortFrom(virtualAddr(s.prober.identity.id), 1))
}

// SetReadDeadline ends reading for good if the time is over. QUIC uses it for nothing else.
func (s *socket) SetReadDeadline(t time.Time) error {
	if !t.IsZero() && !t.After(s.now()) {
		s.unread(os.ErrDeadlineExceeded)
	}
	return nil
}

// SetDeadline is for net.PacketConn.
func (s *socket) SetDeadline(t time.Time) error { return s.SetReadDeadline(t) }

// An unbuffered is what a socket does not need: nothing waits that writes, and the system has no buffers of it.
type unbuffered struct{}

func (unbuffered) SetWriteDeadline(time.Time) error { return nil }
func (unbuffered) SetReadBuffer(int) error          { return nil }
func (unbuffered) SetWriteBuffer(int) error         { return nil }
