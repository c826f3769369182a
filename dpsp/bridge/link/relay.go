package link

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/pion/stun/v4"

	"dplay4/dpsp/bridge/code"
)

// When a relay is asked whether we still have the allocation.
const (
	relaySilence  = 2500 * time.Millisecond // without a packet from it, after which it is asked
	relayPatience = 1500 * time.Millisecond // for its answer
	retryFirst    = 250 * time.Millisecond  // until the next attempt
	retryMost     = 5 * time.Second
	siteAgain     = 5 * time.Minute // for a second server, which DNS may know of by then
	refusedMost   = time.Minute     // until the next attempt, where the relay wants other credentials
	occupiedPause = 5 * time.Second // while another machine has the meeting address
)

// A Relay says how it stands with a relay.
type Relay struct {
	Name      string         // as the code has it
	Server    netip.AddrPort // not valid while it does not answer
	Transport string         // "udp", "tcp" or "tls"
	Relayed   netip.AddrPort // our address there
	Took      time.Duration  // to get it
	Err       error          // why it does not work; nil if it does, or while nothing is known
}

// A tenant keeps an allocation with a tag on one relay, for as long as it can be had.
type tenant struct {
	mesh    *Mesh
	index   int // of the relay in the code
	relay   code.Relay
	site    int // of those of the relay, in the session's order
	tag     string
	recheck chan struct{} // has it asked at once: the network is another one
	mu      sync.Mutex
	now     *allocation
	err     error // why there is none
	failed  bool  // an attempt to get one; otherwise it was lost just now
}

// run keeps the allocation, until ctx is done.
func (t *tenant) run(ctx context.Context) {
	pause := retryFirst
	for ctx.Err() == nil {
		a, err := t.open(ctx)
		if err != nil {
			t.set(nil, err, true)
			if errors.Is(err, errNoSite) {
				t.wait(ctx, siteAgain)
				continue
			}
			t.wait(ctx, pause)
			most := retryMost
			if refused, is := errors.AsType[*RefusedError](err); is && refused.Credential {
				most = refusedMost
			}
			pause = min(2*pause, most)
			continue
		}
		pause = retryFirst
		a.relay = t.index
		var reads sync.WaitGroup
		reads.Go(func() { a.deliver(t.mesh.socket.received) })
		a.send([]byte{0}, a.relayed) // it comes to nothing, but the relay learns that we let its own packets through
		t.mesh.socket.attach(a)
		t.set(a, nil, false)
		err = t.watch(ctx, a)
		t.mesh.socket.detach(a)
		t.set(nil, err, false)
		a.close()
		reads.Wait()
		for t.tag == t.mesh.keys.Meeting && ctx.Err() == nil && t.mesh.occupied(ctx) {
			t.wait(ctx, occupiedPause)
		}
	}
}

// watch returns when the allocation is lost, and why.
func (t *tenant) watch(ctx context.Context, a *allocation) error {
	for {
		select {
		case <-time.After(relaySilence - a.silence()):
			if a.silence() < relaySilence {
				continue
			}
		case <-t.recheck:
		case <-a.over.Done():
			return context.Cause(a.over)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if err := t.ask(ctx, a); err != nil {
			return err
		}
	}
}

// ask asks the relay whether we still have the allocation.
func (t *tenant) ask(ctx context.Context, a *allocation) error {
	ctx, cancel := context.WithTimeoutCause(ctx, relayPatience, errors.New("it does not answer any more"))
	defer cancel()
	err := a.check(ctx)
	if isCode(err, stun.CodeAllocMismatch) {
		return errors.New("it does not know this machine any more")
	}
	return err
}

func (t *tenant) wait(ctx context.Context, pause time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	Next(ctx, ctx, t.recheck) //nolint:errcheck // the pause is over
}

func (t *tenant) set(a *allocation, err error, failed bool) {
	t.mu.Lock()
	t.now, t.err, t.failed = a, err, failed
	t.mu.Unlock()
	t.mesh.relayChanged()
}

// hopeless returns why no allocation can be had at the moment; nil while one may be.
func (t *tenant) hopeless() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.failed {
		return nil
	}
	return fmt.Errorf("relay %s: %w", t.relay, t.err)
}

// state says how it stands.
func (t *tenant) state() Relay {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := Relay{Name: t.relay.String(), Err: t.err}
	if t.site > 0 {
		r.Name += fmt.Sprintf(" (server %d)", t.site+1)
	}
	if a := t.now; a != nil {
		r.Server, r.Transport, r.Relayed, r.Took = a.server, a.transport, a.relayed, a.took
	}
	return r
}
