package pingtimer_test

import (
	"testing"
	"time"

	"dplay4/pingtimer"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

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

// TestRoundTrip measures answers, with the tick count wrapping in between.
func TestRoundTrip(t *testing.T) {
	for _, base := range []uint32{0, 227787, 0xFFFFFFFF, 0xFFFFFFFF - 1000, 0xFFFFFFFF - 1005, 1 << 31} {
		p := pingtimer.New[string](pingtimer.Config{Period: time.Second, Tick: base})
		p.Add("a", 0)
		s, _ := p.Status("a")
		assert.Equal(t, pingtimer.Status{}, s)
		look(t, p, time.Second, names("a"), nil)
		trip, known := p.Answer("a", p.Tick(time.Second), time.Second+10*ms+500*time.Microsecond)
		assert.True(t, known)
		assert.Equal(t, 10*ms+500*time.Microsecond, trip, "tick counts from %#x: exact", base)
		s, _ = p.Status("a")
		assert.Equal(t, pingtimer.Status{Chatter: 1, Measured: true, Last: trip, Smoothed: trip}, s)

		_, known = p.Answer("a", p.Tick(time.Second), time.Second+20*ms)
		assert.False(t, known, "a second answer to one ping")
		s, _ = p.Status("a")
		assert.EqualValues(t, 2, s.Chatter, "is a word all the same")
		assert.Equal(t, trip, s.Last)

		look(t, p, 2*time.Second, nil, nil)
		look(t, p, 3*time.Second, names("a"), nil)
		_, known = p.Answer("a", p.Tick(3*time.Second), 3*time.Second+90*ms+500*time.Microsecond)
		assert.True(t, known)
		s, _ = p.Status("a")
		assert.Equal(t, 90*ms+500*time.Microsecond, s.Last)
		assert.Equal(t, 20*ms+500*time.Microsecond, s.Smoothed, "seven eighths of 10.5 and one of 90.5")
	}
}

// TestAnswersCross checks answers that come after the next ping was sent, and answers to no ping at all.
func TestAnswersCross(t *testing.T) {
	for _, base := range []uint32{0, 0xFFFFFFFF - 1500} {
		p := pingtimer.New[string](pingtimer.Config{Period: time.Second, Tick: base})
		p.Add("a", 0)
		for n := range time.Duration(3) {
			look(t, p, (n+1)*time.Second, names("a"), nil)
		}
		now := 3*time.Second + 200*ms
		for _, wrong := range []uint32{p.Tick(time.Second) - 1, p.Tick(3*time.Second) + 1, p.Tick(now), p.Tick(now) + 1,
			p.Tick(now) + 1<<31, 0xABCDEF01} {
			_, known := p.Answer("a", wrong, now)
			assert.False(t, known, "tick %#x", wrong)
		}
		trip, known := p.Answer("a", p.Tick(time.Second), now)
		assert.True(t, known)
		assert.Equal(t, 2200*ms, trip, "of the first of three")
		_, known = p.Answer("a", p.Tick(time.Second), now)
		assert.False(t, known, "once only")
		_, known = p.Answer("a", p.Tick(2*time.Second), now)
		assert.False(t, known, "its answer was overtaken")
		trip, known = p.Answer("a", p.Tick(3*time.Second), now+100*ms)
		assert.True(t, known)
		assert.Equal(t, 300*ms, trip)
		_, known = p.Answer("a", p.Tick(3*time.Second), now+100*ms)
		assert.False(t, known)
	}
}

// TestAnswerAfterChatter checks that other words between a ping and its answer do not spoil the measurement, and that a
// ping which was never answered does not make older counts believable for ever.
func TestAnswerAfterChatter(t *testing.T) {
	p := pingtimer.New[string](pingtimer.Config{Period: time.Second})
	p.Add("a", 0)
	look(t, p, time.Second, names("a"), nil)
	p.Heard("a")
	trip, known := p.Answer("a", p.Tick(time.Second), time.Second+30*ms)
	assert.True(t, known)
	assert.Equal(t, 30*ms, trip)

	look(t, p, 2*time.Second, nil, nil)
	look(t, p, 3*time.Second, names("a"), nil)
	p.Heard("a") // and no answer
	look(t, p, 4*time.Second, nil, nil)
	look(t, p, 5*time.Second, names("a"), nil)
	_, known = p.Answer("a", p.Tick(3*time.Second), 5*time.Second+10*ms)
	assert.False(t, known, "it was heard since: that ping is given up")
}

// TestAnswerOfStrangers checks answers that nothing can be made of.
func TestAnswerOfStrangers(t *testing.T) {
	p := pingtimer.New[string](pingtimer.Config{})
	_, known := p.Answer("x", 0, 0)
	assert.False(t, known)
	p.Add("a", 0)
	_, known = p.Answer("a", 0, 0)
	assert.False(t, known, "it was never pinged")
	s, _ := p.Status("a")
	assert.EqualValues(t, 1, s.Chatter)
	_, known = p.Status("x")
	require.False(t, known)
}
