package link

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/pion/transport/v4"

	"dplay4/dpsp/bridge/code"
)

const (
	carryMost  = 2 * time.Second // for a packet to come back
	carryAgain = carryMost / 8
)

// Try gets an address at a site of a relay, as sessions do, sends a packet there, and gives the address back. The error says why
// that did not work: ErrUnreachable, or a RefusedError. Nil is the system's resolver.
func Try(ctx context.Context, dns *net.Resolver, r code.Relay, s Site) error {
	return tryOver(ctx, newSystem(), dns, r, s)
}

// tryOver is Try over a network.
func tryOver(ctx context.Context, n transport.Net, dns *net.Resolver, r code.Relay, s Site) error {
	opening, cancel := context.WithTimeoutCause(ctx, attemptMost, errors.New("no answer"))
	defer cancel()
	doors, err := s.doors(opening, dns)
	if err != nil {
		return err
	}
	self, err := newIdentity(code.Code{}.Keys())
	if err != nil {
		return err
	}
	a, err := openAny(opening, n, r, self.tag(), doors)
	if err != nil {
		return err
	}
	defer a.close()
	return a.carries(ctx)
}

// carries reports whether the relay carries packets from one of its users to another: from us to ourselves.
func (a *allocation) carries(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, carryMost,
		&RefusedError{false, "it gives us an address, and carries nothing from one of its users to another"})
	defer cancel()
	came := make(chan struct{}, 1)
	go a.deliver(func(route, []byte) { nudge(came) })
	again := time.NewTicker(carryAgain)
	defer again.Stop()
	for {
		a.send([]byte{0}, a.relayed)
		select {
		case <-came:
			return nil
		case <-again.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
