package pingtimer_test

import (
	"testing"
	"time"

	"dplay4/pingtimer"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

const period = pingtimer.DefaultPeriod

// look checks what a Look says, and that the timer is no busy loop.
func look(t *testing.T, p *pingtimer.Timer[string], now time.Duration, ping, lost []string) {
	t.Helper()
	gotPing, gotLost := p.Look(now)
	assert.Equal(t, ping, append([]string(nil), gotPing...), "to be pinged at %v", now)
	assert.Equal(t, lost, append([]string(nil), gotLost...), "lost at %v", now)
	assert.Greater(t, p.Next(), now)
}

func names(s ...string) []string { return s }

// TestSpecification goes through [MC-DPL4CS] 3.1.6.2 with its values: a ping every 35 seconds, eight without a word.
func TestSpecification(t *testing.T) {
	p := pingtimer.New[string](pingtimer.Config{})
	assert.Equal(t, pingtimer.Never, p.Next(), "nobody to wait for")
	look(t, p, 0, nil, nil)
	require.True(t, p.Add("host", 0))
	assert.Equal(t, 35*time.Second, p.Next())
	for n := range time.Duration(8) {
		look(t, p, (n+1)*period-1, nil, nil)
		look(t, p, (n+1)*period, names("host"), nil)
		assert.Equal(t, (n+2)*period, p.Next())
	}
	_, missed, known := p.Status("host")
	assert.True(t, known)
	assert.Equal(t, 8, missed)
	look(t, p, 9*period-1, nil, nil)
	look(t, p, 9*period, nil, names("host"))
	assert.Equal(t, pingtimer.Never, p.Next())
	look(t, p, 10*period, nil, nil)
	_, _, known = p.Status("host")
	assert.False(t, known)
	assert.Zero(t, p.Len())
}

// TestTick checks the tick count around its wrap.
func TestTick(t *testing.T) {
	p := pingtimer.New[string](pingtimer.Config{Tick: 0xFFFFFFFE})
	for now, want := range map[time.Duration]uint32{
		0: 0xFFFFFFFE, ms - 1: 0xFFFFFFFE, ms: 0xFFFFFFFF, 2 * ms: 0, 3*ms + 999999: 1,
		(1 << 32) * ms: 0xFFFFFFFE, (1<<33 + 5) * ms: 3,
	} {
		assert.Equal(t, want, p.Tick(now), "%v", now)
	}
}

// TestChatter checks that any word counts, when it comes and for how long.
func TestChatter(t *testing.T) {
	p := pingtimer.New[string](pingtimer.Config{Period: time.Second, Probes: 2})
	for _, id := range names("a", "b", "c") {
		require.True(t, p.Add(id, 0))
	}
	assert.True(t, p.Heard("b"))
	assert.True(t, p.Heard("b"))
	chatter, _, _ := p.Status("b")
	assert.EqualValues(t, 2, chatter)
	assert.False(t, p.Heard("x"))
	look(t, p, 1*time.Second, names("a", "c"), nil)
	chatter, _, _ = p.Status("b")
	assert.Zero(t, chatter, "counted from anew")
	look(t, p, 2*time.Second, names("a", "b", "c"), nil)
	assert.True(t, p.Heard("c"), "the last moment")
	look(t, p, 3*time.Second, names("b"), names("a"))
	_, missed, _ := p.Status("c")
	assert.Zero(t, missed, "one word and all is forgiven")
	look(t, p, 4*time.Second, names("c"), names("b"))
	look(t, p, 5*time.Second, names("c"), nil)
	look(t, p, 6*time.Second, nil, names("c"))
}

// TestAnswersKeepAlive has a peer that says nothing by itself, but answers: it is pinged every other period.
func TestAnswersKeepAlive(t *testing.T) {
	p := pingtimer.New[string](pingtimer.Config{})
	p.Add("a", 0)
	pings := 0
	for n := range time.Duration(1000) {
		now := (n + 1) * period
		ping, lost := p.Look(now)
		require.Empty(t, lost)
		pings += len(ping)
		for _, id := range ping {
			require.True(t, p.Heard(id))
		}
	}
	assert.Equal(t, 500, pings)
}

// TestNewHost checks that a new host does not pay for the old one: neither one that joins the watch, nor one that was
// watched all along.
func TestNewHost(t *testing.T) {
	p := pingtimer.New[string](pingtimer.Config{Period: time.Second, Probes: 3})
	p.Add("old", 0)
	for n := range time.Duration(3) {
		look(t, p, (n+1)*time.Second, names("old"), nil)
	}
	require.True(t, p.Remove("old"))
	require.True(t, p.Add("new", 3*time.Second))
	assert.False(t, p.Remove("old"))
	for n := range time.Duration(3) {
		look(t, p, (n+4)*time.Second, names("new"), nil)
	}
	look(t, p, 7*time.Second, nil, names("new"))

	p.Add("a", 8*time.Second)
	p.Add("b", 8*time.Second)
	look(t, p, 9*time.Second, names("a", "b"), nil)
	look(t, p, 10*time.Second, names("a", "b"), nil)
	p.Heard("b")
	p.Restart(10*time.Second + 300*time.Millisecond)
	assert.Equal(t, 11*time.Second+300*time.Millisecond, p.Next())
	for n := range time.Duration(3) {
		look(t, p, 11*time.Second+300*time.Millisecond+n*time.Second, names("a", "b"), nil)
	}
	look(t, p, 14*time.Second+300*time.Millisecond, nil, names("a", "b"))
}

// TestAddDuring checks peers that come in the middle of a period.
func TestAddDuring(t *testing.T) {
	p := pingtimer.New[string](pingtimer.Config{Period: time.Second, Probes: 1})
	p.Add("a", 0)
	assert.False(t, p.Add("a", 0), "twice")
	require.True(t, p.Add("b", 900*time.Millisecond))
	assert.Equal(t, time.Second, p.Next(), "one timer for all")
	look(t, p, time.Second, names("a", "b"), nil)
	look(t, p, 2*time.Second, nil, names("a", "b"))
	require.True(t, p.Add("b", 5*time.Second))
	require.True(t, p.Add("a", 5*time.Second))
	assert.Equal(t, 6*time.Second, p.Next(), "the first one starts the timer")
	look(t, p, 6*time.Second, names("b", "a"), nil)
}

// TestLate checks that a Look which comes late elapses the timer once, and a period begins.
func TestLate(t *testing.T) {
	p := pingtimer.New[string](pingtimer.Config{Period: 10 * time.Second, Probes: 2})
	p.Add("a", 0)
	look(t, p, 19*time.Second, names("a"), nil) // due at 10: late, but less than a period
	_, missed, _ := p.Status("a")
	assert.Equal(t, 1, missed)
	assert.Equal(t, 29*time.Second, p.Next())
	look(t, p, 19*time.Second, nil, nil)
	look(t, p, 29*time.Second, names("a"), nil)
	look(t, p, 48*time.Second, nil, names("a"))
}

// TestSlept checks Looks that come a whole period late or more: silent peers are pinged, but nothing counts, however
// long it was.
func TestSlept(t *testing.T) {
	for _, slept := range []time.Duration{10 * time.Second, 11 * time.Second, 24 * time.Hour, 300 * 24 * time.Hour} {
		p := pingtimer.New[string](pingtimer.Config{Period: 10 * time.Second, Probes: 2})
		p.Add("a", 0)
		p.Add("b", 0)
		look(t, p, 10*time.Second, names("a", "b"), nil)
		look(t, p, 20*time.Second, names("a", "b"), nil)
		p.Heard("b")
		woke := 30*time.Second + slept // due at 30, where a would have been lost
		look(t, p, woke, names("a"), nil)
		_, missed, _ := p.Status("a")
		assert.Equal(t, 2, missed, "as before")
		assert.Equal(t, woke+10*time.Second, p.Next())
		look(t, p, woke+10*time.Second, names("b"), names("a"))

		p.Add("c", woke+10*time.Second)
		for n := range time.Duration(20) { // sleeps all the time
			look(t, p, woke+(n+2)*(20*time.Second+slept), names("b", "c"), nil)
		}
		_, missed, _ = p.Status("c")
		assert.Zero(t, missed)
	}
}

// TestTimeDoesNotGoBack passes earlier times, and the end of time.
func TestTimeDoesNotGoBack(t *testing.T) {
	p := pingtimer.New[string](pingtimer.Config{Period: time.Second, Probes: 3})
	p.Add("a", 10*time.Second)
	look(t, p, 11*time.Second, names("a"), nil)
	for _, now := range []time.Duration{0, -5 * time.Second, -1 << 63, 11*time.Second - 1} {
		look(t, p, now, nil, nil)
		assert.Equal(t, 12*time.Second, p.Next())
	}
	p.Restart(time.Second)
	assert.Equal(t, 12*time.Second, p.Next())
	p.Remove("a")
	p.Add("a", time.Second)
	assert.Equal(t, 12*time.Second, p.Next())
	look(t, p, 12*time.Second, names("a"), nil)
	assert.True(t, p.Heard("a"))

	ping, _ := p.Look(pingtimer.Never)
	assert.Empty(t, ping, "a word was heard")
	assert.Equal(t, pingtimer.Never, p.Next())
	ping, _ = p.Look(pingtimer.Never)
	assert.Empty(t, ping, "nothing comes after the end of time")
	assert.True(t, p.Add("b", pingtimer.Never))
	assert.Equal(t, pingtimer.Never, p.Next())
}

// TestConfig checks what stands for a value that makes no sense.
func TestConfig(t *testing.T) {
	for _, c := range []struct {
		config pingtimer.Config
		period time.Duration
		probes int
	}{
		{pingtimer.Config{}, 35 * time.Second, 8},
		{pingtimer.Config{Period: -1, Probes: -1}, 35 * time.Second, 8},
		{pingtimer.Config{Period: 1, Probes: 1}, time.Millisecond, 1},
		{pingtimer.Config{Period: 2 * time.Second, Probes: 3}, 2 * time.Second, 3},
		{pingtimer.Config{Period: pingtimer.Never, Probes: 3}, pingtimer.Never, 3},
	} {
		p := pingtimer.New[string](c.config)
		p.Add("a", 0)
		assert.Equal(t, c.period, p.Next(), "%+v", c.config)
		if c.period == pingtimer.Never {
			continue
		}
		n := 0
		for lost := false; !lost; n++ {
			ping, gone := p.Look(p.Next())
			lost = len(gone) > 0
			assert.Equal(t, !lost, len(ping) == 1)
		}
		assert.Equal(t, c.probes+1, n, "%+v", c.config)
	}
}

// TestMaxPeers fills a timer, and loses all at once, in order.
func TestMaxPeers(t *testing.T) {
	p := pingtimer.New[uint32](pingtimer.Config{Probes: 1})
	for id := range uint32(pingtimer.MaxPeers) {
		require.True(t, p.Add(id^0x5555, 0))
	}
	assert.False(t, p.Add(1<<20, 0))
	assert.Equal(t, pingtimer.MaxPeers, p.Len())
	require.True(t, p.Remove(7^0x5555))
	require.True(t, p.Add(1<<20, 0))
	ping, _ := p.Look(period)
	require.Len(t, ping, pingtimer.MaxPeers)
	_, lost := p.Look(2 * period)
	require.Len(t, lost, pingtimer.MaxPeers)
	for i, id := range lost[:pingtimer.MaxPeers-1] {
		want := uint32(i)
		if i >= 7 {
			want++
		}
		if id != want^0x5555 {
			t.Fatalf("%d comes as number %d", id, i)
		}
	}
	assert.EqualValues(t, 1<<20, lost[pingtimer.MaxPeers-1])
	assert.Zero(t, p.Len())
}

// TestGrid checks a timer that elapses at fixed times, whoever is watched: peers come in the middle, all of them go, it is
// looked at late.
func TestGrid(t *testing.T) {
	const tick = 7500 * time.Millisecond
	for _, grid := range []time.Duration{2 * time.Second, 2*time.Second + 10*tick, 2*time.Second - 3*tick} {
		p := pingtimer.New[string](pingtimer.Config{Period: tick, Probes: 3, Grid: grid})
		at := func(n int) time.Duration { return 2*time.Second + time.Duration(n)*tick }
		p.Add("a", at(4)+time.Second)
		assert.Equal(t, at(5), p.Next(), "the next place, not a period later")
		p.Heard("a")
		look(t, p, at(5), nil, nil)
		p.Add("b", at(6)-1)
		look(t, p, at(6), names("a", "b"), nil)
		p.Remove("a")
		p.Remove("b")
		assert.Equal(t, pingtimer.Never, p.Next())
		p.Add("c", at(8))
		assert.Equal(t, at(9), p.Next())
		look(t, p, at(9)+tick/3, names("c"), nil)
		assert.Equal(t, at(10), p.Next(), "a little late: it keeps to its places")
		look(t, p, at(10)+2*tick/3, names("c"), nil)
		assert.Equal(t, at(12), p.Next(), "too late for an answer before the next place")
		p.Restart(at(12) + 1)
		assert.Equal(t, at(13), p.Next())
	}
	p := pingtimer.New[string](pingtimer.Config{Period: tick, Grid: 1<<63 - 1})
	p.Add("a", 0)
	assert.Positive(t, p.Next())
	assert.LessOrEqual(t, p.Next(), tick)
}
