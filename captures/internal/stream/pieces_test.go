package stream

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is kept for reuse is counted and bounded, and used again.
func TestSpares(t *testing.T) {
	a := newAssembler(limits{heldSegments: 1 << 20, heldOctets: 1 << 30}, func(*Chunk) {})
	check := func() {
		octets, pieces := 0, 0
		for i, free := range a.spare.buffers {
			octets += len(free) * bufferSizes[i]
		}
		for p := a.spare.pieces; p != nil; p = p.position.next {
			pieces++
			require.Nil(t, p.buf)
			require.Nil(t, p.stream)
		}
		require.Equal(t, octets, a.spare.octets)
		require.Equal(t, pieces, a.spare.count)
		require.LessOrEqual(t, octets, maxSpareOctets)
		require.LessOrEqual(t, pieces, maxSparePieces)
	}
	hold := func(n, size int) {
		s := syn(0)
		a.Add(&s.Segment)
		s = data(0, "")
		s.Payload = make([]byte, size)
		for i := range n {
			s.Seq = uint32(2 + i*(size+1))
			a.Add(&s.Segment)
		}
	}
	check()
	hold(maxSparePieces+1000, 600)
	require.Zero(t, a.spare.count)
	a.Flush()
	check()
	require.Equal(t, maxSparePieces, a.spare.count)
	require.Equal(t, maxSpareOctets, a.spare.octets)

	hold(1000, 600)
	check()
	require.Equal(t, maxSparePieces-1000, a.spare.count)
	require.Equal(t, maxSpareOctets-1000*2048, a.spare.octets)
	hold(3, 70_000) // the same SYN: they wait with the others, in buffers of their own size
	a.Flush()
	check()
	require.Equal(t, a.Totals().Payload, a.Totals().Octets+a.Totals().Duplicate)
}

// Every size has a buffer that is just large enough.
func TestBufferSizes(t *testing.T) {
	var f spares
	for n, want := range map[int]int{1: 512, 512: 512, 513: 2048, 1460: 2048, 2049: 16 << 10, 65_535: 64 << 10, 100_000: 100_000} {
		b := f.buffer(n)
		require.Len(t, b, n)
		require.Equal(t, want, cap(b))
	}
}
