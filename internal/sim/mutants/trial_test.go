package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/sim"
	"dplay4/internal/testkit"
)

// TestMain makes this program a process that seems to simulate if it is asked to: as a mutant if that is its name.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != workerWord {
		os.Exit(m.Run())
	}
	seem(filepath.Base(os.Args[0]) != "unmutated.exe", os.Stdin, os.Stdout)
}

// What a seed leads to. Others end alike, whatever the engine is.
const (
	differs   = iota + 1 // in a mutant something else happens
	violates             // in a mutant something is violated
	always               // so it is without one
	panics               // a mutant crashes
	endless              // a mutant gives the run up
	costly               // it takes all the processor time that there is
	breaks               // without a mutant the process crashes
	numSeeds  = iota + 1
	usualSeed = numSeeds
)

// seem seems to simulate.
func seem(mutated bool, in io.Reader, out io.Writer) {
	var kind sim.Kind
	var seed uint64
	cpu := time.Duration(0)
	for e := json.NewEncoder(out); ; {
		if _, err := fmt.Fscan(in, &kind, &seed); err != nil {
			return
		}
		cpu++
		r := report{Hash: fmt.Sprint(seed)}
		switch {
		case seed == always:
			r.Rule = "told"
		case seed == costly:
			cpu += 60 * maxRunTime
		case seed == breaks && !mutated:
			panic("an accident")
		case !mutated:
		case seed == differs:
			r.Hash = "another"
		case seed == violates:
			r.Hash, r.Rule, r.Text = "another", "hosts", "two"
		case seed == panics:
			panic("a mutant crashes")
		case seed == endless:
			r = report{Rule: "endless"}
		}
		r.CPU = cpu
		_ = e.Encode(r)
		if r.Hash == "" {
			os.Exit(1)
		}
	}
}

// programs returns this program under the names of an unmutated engine and of a mutant.
func programs(t *testing.T) (unmutated, mutated string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	for _, name := range []string{"unmutated.exe", "mutated.exe"} {
		at := filepath.Join(dir, name)
		if os.Symlink(self, at) == nil {
			continue
		}
		octets, err := os.ReadFile(self)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(at, octets, 0o755))
	}
	return filepath.Join(dir, "unmutated.exe"), filepath.Join(dir, "mutated.exe")
}

// trialOf returns a trial whose runs have these seeds, and then usual ones without end, and the program of a mutant.
func trialOf(t *testing.T, jobs int, seeds ...uint64) (tr *trial, mutated string, progress *bytes.Buffer) {
	t.Helper()
	progress = &bytes.Buffer{}
	tr = &trial{schedule: &schedule{base: usualSeed}, jobs: jobs, limit: math.MaxInt64, progress: progress}
	for _, s := range seeds {
		tr.schedule.kept = append(tr.schedule.kept, simulated{sim.Held, s})
	}
	tr.program, mutated = programs(t)
	tr.known = map[int]report{}
	return tr, mutated, progress
}

// TestTry: a mutant is caught by the first run that violates something, crashes or does not end, wherever the unmutated engine
// does not do so, too. Kept seeds are every other run.
func TestTry(t *testing.T) {
	for _, c := range []struct {
		name         string
		jobs         int
		seeds        []uint64
		first        int
		rule         string
		differ, same int // of the first runs, which the unmutated engine did
	}{
		{name: "violates", jobs: 1, seeds: []uint64{usualSeed, differs, violates, panics}, first: 4, rule: "hosts", differ: 2, same: 3},
		{name: "at a time", jobs: 4, seeds: []uint64{usualSeed, violates, violates, violates}, first: 2, rule: "hosts", differ: -1},
		{name: "crashes", jobs: 1, seeds: []uint64{panics}, first: 0, rule: "crash", differ: 1},
		{name: "does not end", jobs: 1, seeds: []uint64{usualSeed, endless}, first: 2, rule: "endless", differ: 1, same: 2},
		{name: "not by runs that fail", jobs: 1, seeds: []uint64{always, breaks, always, violates}, first: 6, rule: "hosts", differ: -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, mutated, progress := trialOf(t, c.jobs, c.seeds...)
			if c.differ >= 0 { // or the unmutated engine did nothing before
				all := &campaign{program: tr.program, schedule: tr.schedule, jobs: 1, limit: math.MaxInt64, runs: 2 * len(c.seeds)}
				all.ended = func(i int, r report) bool { tr.note(i, r); return false }
				require.NoError(t, all.do(testkit.Context(t)))
			}
			res, err := tr.try(testkit.Context(t), &mutant{name: c.name}, mutated)
			require.NoError(t, err)
			assert.True(t, res.caught)
			assert.Equal(t, c.first, res.first)
			assert.Equal(t, c.rule, res.report.Rule)
			if c.rule == "crash" {
				assert.Equal(t, "panic: a mutant crashes", res.report.Text)
			}
			if c.differ >= 0 {
				assert.Equal(t, []int{c.differ, c.same}, []int{res.differ, res.same})
			}
			if c.jobs == 1 {
				assert.Equal(t, c.first+1, res.runs)
			}
			if c.seeds[0] == always {
				assert.Contains(t, progress.String(), "mutants: held 3 does not count, because the unmutated engine fails there: told")
			}
		})
	}
}

// TestLimit: a campaign ends when its processor time is used up, and the unmutated engine has as much as a mutant.
func TestLimit(t *testing.T) {
	tr, mutated, progress := trialOf(t, 1, usualSeed, breaks, costly, violates)
	tr.limit = 60 * maxRunTime
	require.NoError(t, tr.unmutated(testkit.Context(t)))
	assert.Len(t, tr.known, 5)
	assert.Equal(t, 1, tr.bad, progress.String())
	assert.Contains(t, progress.String(), "held 7 does not count, because the unmutated engine fails there: crash: panic: an accident")
	assert.Contains(t, progress.String(), "the unmutated engine did 5 runs")
	res, err := tr.try(testkit.Context(t), &mutant{name: "m"}, mutated)
	require.NoError(t, err)
	assert.False(t, res.caught)
	assert.Equal(t, []int{5, 1}, []int{res.runs, res.differ}, "the unmutated engine crashes in one of the runs")
	assert.GreaterOrEqual(t, res.seconds, tr.limit.Seconds())
}

// TestStops: a campaign that is interrupted, or whose program cannot be started, ends with the reason.
func TestStops(t *testing.T) {
	tr, mutated, _ := trialOf(t, 2, usualSeed)
	ctx, stop := context.WithCancel(testkit.Context(t))
	c := &campaign{program: mutated, schedule: tr.schedule, jobs: 2, limit: math.MaxInt64}
	c.ended = func(i int, _ report) bool {
		if i > 10 {
			stop()
		}
		return false
	}
	assert.ErrorIs(t, c.do(ctx), context.Canceled)
	_, err := tr.try(testkit.Context(t), &mutant{}, filepath.Join(t.TempDir(), "none"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
