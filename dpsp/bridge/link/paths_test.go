package link

import (
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A line of a made-up network: how a path does.
type conduct struct {
	rtt    time.Duration
	loss   float64
	dead   bool
	narrow bool // it loses large probes
}

// A madeUp is a carrier that carries nothing.
type madeUp struct{ name string }

func (m *madeUp) send([]byte, netip.AddrPort) {}
func (m *madeUp) direct() bool                { return m.name == "direct" }
func (m *madeUp) String() string              { return m.name }

// A bench runs paths against conducts.
type bench struct {
	t       *testing.T
	paths   paths
	now     time.Time
	conduct map[*path]*conduct
	answers []answer
	random  *rand.Rand
	sent    int
	changes int
}

type answer struct {
	due
	at time.Time
}

func newBench(t *testing.T) *bench {
	return &bench{t: t, now: time.Unix(1000, 0), conduct: map[*path]*conduct{}, random: rand.New(rand.NewPCG(1, 2))}
}

func (b *bench) add(name string, c conduct) (*path, *conduct) {
	p := b.paths.add(route{carrier: &madeUp{name}}, name == "direct", b.random.Uint64(), b.now)
	require.NotNil(b.t, p)
	b.conduct[p] = &c
	return p, &c
}

// run lets time pass.
func (b *bench) run(d time.Duration) {
	for end := b.now.Add(d); ; {
		before := b.paths.current
		for _, s := range b.paths.step(b.now) {
			b.sent++
			if c := b.conduct[s.path]; !c.dead && !(c.narrow && s.large) && b.random.Float64() >= c.loss {
				b.answers = append(b.answers, answer{s, b.now.Add(c.rtt)})
			}
		}
		next := b.paths.wake(end.Add(1))
		for _, a := range b.answers {
			if a.at.Before(next) {
				next = a.at
			}
		}
		if next.After(end) {
			b.now = end
			return
		}
		require.False(b.t, next.Before(b.now), "time goes back")
		b.now = next
		late := b.answers[:0]
		for _, a := range b.answers {
			if a.at.After(b.now) {
				late = append(late, a)
			} else {
				b.paths.answer(a.path, a.sequence, b.now)
			}
		}
		b.answers = late
		if b.paths.current != before {
			b.changes++
		}
	}
}

// TestPathsFirst: the first path that answers is used at once.
func TestPathsFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, _ := b.add("relay", conduct{rtt: 30 * time.Millisecond})
	b.run(20 * time.Millisecond)
	assert.Nil(t, b.paths.current)
	b.run(20 * time.Millisecond)
	assert.Equal(t, p, b.paths.current)
	assert.Equal(t, 30*time.Millisecond, p.rtt)
	assert.Nil(t, b.paths.spare())
}

// TestPathsDirect: a direct path is taken soon, though it is a little slower, and kept.
func TestPathsDirect(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add("relay", conduct{rtt: 30 * time.Millisecond})
	b.run(time.Second)
	p, c := b.add("direct", conduct{rtt: 40 * time.Millisecond})
	b.run(150 * time.Millisecond)
	assert.Equal(t, p, b.paths.current)
	b.changes = 0
	c.rtt = 60 * time.Millisecond
	b.run(time.Minute)
	assert.Zero(t, b.changes)
	c.rtt = 400 * time.Millisecond
	b.run(time.Minute)
	assert.NotEqual(t, p, b.paths.current, "a direct path that is much slower")
}

// TestPathsFail: packets go on another path as well 1.3 s after the one in use fell silent, and go on it alone a second
// later.
// When it answers again it is used again.
func TestPathsFail(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	relay, _ := b.add("relay", conduct{rtt: 30 * time.Millisecond})
	direct, c := b.add("direct", conduct{rtt: 10 * time.Millisecond})
	b.run(10 * time.Second)
	require.Equal(t, direct, b.paths.current)
	c.dead = true
	died := b.now
	for b.paths.spare() == nil {
		b.run(10 * time.Millisecond)
		require.Less(t, b.now.Sub(died), probeCurrent+patience+50*time.Millisecond)
	}
	assert.Equal(t, relay, b.paths.spare())
	b.run(missedMost * patience)
	assert.Equal(t, relay, b.paths.current)
	assert.Nil(t, b.paths.spare())
	c.dead = false
	b.run(probeSilentMax + time.Second)
	assert.Equal(t, direct, b.paths.current)
}

// TestPathsLoss: paths that lose a little are measured and not left.
func TestPathsLoss(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add("relay", conduct{rtt: 20 * time.Millisecond, loss: 0.04})
	p, c := b.add("direct", conduct{rtt: 20 * time.Millisecond, loss: 0.04})
	b.run(10 * time.Second)
	b.changes = 0
	b.run(20 * time.Minute)
	assert.LessOrEqual(t, b.changes, 2)
	assert.Equal(t, p, b.paths.current)
	c.loss = 0.5
	b.run(5 * time.Minute)
	assert.NotEqual(t, p, b.paths.current)
	assert.InDelta(t, 0.5, p.loss(), 0.3)
}

// TestPathsLate: answers that come later than is waited for are answers nonetheless.
func TestPathsLate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, _ := b.add("relay", conduct{rtt: 320 * time.Millisecond})
	b.run(20 * time.Second)
	assert.Equal(t, p, b.paths.current)
	assert.True(t, p.alive)
	b.run(time.Minute)
	assert.Zero(t, p.loss())
	assert.InDelta(t, 320, p.rtt.Milliseconds(), 10)
}

// TestPathsSlow: a way whose round trip becomes much longer is measured as it is, and not taken for one that loses packets.
func TestPathsSlow(t *testing.T) {
	t.Parallel()
	for _, rtt := range []time.Duration{320, 900, 1500, 2000, 3000} {
		rtt *= time.Millisecond
		b := newBench(t)
		p, c := b.add("relay", conduct{rtt: 40 * time.Millisecond})
		b.run(10 * time.Second)
		c.rtt = rtt
		b.run(20 * time.Second)
		for range 60 {
			b.run(time.Second)
			assert.True(t, p.alive, rtt)
		}
		assert.InDelta(t, rtt.Seconds(), p.rtt.Seconds(), 0.05)
		assert.Zero(t, p.loss(), rtt)
		c.rtt = 40 * time.Millisecond
		b.run(2 * time.Minute)
		assert.InDelta(t, 0.04, p.rtt.Seconds(), 0.01)
	}
}

// TestPathsSpare: while a direct way does well the relay is seldom asked, and at once when it may be needed.
func TestPathsSpare(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	relay, _ := b.add("relay", conduct{rtt: 30 * time.Millisecond})
	_, c := b.add("direct", conduct{rtt: 10 * time.Millisecond})
	b.run(time.Minute)
	direct := b.paths.current
	require.True(t, direct.carrier.direct())
	b.sent = 0
	b.run(10 * time.Minute)
	assert.InDelta(t, 600+30, b.sent, 10)
	c.dead = true
	relay.since = b.now
	for asked := relay.since; relay.since == asked; {
		b.run(10 * time.Millisecond)
		require.Less(t, b.now.Sub(asked), probeCurrent+patience+100*time.Millisecond)
	}
}

// TestPathsLarge: every few probes one is as large as what is to pass; a way that loses those is none.
func TestPathsLarge(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, c := b.add("direct", conduct{rtt: 30 * time.Millisecond, narrow: true})
	b.run(time.Minute)
	assert.False(t, p.alive)
	c.narrow = false
	b.run(10 * time.Second)
	assert.True(t, p.alive)
	c.narrow = true
	b.run(largeEvery*probeCurrent + 2*time.Second)
	assert.False(t, p.alive)
}

// TestPathsQuiet: what is sent stays little, also on paths that never answer.
func TestPathsQuiet(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.add("direct", conduct{rtt: time.Millisecond})
	b.add("relay", conduct{rtt: time.Millisecond})
	b.add("direct", conduct{dead: true})
	b.run(time.Minute)
	b.sent = 0
	b.run(time.Minute)
	assert.LessOrEqual(t, b.sent, 60+20+15)
}

// TestPathsForget: paths that were learned are forgotten when they are dead, those that were named are not; there is a bound.
func TestPathsForget(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	named, _ := b.add("direct", conduct{dead: true})
	for range maxPaths - 1 {
		b.add("relay", conduct{dead: true})
	}
	assert.Nil(t, b.paths.add(route{carrier: &madeUp{}}, false, 0, b.now))
	other, _ := b.add("direct", conduct{dead: true})
	assert.Len(t, b.paths.all, maxPaths, "what was learned makes room")
	b.run(forgetAfter + 5*time.Second)
	assert.Equal(t, []*path{named, other}, b.paths.all)
	b.paths.remove(func(*path) bool { return true })
	assert.Nil(t, b.paths.current)
	far := b.now.AddDate(1, 0, 0)
	assert.Equal(t, far, b.paths.wake(far))
}

// TestPathsForged: answers to what was not asked are none.
func TestPathsForged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	p, _ := b.add("relay", conduct{dead: true})
	b.run(time.Second)
	assert.False(t, b.paths.answer(p, p.sequence, b.now))
	assert.False(t, b.paths.answer(p, p.sequence-3, b.now))
	assert.False(t, p.alive)
	b.conduct[p].dead = false
	b.run(time.Second)
	assert.True(t, p.alive)
	assert.False(t, b.paths.answer(p, p.sequence-1, b.now), "the same answer again")
}
