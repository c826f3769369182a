package link

import (
	"context"
	"math/rand/v2"
	"time"
)

// A knocked is who answered a knock, and on which path.
type knocked struct {
	id    ID
	route route
}

// received takes a packet that came over a carrier.
func (s *socket) received(r route, b []byte) {
	switch {
	case len(b) == 0 || len(b) > packetMost:
	case b[0]&quicBit != 0:
		if p := s.sender(r); p != nil {
			s.in.put(b, p.address) // QUIC sends again what is lost
		}
	case s.prober.known(b) && s.mayProbe(r):
		if probe, ok := s.prober.open(b); ok {
			s.probed(r, probe)
		}
	}
}

// sender returns the machine whose packets of QUIC come from a route: one that has answered us there, which whoever sends again
// what it has heard on the way cannot, or that ICE has found there. Nil is nobody.
func (s *socket) sender(r route) *peer {
	s.mu.RLock()
	defer s.mu.RUnlock()
	p := s.routes[r]
	if p == nil || r.carrier.direct() {
		return p
	}
	if x := p.paths.find(r); x == nil || !x.answered {
		return nil
	}
	return p
}

// mayProbe bounds the work that probes make which come from a route. Machines that we have a link with do not lose theirs to
// others.
func (s *socket) mayProbe(r route) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	probes := s.probes
	if p := s.routes[r]; p != nil && p.links > 0 {
		probes = p.probes
	}
	return probes.AllowN(s.now(), 1)
}

// probed takes a probe of a machine of the session.
func (s *socket) probed(r route, p probe) {
	ours := s.prober.identity.id
	switch {
	case p.pong, p.from == ours && p.to == (ID{}): // in the second case we knock at our own door
		s.answered(r, p)
		return
	case p.from == ours:
		return
	}
	r.carrier.send(s.prober.seal(true, p.from, p.sequence), r.to)
	if p.to != ours && p.to != (ID{}) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.peer(p.from); q != nil {
		s.calls(q, r)
		q.note(&q.called, true)
	}
}

// answered takes the answer to a probe of ours.
func (s *socket) answered(r route, p probe) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if waits := s.knocks[p.sequence]; waits != nil {
		Offer(waits, knocked{p.from, r})
		return
	}
	q := s.routes[r]
	if q == nil || p.to != s.prober.identity.id {
		return
	}
	x := q.paths.find(r)
	switch {
	case q.id != p.from:
		if g := x.waits(); g == nil || g.sequence != p.sequence {
			return
		}
		q.note(&q.wrong, true)
		if other := s.peers[p.from]; other != nil {
			s.shows(other, r)
		}
	case q.paths.answer(x, p.sequence, s.now()):
		s.chosen(q)
		nudge(s.kick)
	}
}

// knock calls whoever is at the addresses, every now and then until somebody answers.
func (s *socket) knock(ctx context.Context, at func() []route) (knocked, error) {
	answers := make(chan knocked, 1)
	n := rand.Uint64()
	s.mu.Lock()
	s.knocks[n] = answers
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.knocks, n)
	}()
	every := time.NewTicker(probeSilent)
	defer every.Stop()
	ping := s.prober.seal(false, ID{}, n)
	for {
		for _, r := range at() {
			r.carrier.send(ping, r.to)
		}
		select {
		case k := <-answers:
			return k, nil
		case <-every.C:
		case <-s.ended.Done():
			return knocked{}, ErrClosed
		case <-ctx.Done():
			return knocked{}, context.Cause(ctx)
		}
	}
}
