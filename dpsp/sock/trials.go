package sock

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// trials bounds our connections to addresses from which none ever came to us. A host says where the machines of its session listen, and a
// newcomer where it does, so each could have all members connect to the ports of a third machine. A machine that is in the session
// connects to us itself. As the owner of the address is not known before that, more of these connections wait.
type trials struct {
	share share // of the connections that are tried within hold
	hold  time.Duration

	mu    sync.Mutex
	known []netip.Addr       // from which connections came, latest last
	tried map[netip.Addr]int // within hold
	all   int                // of tried
	more  chan struct{}      // closed, and replaced, when there is room again
}

// maxKnown bounds the addresses that are remembered.
const maxKnown = 1024

func newTrials(s share, hold time.Duration) *trials {
	return &trials{share: s, hold: hold, tried: map[netip.Addr]int{}, more: make(chan struct{})}
}

// answered notes that a connection came from an address.
func (t *trials) answered(at netip.Addr) {
	at = at.Unmap()
	t.mu.Lock()
	defer t.mu.Unlock()
	known := t.isKnown(at)
	t.known = append(slices.DeleteFunc(t.known, func(x netip.Addr) bool { return x == at }), at)
	t.known = slices.Delete(t.known, 0, max(0, len(t.known)-maxKnown))
	if !known {
		t.wake()
	}
}

func (t *trials) isKnown(at netip.Addr) bool { return slices.Contains(t.known, at) }

// wake has all who wait look again; under mu.
func (t *trials) wake() {
	close(t.more)
	t.more = make(chan struct{})
}

// enter waits until a connection to an address may be tried. It calls waits if that takes longer than usual.
func (t *trials) enter(ctx context.Context, at netip.Addr, usual time.Duration, waits func()) error {
	at = at.Unmap()
	late := time.AfterFunc(usual, waits)
	defer late.Stop()
	for more := t.try(at); more != nil; more = t.try(at) {
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// try counts a connection to an address, and returns nil. Where there is no room for it, it returns a channel that is closed when there may be.
func (t *trials) try(at netip.Addr) (more <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.isKnown(at):
		return nil
	case t.all >= t.share.places || t.tried[at] >= t.share.each:
		return t.more
	}
	t.all++
	t.tried[at]++
	time.AfterFunc(t.hold, func() { t.forget(at) })
	return nil
}

// forget counts a connection no more.
func (t *trials) forget(at netip.Addr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all--
	if t.tried[at]--; t.tried[at] == 0 {
		delete(t.tried, at)
	}
	t.wake()
}
