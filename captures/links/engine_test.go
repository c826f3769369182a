package links

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	live "dplay4/dpsp/reliable"
	"dplay4/wire/reliable"
)

// A lossy network has two links of package dpsp/reliable at its ends, and a capture at the first one, or at the second.
type lossy struct {
	*world
	rnd   *rand.Rand
	ends  [2]*live.Link
	wakes [2]time.Duration
	far   bool // the capture is at the second end
	loss  float64
	under []underway
	sent  [2]int // Data frames
	came  [2]int // messages
	clock time.Duration
}

// An underway is a frame on its way.
type underway struct {
	at    time.Duration
	to    int
	octet []byte
}

func newLossy(seed uint64, loss float64, ours, far bool) *lossy {
	n := &lossy{world: newWorld(), rnd: rand.New(rand.NewPCG(seed, 1)), loss: loss, far: far}
	for i := range n.ends {
		n.ends[i] = live.New(live.Config{From: uint16(1 + i), To: uint16(2 - i), Tick: uint32(seed)})
		if ours {
			n.ends[i].Ours()
		}
	}
	return n
}

// seen captures a frame of an end.
func (n *lossy) seen(end int, octets []byte) {
	f, err := reliable.Decode(octets)
	if err != nil {
		panic(err)
	}
	k := path
	if end == 1 {
		k = k.Back()
	}
	n.n++
	n.Add(&Frame{Place: Place{Frame: n.n, N: n.n, Time: began.Add(n.clock)}, Key: k, Frame: &f})
}

// step lets an end do what is to be done.
func (n *lossy) step(end int) {
	o := n.ends[end].Step(n.clock)
	n.came[end] += len(o.Messages)
	n.wakes[end] = o.Wake
	for _, b := range o.Frames {
		if f, _ := reliable.Decode(b); f.Kind() == reliable.KindData {
			n.sent[end]++
		}
		if far := end == 1; far == n.far {
			n.seen(end, b)
		}
		if n.rnd.Float64() < n.loss {
			continue
		}
		delay := 15*time.Millisecond + time.Duration(n.rnd.IntN(4000))*time.Microsecond
		n.under = append(n.under, underway{n.clock + delay, 1 - end, slices.Clone(b)})
	}
}

// run lets time pass.
func (n *lossy) run(until time.Duration) {
	for n.clock < until {
		n.step(0)
		n.step(1)
		next := min(n.wakes[0], n.wakes[1])
		for _, u := range n.under {
			next = min(next, u.at)
		}
		n.clock = min(max(next, n.clock), until)
		for i := 0; i < len(n.under); i++ {
			u := n.under[i]
			if u.at > n.clock {
				continue
			}
			n.under = slices.Delete(n.under, i, i+1)
			i--
			if far := u.to == 1; far == n.far {
				n.seen(1-u.to, u.octet)
			}
			f, err := reliable.Decode(u.octet)
			if err != nil {
				panic(err)
			}
			n.ends[u.to].Receive(n.clock, &f)
		}
	}
}

// talk lets the first end send messages for 15 seconds, and gives what is lost time to come.
func (n *lossy) talk(t *testing.T) {
	for range 150 {
		for range 4 {
			data := make([]byte, []int{6, 30, 900, 5000}[n.rnd.IntN(4)])
			for i := range data {
				data[i] = byte(n.rnd.Uint32())
			}
			require.NoError(t, n.ends[0].Send(live.Message{Data: data, Reliable: n.rnd.IntN(3) > 0}))
		}
		n.run(n.clock + 100*time.Millisecond)
	}
	n.run(n.clock + 90*time.Second)
}

// TestEngine: links that keep to the specification are found to do so, whatever is lost, near the sender and near the receiver.
// What is sent again, and what never reaches the capture, is counted.
func TestEngine(t *testing.T) {
	for _, ours := range []bool{true, false} {
		for _, far := range []bool{false, true} {
			for seed, loss := range []float64{0, 0.01, 0.05, 0.2, 0.4} {
				name := fmt.Sprintf("ours %v, far %v, loss %v", ours, far, loss)
				n := newLossy(uint64(seed), loss, ours, far)
				n.talk(t)
				l := n.link()
				assert.Zero(t, l.Holes.Count, name)
				assert.Zero(t, l.Unsent.Count+l.Restarts.Count+l.Leaps.Count+l.Behind.Count+l.Ignored.Count, name)
				assert.Zero(t, l.Unacked(), name)
				assert.NotZero(t, l.Trips.Count, name)
				lost := n.sent[0] - l.Data
				if !far {
					assert.Zero(t, lost, name)
					assert.Zero(t, l.LostFirst+l.Missing(), name)
					assert.Equal(t, n.ends[0].Stats().Repeated, l.Repeated.Count, name)
				} else if unseen := l.LostFirst + l.Missing(); lost > 50 {
					assert.InDelta(t, lost, unseen, 0.3*float64(lost), name)
				} else {
					assert.InDelta(t, lost, unseen, 20, name)
				}
				if ours {
					assert.Zero(t, l.peer.Reading(Spaces), "%s: %v", name, l.peer.Seen)
					assert.Equal(t, 1, l.peer.Reading(Sequences), "%s: %v", name, l.peer.Seen)
				} else {
					assert.Equal(t, -1, l.peer.Reading(Spaces), "%s: %v", name, l.peer.Seen)
					assert.Equal(t, 0, l.peer.Reading(Sequences), "%s: %v", name, l.peer.Seen)
				}
			}
		}
	}
}

// BenchmarkTracker follows a link that loses every fifth frame; a step is a frame.
func BenchmarkTracker(b *testing.B) {
	w := newWorld()
	f := reliable.Frame{Data: make([]byte, 1000)}
	received := uint32(0)
	b.ReportAllocs()
	for i := range b.N {
		f.MessageID, f.Sequence, f.Serial, f.Flags = uint8(i/2), 1, 0, one
		f.BytesReceived = 0
		k := path
		if i%2 == 1 {
			received += 1004
			f.Flags, f.BytesReceived, k = rack, received, path.Back()
		} else if i%10 == 0 {
			f.Serial = 1
		}
		w.see(k, f)
	}
}
