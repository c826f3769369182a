package reliable

import (
	"bytes"
	"container/heap"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"dplay4/wire/reliable"

	"github.com/stretchr/testify/require"
)

// A world is pairs of links and a seeded network between them: the ends 0 and 1 are one pair, 2 and 3 the next.
type world struct {
	t     testing.TB
	rng   *rand.Rand
	now   time.Duration
	ends  []*end
	queue flights
	count int
	strip bool // nothing is watched: for measuring
}

// An end is one side of a link, and the way out of it.
type end struct {
	*way
	link    *Link
	model   model // instead of a link
	wake    time.Duration
	touched bool // something was sent or came: Step is due
	stepped time.Duration
	spins   int // steps in a row at one time that nothing called for
	watch   watcher
	stalls  *stalls // the process is kept from running now and then

	frames, octets int
	seen           func(f *reliable.Frame) // what it sends
	got            []arrival
	done           []Done
	learned        []Reading
	lost           bool
}

type arrival struct {
	Message
	at time.Duration
}

// A model is a peer that is not ours, written after the facts. Its clock is the world's.
type model interface {
	take(now time.Duration, f *reliable.Frame)
	step(now time.Duration) (out []reliable.Frame, wake time.Duration)
	idle() bool
}

// newWorld makes two links with 20 ms between them.
func newWorld(t testing.TB, seed uint64, a, b Config) *world {
	w := &world{t: t, rng: rand.New(rand.NewPCG(seed, 1))}
	a.From, a.To, b.From, b.To = 1, 2, 2, 1
	w.pair(a, b, &way{delay: 20 * time.Millisecond}, &way{delay: 20 * time.Millisecond})
	return w
}

// pair adds two links, with the ways from the one to the other and back.
func (w *world) pair(a, b Config, there, back *way) {
	w.ends = append(w.ends, &end{link: New(a), way: there, wake: Never}, &end{link: New(b), way: back, wake: Never})
}

// ours has all ends know that the others are ours.
func (w *world) ours() *world {
	for _, e := range w.ends {
		e.link.Ours()
	}
	return w
}

// send has an end send a message.
func (w *world) send(i int, m Message) {
	if err := w.ends[i].link.Send(m); err != nil {
		require.NoError(w.t, err)
	}
	w.ends[i].touched = true
}

// step lets an end do what is to be done.
func (w *world) step(i int) {
	e := w.ends[i]
	if e.model != nil {
		out, wake := e.model.step(w.now)
		for _, f := range out {
			f.From, f.To = uint16(2-i%2), uint16(1+i%2)
			b, err := f.Append(nil)
			require.NoError(w.t, err)
			w.fly(i, b)
		}
		e.wake, e.touched = wake, false
		return
	}
	o := e.link.Step(w.now)
	for _, b := range o.Frames {
		w.fly(i, bytes.Clone(b))
	}
	for _, m := range o.Messages {
		e.got = append(e.got, arrival{m, w.now})
		if *simTrace {
			fmt.Printf("%d got % x\n", i, m.Data[:min(4, len(m.Data))])
		}
	}
	e.done = append(e.done, o.Done...)
	e.learned = append(e.learned, o.Learned...)
	e.lost = e.lost || o.Lost
	if e.spins++; e.touched || e.stepped < w.now {
		e.spins = 0
	}
	if e.spins >= 20 { // require would take longer than the step
		require.Fail(w.t, "a busy loop", "%d wants to be called again and again", i)
	}
	e.wake, e.touched, e.stepped = o.Wake, false, w.now
}

// fly sends a frame on its way.
func (w *world) fly(from int, b []byte) {
	e := w.ends[from]
	e.frames++
	e.octets += len(b)
	if !w.strip || e.seen != nil || e.drop != nil {
		f, err := reliable.Decode(b)
		require.NoError(w.t, err)
		if !w.strip && e.model == nil {
			e.watch.sent(w.t, &f, e.link.ours)
		}
		if e.seen != nil {
			e.seen(&f)
		}
		if e.drop != nil && e.drop(&f) {
			return
		}
	}
	e.carry(w, from^1, b)
}

// run lets time pass, calling each before every event.
func (w *world) run(until time.Duration, each func()) {
	for {
		if each != nil {
			each()
		}
		next := Never
		for i, e := range w.ends {
			if e.stalls != nil {
				w.resume(i)
				if next = min(next, e.stalls.change()); e.stalls.stopped {
					continue
				}
			}
			if e.touched || e.wake <= w.now {
				w.step(i)
			}
			next = min(next, max(e.wake, w.now))
		}
		if len(w.queue) > 0 {
			next = min(next, w.queue[0].at)
		}
		if next > until {
			w.now = until
			return
		}
		w.now = max(w.now, next)
		for len(w.queue) > 0 && w.queue[0].at <= w.now {
			if f := heap.Pop(&w.queue).(*flight); !f.gone {
				w.arrive(f)
			}
		}
	}
}

// arrive gives a frame to the end that it is for.
func (w *world) arrive(f *flight) {
	frame, err := reliable.Decode(f.octet)
	if err != nil {
		require.NoError(w.t, err)
	}
	e := w.ends[f.to]
	if e.stalls != nil && e.stalls.stopped {
		e.stalls.socket = append(e.stalls.socket, f)
		return
	}
	if e.model != nil {
		e.model.take(w.now, &frame)
		e.touched = true
		return
	}
	if !w.strip {
		e.watch.came(&frame, e.link.ours)
	}
	e.link.Receive(w.now, &frame)
	if *simTrace {
		fmt.Printf("       %d < %s id %d seq %d ser %d\n", f.to, frame.Flags, frame.MessageID, frame.Sequence, frame.Serial)
	}
	e.touched = true
}

// quiet reports whether nothing is under way and nobody waits for anything.
func (w *world) quiet() bool {
	for _, e := range w.ends {
		if e.model != nil && !e.model.idle() || e.model == nil && (e.touched || e.wake != Never || !e.link.Idle()) {
			return false
		}
	}
	return len(w.queue) == 0
}

// calm lets all ways lose nothing more.
func (w *world) calm() {
	for _, e := range w.ends {
		e.loss, e.dup, e.late, e.bursts, e.drop = 0, 0, 0, 0, nil
		e.cutFrom, e.cutUntil = 0, 0
	}
}
