package reliable

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
	"dplay4/wire/reliable"
)

// stalls keep a process from running, as other processes do on a busy machine.
type stalls struct {
	length  func(*rand.Rand) time.Duration // of the next one
	between time.Duration                  // the mean time that the process runs
	until   time.Duration                  // when that changes
	stopped bool
	socket  []*flight // what came meanwhile
}

func (s *stalls) change() time.Duration { return s.until }

// resume stops or continues a process. Its timer runs first then, and each datagram has a step of its own.
func (w *world) resume(i int) {
	e := w.ends[i]
	s := e.stalls
	if w.now < s.until {
		return
	}
	if !s.stopped {
		s.stopped, s.until = true, w.now+s.length(w.rng)
		return
	}
	s.stopped, s.until = false, w.now+time.Duration(w.rng.ExpFloat64()*float64(s.between))
	if e.touched || e.wake <= w.now {
		w.step(i)
	}
	came := s.socket
	s.socket = nil
	for _, f := range came {
		w.arrive(f)
		w.step(i)
	}
}

// rowed are the times that acknowledgments took on a machine with eight busy processes a core: 1 ms at the median, 45 ms at 95
// %, 182 ms at worst.
func rowed(rng *rand.Rand) time.Duration {
	between := func(part, from, to float64) time.Duration {
		return time.Duration(math.Exp(math.Log(from)+part*(math.Log(to)-math.Log(from))) * float64(time.Millisecond))
	}
	switch p := rng.Float64(); {
	case p < 0.5:
		return between(p/0.5, 0.3, 1)
	case p < 0.95:
		return between((p-0.5)/0.45, 1, 45)
	default:
		return between((p-0.95)/0.05, 45, 182)
	}
}

// chatter has both ends of a world without loss send a message every 55 ms, as in the recording, and returns how many Data
// frames of all were sent again.
func chatter(t *testing.T, w *world, n int) float64 {
	for i := range n {
		for end := range w.ends {
			if w.ends[end].link != nil {
				w.send(end, Message{Data: numbered(i, 10), Reliable: true})
			}
		}
		w.run(w.now+55*time.Millisecond, nil)
	}
	w.run(w.now+10*time.Second, nil)
	needed, repeated := 0, 0
	for i, e := range w.ends {
		if e.link == nil {
			continue
		}
		if other := w.ends[i^1]; other.link != nil {
			require.Len(t, other.got, n)
		}
		needed += e.link.Stats().Needed
		repeated += e.link.Stats().Repeated
	}
	require.GreaterOrEqual(t, needed, n)
	return float64(repeated) / float64(needed+repeated)
}

// mostRepeats is how much of what is sent may be sent again without loss.
const mostRepeats = 0.02

// Acknowledgments that come late, and processes that are kept from running, lose nothing: hardly anything is sent again.
func TestBusyMachines(t *testing.T) {
	seldom := func(rng *rand.Rand) time.Duration { return 20*time.Millisecond + rowed(rng) }
	for name, busy := range map[string]func(*world){
		"acknowledgments late": func(w *world) {
			for _, e := range w.ends {
				e.slow = rowed
			}
		},
		"both stopped often": func(w *world) {
			for _, e := range w.ends {
				e.stalls = &stalls{length: rowed, between: 5 * time.Millisecond}
			}
		},
		"one stopped often": func(w *world) { w.ends[0].stalls = &stalls{length: rowed, between: 5 * time.Millisecond} },
		"both stopped seldom, for long": func(w *world) {
			for _, e := range w.ends {
				e.stalls = &stalls{length: seldom, between: 200 * time.Millisecond}
			}
		},
	} {
		for _, ours := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, ours %v", name, ours), func(t *testing.T) {
				sum, most := 0.0, 0.0
				runs := testkit.Part(uint64(10))
				n := 0.0
				for seed := range runs {
					w := newWorld(t, seed, Config{}, Config{Options: Options{NoNACK: !ours}})
					if w.strip = true; ours {
						w.ours()
					}
					for _, e := range w.ends {
						e.delay = 200 * time.Microsecond
					}
					busy(w)
					part := chatter(t, w, 1000)
					sum, most, n = sum+part, max(most, part), n+1
				}
				t.Logf("%.2f %% sent again, at most %.2f %%", 100*sum/n, 100*most)
				assert.Less(t, most, mostRepeats)
			})
		}
	}
}

// The timeout has grown enough after a few late acknowledgments: of 300 messages in the first 17 seconds hardly any is sent again.
func TestBusyFromTheStart(t *testing.T) {
	sum := 0.0
	for seed := range uint64(40) {
		w := newWorld(t, seed, Config{}, Config{}).ours()
		w.strip = true
		for _, e := range w.ends {
			e.slow, e.delay = rowed, 200*time.Microsecond
		}
		sum += chatter(t, w, 300)
	}
	t.Logf("%.2f %% sent again", 100*sum/40)
	assert.Less(t, sum/40, mostRepeats)
}

// A process that was kept from running for long sends nothing again, though its timer runs before it reads the acknowledgments
// that came meanwhile.
func TestStoppedForLong(t *testing.T) {
	for _, ours := range []bool{true, false} {
		w := newWorld(t, 1, Config{}, Config{Options: Options{NoNACK: !ours}})
		if w.strip = true; ours {
			w.ours()
		}
		w.ends[0].stalls = &stalls{between: time.Second, length: func(rng *rand.Rand) time.Duration {
			return 300*time.Millisecond + time.Duration(rng.IntN(700))*time.Millisecond
		}}
		for i := range 1000 {
			w.send(0, Message{Data: numbered(i, 10), Reliable: true})
			w.run(w.now+55*time.Millisecond, nil)
		}
		w.run(w.now+10*time.Second, nil)
		require.Len(t, w.ends[1].got, 1000)
		repeated := w.ends[0].link.Stats().Repeated
		t.Logf("ours %v: %d of 1000 sent again", ours, repeated)
		assert.Less(t, repeated, 20)
	}
}

// A late peer keeps its acknowledgments for a while.
type late struct {
	wait    func(now time.Duration) time.Duration
	bytes   uint32
	answers []lateAnswer
}

type lateAnswer struct {
	at time.Duration
	f  reliable.Frame
}

func (m *late) idle() bool { return len(m.answers) == 0 }

func (m *late) take(now time.Duration, f *reliable.Frame) {
	if f.Kind() != reliable.KindData {
		return
	}
	m.bytes += f.Counted()
	at := now + m.wait(now)
	if n := len(m.answers); n > 0 {
		at = max(at, m.answers[n-1].at)
	}
	m.answers = append(m.answers, lateAnswer{at, reliable.Frame{
		Flags: reliable.ACK | f.Flags&reliable.RLY, MessageID: f.MessageID, Sequence: f.Sequence, Serial: f.Serial, BytesReceived: m.bytes,
	}})
}

func (m *late) step(now time.Duration) (out []reliable.Frame, wake time.Duration) {
	for len(m.answers) > 0 && m.answers[0].at <= now {
		out = append(out, m.answers[0].f)
		m.answers = m.answers[1:]
	}
	if len(m.answers) == 0 {
		return out, Never
	}
	return out, m.answers[0].at
}

// A peer that keeps its acknowledgments is not taken for a network that loses.
func TestDelayedACKs(t *testing.T) {
	n := 0
	for name, wait := range map[string]func(now time.Duration) time.Duration{
		"200 ms": func(time.Duration) time.Duration { return 200 * time.Millisecond },
		"until a timer of 200 ms": func(now time.Duration) time.Duration {
			return (now/(200*time.Millisecond)+1)*200*time.Millisecond - now
		},
		"150 ms now and then": func(time.Duration) time.Duration {
			if n++; n%7 == 0 {
				return 150 * time.Millisecond
			}
			return 0
		},
	} {
		w := against(t, 0, &late{wait: wait})
		w.ends[0].delay, w.ends[1].delay = 200*time.Microsecond, 200*time.Microsecond
		part := chatter(t, w, 1000)
		t.Logf("%s: %.2f %% sent again", name, 100*part)
		assert.Less(t, part, mostRepeats, name)
	}
}

// No time that is taken for a round trip is one of a lost frame or acknowledgment: on a way that takes the same time always and
// loses a fifth, none is longer between our own.
func TestTimesAreExact(t *testing.T) {
	for _, ours := range []bool{true, false} {
		most := time.Millisecond
		if !ours { // an ACK names the last frame before a gap whatever comes, and of several in a row any can be lost
			most = 40 * time.Millisecond
		}
		for _, size := range []int{10, 1394, 5000} {
			for _, every := range []time.Duration{0, 3 * time.Millisecond, 55 * time.Millisecond} {
				for seed := range testkit.Part(uint64(8)) {
					w := newWorld(t, seed, Config{}, Config{Options: Options{NoNACK: !ours}})
					if w.strip = true; ours {
						w.ours()
					}
					for _, e := range w.ends {
						e.delay, e.loss = 500*time.Microsecond, 0.2
					}
					for i := range 300 {
						w.send(0, Message{Data: numbered(i, size), Reliable: true})
						if w.run(w.now+every, nil); w.now > 5*time.Second {
							break
						}
					}
					w.run(w.now+2*time.Second, nil)
					assert.LessOrEqual(t, w.ends[0].link.path.slowest.value(), most, "ours %v, size %d, every %v", ours, size, every)
				}
			}
		}
	}
}

// mended returns how long single messages take whose first frame is lost, on a quiet way of 1 ms and back.
func mended(t *testing.T, w *world, ours bool) []time.Duration {
	if ours {
		w.ours()
	}
	for _, e := range w.ends {
		e.delay = 500 * time.Microsecond
	}
	lose := false
	w.ends[0].drop = func(f *reliable.Frame) bool {
		drop := lose && f.Kind() == reliable.KindData
		lose = lose && !drop
		return drop
	}
	sent := map[uint32]time.Duration{}
	first := len(w.ends[1].got)
	for i := range 400 {
		if lose = i%10 == 9; lose {
			sent[uint32(1e6+i)] = w.now
		}
		w.send(0, Message{Data: numbered(1e6+i, 10), Reliable: true})
		w.run(w.now+55*time.Millisecond, nil)
	}
	var took []time.Duration
	for _, m := range w.ends[1].got[first:] {
		if at, ok := sent[binary.LittleEndian.Uint32(m.Data)]; ok {
			took = append(took, m.at-at)
		}
	}
	require.Len(t, took, 40)
	slices.Sort(took)
	return took
}

// What is lost on a quiet way is sent again as soon as ever: after a round trip and ten milliseconds. After the machine was
// busy that takes longer for a while, and then no longer.
func TestRepairOnQuietWay(t *testing.T) {
	const soon = time.Millisecond + leastTimeout
	for _, ours := range []bool{true, false} {
		w := newWorld(t, 1, Config{}, Config{Options: Options{NoNACK: !ours}})
		took := mended(t, w, ours)
		t.Logf("ours %v: median %v, at most %v; %.2f times a round trip and ten milliseconds", ours, took[20], took[39],
			float64(took[39])/float64(soon))
		assert.Less(t, took[39], soon*3/2)

		w = newWorld(t, 1, Config{}, Config{Options: Options{NoNACK: !ours}})
		if ours {
			w.ours()
		}
		for _, e := range w.ends {
			e.slow, e.delay = rowed, 200*time.Microsecond
		}
		chatter(t, w, 1000)
		for _, e := range w.ends {
			e.slow, e.got = nil, nil
		}
		at := w.now
		mended(t, w, ours)
		took = mended(t, w, ours)
		t.Logf("%v after a busy time: median %v, at most %v", w.now-at, took[20], took[39])
		assert.Less(t, took[39], soon*3/2)
	}
}
