package dpsp

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestAnyTime drives sessions, hosts that go and requests under way with a clock that stands, jumps to the ends of what
// can be said, and goes back. An engine never panics, never wants to wake before the time it knows, and does not go back.
func TestAnyTime(t *testing.T) {
	t.Parallel()
	extremes := []time.Duration{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, time.Second, time.Hour, endOfTime - 1, endOfTime, endOfTime + 1,
		math.MaxInt64 - 1, math.MaxInt64}
	configs := []Config{{}, {Legacy: true}, {Compatible: true, Tries: math.MaxInt, Probes: math.MaxInt},
		{Period: math.MaxInt64, Reply: math.MaxInt64, Populate: math.MaxInt64}, {Period: math.MinInt64, Reply: -1, Populate: -1}}
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		w, n, _ := session(t, wire.SessionKeepAlive|wire.SessionMigrateHost, 3, configs[seed%5])
		seen := make([]time.Duration, len(n))
		for range 60 {
			i := rnd.IntN(len(n))
			at := extremes[rnd.IntN(len(extremes))]
			if rnd.IntN(2) == 0 {
				at = n[i].wake
			}
			in := Input{}
			switch rnd.IntN(7) {
			case 0:
				in = Input{Kind: StreamClosed, From: n[rnd.IntN(len(n))].stream()}
			case 1:
				in = Input{Kind: Request, Command: CreatePlayer{}}
			case 2:
				in = Input{Kind: StreamEnded, From: n[rnd.IntN(len(n))].stream()}
			}
			out := n[i].Step(at, in)
			now := n[i].Engine.now
			require.GreaterOrEqual(t, now, seen[i], "time does not go back")
			require.LessOrEqual(t, now, endOfTime)
			require.Greater(t, out.Wake, now, "seed %d: no busy loop", seed)
			seen[i] = now
			n[i].wake = out.Wake
		}
		w.queue = nil
	}
}

// TestHostGoneAtTheEndOfTime: a member whose time has come to its end loses its host, and waits for the next one.
func TestHostGoneAtTheEndOfTime(t *testing.T) {
	_, n, _ := session(t, wire.SessionKeepAlive|wire.SessionMigrateHost, 3, Config{})
	for _, now := range []time.Duration{math.MaxInt64, math.MaxInt64, 0} {
		out := n[3].Step(now, Input{Kind: StreamClosed, From: n[0].stream()})
		require.Equal(t, Never, out.Wake)
	}
}
