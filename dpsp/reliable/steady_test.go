package reliable

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// speed returns kB a second of messages of one frame between our own, over a way of 1 ms and back, and which part of all frames
// were sent again.
func speed(t testing.TB, seed uint64, loss float64, length time.Duration, set func(*end)) (kB, again float64) {
	w := newWorld(t, seed, Config{}, Config{}).ours()
	w.strip = true
	for _, e := range w.ends {
		e.loss, e.delay = loss, 500*time.Microsecond
		set(e)
	}
	n := 0
	w.run(length, func() {
		for len(w.ends[0].link.send.waiting) < 30 {
			w.send(0, Message{Data: numbered(n, 1394), Reliable: true})
			n++
		}
	})
	got := w.ends[1].got
	for i, m := range got {
		if n := binary.LittleEndian.Uint32(m.Data); n != uint32(i) {
			require.Equal(t, uint32(i), n)
		}
	}
	s := w.ends[0].link.Stats()
	return float64(len(got)) * 1.394 / length.Seconds(), float64(s.Repeated) / float64(s.Sent)
}

// speeds returns the least and the most speed of several runs in which a fifth is lost each way.
func speeds(t testing.TB, runs uint64, length time.Duration, set func(*end)) (least, most float64) {
	least = math.Inf(1)
	for seed := range runs {
		kB, _ := speed(t, seed, 0.2, length, set)
		least, most = min(least, kB), max(most, kB)
	}
	return least, most
}

// stopped has the process of an end stop as often.
func stopped(between time.Duration) func(*end) {
	return func(e *end) { e.stalls = &stalls{length: rowed, between: between} }
}

// Where a fifth is lost each way, goodput differs by less than two from run to run, on machines that are kept from running now
// and then as well: round trips are measured although most frames are sent again, and repeats do not become rare.
func TestSteady(t *testing.T) {
	for name, c := range map[string]struct {
		length time.Duration
		set    func(*end)
	}{
		"quiet":          {5 * time.Second, func(*end) {}},
		"stopped seldom": {5 * time.Second, stopped(100 * time.Millisecond)},
		"stopped often":  {10 * time.Second, stopped(5 * time.Millisecond)}, // so that all runs have about as many long stops
	} {
		least, most := speeds(t, testkit.Part(uint64(32)), c.length, c.set)
		t.Logf("%s: %.0f to %.0f kB/s, a factor of %.2f", name, least, most, most/least)
		assert.Less(t, most/least, 2.0, name)
	}
}

// On machines that are kept from running, hardly anything of much is sent again without loss. It takes some seconds because each of
// its runs carries up to 85 MB.
func TestMuchOnBusyMachines(t *testing.T) {
	for _, between := range []time.Duration{5 * time.Millisecond, 100 * time.Millisecond} {
		most := 0.0
		for seed := range testkit.Part(uint64(8)) {
			kB, again := speed(t, seed, 0, 5*time.Second, stopped(between))
			assert.Positive(t, kB)
			most = max(most, again)
		}
		t.Logf("stopped each %v: at most %.2f %% sent again", between, 100*most)
		assert.Less(t, most, mostRepeats)
	}
}
