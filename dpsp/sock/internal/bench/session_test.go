package bench

import (
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

var (
	timedJoins = flag.Int("joins", 200, "joins that are timed")
	rounds     = flag.Int("rounds", 3, "rounds for each rate")
	roundTime  = flag.Duration("time", time.Second, "how long messages are sent in a round")
	sessions   = flag.Int("sessions", 1000, "hosted sessions in memory")
	withSocks  = flag.Int("hosted", 40, "hosted sessions in memory with their sockets")
)

// BenchmarkSession prints how long a join takes, how many small messages a second go from one member to others beside what the
// same kinds of sockets carry without the engine, and how much memory hosted sessions take.
//
// Each rate is the best of several rounds, in which sockets without the engine and sessions take turns, so that whatever else
// the machine does hits both.
func BenchmarkSession(b *testing.B) {
	require.Positive(b, min(*timedJoins, *rounds, *sessions, *withSocks, int(*roundTime)), "at least one of everything")
	require.LessOrEqual(b, *withSocks, 250, "each has an address of its own")
	fmt.Printf("\n%s\n\n", system())
	benchJoins(b, *timedJoins, os.Stdout)
	benchRates(b, *rounds, *roundTime, os.Stdout)
	benchEngines(b, *sessions, os.Stdout)
	benchHosts(b, *withSocks, os.Stdout)
}

// joiner keeps the n-th machine that joins on a TCP port of its own. One that took the port of one that left some
// microseconds before would get no answer: the host knows machines by their ports, and it would go to the one that left.
func joiner(at netip.Addr, n int) sock.Options {
	port := uint16(2310 + n%40)
	return sock.Options{Bind: at, StreamPorts: wire.Ports{First: port, Last: port}}
}

// benchJoins times joining: from the call, which opens sockets, until we are in the session.
func benchJoins(b testing.TB, n int, out io.Writer) {
	ctx, at := testkit.Context(b), testkit.Addr(b)
	h, err := open(sock.Options{Bind: at}, dpsp.Host{Application: game, Name: "Benchmark"})
	require.NoError(b, err)
	defer h.Close()
	var found sock.Found
	var times []time.Duration
	for i := range n + 1 {
		start := time.Now()
		s, err := join(ctx, joiner(at, i), at, &found)
		require.NoError(b, err)
		if i > 0 { // the first one searched
			times = append(times, time.Since(start))
		}
		s.Close()
	}
	slices.Sort(times)
	fmt.Fprintf(out, "join: median %.2f ms, 95th percentile %.2f ms, of %d (goal: under 5 ms)\n\n",
		times[n/2].Seconds()*1e3, times[min(n-1, n*95/100)].Seconds()*1e3, n)
}

// benchRates prints the table of messages a second.
func benchRates(b testing.TB, rounds int, d time.Duration, out io.Writer) {
	ctx, at := testkit.Context(b), testkit.Addr(b)
	fmt.Fprintf(out, "messages of %d octets received a second, all members together; best of %d rounds\n", payloadSize, rounds)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tto members\tsockets alone\tsession\tratio\tgoal\t")
	for _, guaranteed := range []bool{true, false} {
		name, goal := "guaranteed (TCP)", 70
		if !guaranteed {
			name, goal = "not guaranteed (UDP)", 60
		}
		for _, members := range []int{1, 2, 4, 8} {
			var raw, session float64
			for range rounds {
				r, err := rawRate(ctx, at, guaranteed, members, d)
				require.NoError(b, err)
				s, err := sessionRate(ctx, at, guaranteed, members, d)
				require.NoError(b, err)
				raw, session = max(raw, r), max(session, s)
			}
			fmt.Fprintf(w, "%s\t%d\t%.0f\t%.0f\t%.0f %%\t%d %%\t\n", name, members, raw, session, 100*session/raw, goal)
		}
	}
	w.Flush()
	fmt.Fprintln(out)
}
