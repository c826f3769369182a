package plan

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	oneSeed = flag.Uint64("seed", 0, "run this one seed, with a trace")
	seeds   = flag.Uint64("seeds", 20, "how many seeds to run, besides those that failed once")
	base    = flag.Uint64("base", 1, "the first of them")
)

// failedSeeds reads testdata/failed-seeds.txt. A line is a seed, and what it found.
func failedSeeds(t *testing.T) (all []uint64) {
	t.Helper()
	text, err := os.ReadFile("testdata/failed-seeds.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word != "" && word[0] != '#' {
			seed, err := strconv.ParseUint(word, 10, 64)
			require.NoError(t, err, line)
			all = append(all, seed)
		}
	}
	return all
}

// each runs the seeds, or of those that never failed each nth one, as many at a time as there are processors, and says which failed.
func each(t *testing.T, nth uint64, run func(seed uint64) (wrong []string)) {
	t.Helper()
	t.Parallel()
	all := failedSeeds(t)
	for i := uint64(0); i < *seeds; i += nth {
		all = append(all, *base+i)
	}
	if *oneSeed != 0 {
		all = []uint64{*oneSeed}
	}
	next := make(chan uint64, len(all))
	for _, seed := range all {
		next <- seed
	}
	close(next)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for seed := range next {
				if wrong := run(seed); len(wrong) > 0 {
					t.Errorf("go test ./dpsp/bridge/plan -run '^%s$' -seed %d\n\t%s", t.Name(), seed, strings.Join(wrong, "\n\t"))
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d seeds, the first one %d", len(all), *base)
}

// fault does something to the world that happens to sessions.
func (w *world) fault() {
	all := w.alive()
	some := all[w.random.IntN(len(all))]
	switch w.random.IntN(12) {
	case 0, 1, 2:
		if len(all) < 10 {
			c := Config{}
			if w.random.IntN(4) == 0 { // a game that runs already
				c.Ports = At(w.random.IntN(4))
				if w.random.IntN(2) == 0 {
					c.Ports.UDP++
				}
			}
			w.add(c)
		}
	case 3:
		if len(all) > 1 {
			w.trace("%s leaves", some.name)
			some.step(Leave{})
		}
	case 4:
		if len(all) > 1 {
			w.crash(some)
		}
	case 5, 6:
		other := all[w.random.IntN(len(all))]
		w.trace("%s and %s are cut off", some.name, other.name)
		w.block(some, other)
	case 7:
		w.trace("split")
		for i, a := range all {
			for _, b := range all[:i] {
				if a.id[7]&1 != b.id[7]&1 {
					w.block(a, b)
				}
			}
		}
	case 8, 9:
		w.trace("mended")
		w.mend()
	case 10, 11:
		asleep := w.random.IntN(2) == 0
		w.trace("%s is away, asleep %v", some.name, asleep)
		w.leave(some, asleep)
	}
}

// simulate runs a session of some minutes with faults, and says what is wrong when they are over.
func simulate(seed uint64, trace bool) []string {
	w := newWorld(seed)
	start := w.now
	if trace {
		w.trace = func(format string, args ...any) {
			fmt.Printf("%8.3f ", w.now.Sub(start).Seconds())
			fmt.Printf(format+"\n", args...)
		}
	}
	w.add(Config{Found: true, Ask: w.random.IntN(3) == 0})
	for range 20 + w.random.IntN(40) {
		w.run(w.between(10*time.Millisecond, 10*time.Second))
		if len(w.alive()) == 0 {
			break
		}
		w.fault()
	}
	w.trace("the end of faults")
	w.mend()
	w.run(2 * time.Minute)
	return w.wrongInTheEnd()
}

// TestSimulation runs many sessions. "make long" runs 300 from the seed BASE on, in "make nightly" those of the day: a seed that
// fails belongs into testdata/failed-seeds.txt.
func TestSimulation(t *testing.T) {
	each(t, 1, func(seed uint64) []string { return simulate(seed, *oneSeed != 0) })
}

// TestSameInputsSameOutputs runs a seed twice.
func TestSameInputsSameOutputs(t *testing.T) {
	run := func() (trace []string) {
		w := newWorld(7)
		w.trace = func(format string, args ...any) {
			trace = append(trace, fmt.Sprint(w.now.UnixNano(), fmt.Sprintf(format, args...)))
		}
		w.add(Config{Found: true})
		for range 30 {
			w.run(w.between(10*time.Millisecond, 10*time.Second))
			w.fault()
		}
		return append(trace, fmt.Sprint(w.count))
	}
	first := run()
	require.NotEmpty(t, first)
	assert.Equal(t, first, run())
}

// TestNewcomersComeIn holds that without faults everybody comes in within moments, on the lowest slot.
func TestNewcomersComeIn(t *testing.T) {
	if os.Getenv("DPLAY_LONG") == "" {
		t.Skip("fifty machines take twenty seconds; set DPLAY_LONG=1")
	}
	w := newWorld(1)
	w.add(Config{Found: true})
	for i := range Slots - 1 {
		m := w.add(Config{})
		w.run(3 * time.Second)
		require.Equal(t, Place{i + 1, At(i + 1)}, m.placed)
	}
	assert.Empty(t, w.wrongInTheEnd())
	late := w.add(Config{})
	w.run(3 * time.Second)
	assert.Equal(t, &End{Reason: Full}, late.end)
	w.machines[7].step(Leave{})
	w.run(2 * time.Second)
	m := w.add(Config{})
	w.run(3 * time.Second)
	assert.Equal(t, 7, m.placed.Slot, "the only one, though it rests")
	assert.Empty(t, w.wrongInTheEnd())
}
