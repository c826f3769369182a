package relay

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"sync"

	"golang.org/x/time/rate"

	"dplay4/dpsp/bridge/code"
)

// An exchange is where packets go from allocation to allocation. There is no other way for them.
type exchange struct {
	config *Config
	counts *counts

	mu      sync.RWMutex
	at      map[netip.AddrPort]*allocation
	tagged  map[tagged]*allocation
	clients map[client]*allocation
	sources map[netip.Addr]*source
	ending  bool
	empty   chan struct{} // closed when the last allocation is gone; made by end
}

// A client is where an allocation was made from.
type client struct {
	front *front
	at    netip.AddrPort
}

// A tagged is what an allocation is known by, for whoever takes it over. One machine has its tag in both families.
type tagged struct {
	tag string
	six bool
}

// A source is what the allocations of one address share.
type source struct {
	allocations int
	sends       *rate.Limiter
}

// sourceOf returns what counts as one address: providers give homes networks /64 of IPv6.
func sourceOf(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is6() {
		p, _ := a.Prefix(64) // an error is for longer ones
		return p.Addr()
	}
	return a
}

func newExchange(c *Config, n *counts) *exchange {
	return &exchange{config: c, counts: n, at: map[netip.AddrPort]*allocation{}, tagged: map[tagged]*allocation{},
		clients: map[client]*allocation{}, sources: map[netip.Addr]*source{}}
}

// errRefused goes to the TURN server, which answers that there is no room. Why is told and counted here.
var errRefused = errors.New("refused")

// refusal returns the reason for which a client may not have another allocation, "" if it may. mu is held.
func (x *exchange) refusal(c client, t tagged) Reason {
	old := x.tagged[t]
	s := x.sources[sourceOf(c.at.Addr())]
	switch {
	case x.ending:
		return Ending
	case s != nil && s.allocations >= x.config.Limits.PerAddress && (old == nil || old.source != s):
		return AddressFull
	case !x.config.public(t.six).IsValid():
		return NoFamily
	case len(x.at) >= x.config.Limits.Allocations && old == nil:
		return Full
	}
	return ""
}

// addressFull reports whether the client's address has as many allocations as it may, so that the TURN server can say so.
func (x *exchange) addressFull(c client, tag string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.refusal(c, tagged{tag, false}) == AddressFull && x.refusal(c, tagged{tag, true}) == AddressFull
}

// allocate makes an allocation, at the expense of an older one with the same tag.
func (x *exchange) allocate(c client, tag string, six bool) (*allocation, Reason) {
	x.mu.Lock()
	defer x.mu.Unlock()
	t := tagged{tag, six}
	if why := x.refusal(c, t); why != "" {
		return nil, why
	}
	old := x.tagged[t]
	if old != nil {
		x.remove(old)
		x.counts.add(takenOver, 1)
	}
	relayed, ok := x.free(t)
	if !ok {
		return nil, Full
	}
	key := sourceOf(c.at.Addr())
	s := x.sources[key]
	if s == nil {
		s = &source{sends: limiter(x.config.Limits.AddressRate)}
		x.sources[key] = s
	}
	s.allocations++
	a := newAllocation(x, c, t, s, relayed)
	x.at[relayed], x.clients[c] = a, a
	if tag != "" {
		x.tagged[t] = a
	}
	x.counts.add(allocated, 1)
	c.front.allocations.Add(1)
	return a, ""
}

// free returns an address that nobody has. mu is held.
func (x *exchange) free(t tagged) (netip.AddrPort, bool) {
	public := x.config.public(t.six)
	if t.tag != "" {
		for _, p := range code.Ports(t.tag) {
			if at := netip.AddrPortFrom(public, p); x.at[at] == nil {
				return at, true
			}
		}
	}
	const first, draws = 1024, 200 // with MaxAllocations, all of them fail once in 10^45
	for range draws {
		if at := netip.AddrPortFrom(public, uint16(first+rand.IntN(1<<16-first))); x.at[at] == nil {
			return at, true
		}
	}
	return netip.AddrPort{}, false
}

// release removes an allocation.
func (x *exchange) release(a *allocation) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(a)
}

// remove removes an allocation that is there, and ends it. mu is held.
func (x *exchange) remove(a *allocation) {
	if x.at[a.relayed] != a {
		return
	}
	delete(x.at, a.relayed)
	deleteOnly(x.clients, a.client, a)
	deleteOnly(x.tagged, a.tagged, a)
	if a.source.allocations--; a.source.allocations == 0 {
		delete(x.sources, sourceOf(a.client.at.Addr()))
	}
	a.client.front.released(a)
	a.end()
	if x.ending && len(x.at) == 0 {
		close(x.empty)
	}
}

// deleteOnly deletes an entry of a map, unless another value has taken its place.
func deleteOnly[K, V comparable](m map[K]V, key K, v V) {
	if m[key] == v {
		delete(m, key)
	}
}

// of returns the allocation of a client, nil if it has none.
func (x *exchange) of(c client) *allocation {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.clients[c]
}

// knows reports whether an address has allocations.
func (x *exchange) knows(a netip.Addr) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.sources[sourceOf(a)] != nil
}

// send hands a packet to the allocation at an address.
func (x *exchange) send(from *allocation, to netip.AddrPort, data []byte) {
	x.mu.RLock()
	a := x.at[to]
	x.mu.RUnlock()
	if a == nil {
		x.counts.add(droppedNobody, 1)
		return
	}
	a.take(from.relayed, data)
}

// end refuses new allocations. The channel is closed once there are none.
func (x *exchange) end() <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.ending {
		x.ending, x.empty = true, make(chan struct{})
		if len(x.at) == 0 {
			close(x.empty)
		}
	}
	return x.empty
}

// isEnding reports whether end was called.
func (x *exchange) isEnding() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.ending
}
