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
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// A round is one session whose host dies.
type round struct {
	legacy  bool              // the machines know DirectPlay 4 alone
	stopped bool              // the host falls silent; otherwise its process ends
	at      []netip.Addr      // of the machines, the host's first
	made    *socktest.Network // on which all of it runs in this process, in a bubble; nil: the sockets of the system
	period  time.Duration     // 0: the default
	probes  int               // likewise
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

func (r round) options(i int) sock.Options {
	o := sock.Options{Bind: r.at[i], Config: dpsp.Config{Legacy: r.legacy, Period: r.period, Probes: r.probes}}
	if r.made != nil {
		o.Network = r.made
	}
	return o
}

// host opens the session of a round.
func (r round) host() (*sock.Session, error) {
	return open(r.options(0), dpsp.Host{Application: game, Name: "Benchmark", Flags: wire.SessionMigrateHost | wire.SessionKeepAlive})
}

// serve is the child with the host of a round, which its duty says: it hosts and says so, and goes on until its input ends, when
// it is killed, or who started it is.
func serve(duty string, in io.Reader, out io.Writer) error {
	var r round
	var at string
	if _, err := fmt.Sscan(duty, &r.legacy, &at, (*int64)(&r.period), &r.probes); err != nil {
		return err
	}
	addr, err := netip.ParseAddr(at)
	if err != nil {
		return err
	}
	r.at = []netip.Addr{addr}
	h, err := r.host()
	if err != nil {
		return err
	}
	defer h.Close()
	fmt.Fprintln(out, "ready")
	_, err = io.Copy(io.Discard, in)
	return err
}

// victim starts the host, and returns what has it end or fall silent, and what tidies up.
func (r round) victim(ctx context.Context) (die func() error, end func(), err error) {
	if r.made == nil {
		c, err := start(ctx, fmt.Sprintln("migration", r.legacy, r.at[0], int64(r.period), r.probes))
		if err != nil {
			return nil, nil, err
		}
		if r.stopped {
			return func() error { return freeze(c.Process) }, c.end, nil
		}
		return c.Process.Kill, c.end, nil
	}
	h, err := r.host()
	return func() error {
		for _, a := range r.at[1:] {
			r.made.Cut(r.at[0], a)
		}
		return nil
	}, func() { h.Close() }, err
}

// run plays the round and returns the time that it took.
func (r round) run(ctx context.Context) (t timing, err error) {
	die, end, err := r.victim(ctx)
	if err != nil {
		return t, err
	}
	defer end()
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
	if err = die(); err != nil {
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
