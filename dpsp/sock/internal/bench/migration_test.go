package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/internal/testkit"
)

// Limits of what the command line may ask for.
const (
	maxKills    = 10000
	maxSilent   = 20 // rounds at once, of each kind and rule
	maxMachines = 60
	maxSilence  = 20 * time.Minute
)

// A config is what the command line says.
type config struct {
	kills, stops, defaults, machines int
	period                           time.Duration
	probes                           int
	made                             *socktest.Network // of a test, in a bubble; nil: the sockets of the system
}

// flags puts the flags into a set.
func (c *config) flags(f *flag.FlagSet) {
	f.IntVar(&c.kills, "kills", 20, "`hosts` that are killed, by each rule")
	f.IntVar(&c.stops, "stops", 3, "`hosts` that fall silent, by each rule; 0 to 20")
	f.DurationVar(&c.period, "period", time.Second, "the ping timer in the sessions of those")
	f.IntVar(&c.probes, "probes", 3, "`pings` that they may leave unanswered")
	f.IntVar(&c.defaults, "defaults", 0, fmt.Sprintf(
		"`hosts` that fall silent with the protocol's own %v and %d pings, by each rule; 0 to 20.\nTakes six minutes",
		dpsp.DefaultPeriod, dpsp.DefaultProbes))
	f.IntVar(&c.machines, "machines", 4, "`machines` in a session, the host among them; 2 to 60")
}

// check refuses what cannot be measured.
func (c config) check() error {
	switch {
	case c.kills < 0 || c.kills > maxKills:
		return fmt.Errorf("-kills %d: 0 to %d", c.kills, maxKills)
	case c.stops < 0 || c.stops > maxSilent:
		return fmt.Errorf("-stops %d: 0 to %d", c.stops, maxSilent)
	case c.defaults < 0 || c.defaults > maxSilent:
		return fmt.Errorf("-defaults %d: 0 to %d", c.defaults, maxSilent)
	case c.machines < 2 || c.machines > maxMachines:
		return fmt.Errorf("-machines %d: 2 to %d", c.machines, maxMachines)
	case c.period < 10*time.Millisecond || c.probes < 1:
		return fmt.Errorf("-period %v and -probes %d: 10 ms and 1 at least", c.period, c.probes)
	case c.probes > 1000 || c.period > maxSilence || (round{period: c.period, probes: c.probes}).silence() > maxSilence:
		return fmt.Errorf("-period %v and -probes %d: that takes longer than %v", c.period, c.probes, maxSilence)
	}
	return nil
}

var asked config

func init() { asked.flags(flag.CommandLine) }

// BenchmarkMigration prints how long a session is without a host when its host dies: from then until every other machine has
// the next one. It takes a quarter of a minute, and six more with -defaults.
//
// Killed hosts end, so that their connections break: that is noticed at once. Silent hosts are stopped, so that they answer no
// pings: -probes + 1 to -probes + 2 periods after its last word a host is taken for lost. Those rounds run side by side.
// "election" is the part of the time in which the machines knew that they had no host.
//
// The host is a process of its own. The other machines are in this one, and the next host among them has to be the one that
// the rule says. All stay on loopback, each at an address of its own.
func BenchmarkMigration(b *testing.B) {
	fmt.Println()
	lane := func(n int) []netip.Addr { return testkit.Addrs(b, n) }
	require.NoError(b, benchMigration(testkit.Context(b), asked, lane, os.Stdout))
}

// benchMigration does all rounds and prints the table, a row when it is complete.
func benchMigration(ctx context.Context, c config, lane func(n int) []netip.Addr, out io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	all := plan(c, lane)
	fmt.Fprintln(out, system())
	fmt.Fprintf(out, "%d machines; from the host's death until all others have the next host\n", c.machines)
	if c.defaults > 0 {
		fmt.Fprintf(out, "with silent hosts and the protocol's defaults: up to %v\n", round{}.silence())
	}
	fmt.Fprintf(out, "\n%-26s%-25s%7s%13s%13s%13s\n", "host", "rule", "hosts", "median", "worst", "election")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := begin(ctx, all)
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
