package reliable

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"dplay4/wire/reliable"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	simSeed  = flag.Uint64("sim.seed", 0, "run this seed alone")
	simTrace = flag.Bool("sim.trace", false, "print every frame")
	simRuns  = flag.Uint64("sim.runs", 0, "how many seeds to run")
)

// A play is one run of the simulator: what a seed says is sent, on what ways, and what came of it.
type play struct {
	w        *world
	what     string
	anyOrder bool
	late     [2]time.Duration // when an end learns that the other is ours; 0: at once; -1: never
	start    time.Duration
	calm     time.Duration // when loss ends
	long     bool          // the way was cut for so long that the link may end
	next     [2]time.Duration
	every    [2]time.Duration
	size     [2]int
	mixed    [2]float64  // how many are unreliable
	sent     [2][]issued // by number
	octets   [2]int
	limit    int // of octets, so that a slow way is done in time
	budget   [2]*Budget
	most     [2]int
}

type issued struct {
	rly  bool
	size int
}

// TestSimulator draws some plays, with DPLAY_LONG thousands.
func TestSimulator(t *testing.T) {
	runs := uint64(40)
	switch {
	case *simSeed != 0:
		draw(t, *simSeed).check(t)
		return
	case *simRuns != 0:
		runs = *simRuns
	case os.Getenv("DPLAY_LONG") != "" && !raced: // a play has but one goroutine
		runs = 2000
	}
	for seed := uint64(1); seed <= runs; seed++ {
		p := draw(t, seed)
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { p.w.t = t; p.check(t) }) {
			t.Log(p.what)
		}
	}
}

// draw makes a play out of a seed.
func draw(t *testing.T, seed uint64) *play {
	p := &play{}
	a, b := Config{}, Config{}
	w := newWorld(t, seed, a, b)
	rng := w.rng
	one := func(of ...float64) float64 { return of[rng.IntN(len(of))] }
	for i := range 2 {
		y := w.ends[i].way
		y.loss = one(0, 0, 0.01, 0.05, 0.1, 0.2, 0.4)
		y.bursts = one(0, 0, 0, 0.005)
		y.dup = one(0, 0, 0.02, 0.3)
		y.late = one(0, 0, 0.01, 0.1)
		y.delay = time.Duration(one(0, 0.1, 1, 20, 20, 60, 150, 500) * float64(time.Millisecond))
		y.jit = time.Duration(one(0, 0, 0.1, 1) * float64(y.delay)) // with more, frames pass for new ones: see the package
		y.rate, y.room = one(0, 0, 0, 20e3, 200e3), 64<<10
		if rng.IntN(4) == 0 {
			y.stepAt = time.Duration(rng.Int64N(int64(10 * time.Second)))
			y.step = time.Duration(rng.Int64N(int64(300 * time.Millisecond)))
		}
	}
	start := time.Duration(rng.Int64N(int64(1000 * time.Hour)))
	w.now = start
	p.calm = start + time.Duration(one(2, 5, 10)*float64(time.Second))
	if rng.IntN(4) == 0 {
		from := start + time.Duration(rng.Int64N(int64(5*time.Second)))
		length := time.Duration(one(1, 3, 10, 20, 60) * float64(time.Second))
		both := rng.IntN(2) == 0
		for i := range 2 {
			if both || i == 0 {
				w.ends[i].cutFrom, w.ends[i].cutUntil = from, from+length
			}
		}
		p.long = length > 15*time.Second
		p.calm = max(p.calm, from+length)
	}
	p.anyOrder = rng.IntN(3) == 0
	budget := []int{1 << 20, 8 << 20, 64 << 20}[rng.IntN(3)]
	frame := int(one(0, 0, 64, 200, 1400))
	p.limit = 400_000
	if frame == 64 || frame == 200 {
		p.limit = 40_000
	}
	foreign := rng.IntN(3) == 0
	for i := range 2 {
		p.budget[i] = &Budget{Max: budget}
		c := Config{From: uint16(1 + i), To: uint16(2 - i), Tick: math.MaxUint32 - uint32(rng.IntN(3000)), AnyOrder: p.anyOrder,
			MaxFrame: frame, Options: Options{NoNACK: foreign && rng.IntN(4) == 0}, Budget: p.budget[i], Path: w.ends[i].link.path}
		w.ends[i].link = New(c)
		w.ends[i].wake = Never
		p.next[i] = start
		p.every[i] = time.Duration(one(0, 1, 10, 50, 300) * float64(time.Millisecond))
		p.size[i] = int(one(4, 100, 1390, 5000, 60000))
		p.mixed[i] = one(0, 0.5, 0.95, 1)
		if rng.IntN(4) == 0 {
			p.next[i] = Never
		}
		p.late[i] = time.Duration(one(0, 0, 1500)) * time.Millisecond
	}
	if foreign {
		p.late = [2]time.Duration{-1, -1}
	}
	p.start = start
	if rng.IntN(2) == 0 {
		w.nearWrap(uint32(rng.IntN(20000)))
	}
	if p.w = w; *simTrace {
		for i, e := range w.ends {
			e.seen = trace(i, w)
		}
	}
	p.what = fmt.Sprintf("ways %+v %+v, any order %v, ours at %v, options %+v %+v, frames of %d, budget %d, every %v, sizes %v, unreliable %v",
		*w.ends[0].way, *w.ends[1].way, p.anyOrder, p.late, w.ends[0].link.cfg.Options, w.ends[1].link.cfg.Options, frame, budget, p.every, p.size, p.mixed)
	return p
}

// trace prints what an end sends.
func trace(i int, w *world) func(f *reliable.Frame) {
	start := w.now
	return func(f *reliable.Frame) {
		fmt.Printf("%10.3f %d> %s id %d seq %d ser %d n %d lost %v received %d\n", (w.now-start).Seconds()*1000, i, f.Flags,
			f.MessageID, f.Sequence, f.Serial, len(f.Data), f.Lost(nil), f.BytesReceived)
	}
}

// nearWrap has both directions so many octets before the wrap of bytes received.
func (w *world) nearWrap(before uint32) {
	for _, e := range w.ends {
		e.link.send.total, e.link.send.received, e.link.receive.bytes = -before, -before, -before
	}
}

// marked is message number n of a play.
func (p *play) marked(i, n int, s issued) []byte {
	b := numbered(n, s.size)
	b[3] = byte(i << 1)
	if s.rly {
		b[3] |= 1
	}
	return b
}

// more sends what is due.
func (p *play) more() {
	w := p.w
	for i, e := range w.ends {
		if at := p.late[i]; at >= 0 && w.now >= p.start+at {
			p.know(i)
		}
		for w.now < p.calm && p.next[i] <= w.now && !e.lost {
			if len(p.sent[i]) == 1500 || p.octets[i] > p.limit {
				p.next[i] = Never
				break
			}
			if p.every[i] == 0 && len(e.link.send.waiting)+len(e.link.send.fleeting) > 20 {
				break
			}
			s := issued{w.rng.Float64() >= p.mixed[i], 4 + w.rng.IntN(p.size[i])}
			if w.rng.IntN(100) == 0 {
				s.size *= 10
			}
			s.size = min(s.size, p.limit)
			m := Message{Data: p.marked(i, len(p.sent[i]), s), Reliable: s.rly, Token: uint64(len(p.sent[i]) + 1)}
			if w.rng.IntN(50) == 0 {
				m.Deadline = w.now + 300*time.Millisecond
			}
			if e.link.Send(m) != nil {
				p.next[i] = w.now + 10*time.Millisecond
				break
			}
			e.touched = true
			p.octets[i] += s.size
			p.sent[i] = append(p.sent[i], s)
			p.next[i] += p.every[i]
		}
		if p.next[i] > w.now && w.now < p.calm && !e.lost {
			e.wake = min(e.wake, p.next[i])
		}
		p.most[i] = max(p.most[i], p.budget[i].Held())
	}
}

// know tells an end that the other is ours.
func (p *play) know(i int) {
	if e := p.w.ends[i]; !e.link.ours {
		e.link.Ours()
		e.touched = true
	}
}

// check runs a play, and looks whether it kept what the protocol promises.
func (p *play) check(t *testing.T) {
	w := p.w
	w.run(p.calm, p.more)
	w.calm()
	for i, at := range p.late {
		if at >= 0 { // it may be that nothing happened since
			p.know(i)
		}
	}
	for range 120 { // liveness: all that was sent arrives
		if w.quiet() {
			break
		}
		w.run(w.now+15*time.Second, nil)
	}
	lost := w.ends[0].lost || w.ends[1].lost
	if lost {
		require.True(t, p.long, "the link ended: %s\n%s\n%s", p.what, w.ends[0].link.state(), w.ends[1].link.state())
	} else {
		require.True(t, w.quiet(), "not quiet: %s\n%s\n%s", p.what, w.ends[0].link.state(), w.ends[1].link.state())
	}
	for i := range 2 {
		p.judge(t, i, lost)
		assert.LessOrEqual(t, p.most[i], p.budget[i].Max)
		if !lost {
			assert.Zero(t, p.budget[i].Held(), "held when nothing is under way: %s", p.what)
		}
	}
	if lost {
		return
	}
	before := w.ends[0].frames + w.ends[1].frames
	w.run(w.now+10*time.Minute, nil)
	assert.Equal(t, before, w.ends[0].frames+w.ends[1].frames, "frames on an idle link")
}

// judge looks at what one end sent, and the other got.
func (p *play) judge(t *testing.T, from int, lost bool) {
	e := p.w.ends[from]
	told := map[uint64]error{}
	for _, d := range e.done {
		_, twice := told[d.Token]
		require.False(t, twice, "token %d is done twice: %s", d.Token, p.what)
		told[d.Token] = d.Err
	}
	got := make([]int, len(p.sent[from]))
	last := -1
	for _, m := range p.w.ends[1-from].got {
		require.GreaterOrEqual(t, len(m.Data), 4)
		n := int(binary.LittleEndian.Uint32(m.Data) & 0xffffff)
		require.Less(t, n, len(p.sent[from]), "never sent: %s", p.what)
		s := p.sent[from][n]
		require.Equal(t, p.marked(from, n, s), m.Data, "changed on the way: %s", p.what)
		got[n]++
		require.Equal(t, 1, got[n], "message %d twice: %s", n, p.what)
		if s.rly {
			require.True(t, m.Reliable)
			if !p.anyOrder {
				require.Greater(t, n, last, "order: %s", p.what)
			}
			last = n
		}
	}
	for n, s := range p.sent[from] {
		err, ok := told[uint64(n+1)]
		if lost {
			continue
		}
		require.True(t, ok, "nothing was said of message %d: %s", n, p.what)
		if s.rly && err == nil {
			require.Equal(t, 1, got[n], "message %d of %d was not delivered: %s", n, len(got), p.what)
		}
		if s.rly && err != nil {
			require.ErrorIs(t, err, ErrTimeout)
		}
		if err != nil {
			require.Zero(t, got[n], "message %d was given up, and came", n)
		}
	}
}

// state says what a link waits for.
func (l *Link) state() string {
	s, r := &l.send, &l.receive
	sends := fmt.Sprintf("waiting %d, fleeting %d, begun %v %v, out %d, in flight %d, next %d, running %v, under way %d of %d, paced %v",
		len(s.waiting), len(s.fleeting), s.bulk != nil, s.fleet != nil, len(s.out), len(s.inFlight), s.next, s.running,
		l.path.underway, l.path.window, s.paced)
	receives := fmt.Sprintf("passed %d, ahead %d, hole %+v, ack %+v, nack %+v", r.passed, len(r.ahead), r.hole, r.ack, r.nack)
	return fmt.Sprintf("sends: %s; receives: %s; %+v", sends, receives, l.stats)
}
