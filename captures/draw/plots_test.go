package draw

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestRates counts messages in buckets of time that grow: nothing is lost when two become one.
func TestRates(t *testing.T) {
	r := newRates()
	r.add(-time.Second, 1, 10) // a clock that was set back
	r.add(0, 1, 10)
	r.add(150*ms, 1, 30)
	r.add(150*ms, 2, 7)
	d := r.data([]int{9, 0, 1}, 2)
	assert.Equal(t, rateData{Step: .1, X: []float64{.05, .15000000000000002}, Lanes: []int{0, 1},
		Messages: [][]float64{{20, 10}, {0, 10}}, Octets: [][]float64{{200, 300}, {0, 70}}}, d)

	for i := range 5000 {
		r.add(time.Duration(i)*time.Second, 1, 2)
	}
	r.add(5000*time.Second, 2, 1)
	assert.Equal(t, firstBucket<<8, r.step, "240 of 25.6 s hold 5000 s")
	d = r.data([]int{9, 0, 0}, 1)
	require.Len(t, d.Messages, 1, "two sockets of one machine")
	messages, octets := 0., 0.
	for i := range d.X {
		messages += d.Messages[0][i] * d.Step
		octets += d.Octets[0][i] * d.Step
	}
	assert.InDelta(t, 4+5000+1, messages, 1e-6)
	assert.InDelta(t, 57+10000+1, octets, 1e-6)
	r.add(290*365*24*time.Hour, 1, 1) // as long as a duration can be
	assert.LessOrEqual(t, r.used, maxBuckets)
}

// TestTrips matches replies with pings: the same tick of another machine, a repeated ping and a reply to nothing do
// not count.
func TestTrips(t *testing.T) {
	s := newScript(Options{})
	s.say(0, alice, bob, 36, &wire.Ping{Tick: 5}).say(ms, bob, alice, 36, &wire.Ping{Tick: 5}).say(ms, alice, bob, 36, &wire.Ping{Tick: 5})
	s.say(3*ms, bob, alice, 36, &wire.PingReply{Tick: 5})        // after 5 ms
	s.say(ms, bob, alice, 36, &wire.PingReply{Tick: 5})          // to nothing
	s.say(4*ms, alice, bob, 36, &wire.PingReply{Tick: 5})        // after 9 ms
	s.say(time.Second, carol, bob, 36, &wire.PingReply{Tick: 5}) // to nobody
	s.say(0, alice, bob, 36, &wire.Ping{Tick: 6}).say(7*ms, bob, alice, 36, &wire.PingReply{Tick: 6})
	d := s.b.Diagram()
	lines := s.r.trips.lines(d.lanes)
	require.Len(t, lines, 2)
	assert.Equal(t, []float64{5, 7}, lines[0].MS)
	assert.Equal(t, []float64{.005, 1.017}, lines[0].T)
	assert.Equal(t, [2]int{0, 1}, [2]int{lines[0].From, lines[0].To})
	assert.Equal(t, []float64{9}, lines[1].MS)
	assert.Equal(t, [2]int{1, 0}, [2]int{lines[1].From, lines[1].To})
}

// TestTripsBounded: of too many round trips the longer one of two neighbours stays.
func TestTripsBounded(t *testing.T) {
	v := newTrips()
	for i := range 3 * maxTrips {
		took := ms
		if i == 7777 {
			took = time.Second
		}
		v.keep([2]int{1, 2}, trip{time.Duration(i) * ms, took})
	}
	assert.LessOrEqual(t, v.count, maxTrips)
	assert.Equal(t, 16, v.every, "the oldest were halved four times")
	longest := 0.
	for _, x := range v.lines([]int{0, 0, 1})[0].MS {
		longest = max(longest, x)
	}
	assert.Equal(t, 1000., longest, "a peak is not thinned out")

	many := newTrips()
	for i := range 2*maxTrips + 2 {
		many.keep([2]int{i, i + 1}, trip{0, ms}) // a pair each
	}
	assert.LessOrEqual(t, many.count, maxTrips)
}
