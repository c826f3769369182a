package sock

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// lane gives addresses of a made-up network, on each of which a session may be hosted.
func lane(n int) []netip.Addr {
	all := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 3, 1})}
	for range n - 1 {
		all = append(all, all[len(all)-1].Next())
	}
	return all
}

// soon returns a context for the waits of a bubble. It ends after an hour of the bubble's time.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	t.Cleanup(cancel)
	return ctx
}

// lasts returns a context for waiting for a session: in a bubble an hour of its time, else the time of the test binary.
func lasts(s *Session) (context.Context, context.CancelFunc) {
	end := testkit.Deadline()
	switch {
	case !isSystem(s.loop.opt.Network):
		end = time.Now().Add(time.Hour)
	case end.IsZero():
		return context.WithCancel(context.Background())
	}
	return context.WithDeadline(context.Background(), end)
}

// eventually waits in a bubble until something is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Hour); ; <-time.After(time.Millisecond) {
		synctest.Wait()
		if is() {
			return
		}
		require.True(t, time.Now().Before(end), "waited in vain: %s", what)
	}
}

// bound gives options of a strict machine at an address. Its pings go out often, so that they happen within a test.
func bound(n Network, at netip.Addr) Options {
	return Options{Bind: at, Network: n, Config: dpsp.Config{Period: 50 * time.Millisecond, Probes: 200}}
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
