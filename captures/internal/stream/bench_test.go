package stream

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// sender gives the segments of one direction in order, without allocating.
type sender struct{ seg Segment }

func newSender(n, size int) *sender {
	return &sender{Segment{Key: key(n), Seq: 1<<32 - 5000, Payload: make([]byte, size), Time: start}}
}

func (x *sender) next() *Segment {
	x.seg.Seq += uint32(len(x.seg.Payload))
	x.seg.Frame++
	return &x.seg
}

// The next octets of a stream are handed out in the caller's slice, without allocation; so are mere ACKs, and
// once there are spare buffers, segments that are out of order.
func TestAllocations(t *testing.T) {
	x := newSender(0, 1460)
	octets, same := 0, true
	a := New(func(c *Chunk) {
		octets += len(c.Data)
		same = same && &c.Data[0] == &x.seg.Payload[0]
	})
	for range 100 { // the history grows
		a.Add(x.next())
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() { a.Add(x.next()) }))
	require.True(t, same)
	ack := &Segment{Key: key(0)}
	require.Zero(t, testing.AllocsPerRun(1000, func() { a.Add(ack) }))
	swapped := func() {
		first := *x.next()
		a.Add(x.next())
		a.Add(&first)
	}
	for range 10 {
		swapped()
	}
	require.Zero(t, testing.AllocsPerRun(1000, swapped))
	require.Equal(t, int64(octets), a.Totals().Payload)
	require.Zero(t, a.Totals().Lost)
}

func benchmarkAdd(b *testing.B, streams int) {
	senders := make([]*sender, streams)
	for i := range senders {
		senders[i] = newSender(i, 1460)
	}
	octets := 0
	a := New(func(c *Chunk) { octets += len(c.Data) })
	b.SetBytes(1460)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		a.Add(senders[i].next())
		if i++; i == streams {
			i = 0
		}
	}
}

func BenchmarkInOrder(b *testing.B)           { benchmarkAdd(b, 1) }
func BenchmarkInOrder100Streams(b *testing.B) { benchmarkAdd(b, 100) }

// BenchmarkSwapped has every second segment before its predecessor.
func BenchmarkSwapped(b *testing.B) {
	x := newSender(0, 1460)
	octets := 0
	a := New(func(c *Chunk) { octets += len(c.Data) })
	b.SetBytes(2 * 1460)
	b.ReportAllocs()
	for b.Loop() {
		first := *x.next()
		a.Add(x.next())
		a.Add(&first)
	}
}

// BenchmarkCut is a capture with a snap length: every segment waits for its cut.
func BenchmarkCut(b *testing.B) {
	x := newSender(0, 60)
	x.seg.Cut = 1400
	octets := 0
	a := New(func(c *Chunk) { octets += len(c.Data) })
	b.ReportAllocs()
	for b.Loop() {
		a.Add(x.next())
		x.seg.Seq += 1400
	}
}

func BenchmarkACK(b *testing.B) {
	a := New(func(*Chunk) {})
	s := &Segment{Key: key(0)}
	for b.Loop() {
		a.Add(s)
	}
}
