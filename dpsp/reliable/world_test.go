package reliable

import (
	"container/heap"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"dplay4/wire/reliable"

	"github.com/stretchr/testify/require"
)

// A world is two links and a seeded network between them.
type world struct {
	t     *testing.T
	rng   *rand.Rand
	now   time.Duration
	ends  [2]*end
	queue flights
	count int
}

// An end is one side of a link, and the way out of it.
type end struct {
	link  *Link
	wake  time.Duration
	loss  float64
	delay time.Duration
	jit   time.Duration
	dup   float64
	rate  float64 // octets a second, 0: any
	room  int     // octets that wait before it, with a rate
	free  time.Duration
	cut   func(now time.Duration) bool
	drop  func(f *reliable.Frame) bool

	frames, octets int
	log            bool
	got            []arrival
	done           []Done
	learned        []Reading
	lost           bool
}

type arrival struct {
	Message
	at time.Duration
}

type flight struct {
	at    time.Duration
	n     int
	to    int
	octet []byte
}

type flights []flight

func (f flights) Len() int { return len(f) }
func (f flights) Less(i, j int) bool {
	return f[i].at < f[j].at || f[i].at == f[j].at && f[i].n < f[j].n
}
func (f flights) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *flights) Push(x any)   { *f = append(*f, x.(flight)) }
func (f *flights) Pop() any {
	x := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return x
}

// newWorld makes two links with 20 ms between them.
func newWorld(t *testing.T, seed uint64, a, b Config) *world {
	w := &world{t: t, rng: rand.New(rand.NewPCG(seed, 1))}
	a.From, a.To, b.From, b.To = 1, 2, 2, 1
	for i, c := range []Config{a, b} {
		w.ends[i] = &end{link: New(c), delay: 20 * time.Millisecond, wake: Never}
	}
	return w
}

func (w *world) ours() *world {
	w.ends[0].link.Ours()
	w.ends[1].link.Ours()
	return w
}

// step lets one side do what is to be done.
func (w *world) step(i int) {
	e := w.ends[i]
	o := e.link.Step(w.now)
	for _, b := range o.Frames {
		w.fly(i, b)
	}
	for _, m := range o.Messages {
		e.got = append(e.got, arrival{m, w.now})
	}
	e.done = append(e.done, o.Done...)
	e.learned = append(e.learned, o.Learned...)
	e.lost = e.lost || o.Lost
	e.wake = o.Wake
}

// fly sends a frame on its way.
func (w *world) fly(from int, b []byte) {
	e := w.ends[from]
	e.frames++
	e.octets += len(b)
	f, err := reliable.Decode(b)
	require.NoError(w.t, err)
	if e.log {
		fmt.Printf("%9.3f %d> %s id %d seq %d ser %d mask %x n %d lost %v\n", w.now.Seconds()*1000, from, f.Flags, f.MessageID, f.Sequence, f.Serial, f.Mask,
			len(f.Data), f.Lost(nil))
	}
	if e.drop != nil && e.drop(&f) || e.cut != nil && e.cut(w.now) {
		return
	}
	n := 1
	if w.rng.Float64() < e.dup {
		n = 2
	}
	for range n {
		if w.rng.Float64() < e.loss {
			continue
		}
		at := w.now
		if e.rate > 0 {
			if e.free > at && (e.free-at).Seconds()*e.rate > float64(e.room) {
				continue
			}
			e.free = max(at, e.free) + time.Duration(float64(len(b))/e.rate*float64(time.Second))
			at = e.free
		}
		at += e.delay
		if e.jit > 0 {
			at += time.Duration(w.rng.Int64N(int64(e.jit)))
		}
		w.count++
		heap.Push(&w.queue, flight{at, w.count, 1 - from, b})
	}
}

// run lets time pass, calling each before every event.
func (w *world) run(until time.Duration, each func()) {
	for {
		if each != nil {
			each()
		}
		w.step(0)
		w.step(1)
		next := min(w.ends[0].wake, w.ends[1].wake)
		if len(w.queue) > 0 {
			next = min(next, w.queue[0].at)
		}
		if next > until {
			w.now = until
			return
		}
		w.now = max(w.now, next)
		for len(w.queue) > 0 && w.queue[0].at <= w.now {
			f := heap.Pop(&w.queue).(flight)
			frame, err := reliable.Decode(f.octet)
			require.NoError(w.t, err)
			w.ends[f.to].link.Receive(w.now, &frame)
		}
	}
}

// numbered is a message that says which one it is.
func numbered(n, size int) []byte {
	b := make([]byte, max(size, 4))
	binary.LittleEndian.PutUint32(b, uint32(n))
	for i := 4; i < len(b); i++ {
		b[i] = byte(n + i)
	}
	return b
}

// TestGoodput measures one direction under loss.
func TestGoodput(t *testing.T) {
	for _, ours := range []bool{true, false} {
		for _, loss := range []float64{0, 0.01, 0.05, 0.2, 0.4} {
			w := newWorld(t, 1, Config{}, Config{})
			if ours {
				w.ours()
			}
			w.ends[0].loss, w.ends[1].loss = loss, loss
			n := 0
			w.run(20*time.Second, func() {
				for len(w.ends[0].link.send.waiting) < 30 {
					require.NoError(t, w.ends[0].link.Send(Message{Data: numbered(n, 1394), Reliable: true}))
					n++
				}
			})
			s := w.ends[0].link.Stats()
			got := w.ends[1].got
			for i, m := range got {
				require.Equal(t, uint32(i), binary.LittleEndian.Uint32(m.Data))
			}
			t.Logf("ours %v loss %v: %d kB/s, sent/needed %.3f, timeouts %d, other way %+v", ours, loss, len(got)*1394/20000,
				float64(s.Sent)/float64(max(1, len(got))), s.Timeouts, w.ends[1].link.Stats())
		}
	}
}
