package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// game is the application of our sessions.
var game = wire.GUID{0xBE, 0x7C, 0x5E, 0x56}

// patience is how long anything may take besides what a silent host takes.
const patience = 20 * time.Second

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

// serveArgs is the command line of a host; parseServe reads it.
func (r round) serveArgs() []string {
	return []string{"serve", fmt.Sprintf("-legacy=%v", r.legacy), "-program", fmt.Sprint(r.program), "-network", fmt.Sprint(r.network),
		"-period", r.period.String(), "-probes", fmt.Sprint(r.probes)}
}

func parseServe(args []string) (r round, err error) {
	f := flag.NewFlagSet("benchmigrate serve", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.BoolVar(&r.legacy, "legacy", false, "")
	f.IntVar(&r.program, "program", 0, "")
	f.IntVar(&r.network, "network", 0, "")
	f.DurationVar(&r.period, "period", 0, "")
	f.IntVar(&r.probes, "probes", 0, "")
	if err := f.Parse(args); err != nil {
		return r, usageError{err}
	}
	return r, nil
}

// serve hosts a session, says so, and goes on until its input ends: when it is killed, or who started it is.
func serve(ctx context.Context, r round, in io.Reader, out io.Writer) error {
	h, err := sock.Open(r.options(0))
	if err != nil {
		return err
	}
	defer h.Close()
	if err := h.Host(ctx, dpsp.Host{
		Application: game, Name: "Benchmark", Flags: wire.SessionMigrateHost | wire.SessionKeepAlive,
	}); err != nil {
		return err
	}
	go func() {
		for range h.Events() {
		}
	}()
	fmt.Fprintln(out, "ready")
	_, err = io.Copy(io.Discard, in)
	return err
}

// host starts a process that hosts. It ends with ctx, whether it is stopped or not.
func (r round) host(ctx context.Context) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, r.serveArgs()...)
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // open until we end
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		end(cmd)
		return nil, errors.New("the host's process does not host")
	}
	return cmd, nil
}

// end ends a host's process, if it has not ended yet.
func end(cmd *exec.Cmd) {
	cmd.Process.Kill() //nolint:errcheck // it ended, as a rule
	cmd.Wait()         //nolint:errcheck // what is wrong with it, it said itself
}

// run plays the round and gives the time that it took.
func (r round) run(ctx context.Context) (t timing, err error) {
	limit := 2 * patience
	if r.stopped {
		limit += r.silence()
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not done after %v", limit))
	defer cancel()
	cmd, err := r.host(ctx)
	if err != nil {
		return t, err
	}
	defer end(cmd)
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
		err = freeze(cmd.Process)
	} else {
		err = cmd.Process.Kill()
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
