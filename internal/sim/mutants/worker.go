package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"time"

	"dplay4/internal/processor"
	"dplay4/internal/sim"
)

// workerWord is the first argument of the processes that simulate.
const workerWord = "worker"

// What a run may take, far more than any does whose engine comes to an end.
const (
	maxRunTime   = time.Minute // of the processor
	maxRunMemory = 1 << 30
	watchEvery   = time.Second
)

// A report is what a worker writes for a run, one line of JSON.
type report struct {
	Hash string        `json:"hash,omitempty"` // of all that happened
	Rule string        `json:"rule,omitempty"` // that was violated first; empty: none
	Text string        `json:"text,omitempty"`
	CPU  time.Duration `json:"cpu"` // processor time of the process so far
}

// A worker simulates the runs that it reads, a line each, and writes what came of them.
type worker struct {
	mu    sync.Mutex
	out   *json.Encoder
	began time.Duration // processor time at which the run that is under way began
	busy  bool
}

// work is the program of a worker.
func work(in io.Reader, out io.Writer) error {
	w := &worker{out: json.NewEncoder(out)}
	done := make(chan struct{})
	defer close(done)
	go w.watch(done)
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var kind sim.Kind
		var seed uint64
		if _, err := fmt.Sscan(lines.Text(), &kind, &seed); err != nil {
			return fmt.Errorf("%q is no run: %w", lines.Text(), err)
		}
		o, err := kind.Options(seed)
		if err != nil {
			return err
		}
		w.mark(true)
		r, err := sim.Run(o)
		if err != nil {
			return fmt.Errorf("%s %d: %w", kind, seed, err)
		}
		w.mark(false)
		w.report(reportOf(r))
	}
	return lines.Err()
}

func reportOf(r *sim.Result) report {
	if len(r.Violations) == 0 {
		return report{Hash: r.Hash}
	}
	v := &r.Violations[0]
	return report{Hash: r.Hash, Rule: v.Rule, Text: fmt.Sprintf("at %.3fs, %s: %s", v.At.Seconds(), r.Name(v.Lane), v.Text)}
}

func (w *worker) mark(busy bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.began = busy, processor.Time()
}

func (w *worker) report(r report) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.CPU = processor.Time()
	_ = w.out.Encode(r) // nobody is left to tell of an error
}

// alone has the process use one processor, so that the processor time of a run is that of one thread.
func alone() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400) // a run is small, and makes much that is soon gone
}

// watch ends the process if a run does not end, or takes too much memory: a mutant may go round in circles.
func (w *worker) watch(done <-chan struct{}) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		w.mu.Lock()
		took, busy := processor.Time()-w.began, w.busy
		w.mu.Unlock()
		switch n := memory(); {
		case !busy:
		case took > maxRunTime:
			w.giveUp("endless", fmt.Sprintf("the run takes more than %v of processor time", maxRunTime))
		case n > maxRunMemory:
			w.giveUp("memory", fmt.Sprintf("the run takes %d MB of memory", n>>20))
		}
	}
}

func (w *worker) giveUp(rule, text string) {
	w.report(report{Rule: rule, Text: text})
	os.Exit(1)
}

// memory returns the octets that the heap has.
func memory() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// lastWords returns the line that says why a process ended, of what it wrote to its standard error.
func lastWords(text string) error {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return errors.New(line)
		}
	}
	return errors.New("its process ended without a word")
}
