package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"dplay4/dpsp/sock"
)

// everywhere is to listen over UDP at all addresses of a family. There is a socket for each: one for all of them would answer
// from the address that the system likes best, but clients, and their NATs, wait for answers of the one that they asked (facts,
// bridge 5). That is for UDP alone: TCP has connections.
type everywhere struct {
	server *Server
	six    bool
	at     map[netip.Addr]*front
}

// lookAgain is how often it is seen whether the machine has other addresses by now.
const lookAgain = 2 * time.Second

// follow looks for addresses that come and go, until the context is done.
func (e *everywhere) follow(ctx context.Context) {
	again := time.NewTicker(cmp.Or(e.server.config.look, lookAgain))
	defer again.Stop()
	for {
		select {
		case <-again.C:
			e.look() //nolint:errcheck // it is tried again
		case <-ctx.Done():
			return
		}
	}
}

// look listens at the addresses that the machine has, and no more at those that are gone, once they have no allocations: it may
// get them back.
func (e *everywhere) look() error {
	have, err := e.addresses()
	if err != nil {
		return err
	}
	for _, a := range have {
		if e.at[a] != nil {
			continue
		}
		f, failed := e.server.listenUDP(a)
		switch {
		case failed == nil:
			e.at[a] = f
		case !isNotOurs(failed):
			err = errors.Join(err, failed)
		}
	}
	for a, f := range e.at {
		if !slices.Contains(have, a) && f.allocations.Load() == 0 {
			delete(e.at, a)
			err = errors.Join(err, e.server.leave(f))
		}
	}
	return err
}

// addresses returns those that the machine has, and the public one: it may be ours though no card has it.
func (e *everywhere) addresses() (all []netip.Addr, err error) {
	if a := e.server.config.public(e.six); a.IsValid() {
		all = append(all, a)
	}
	list, err := sock.Adapters()
	if err != nil {
		return nil, fmt.Errorf("the addresses of this machine cannot be listed, so those to listen on have to be named: %w", err)
	}
	for _, one := range list {
		for _, p := range one.Addrs {
			a := p.Addr().Unmap()
			if a.Is6() == e.six && !(a.Is6() && a.IsLinkLocalUnicast()) && !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	return all, nil
}

// isNotOurs reports whether an address could not be listened on because the machine does not have it, not yet or not any more.
func isNotOurs(err error) bool {
	const wsaAddressNotAvailable syscall.Errno = 10049
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, wsaAddressNotAvailable)
}
