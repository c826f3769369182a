package reliable

import (
	"container/heap"
	"math/rand/v2"
	"time"

	"dplay4/wire/reliable"
)

// A way is one direction between two machines.
type way struct {
	loss     float64
	bursts   float64 // how likely a burst of losses begins with a frame
	burst    int     // frames that the burst still takes
	burstEnd time.Duration
	delay    time.Duration
	jit      time.Duration
	dup      float64
	late     float64 // how likely a frame is overtaken by up to 64 others
	rate     float64 // octets a second, 0: any
	room     int     // octets that wait before it, with a rate
	free     time.Duration
	stepAt   time.Duration // when the delay changes
	step     time.Duration
	cutFrom  time.Duration
	cutUntil time.Duration
	drop     func(f *reliable.Frame) bool
	slow     func(*rand.Rand) time.Duration // what is added to the delay; frames stay in order
	last     time.Duration                  // when the last one arrives, with slow

	held []*flight
}

// longestBurst is how long a burst lasts at most: a link that sends a frame a second would end within one of thirty frames.
const longestBurst = 5 * time.Second

// A flight is a frame under way.
type flight struct {
	at    time.Duration
	n     int
	to    int
	octet []byte
	gone  bool
	after int // frames that overtake it
}

type flights []*flight

func (f flights) Len() int { return len(f) }
func (f flights) Less(i, j int) bool {
	return f[i].at < f[j].at || f[i].at == f[j].at && f[i].n < f[j].n
}
func (f flights) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *flights) Push(x any)   { *f = append(*f, x.(*flight)) }
func (f *flights) Pop() any {
	x := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return x
}

// carry takes a frame to an end, or loses it.
func (y *way) carry(w *world, to int, b []byte) {
	if w.now >= y.cutFrom && w.now < y.cutUntil {
		return
	}
	n := 1
	if w.rng.Float64() < y.dup {
		n = 2
	}
	for range n {
		if w.rng.Float64() < y.bursts {
			y.burst, y.burstEnd = 1+w.rng.IntN(30), w.now+longestBurst
		}
		if y.burst > 0 && w.now < y.burstEnd {
			y.burst--
			continue
		}
		if w.rng.Float64() < y.loss {
			continue
		}
		at, ok := y.arrival(w, len(b))
		if !ok {
			continue
		}
		w.count++
		f := &flight{at: at, n: w.count, to: to, octet: b}
		heap.Push(&w.queue, f)
		y.overtake(w, f)
	}
}

// arrival returns when n octets that are sent now arrive, unless the way is full.
func (y *way) arrival(w *world, n int) (at time.Duration, ok bool) {
	at = w.now
	if y.rate > 0 {
		if y.free > at && (y.free-at).Seconds()*y.rate > float64(y.room) {
			return 0, false
		}
		y.free = max(at, y.free) + time.Duration(float64(n)/y.rate*float64(time.Second))
		at = y.free
	}
	at += y.delay
	if y.stepAt != 0 && w.now >= y.stepAt {
		at += y.step
	}
	if y.jit > 0 {
		at += time.Duration(w.rng.Int64N(int64(y.jit)))
	}
	if y.slow != nil {
		y.last = max(y.last, at+y.slow(w.rng))
		at = y.last
	}
	return at, true
}

// overtake has frames that wait be overtaken by another one, and maybe that one by others.
func (y *way) overtake(w *world, f *flight) {
	left := y.held[:0]
	for _, h := range y.held {
		if h.after--; h.after > 0 {
			left = append(left, h)
			continue
		}
		if !h.gone && h.at > f.at {
			w.count++
			heap.Push(&w.queue, &flight{at: f.at, n: w.count, to: h.to, octet: h.octet})
			h.gone = true
		}
	}
	y.held = left
	if w.rng.Float64() < y.late {
		f.at += time.Second // if no others come
		heap.Init(&w.queue)
		f.after = 1 + w.rng.IntN(64)
		y.held = append(y.held, f)
	}
}
