// Package linktest is a network of links in memory, for tests of what lies above package link. Nothing in it waits for the
// clock: what a real network notices after some seconds, as that a machine has vanished, is noticed at once.
package linktest

import (
	"context"
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dplay4/dpsp/bridge/link"
)

// window is how many octets a half of a stream takes that nobody reads, and queue how many datagrams or connections wait.
const (
	window = 64 << 10
	queue  = 256
)

// A Hub is what the machines of a test are connected by: one relay, and a way between each two.
type Hub struct {
	mu       sync.Mutex
	machines []*Machine
	meeting  []*Machine // who answers at the address of the code: the last one, for it took the address over
	cut      map[[2]link.ID]bool
	relayed  bool // the relay is there
	loss     float64
	random   *rand.Rand
}

// New makes a hub without machines, that loses nothing.
func New() *Hub {
	return &Hub{cut: map[[2]link.ID]bool{}, relayed: true}
}

// Lose makes the hub lose this part of the datagrams from now on, the same ones for the same seed.
func (h *Hub) Lose(part float64, seed uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.loss, h.random = part, rand.New(rand.NewPCG(seed, 0))
}

// Relay takes the relay away, or brings it back. Links go on without it; nobody can be dialed and nobody knocks.
func (h *Hub) Relay(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.relayed = on
}

// Machine adds a machine, whose ID tells how many there were before it.
func (h *Hub) Machine() *Machine {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := &Machine{hub: h, incoming: make(chan link.Link, queue), links: map[*side]bool{}}
	m.alive, m.end = context.WithCancelCause(context.Background())
	binary.BigEndian.PutUint32(m.id[:], uint32(len(h.machines)+1))
	m.at = netip.AddrPortFrom(netip.MustParseAddr("192.0.2.1"), uint16(len(h.machines)+10000))
	h.machines = append(h.machines, m)
	return m
}

// Cut ends the links between two machines, each of which no longer hears the other, and lets neither reach the other.
func (h *Hub) Cut(a, b *Machine) {
	h.mu.Lock()
	h.cut[pair(a, b)] = true
	var ended []*side
	for s := range a.links {
		if s.peer.machine == b {
			ended = append(ended, s)
		}
	}
	h.mu.Unlock()
	for _, s := range ended {
		s.end(link.ErrSilent, link.ErrSilent)
	}
}

// Heal lets two machines reach each other again. Their links stay down.
func (h *Hub) Heal(a, b *Machine) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.cut, pair(a, b))
}

// pair returns the same for a and b as for b and a.
func pair(a, b *Machine) [2]link.ID {
	if a.id.String() > b.id.String() {
		a, b = b, a
	}
	return [2]link.ID{a.id, b.id}
}

// lost decides on one datagram.
func (h *Hub) lost() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.loss > 0 && h.random.Float64() < h.loss
}

// reach returns the machine that answers at one of the addresses. The caller has locked the hub.
func (h *Hub) reach(from *Machine, at []netip.AddrPort) *Machine {
	for _, m := range h.machines {
		if slices.Contains(at, m.at) && m.alive.Err() == nil && h.relayed && !h.cut[pair(from, m)] {
			return m
		}
	}
	return nil
}

// connect makes a link. The caller has locked the hub.
func (h *Hub) connect(from, to *Machine) (link.Link, error) {
	if from == to {
		return nil, link.ErrOurselves
	}
	a, b := newSide(from), newSide(to)
	a.peer, b.peer = b, a
	if !link.Offer(to.incoming, link.Link(b)) {
		return nil, link.ErrNobody
	}
	from.links[a], to.links[b] = true, true
	return a, nil
}

// A Machine is one machine's Network.
type Machine struct {
	hub      *Hub
	id       link.ID
	at       netip.AddrPort
	alive    context.Context // done when the machine was closed or killed
	end      context.CancelCauseFunc
	incoming chan link.Link
	links    map[*side]bool // guarded by the hub's mutex
}

var _ link.Network = (*Machine)(nil)

// ID returns the machine's name.
func (m *Machine) ID() link.ID { return m.id }

// Ready fails if the relay is not there.
func (m *Machine) Ready(ctx context.Context) error {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	if err := m.may(ctx); err != nil {
		return err
	}
	if !m.hub.relayed {
		return link.ErrNoRelay
	}
	return nil
}

// Addresses returns one address, if the relay is there.
func (m *Machine) Addresses() []netip.AddrPort {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	if !m.hub.relayed {
		return nil
	}
	return []netip.AddrPort{m.at}
}

// Relays returns none.
func (*Machine) Relays() []link.Relay { return nil }

// Meet takes the address over, or gives it up. Then nobody answers there, not even who had it before.
func (m *Machine) Meet(on bool) {
	h := m.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case on:
		h.meeting = []*Machine{m}
	case m.meets():
		h.meeting = nil
	}
}

// Meets reports whether it is this machine that answers at the address of the code.
func (m *Machine) Meets() bool {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	return m.meets()
}

func (m *Machine) meets() bool { return len(m.hub.meeting) > 0 && m.hub.meeting[0] == m }

// Meeting returns the machine's address if it meets, as if a plain relay had given it.
func (m *Machine) Meeting() []netip.AddrPort {
	if !m.Meets() {
		return nil
	}
	return m.Addresses()
}

// Knock connects to the machine that meets.
func (m *Machine) Knock(ctx context.Context) (link.Link, error) {
	h := m.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := m.may(ctx); err != nil {
		return nil, err
	}
	if len(h.meeting) == 0 {
		return nil, link.ErrNobody
	}
	to := h.reach(m, []netip.AddrPort{h.meeting[0].at})
	if to == nil {
		return nil, link.ErrNobody
	}
	return h.connect(m, to)
}

// Dial connects to the machine.
func (m *Machine) Dial(ctx context.Context, id link.ID, at []netip.AddrPort) (link.Link, error) {
	h := m.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := m.may(ctx); err != nil {
		return nil, err
	}
	to := h.reach(m, at)
	switch {
	case to == nil:
		return nil, link.ErrNobody
	case to.id != id:
		return nil, link.ErrStranger
	}
	return h.connect(m, to)
}

// may reports why the machine can do nothing, if so.
func (m *Machine) may(ctx context.Context) error {
	if m.alive.Err() != nil {
		return link.ErrClosed
	}
	return ctx.Err()
}

// Accept returns the next link.
func (m *Machine) Accept(ctx context.Context) (link.Link, error) {
	if m.alive.Err() != nil {
		return nil, link.ErrClosed
	}
	return link.Next(ctx, m.alive, m.incoming)
}

// Close ends the machine in good order.
func (m *Machine) Close() error {
	m.leave(&link.EndedError{Reason: "closed"})
	return nil
}

// Kill ends the machine as a power failure does: the others hear nothing more of it.
func (m *Machine) Kill() { m.leave(link.ErrSilent) }

// leave ends all links, for the reason that the others see.
func (m *Machine) leave(theirs error) {
	m.end(link.ErrClosed)
	h := m.hub
	h.mu.Lock()
	if m.meets() {
		h.meeting = nil
	}
	ended := slices.Collect(maps.Keys(m.links))
	h.mu.Unlock()
	for _, s := range ended {
		s.end(link.ErrClosed, theirs)
	}
}

// way is how all octets go here.
var way = link.Way{Direct: true, Over: "memory", RTT: time.Millisecond}
