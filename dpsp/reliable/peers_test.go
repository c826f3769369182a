package reliable

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"dplay4/internal/testkit"
	"dplay4/wire/reliable"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// against makes a link with a peer that is not ours, and loss each way.
func against(t *testing.T, loss float64, peers ...model) *world {
	w := newWorld(t, 7, Config{}, Config{})
	w.ends = nil
	path := &Path{}
	for _, m := range peers {
		a, b := &way{delay: 20 * time.Millisecond, loss: loss}, &way{delay: 20 * time.Millisecond, loss: loss}
		l := New(Config{From: 1, To: 2, Path: path})
		w.ends = append(w.ends, &end{link: l, way: a, wake: Never}, &end{model: m, way: b, wake: Never})
	}
	return w
}

// settle lets loss end, and everything arrive.
func (w *world) settle() {
	w.t.Helper()
	for _, e := range w.ends {
		e.loss, e.drop = 0, nil
	}
	for range 60 {
		if w.quiet() {
			return
		}
		w.run(w.now+10*time.Second, nil)
	}
	for _, e := range w.ends {
		if e.link != nil {
			w.t.Log(e.link.state())
		}
	}
	require.Fail(w.t, "not quiet")
}

// inOrder wants reliable messages 0 to n-1 that came, each once and in order, and unreliable ones at most once.
func inOrder(t *testing.T, got []arrival, n int) {
	t.Helper()
	want := 0
	seen := map[uint32]bool{}
	for _, m := range got {
		k := binary.LittleEndian.Uint32(m.Data)
		require.False(t, seen[k], "%d twice", k)
		seen[k] = true
		require.Equal(t, numbered(int(k), len(m.Data)), m.Data)
		if m.Reliable {
			require.Equal(t, want, int(k))
			want++
		}
	}
	require.Equal(t, n, want)
}

// Peers that read the open questions in other ways (facts, reliable 8): nothing hangs, is lost or comes twice, and what they do
// is noted.
func TestReadings(t *testing.T) {
	for _, c := range []struct {
		name    string
		first   uint8
		two     bool
		running bool
		learned []Reading
		not     []Reading
	}{
		{"one space", 1, false, false, []Reading{OneSpace, Always1}, []Reading{TwoSpaces, FromZero, Running, NACKs}},
		{"two spaces", 1, true, false, []Reading{TwoSpaces, Always1}, []Reading{FromZero, Running}},
		{"running sequences", 1, false, true, []Reading{Running}, []Reading{FromZero, TwoSpaces}},
		{"ids from 0", 0, false, false, []Reading{FromZero}, []Reading{TwoSpaces, Running}},
	} {
		for _, loss := range []float64{0, 0.1} {
			t.Run(c.name, func(t *testing.T) {
				o := newOther(c.first)
				o.two, o.running = c.two, c.running
				w := against(t, loss, o)
				const n = 400
				rly := 0
				for i := range n {
					m := Message{Data: numbered(1<<20+i, 20), Reliable: i%3 != 1}
					if m.Reliable {
						m.Data = numbered(rly, 4+i%5*600)
						rly++
					}
					o.queue = append(o.queue, m)
					w.send(0, Message{Data: numbered(i, 4+i%7*400), Reliable: true})
				}
				w.ends[1].touched = true
				w.run(20*time.Second, nil)
				w.settle()
				require.False(t, w.ends[0].lost)
				inOrder(t, w.ends[0].got, rly)
				require.Len(t, o.got, n)
				for i, b := range o.got {
					require.Equal(t, numbered(i, 4+i%7*400), b)
				}
				for _, r := range c.learned {
					assert.Contains(t, w.ends[0].learned, r, "%v", r)
				}
				for _, r := range c.not {
					assert.NotContains(t, w.ends[0].learned, r, "%v", r)
				}
			})
		}
	}
}

// One space of messageids for all links of a machine (D2).
func TestOneForAll(t *testing.T) {
	a, b := newOther(1), newOther(1)
	b.ids = a.ids
	w := against(t, 0.05, a, b)
	const n = 120
	for i := range n {
		at := time.Duration(i) * 30 * time.Millisecond
		w.run(at, nil)
		a.queue = append(a.queue, Message{Data: numbered(i, 20), Reliable: true})
		w.ends[1].touched = true
		if i%2 == 0 {
			b.queue = append(b.queue, Message{Data: numbered(i/2, 20), Reliable: true})
			w.ends[3].touched = true
		}
	}
	w.run(w.now+20*time.Second, nil)
	w.settle()
	inOrder(t, w.ends[0].got, n)
	inOrder(t, w.ends[2].got, n/2)
	assert.True(t, w.ends[0].link.Learned(OneForAll) || w.ends[2].link.Learned(OneForAll))
	last := w.ends[0].got[n-1]
	assert.Less(t, last.at, 20*time.Second, "each hole cost a second")
}

// A train is the host of section 10: it has no window and repeats nothing, acknowledges each frame with EOM or SAK, drops
// what is out of sequence, delivers repeats again and mixes up what is interleaved.
type train struct {
	buffer  []byte
	next    uint8
	id      uint8
	bytes   uint32
	answers []reliable.Frame
	got     [][]byte
}

func (m *train) idle() bool { return len(m.answers) == 0 }

func (m *train) take(now time.Duration, f *reliable.Frame) {
	m.bytes += f.Counted() // ACKs are counted as well
	if f.Flags&reliable.EXT != 0 || f.Kind() != reliable.KindData {
		return
	}
	if f.Flags&reliable.STA != 0 {
		m.buffer, m.id, m.next = nil, f.MessageID, f.Sequence
	}
	if f.MessageID != m.id || f.Sequence != m.next {
		return
	}
	m.next++
	m.buffer = append(m.buffer, f.Data...)
	if f.Flags&reliable.EOM != 0 {
		m.got = append(m.got, m.buffer)
		m.buffer, m.id = nil, m.id+1
	}
	if f.Flags&(reliable.EOM|reliable.SAK) != 0 {
		m.answers = append(m.answers, reliable.Frame{
			Flags: reliable.ACK | f.Flags&reliable.RLY, MessageID: f.MessageID, Sequence: f.Sequence, Serial: f.Serial,
			BytesReceived: m.bytes,
		})
	}
}

func (m *train) step(time.Duration) (out []reliable.Frame, wake time.Duration) {
	out, m.answers = m.answers, nil
	return out, Never
}

// The host of section 10 gets every message of one frame at least once, and holds nothing up.
func TestTrain(t *testing.T) {
	for _, loss := range []float64{0, 0.1, 0.3} {
		m := &train{}
		w := against(t, loss, m)
		for i := range 300 {
			w.send(0, Message{Data: numbered(i, 20), Reliable: true})
		}
		w.run(60*time.Second, nil)
		w.settle()
		require.False(t, w.ends[0].lost)
		seen := map[uint32]bool{}
		for _, b := range m.got {
			seen[binary.LittleEndian.Uint32(b)] = true
		}
		assert.Len(t, seen, 300, "loss %v", loss)
		if loss == 0 {
			assert.Len(t, m.got, 300)
			assert.Zero(t, w.ends[0].link.Stats().Repeated)
		}
	}
}

// A busy train takes frames as they came, but now and then a while later.
type busyTrain struct {
	train
	rng   *rand.Rand
	inbox []reliable.Frame
	until time.Duration
}

func (m *busyTrain) idle() bool { return len(m.inbox) == 0 && m.train.idle() }

func (m *busyTrain) take(_ time.Duration, f *reliable.Frame) { m.inbox = append(m.inbox, *f) }

func (m *busyTrain) step(now time.Duration) (out []reliable.Frame, wake time.Duration) {
	for now >= m.until && len(m.inbox) > 0 {
		m.train.take(now, &m.inbox[0])
		m.inbox = m.inbox[1:]
		if m.rng.IntN(20) == 0 {
			m.until = now + time.Duration(m.rng.IntN(100))*time.Millisecond
		}
	}
	out, _ = m.train.step(now)
	if len(m.inbox) > 0 {
		return out, m.until
	}
	return out, Never
}

// A long message arrives whole at the host of section 10 although that is busy now and then: a first frame that is sent again
// without need has it throw away what it put together, which it had acknowledged.
func TestBusyTrain(t *testing.T) {
	for seed := range testkit.Part(uint64(40)) {
		m := &busyTrain{rng: rand.New(rand.NewPCG(seed, 2))}
		w := against(t, 0, m)
		const room = defaultFrame - 2 - dataHeader
		sizes := []int{3, 24, 100, 300}
		for i, n := range sizes {
			w.send(0, Message{Data: numbered(i, n*room), Reliable: true})
		}
		w.run(20*time.Second, nil)
		w.settle()
		require.False(t, w.ends[0].lost, "seed %d", seed)
		whole := map[int]bool{}
		for _, b := range m.got {
			whole[len(b)/room] = true
		}
		for _, n := range sizes {
			assert.True(t, whole[n], "seed %d: %d frames", seed, n)
		}
	}
}

// What the options say is sent, and nothing is lost by it; without them every frame has RLY, and sequences begin at 1.
func TestOptions(t *testing.T) {
	for name, o := range map[string]Options{
		"default": {}, "loose": {Loose: true}, "running": {Running: true}, "all": {Loose: true, Shared: true, Running: true, NoNACK: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 3, Config{Options: o}, Config{Options: o})
			loose, later, nacks := 0, 0, 0
			for _, e := range w.ends {
				e.loss = 0.05
				e.seen = func(f *reliable.Frame) {
					switch {
					case f.Kind() == reliable.KindNACK:
						nacks++
					case f.Kind() != reliable.KindData:
					case f.Flags&reliable.RLY == 0:
						loose++
					case f.Flags&reliable.STA != 0 && f.Sequence != reliable.FirstSequence:
						later++
					}
				}
			}
			const n = 200
			for i := range n {
				w.send(0, Message{Data: numbered(i, 20), Reliable: true})
				w.send(0, Message{Data: numbered(1<<20+i, 20)})
				w.run(w.now+10*time.Millisecond, nil)
			}
			w.settle()
			inOrder(t, slices.DeleteFunc(w.ends[1].got, func(m arrival) bool { // which RLY does not tell from the others
				return binary.LittleEndian.Uint32(m.Data) >= 1<<20
			}), n)
			assert.Equal(t, o.Loose, loose > n/2, "%d without RLY", loose)
			assert.Equal(t, o.Running, later > n/2, "%d begin later", later)
			assert.Equal(t, !o.NoNACK, nacks > 0)
		})
	}
}

// A message of several frames gets its turn among steady short ones, of either kind, with a peer that may mix messages up.
func TestLongAmongShort(t *testing.T) {
	for _, long := range []bool{false, true} { // reliable
		w := newWorld(t, 5, Config{}, Config{Options: Options{NoNACK: true}})
		arrived := time.Duration(0)
		for i := range 1000 {
			w.send(0, Message{Data: numbered(1<<20+i, 20), Reliable: !long})
			if i == 50 || i == 60 {
				w.send(0, Message{Data: numbered(i, 3000), Reliable: long})
				w.send(0, Message{Data: numbered(i, 3000), Reliable: !long})
			}
			w.run(w.now+20*time.Millisecond, nil)
		}
		n := 0
		for _, m := range w.ends[1].got {
			if len(m.Data) == 3000 {
				n, arrived = n+1, m.at
			}
		}
		assert.Equal(t, 4, n)
		assert.Less(t, arrived, 2*time.Second)
	}
}

// What is sent from its beginning when the way was cut does not make a peer one that acknowledges what it did not get, nor is one that
// is gone waited for longer.
func TestAnewAfterCut(t *testing.T) {
	for _, size := range []int{20, 3000, 14000, 30000} {
		for _, back := range []bool{true, false} {
			w := newWorld(t, 5, Config{}, Config{Options: Options{NoNACK: true}})
			w.send(0, Message{Data: numbered(0, 20), Reliable: true})
			w.run(time.Second, nil)
			w.send(0, Message{Data: numbered(1, size), Reliable: true})
			for _, e := range w.ends {
				if e.cutFrom, e.cutUntil = time.Second, Never; back {
					e.cutUntil = 5 * time.Second
				}
			}
			w.run(33*time.Second, nil)
			assert.Equal(t, !back, w.ends[0].lost, "%d octets", size)
			if back {
				w.settle()
				inOrder(t, w.ends[1].got, 2)
				assert.False(t, w.ends[0].link.Learned(AcksHoles), "%d octets", size)
			}
		}
	}
}

// A missing messageid before a later message is waited for, but not for ever, though sequences that run may show that it is a
// reliable one: the peer may count unreliable ones as well.
func TestMissingInRunning(t *testing.T) {
	for _, wait := range []time.Duration{0, 3 * time.Second} {
		l := New(Config{Options: Options{HoleWait: wait}})
		if wait == 0 {
			wait = holeWait
		}
		now := time.Duration(0)
		came := 0
		frame := func(id, sequence uint8, serial int, rly reliable.Flags) {
			f := reliable.Frame{Flags: reliable.CMD | reliable.STA | reliable.EOM | rly, MessageID: id, Sequence: sequence, Serial: uint8(serial)}
			l.Receive(now, &f)
			came += len(l.Step(now).Messages)
		}
		frame(1, 1, 0, 0)
		frame(2, 2, 0, reliable.RLY)
		for i := range 150 {
			frame(4, 4, i, reliable.RLY)
			if now += 500 * time.Millisecond; now < surelyMissing*wait {
				require.Less(t, came, 3)
			}
		}
		assert.Equal(t, 3, came)
	}
}
