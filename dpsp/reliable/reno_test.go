package reliable

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// A reno is a model of TCP's congestion control, Reno with the fast recovery of RFC 6582, over a way that loses by a seed:
// segments of one size, an ACK for each, no window of the receiver, a time-out of 200 ms at least, as Linux has it. There is
// no SACK.
type reno struct {
	rng    *rand.Rand
	loss   float64
	delay  time.Duration // one way
	now    time.Duration
	queue  events
	count  int
	ready  func(n int) time.Duration // when segment n can be sent
	window float64
	thresh float64
	una    int // the first segment that is not acknowledged
	next   int
	most   int // the first that was never sent
	same   int // ACKs in a row for una
	until  int // fast recovery ends when this is acknowledged; 0: none
	mean   time.Duration
	dev    time.Duration
	wait   time.Duration
	due    time.Duration
	sent   map[int]time.Duration // segments that were sent once
	came   map[int]bool
	order  int             // the segment that the receiver waits for
	times  []time.Duration // when each was delivered
}

type event struct {
	at     time.Duration
	n      int // of the events
	number int // the segment, or what the receiver waits for
	ack    bool
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].n < e[j].n
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	x := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return x
}

func newReno(seed uint64, loss float64, delay time.Duration, ready func(int) time.Duration) *reno {
	return &reno{
		rng: rand.New(rand.NewPCG(seed, 2)), loss: loss, delay: delay, ready: ready, window: 10, thresh: 1 << 20,
		wait: time.Second, due: Never, sent: map[int]time.Duration{}, came: map[int]bool{},
	}
}

// run lets time pass.
func (r *reno) run(until time.Duration) {
	for {
		wake := r.due
		for r.next-r.una < int(r.window) {
			if at := r.ready(r.next); at > r.now {
				wake = min(wake, at)
				break
			}
			r.send(r.next)
			r.next++
		}
		wake = min(wake, r.due)
		if len(r.queue) > 0 {
			wake = min(wake, r.queue[0].at)
		}
		if wake > until {
			return
		}
		r.now = max(r.now, wake)
		if r.due <= r.now {
			r.timeout()
			continue
		}
		for len(r.queue) > 0 && r.queue[0].at <= r.now {
			if e := heap.Pop(&r.queue).(event); e.ack {
				r.acked(e.number)
			} else {
				r.arrive(e.number)
			}
		}
	}
}

func (r *reno) fly(number int, ack bool) {
	if r.rng.Float64() >= r.loss {
		r.count++
		heap.Push(&r.queue, event{r.now + r.delay, r.count, number, ack})
	}
}

func (r *reno) send(n int) {
	if n >= r.most {
		r.most = n + 1
		r.sent[n] = r.now
	} else {
		delete(r.sent, n)
	}
	if r.due == Never {
		r.due = r.now + r.wait
	}
	r.fly(n, false)
}

// arrive is the receiver.
func (r *reno) arrive(n int) {
	if n >= r.order {
		r.came[n] = true
	}
	for r.came[r.order] {
		delete(r.came, r.order)
		r.times = append(r.times, r.now)
		r.order++
	}
	r.fly(r.order, true)
}

func (r *reno) acked(n int) {
	switch {
	case n < r.una:
	case n == r.una && r.next > r.una:
		switch r.same++; {
		case r.until != 0:
			r.window++
		case r.same == 3:
			r.thresh = max(float64(r.next-r.una)/2, 2)
			r.window, r.until = r.thresh+3, r.next
			r.send(r.una)
		}
	case n > r.una:
		r.sample(n)
		partial := r.until != 0 && n < r.until
		r.window = max(1, r.window-float64(n-r.una)+1)
		switch {
		case partial:
		case r.until != 0:
			r.window, r.until = r.thresh, 0
		case r.window+float64(n-r.una)-1 < r.thresh:
			r.window += float64(n - r.una)
		default:
			r.window += float64(n-r.una) - 1 + 1/r.window
		}
		r.una, r.next, r.same = n, max(r.next, n), 0
		if r.due = Never; r.next > r.una {
			r.due = r.now + r.wait
		}
		if partial {
			r.send(r.una)
		}
	}
}

// sample measures the round trip of the newest segment that is acknowledged, if it was sent once.
func (r *reno) sample(n int) {
	if at, ok := r.sent[n-1]; ok {
		rtt := r.now - at
		if r.mean == 0 {
			r.mean, r.dev = rtt, rtt/2
		}
		r.dev += ((rtt - r.mean).Abs() - r.dev) / 4
		r.mean += (rtt - r.mean) / 8
		r.wait = max(200*time.Millisecond, r.mean+4*r.dev)
	}
	for i := r.una; i < n; i++ {
		delete(r.sent, i)
	}
}

func (r *reno) timeout() {
	r.thresh = max(float64(r.next-r.una)/2, 2)
	r.window, r.same, r.until, r.next = 1, 0, 0, r.una
	r.wait = min(2*r.wait, 60*time.Second)
	r.due = r.now + r.wait
}
