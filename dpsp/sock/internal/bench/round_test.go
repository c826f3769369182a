package bench

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A round is one session whose host dies.
type round struct {
	legacy   bool // the machines know DirectPlay 4 alone
	stopped  bool // the host falls silent; otherwise its process ends
	program  int  // programs at the same time have different ones, and so have
	network  int  // the rounds of one program
	machines int
	period   time.Duration // 0: the default
	probes   int           // likewise
}

func (r round) rule() string {
	if r.legacy {
		return "DirectPlay 4 (--legacy)"
	}
	return "DirectPlay 8"
}

// silence is the longest that a host may be silent before it is taken for lost (package pingtimer).
func (r round) silence() time.Duration {
	return time.Duration(cmp.Or(r.probes, dpsp.DefaultProbes)+2) * cmp.Or(r.period, dpsp.DefaultPeriod)
}

// address is that of a machine: the host is the first one.
func (r round) address(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, byte(1 + r.program%254), byte(r.network), byte(1 + i)})
}

func (r round) options(i int) sock.Options {
	return sock.Options{Bind: r.address(i), Config: dpsp.Config{Legacy: r.legacy, Period: r.period, Probes: r.probes}}
}

// serve is the child with the host of a round, which its duty says: it hosts and says so, and goes on until its input ends, when
// it is killed, or who started it is.
func serve(duty string, in io.Reader, out io.Writer) error {
	var r round
	if _, err := fmt.Sscan(duty, &r.legacy, &r.program, &r.network, (*int64)(&r.period), &r.probes); err != nil {
		return err
	}
	h, err := open(r.options(0), dpsp.Host{
		Application: game, Name: "Benchmark", Flags: wire.SessionMigrateHost | wire.SessionKeepAlive,
	})
	if err != nil {
		return err
	}
	defer h.Close()
	fmt.Fprintln(out, "ready")
	_, err = io.Copy(io.Discard, in)
	return err
}

// run plays the round and returns the time that it took.
func (r round) run(ctx context.Context) (t timing, err error) {
	limit := 2 * patience
	if r.stopped {
		limit += r.silence()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done after %v", limit))
	defer cancel()
	host, err := start(ctx, fmt.Sprintln("migration", r.legacy, r.program, r.network, int64(r.period), r.probes))
	if err != nil {
		return t, err
	}
	defer host.end()
	members, err := r.meet(ctx)
	defer func() {
		for _, m := range members {
			m.Close()
		}
	}()
	if err != nil {
		return t, err
	}
	next := r.nextHost(members)
	start := time.Now()
	if r.stopped {
		err = freeze(host.Process)
	} else {
		err = host.Process.Kill()
	}
	if err != nil {
		return t, err
	}
	for _, m := range members {
		changed, at, err := until(ctx, m, func(e dpsp.Event) bool { _, ok := e.(dpsp.HostChanged); return ok })
		if err != nil {
			return t, fmt.Errorf("no next host: %w", err)
		}
		e := changed.(dpsp.HostChanged)
		if e.New != next {
			return t, fmt.Errorf("%s is host, and should be %s", e.New, next)
		}
		// Events that wait for us are read late, but then an earlier machine was later still.
		t.all, t.election = max(t.all, at.Sub(start)), max(t.election, e.Took)
	}
	return t, nil
}

// nextHost returns the machine that the rule says: the oldest one that is left, or the one with the lowest id.
func (r round) nextHost(members []*sock.Session) wire.PlayerID {
	if !r.legacy {
		return members[0].Info().System
	}
	lowest := slices.MinFunc(members, func(a, b *sock.Session) int { return cmp.Compare(a.Info().System, b.Info().System) })
	return lowest.Info().System
}
