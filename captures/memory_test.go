package captures_test

import (
	"context"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
)

var errEOF = io.EOF

// heapLimit is what reading may take of memory, a file of 1 GB as well.
const heapLimit = 256 << 20

// measure reads a capture and gives the largest heap that was seen on the way.
func measure(t *testing.T, in *traffic) (*captures.Summary, uint64) {
	t.Helper()
	runtime.GC()
	peak, next := uint64(0), int64(0)
	var m runtime.MemStats
	opt := captures.Options{Progress: func(octets int64) {
		if octets >= next { // looking stops the world, so not after every batch
			next = octets + 4<<20
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		}
	}}
	s, err := captures.Read(context.Background(), in, opt, func(*captures.Record) error { return nil }, nil)
	require.NoError(t, err)
	requireBalanced(t, s)
	t.Logf("%d frames, %d messages, %d streams: heap in use at most %d MB", s.Frames, s.Messages, s.Streams, peak>>20)
	return s, peak
}

// TestFlatMemory reads a long capture of games with all that goes wrong in captures: memory stays flat.
func TestFlatMemory(t *testing.T) {
	s, peak := measure(t, newTraffic(memoryOctets(), games))
	assert.Less(t, peak, uint64(heapLimit))
	t.Logf("%+v\n%+v\n%v", s.TCP, s.UDP, s.ByCode)
	assert.Greater(t, s.TCP.Decoded, s.TCP.Octets*9/10)
	assert.NotZero(t, s.ByCode[captures.FragmentsMissing])
	assert.NotZero(t, s.ByCode[captures.FragmentsIncomplete])
}

// TestHostileMemory reads a capture that is made to fill everything that is remembered.
func TestHostileMemory(t *testing.T) {
	s, peak := measure(t, newTraffic(memoryOctets()/4, hostile))
	assert.Less(t, peak, uint64(heapLimit))
	t.Logf("%+v\n%+v\n%v", s.TCP, s.UDP, s.ByCode)
}
