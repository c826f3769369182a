// Command benchmigrate measures how long a session is without a host when its host dies: from then until every other
// machine has the next one.
//
// The host is a process of its own, which is killed, so that its connections break, or stopped, so that it is silent.
// The other machines are in this process, and the next host among them has to be the one that the rule says. All stay on
// loopback, each at an address of its own in 127.0.0.0/8, as Linux has them all by itself.
//
// Usage:
//
//	go run ./compat/benchmigrate --help
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"dplay4/dpsp"
)

const usage = `benchmigrate measures how long a session is without a host when its host dies: from then until every other machine
has the next one. It takes a quarter of a minute, and six more with --defaults.

Killed hosts end, so that their connections break: that is noticed at once. Silent hosts are stopped, so that they answer
no pings: --probes + 1 to --probes + 2 periods after its last word a host is taken for lost. Those rounds run side by
side. "election" is the part of the time in which the machines knew that they had no host. Everything stays on
loopback.

Flags:
`

// Limits of what the command line may ask for.
const (
	maxKills   = 10000
	maxSilent  = 20 // rounds at once, of each kind and rule
	maxSilence = 20 * time.Minute
)

// A config is what the command line says.
type config struct {
	kills, stops, defaults, machines int
	period                           time.Duration
	probes                           int
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := command(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	switch {
	case errors.As(err, new(usageError)):
		fmt.Fprintln(os.Stderr, "benchmigrate:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "benchmigrate:", err)
		os.Exit(1)
	}
}

// A usageError is about the command line.
type usageError struct{ error }

// command does what the command line says. "serve" is what this program starts its hosts with.
func command(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) > 0 && args[0] == "serve" {
		r, err := parseServe(args[1:])
		if err != nil {
			return err
		}
		return serve(ctx, r, in, out)
	}
	c, err := parse(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	return bench(ctx, c, out)
}

// parse reads the flags. It gives flag.ErrHelp once it has printed the help.
func parse(args []string, out io.Writer) (config, error) {
	var c config
	f := flag.NewFlagSet("benchmigrate", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.IntVar(&c.kills, "kills", 20, "`hosts` that are killed, by each rule")
	f.IntVar(&c.stops, "stops", 3, "`hosts` that fall silent, by each rule; 0 to 20")
	f.DurationVar(&c.period, "period", time.Second, "the ping timer in the sessions of those")
	f.IntVar(&c.probes, "probes", 3, "`pings` that they may leave unanswered")
	f.IntVar(&c.defaults, "defaults", 0, fmt.Sprintf("`hosts` that fall silent with the protocol's own %v and %d pings, by each rule; 0 to 20.\nTakes six minutes",
		dpsp.DefaultPeriod, dpsp.DefaultProbes))
	f.IntVar(&c.machines, "machines", 4, "`machines` in a session, the host among them; 2 to 60")
	if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, usage)
		f.SetOutput(out)
		f.PrintDefaults()
		return c, err
	} else if err != nil {
		return c, usageError{err}
	}
	refuse := func(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }
	switch {
	case f.NArg() > 0:
		return c, refuse("it takes no argument, and got %q", f.Arg(0))
	case c.kills < 0 || c.kills > maxKills:
		return c, refuse("--kills %d: 0 to %d", c.kills, maxKills)
	case c.stops < 0 || c.stops > maxSilent:
		return c, refuse("--stops %d: 0 to %d", c.stops, maxSilent)
	case c.defaults < 0 || c.defaults > maxSilent:
		return c, refuse("--defaults %d: 0 to %d", c.defaults, maxSilent)
	case c.machines < 2 || c.machines > 60:
		return c, refuse("--machines %d: 2 to 60", c.machines)
	case c.period < 10*time.Millisecond || c.probes < 1:
		return c, refuse("--period %v and --probes %d: 10 ms and 1 at least", c.period, c.probes)
	case c.probes > 1000 || c.period > maxSilence || (round{period: c.period, probes: c.probes}).silence() > maxSilence:
		return c, refuse("--period %v and --probes %d: that takes longer than %v", c.period, c.probes, maxSilence)
	}
	return c, nil
}

// bench does all rounds and prints the table, a row when it is complete.
func bench(ctx context.Context, c config, out io.Writer) error {
	all := plan(c)
	fmt.Fprintln(out, system())
	fmt.Fprintf(out, "%d machines; from the host's death until all others have the next host\n", c.machines)
	if c.defaults > 0 {
		fmt.Fprintf(out, "with silent hosts and the protocol's defaults: up to %v\n", round{}.silence())
	}
	fmt.Fprintf(out, "\n%-26s%-25s%7s%13s%13s%13s\n", "host", "rule", "hosts", "median", "worst", "election")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := start(ctx, all)
	var err error
	for i, k := range all {
		done := <-results[i] // also after an error: what was begun ends its hosts first
		if done.err != nil && err == nil {
			err = fmt.Errorf("%s, %s: %w", k.name, k.rule(), done.err)
			cancel()
		}
		if err != nil {
			continue
		}
		times := done.times
		fmt.Fprintf(out, "%-26s%-25s%7d%13s%13s%13s\n", k.name, k.rule(), k.n,
			ms(middle(times, func(t timing) time.Duration { return t.all })),
			ms(worst(times)),
			ms(middle(times, func(t timing) time.Duration { return t.election })))
	}
	return err
}
