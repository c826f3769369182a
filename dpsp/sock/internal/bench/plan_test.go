package bench

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// A kind is a number of rounds that are alike.
type kind struct {
	round
	name  string
	n     int
	lanes [][]netip.Addr // of the machines of each round; rounds that are done one after the other share one
}

// plan returns the kinds of rounds that the command line asks for, the silent hosts last. lane returns addresses that nothing else has.
func plan(c config, lane func(n int) []netip.Addr) (all []kind) {
	add := func(name string, n int, r round) {
		r.made = c.made
		for _, r.legacy = range []bool{false, true} {
			k := kind{round: r, name: name, n: n}
			for len(k.lanes) < n && (r.stopped || len(k.lanes) == 0) {
				k.lanes = append(k.lanes, lane(c.machines))
			}
			if n > 0 {
				all = append(all, k)
			}
		}
	}
	add("killed", c.kills, round{})
	add(fmt.Sprintf("silent, %v, %d probes", c.period, c.probes), c.stops, round{stopped: true, period: c.period, probes: c.probes})
	add("silent, defaults", c.defaults, round{stopped: true})
	return all
}

// A timing is how long a round took.
type timing struct {
	all      time.Duration // until all machines had the next host
	election time.Duration // the longest that one of them knew that it had none
}

// A result is what the rounds of a kind gave.
type result struct {
	times []timing
	err   error
}

// begin begins the rounds of all kinds; each has a channel for its result. Those whose host is killed are done one after
// the other, before anything else, since each keeps the processors busy. Those that wait for a silent host are done side
// by side, each at addresses of its own.
func begin(ctx context.Context, all []kind) []chan result {
	results := make([]chan result, len(all))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	go func() {
		for i, k := range all {
			if k.stopped {
				go func() { results[i] <- k.sideBySide(ctx) }()
			} else {
				results[i] <- k.inTurn(ctx)
			}
		}
	}()
	return results
}

func (k kind) inTurn(ctx context.Context) result {
	var times []timing
	for i := range k.n {
		r := k.round
		r.at = k.lanes[0]
		t, err := r.run(ctx)
		if err != nil {
			return result{err: fmt.Errorf("round %d: %w", i+1, err)}
		}
		times = append(times, t)
	}
	return result{times: times}
}

func (k kind) sideBySide(ctx context.Context) result {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	times, errs := make([]timing, k.n), make([]error, k.n)
	var wg sync.WaitGroup
	for i := range k.n {
		r := k.round
		r.at = k.lanes[i]
		wg.Go(func() {
			if times[i], errs[i] = r.run(ctx); errs[i] != nil {
				errs[i] = fmt.Errorf("round %d: %w", i+1, errs[i])
				cancel() // the others need not wait for minutes
			}
		})
	}
	wg.Wait()
	for _, err := range errs { // the first that is not only called off
		if err != nil && !errors.Is(err, context.Canceled) {
			return result{err: err}
		}
	}
	return result{times, errors.Join(errs...)}
}

// middle returns the median of a part of the times.
func middle(times []timing, part func(timing) time.Duration) time.Duration {
	var all []time.Duration
	for _, t := range times {
		all = append(all, part(t))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func worst(times []timing) (w time.Duration) {
	for _, t := range times {
		w = max(w, t.all)
	}
	return w
}

func ms(d time.Duration) string {
	if d >= 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
}
