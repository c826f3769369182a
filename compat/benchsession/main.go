// Command benchsession measures sessions on loopback: how long a join takes, how many small messages a second go
// from one member to others beside what the same kinds of sockets carry without the engine, and how much memory
// hosted sessions take.
//
// Everything stays on 127.0.0.5, and in one process but for the hosts whose memory with sockets is measured. Each rate is the best of several rounds, in which sockets
// without the engine and sessions take turns, so that whatever else the machine does hits both.
//
// Usage:
//
//	go run ./compat/benchsession
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// local is where everything runs: 127.0.0.1 may have a host of somebody else.
var local = netip.MustParseAddr("127.0.0.5")

// game is the application of our sessions.
var game = wire.GUID{0xBE, 0x7C, 0x5E, 0x55}

// A config is what the command line says.
type config struct {
	joins, rounds, sessions, hosted int
	time                            time.Duration
}

func main() {
	var c config
	flag.IntVar(&c.joins, "joins", 200, "joins that are timed")
	flag.IntVar(&c.rounds, "rounds", 3, "rounds for each rate")
	flag.DurationVar(&c.time, "time", time.Second, "how long messages are sent in a round")
	flag.IntVar(&c.sessions, "sessions", 1000, "hosted sessions in memory")
	flag.IntVar(&c.hosted, "hosted", 40, "hosted sessions in memory with their sockets")
	flag.Parse()
	if n, err := strconv.Atoi(flag.Arg(1)); flag.Arg(0) == hostsOnly && err == nil {
		if err := beHosts(n, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "benchsession:", err)
			os.Exit(1)
		}
		return
	}
	if flag.NArg() > 0 || c.joins < 1 || c.rounds < 1 || c.sessions < 1 || c.hosted < 1 || c.hosted > 1<<16 || c.time <= 0 {
		fmt.Fprintln(os.Stderr, "benchsession: no arguments, and at least one of everything")
		os.Exit(2)
	}
	if err := bench(c, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchsession:", err)
		os.Exit(1)
	}
}

func bench(c config, out io.Writer) error {
	fmt.Fprintf(out, "%s %s/%s, %d processors\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if err := joins(c.joins, out); err != nil {
		return fmt.Errorf("joins: %w", err)
	}
	if err := rates(c, out); err != nil {
		return fmt.Errorf("rates: %w", err)
	}
	if err := memory(c.sessions, out); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	if err := hosted(c.hosted, out); err != nil {
		return fmt.Errorf("memory with sockets: %w", err)
	}
	return nil
}

// options keep a session on our address.
func options() sock.Options { return sock.Options{Bind: local, Config: dpsp.Config{}} }

// joiner keeps the n-th machine that joins on a TCP port of its own. One that took the port of one that left some
// microseconds before would get no answer: the host knows machines by their ports, and it would go to the one that left.
func joiner(n int) sock.Options {
	o := options()
	o.StreamPort = uint16(2310 + n%40)
	return o
}

// open hosts a session and finds it.
func open(ctx context.Context) (*sock.Session, sock.Found, error) {
	var f sock.Found
	h, err := sock.Open(options())
	if err != nil {
		return nil, f, err
	}
	if err = h.Host(ctx, dpsp.Host{Application: game, Name: "Benchmark"}); err == nil {
		f, err = look(ctx)
	}
	if err != nil {
		h.Close()
		return nil, f, err
	}
	return h, f, nil
}

// look finds our session.
func look(ctx context.Context) (sock.Found, error) {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	s, err := sock.Open(options())
	if err != nil {
		return sock.Found{}, err
	}
	defer s.Close()
	return s.Find(ctx, sock.Ask{Application: game, Hosts: []netip.Addr{local}})
}

// join enters the session as the n-th machine.
func join(ctx context.Context, n int, at sock.Found) (*sock.Session, error) {
	s, err := sock.Open(joiner(n))
	if err != nil {
		return nil, err
	}
	if err := s.Join(ctx, at, ""); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// joins times joining: from the call, which opens sockets, until we are in the session.
func joins(n int, out io.Writer) error {
	ctx := context.Background()
	h, found, err := open(ctx)
	if err != nil {
		return err
	}
	defer h.Close()
	go func() {
		for range h.Events() {
		}
	}()
	var times []time.Duration
	for i := range n {
		start := time.Now()
		s, err := join(ctx, i, found)
		if err != nil {
			return err
		}
		times = append(times, time.Since(start))
		s.Close()
	}
	slices.Sort(times)
	fmt.Fprintf(out, "join: median %.2f ms, 95th percentile %.2f ms, of %d (goal: under 5 ms)\n\n",
		ms(times[n/2]), ms(times[min(n-1, n*95/100)]), n)
	return nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }

// rates prints the table of messages a second.
func rates(c config, out io.Writer) error {
	fmt.Fprintf(out, "messages of %d octets received a second, all members together; best of %d rounds\n", payloadSize, c.rounds)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tto members\tsockets alone\tsession\tratio\tgoal\t")
	for _, guaranteed := range []bool{true, false} {
		name, goal := "guaranteed (TCP)", 70
		if !guaranteed {
			name, goal = "not guaranteed (UDP)", 60
		}
		for _, members := range []int{1, 2, 4, 8} {
			var raw, session float64
			for range c.rounds {
				r, err := rawRate(guaranteed, members, c.time)
				if err != nil {
					return err
				}
				s, err := sessionRate(guaranteed, members, c.time)
				if err != nil {
					return err
				}
				raw, session = max(raw, r), max(session, s)
			}
			fmt.Fprintf(w, "%s\t%d\t%.0f\t%.0f\t%.0f %%\t%d %%\t\n", name, members, raw, session, 100*session/raw, goal)
		}
	}
	w.Flush()
	fmt.Fprintln(out)
	return nil
}
