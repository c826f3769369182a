package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// A trial is what all mutants are held against: the unmutated engine on the same runs.
type trial struct {
	schedule *schedule
	program  string // of the unmutated engine
	jobs     int
	limit    time.Duration
	progress io.Writer

	mu    sync.Mutex
	known map[int]report // of the unmutated engine, by run
	bad   int            // of them, those that violate something
}

// A result is what became of a mutant.
type result struct {
	mutant  *mutant
	caught  bool
	first   int // the run that noticed it, if caught
	report  report
	runs    int // that ended
	differ  int // of those that the unmutated engine did as well, those in which anything at all happened otherwise
	same    int // and the rest of those
	seconds float64
}

// unmutated runs the engine as it is for as long as every mutant.
func (t *trial) unmutated(ctx context.Context) error {
	t.known = map[int]report{}
	c := &campaign{program: t.program, schedule: t.schedule, jobs: t.jobs, limit: t.limit}
	c.ended = func(i int, r report) bool {
		t.note(i, r)
		return false
	}
	err := c.do(ctx)
	fmt.Fprintf(t.progress, "mutants: the unmutated engine did %d runs in %.0f s, %d of them with violations\n", len(t.known), c.cpu.Seconds(), t.bad)
	return err
}

// maxNamed is how many runs are named in which the unmutated engine fails; the others are counted.
const maxNamed = 8

// note keeps what became of a run with the unmutated engine.
func (t *trial) note(i int, r report) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[i] = r
	if r.Rule == "" {
		return
	}
	if t.bad++; t.bad <= maxNamed {
		fmt.Fprintf(t.progress, "mutants: %v does not count, because the unmutated engine fails there: %s: %s\n", t.schedule.at(i), r.Rule, r.Text)
	}
}

// of returns what became of a run with the unmutated engine, and runs it if that is not known.
func (t *trial) of(ctx context.Context, i int) (report, error) {
	t.mu.Lock()
	r, ok := t.known[i]
	t.mu.Unlock()
	if ok {
		return r, nil
	}
	only := &schedule{kept: []simulated{t.schedule.at(i)}}
	c := &campaign{program: t.program, schedule: only, jobs: 1, limit: maxRunTime, runs: 1}
	c.ended = func(_ int, now report) bool {
		r = now
		return true
	}
	if err := c.do(ctx); err != nil {
		return r, err
	}
	t.note(i, r)
	return r, nil
}

// try has a mutant simulate until a violation counts, or the time is used up.
func (t *trial) try(ctx context.Context, m *mutant, program string) (result, error) {
	res := result{mutant: m}
	c := &campaign{program: program, schedule: t.schedule, jobs: t.jobs, limit: t.limit}
	var failed error
	c.ended = func(i int, r report) bool {
		res.runs++
		if r.Rule == "" {
			res.compare(t, i, r)
			return false
		}
		was, err := t.of(ctx, i)
		switch {
		case err != nil:
			failed = err
			return true
		case was.Rule != "":
			return false
		}
		res.compare(t, i, r)
		if !res.caught || i < res.first { // runs that are under way end: the first one counts, whichever process is faster
			res.caught, res.first, res.report = true, i, r
		}
		return true
	}
	err := c.do(ctx)
	if err == nil {
		err = failed
	}
	res.seconds = c.cpu.Seconds()
	return res, err
}

// compare counts a run as different or not, if the unmutated engine did it.
func (r *result) compare(t *trial, i int, now report) {
	t.mu.Lock()
	was, ok := t.known[i]
	t.mu.Unlock()
	switch {
	case !ok:
	case was.Hash == now.Hash:
		r.same++
	default:
		r.differ++
	}
}
