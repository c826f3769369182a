package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
)

// quietly makes a world of two machines for tests of the network: no faults, and steps that engines in no session
// ignore. took gives how many messages arrived.
func quietly(t *testing.T, change func(*Options)) (w *World, p []*process) {
	t.Helper()
	w, p = bare(t, 3)
	w.opt.Delay, w.opt.Jitter, w.opt.Retransmit = 10*time.Millisecond, 0, 20*time.Second
	if change != nil {
		change(&w.opt)
	}
	for _, q := range p {
		q.told.reset()
	}
	return w, p
}

// say sends a datagram, or a message over TCP, that an engine in no session ignores.
func say(w *World, from, to *process, tcp bool) {
	s := dpsp.Outgoing{Transport: dpsp.UDP, To: to.l.stream(), Data: []byte("hello")}
	if tcp {
		s.Transport = dpsp.TCP
	} else {
		s.To = addrOf(to.l, datagramPort)
	}
	w.send(from, &s)
}

// TestDatagrams counts what arrives of many datagrams.
func TestDatagrams(t *testing.T) {
	const n = 2000
	for name, c := range map[string]struct {
		change   func(*Options)
		lo, hi   int
		from, to time.Duration // when the last one arrives
	}{
		"perfect":   {nil, n, n, 10 * time.Millisecond, 11 * time.Millisecond},
		"loss":      {func(o *Options) { o.Faults, o.Loss = Lose, 0.2 }, n * 7 / 10, n * 9 / 10, 0, time.Second},
		"duplicate": {func(o *Options) { o.Faults, o.Duplicate = Repeat, 0.1 }, n * 21 / 20, n * 23 / 20, 0, time.Second},
		"reorder":   {func(o *Options) { o.Faults, o.Reorder = Overtake, 0.1 }, n, n, 60 * time.Millisecond, 120 * time.Millisecond},
		"off":       {func(o *Options) { o.Loss, o.Duplicate, o.Reorder = 0.5, 0.5, 0.5 }, n, n, 0, 11 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			w, p := quietly(t, c.change)
			for range n {
				say(w, p[0], p[1], false)
			}
			var last time.Duration
			for len(w.queue.items) > 0 {
				it, _ := w.queue.next()
				require.GreaterOrEqual(t, it.at, w.now)
				w.now, last = it.at, it.at
				it.do()
			}
			assert.GreaterOrEqual(t, w.res.Messages, c.lo)
			assert.LessOrEqual(t, w.res.Messages, c.hi)
			assert.GreaterOrEqual(t, last, c.from)
			assert.LessOrEqual(t, last, c.to)
			assert.Zero(t, w.inFlight)
		})
	}
}

// TestPartitions sends both ways while one way, or both, are cut.
func TestPartitions(t *testing.T) {
	for name, c := range map[string]struct {
		both   bool
		ab, ba int
	}{"both": {true, 0, 0}, "one way": {false, 0, 1}} {
		t.Run(name, func(t *testing.T) {
			w, p := quietly(t, nil)
			cut := Cut{Senders: []int{0}, Others: []int{1}, Both: c.both}
			w.cutting(&cut, 1)
			say(w, p[0], p[1], false)
			w.loop(time.Second)
			assert.Equal(t, c.ab, w.res.Messages)
			say(w, p[1], p[0], false)
			say(w, p[0], p[2], false)
			w.loop(2 * time.Second)
			assert.Equal(t, c.ab+c.ba+1, w.res.Messages)
			w.cutting(&cut, -1)
			say(w, p[0], p[1], false)
			w.loop(3 * time.Second)
			assert.Equal(t, c.ab+c.ba+2, w.res.Messages)
		})
	}
}

// closed returns when machine A's engine is told that its connection to machine B is gone, 0 for never.
func closed(w *World, until time.Duration) (at time.Duration) {
	w.opt.Trace = true
	w.loop(until)
	for _, m := range w.res.Timeline {
		if m.Kind == "closed" && m.Lane == 0 {
			return m.At
		}
	}
	return 0
}

// oneTrip is how long a packet takes in a world without jitter.
const oneTrip = 10*time.Millisecond + 1

// A streamCase is a way for a connection to end, or not to.
type streamCase struct {
	do       func(w *World, p []*process)
	from, to time.Duration // when the engine is told; 0: never
	arrived  int
}

var streamCases = map[string]streamCase{
	"works": {func(w *World, p []*process) {
		for range 5 {
			say(w, p[0], p[1], true)
		}
	}, 0, 0, 5},
	"refused": {func(w *World, p []*process) {
		w.end(p[1].l, exit)
		say(w, p[0], p[1], true)
	}, 2*oneTrip + grace, 2*oneTrip + grace, 0},
	"nobody there": {func(w *World, p []*process) {
		w.end(p[1].l, powerLoss)
		p[1].l.on = false
		say(w, p[0], p[1], true)
	}, dialTime + grace, dialTime + 2*oneTrip + grace, 0},
	"closed by the peer": {func(w *World, p []*process) {
		say(w, p[0], p[1], true)
		w.loop(time.Second)
		w.end(p[1].l, exit)
	}, time.Second + oneTrip + grace, time.Second + oneTrip + grace, 1},
	"peer lost power, nothing said": {func(w *World, p []*process) {
		say(w, p[0], p[1], true)
		w.loop(time.Second)
		w.end(p[1].l, powerLoss)
		p[1].l.on = false
	}, 0, 0, 1},
	"peer lost power, something said": {func(w *World, p []*process) {
		say(w, p[0], p[1], true)
		w.loop(time.Second)
		w.end(p[1].l, powerLoss)
		p[1].l.on = false
		say(w, p[0], p[1], true)
	}, 20 * time.Second, 31 * time.Second, 1},
	"peer lost power and is back": {func(w *World, p []*process) {
		say(w, p[0], p[1], true)
		w.loop(time.Second)
		w.end(p[1].l, powerLoss)
		p[1].l.proc = &process{l: p[1].l, engine: dpsp.New(dpsp.Config{})}
		say(w, p[0], p[1], true)
	}, time.Second + 2*oneTrip + grace, time.Second + 3*oneTrip + grace, 1},
	"cut for a while": {func(w *World, p []*process) {
		say(w, p[0], p[1], true)
		w.loop(time.Second)
		cut := Cut{Senders: []int{0}, Others: []int{1}, Both: true}
		w.cutting(&cut, 1)
		say(w, p[0], p[1], true)
		w.loop(5 * time.Second)
		w.cutting(&cut, -1)
	}, 0, 0, 2},
	"acknowledgements are cut": {func(w *World, p []*process) {
		say(w, p[0], p[1], true)
		w.loop(time.Second)
		w.cutting(&Cut{Senders: []int{1}, Others: []int{0}}, 1)
		say(w, p[0], p[1], true)
		say(w, p[0], p[1], true)
	}, 20 * time.Second, 31 * time.Second, 2},
	"we closed it": {func(w *World, p []*process) {
		say(w, p[0], p[1], true)
		w.hangUp(p[0].l, p[1].l.stream())
		w.loop(time.Second)
		w.end(p[1].l, exit)
	}, 0, 0, 1},
	"connected again": {func(w *World, p []*process) {
		say(w, p[0], p[1], true)
		w.loop(time.Second)
		w.end(p[1].l, crash)
		p[1].l.proc = &process{l: p[1].l, engine: dpsp.New(dpsp.Config{})}
		w.loop(time.Second + 2*oneTrip)
		say(w, p[0], p[1], true)
	}, time.Second + oneTrip + grace, time.Second + oneTrip + grace, 2}, // it may be another program
	"connected again, and so is the peer": {func(w *World, p []*process) {
		say(w, p[0], p[1], true)
		w.loop(time.Second)
		p[0].l.out[0].fail()
		say(w, p[1], p[0], true)
		say(w, p[0], p[1], true)
	}, 0, 0, 3},
	"stalled": {func(w *World, p []*process) {
		say(w, p[0], p[1], true)
		w.loop(time.Second)
		p[0].l.out[0].hold = 50 * time.Second
		say(w, p[0], p[1], true)
		w.loop(49 * time.Second)
		if w.res.Messages != 1 {
			panic("it came through a stalled connection")
		}
	}, 0, 0, 2},
}

// TestStreams breaks connections in each way, and holds when the engine is told against what systems do.
func TestStreams(t *testing.T) {
	for name, c := range streamCases {
		t.Run(name, func(t *testing.T) {
			w, p := quietly(t, nil)
			c.do(w, p)
			at := closed(w, 5*time.Minute)
			if c.to == 0 {
				assert.Zero(t, at)
			} else {
				assert.GreaterOrEqual(t, at, c.from)
				assert.LessOrEqual(t, at, c.to)
			}
			assert.Equal(t, c.arrived, w.res.Messages)
		})
	}
}

// TestStreamOrder sends many messages over a lossy network with much jitter: TCP delivers all, in order.
func TestStreamOrder(t *testing.T) {
	w, p := quietly(t, func(o *Options) { o.Faults, o.Loss, o.Jitter = Lose, 0.3, 50*time.Millisecond })
	w.opt.Trace = true
	const n = 300
	for i := range n {
		w.send(p[0], &dpsp.Outgoing{Transport: dpsp.TCP, To: p[1].l.stream(), Data: make([]byte, i)})
	}
	w.loop(time.Hour)
	assert.Equal(t, n, w.res.Messages)
	assert.Zero(t, w.inFlight)
}

// TestClocks checks that a wake-up by a clock that runs fast or slow comes when that clock shows the time.
func TestClocks(t *testing.T) {
	for _, rate := range []float64{0.9, 1, 1.1} {
		w, p := quietly(t, nil)
		l := p[0].l
		l.rate = rate
		w.now = 100 * time.Second
		at := l.when(200 * time.Second)
		assert.InDelta(t, 200/rate, at.Seconds(), 1e-6)
		w.now = at
		assert.GreaterOrEqual(t, l.clock(), 200*time.Second)
		assert.Less(t, l.clock(), 200*time.Second+time.Microsecond)
	}
}

// TestFrozen checks that a program that stands still gets everything later, and a machine that sleeps nothing that
// came by UDP.
func TestFrozen(t *testing.T) {
	w, p := quietly(t, nil)
	p[1].l.frozen = true
	say(w, p[0], p[1], false)
	say(w, p[0], p[1], true)
	w.loop(time.Second)
	assert.Len(t, p[1].l.inbox, 2)
	w.resume(p[1].l)
	assert.Empty(t, p[1].l.inbox)
	assert.False(t, p[1].l.frozen)
	w, p = quietly(t, nil)
	p[1].l.asleep = true
	say(w, p[0], p[1], false)
	w.loop(time.Second)
	assert.Zero(t, w.res.Messages)
	assert.Empty(t, p[1].l.inbox)
}

// TestEnumerations checks who is asked: all that host, or the one that the request names.
func TestEnumerations(t *testing.T) {
	w, p := quietly(t, nil)
	ask := dpsp.Outgoing{Transport: dpsp.Ask, To: addrOf(p[1].l, dpsp.EnumPort), Data: []byte("?")}
	w.send(p[0], &ask)
	w.loop(time.Second)
	assert.Zero(t, w.res.Messages, "B does not host")
	p[1].enlisted, p[2].enlisted = true, true
	w.send(p[0], &ask)
	w.loop(2 * time.Second)
	assert.Equal(t, 1, w.res.Messages)
	ask.To = addrOf(p[1].l, dpsp.EnumPort)
	ask.Transport = dpsp.TCP
	w.send(p[0], &ask)
	w.loop(3 * time.Second)
	assert.Equal(t, 2, w.res.Messages, "by TCP")
	ask.Transport = dpsp.Ask
	ask.To = addrOf(&lane{addr: everybody}, dpsp.EnumPort)
	w.send(p[0], &ask)
	w.loop(4 * time.Second)
	assert.Equal(t, 4, w.res.Messages)
}

// TestQueue takes things out in order of time, and of adding where the time is the same.
func TestQueue(t *testing.T) {
	r := source(1, 0)
	var q queue
	var got [][2]int
	for i := range 2000 {
		at := r.IntN(50)
		q.add(time.Duration(at), func() { got = append(got, [2]int{at, i}) })
	}
	for {
		it, ok := q.next()
		if !ok {
			break
		}
		it.do()
	}
	require.Len(t, got, 2000)
	for i := 1; i < len(got); i++ {
		a, b := got[i-1], got[i]
		require.True(t, a[0] < b[0] || a[0] == b[0] && a[1] < b[1], "%v before %v", a, b)
	}
}
