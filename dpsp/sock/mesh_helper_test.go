package sock

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/wire"
)

// block gives loopback addresses of 127.0.1.0/24 that follow each other, on the first of which nobody hosts: other
// runs of these tests may be at work on the machine.
func block(t *testing.T, n int) []netip.Addr {
	t.Helper()
	return consecutive(t, 1, n)
}

// lane is block with addresses of 127.0.2.0/24, on each of which a session may be hosted.
func lane(t *testing.T, n int) []netip.Addr {
	t.Helper()
	return consecutive(t, 2, n)
}

func consecutive(t *testing.T, network byte, n int) []netip.Addr {
	t.Helper()
	for range 100 {
		first := rand.IntN(256 - n)
		var all []netip.Addr
		for i := range n {
			all = append(all, netip.AddrFrom4([4]byte{127, 0, network, byte(first + i)}))
		}
		c, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(all[0], dpsp.EnumPort)))
		if err == nil {
			c.Close()
			return all
		}
	}
	t.Fatalf("somebody hosts on all of 127.0.%d.0/24", network)
	return nil
}

// bound gives options of a strict machine at an address. Its pings go out often, so that they happen within a test.
func bound(at netip.Addr) Options {
	return Options{Bind: at, Config: dpsp.Config{Period: 50 * time.Millisecond, Probes: 200}}
}

// A part is a machine's part in a session, and what happened in it that nobody asked for yet.
type part struct {
	*Session
	name string
	id   wire.PlayerID // of its player
	seen []dpsp.Event
}

// enter makes a part of a session that was opened.
func enter(name string, s *Session, err error) (*part, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &part{Session: s, name: name}, nil
}

// receive gives the first event of a type that matches and that was not given before; others keep their order. A
// message that was dropped, a machine or session that was lost is an error: nothing of the kind happens here.
func receive[T dpsp.Event](ctx context.Context, p *part, match func(T) bool) (T, error) {
	for i, e := range p.seen {
		if x, ok := e.(T); ok && match(x) {
			p.seen = append(p.seen[:i], p.seen[i+1:]...)
			return x, nil
		}
	}
	var none T
	for {
		select {
		case e, ok := <-p.Events():
			if !ok {
				return none, fmt.Errorf("%s: events end before %T", p.name, none)
			}
			if p.bad(e) {
				return none, fmt.Errorf("%s: %T%+v", p.name, e, e)
			}
			if x, ok := e.(T); ok && match(x) {
				return x, nil
			}
			p.seen = append(p.seen, e)
		case <-ctx.Done():
			return none, fmt.Errorf("%s: no %T: %w", p.name, none, ctx.Err())
		}
	}
}

// bad says whether an event may not happen where all goes well. A ping, by UDP, may be overtaken by its sender's goodbye
// over TCP, and may overtake the list that makes us a member.
func (p *part) bad(e dpsp.Event) bool {
	switch e := e.(type) {
	case dpsp.Dropped:
		ping := e.Command == wire.CmdPing.String() || e.Command == wire.CmdPingReply.String()
		return !ping || e.Reason != dpsp.NoSuchID && e.Reason != dpsp.OutOfTurn
	case dpsp.PeerLost, dpsp.SessionLost:
		return true
	}
	return false
}

// got is receive for the goroutine of a test.
func got[T dpsp.Event](t *testing.T, ctx context.Context, p *part, match func(T) bool) T {
	t.Helper()
	x, err := receive(ctx, p, match)
	require.NoError(t, err)
	return x
}

// count gives how many events of a type happened that nobody asked for.
func count[T dpsp.Event](p *part) (n int) {
	for _, e := range p.seen {
		if _, ok := e.(T); ok {
			n++
		}
	}
	return n
}

// each does something for all of a list at the same time and waits for it. An error of one ends the test.
func each[T any](t *testing.T, all []T, do func(int, T) error) {
	t.Helper()
	errs := make([]error, len(all))
	var group sync.WaitGroup
	for i, x := range all {
		group.Go(func() { errs[i] = do(i, x) })
	}
	group.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
}

// seek asks an address for the first session of the tests' game that matches. Answers that come late must not meet a
// session that took the port meanwhile: ask from an address where none listens.
func seek(ctx context.Context, opt Options, at netip.Addr, password dpsp.Text, match func(*Found) bool) (Found, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := Open(opt)
	if err != nil {
		return Found{}, err
	}
	defer s.Close()
	for f, err := range s.Enumerate(ctx, Ask{Application: testGame, Flags: wire.EnumAvailable, Password: password,
		Hosts: []netip.Addr{at}}) {
		if err != nil || match(&f) {
			return f, err
		}
	}
	return Found{}, fmt.Errorf("no session found at %s: %w", at, ctx.Err())
}
