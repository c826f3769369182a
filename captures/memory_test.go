package captures_test

import (
	"context"
	"os"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/annotate"
)

// liveLimit is what reading and the doctor may hold of memory, of a file of 1 GB as well. The heap is twice as large just before it
// is collected.
const liveLimit = 160 << 20

// memoryOctets returns how long the captures of the memory tests are. Everything that is remembered has come to its limit after
// 128 MiB, and all that was read is more than liveLimit.
func memoryOctets() int64 {
	switch {
	case raced:
		return 48 << 20 // the race detector slows everything down tenfold
	case os.Getenv("DPLAY_LONG") != "":
		return 1 << 30 // as "make long" has it
	}
	return 176 << 20
}

// A heapWatch looks at the octets that were still in use when the heap was collected last. The time of collections is chance, so
// that is less than the heap in use, but does not depend on it.
type heapWatch struct{ most, next uint64 }

// newHeapWatch collects what earlier tests have left.
func newHeapWatch() *heapWatch { runtime.GC(); return &heapWatch{} }

// progress is for Options.Progress.
func (w *heapWatch) progress(octets int64) {
	if uint64(octets) < w.next {
		return
	}
	w.next = uint64(octets) + 1<<20
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	w.most = max(w.most, live[0].Value.Uint64())
}

// TestFlatMemory reads a long capture of games with all that goes wrong in captures, and writes it with its comments: memory stays
// flat, although much of what happens is known only later than its frame.
func TestFlatMemory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	w := newHeapWatch()
	opt := annotate.Options{Options: captures.Options{Progress: w.progress}}
	notes, err := annotate.Read(context.Background(), newTraffic(memoryOctets(), games), opt)
	require.NoError(t, err)
	defer notes.Close()
	s := notes.Report.Summary
	requireBalanced(t, s)
	t.Logf("%d frames, %d messages, %d streams: live heap at most %d MiB\n%+v\n%+v\n%v", s.Frames, s.Messages, s.Streams, w.most>>20, s.TCP, s.UDP, s.ByCode)
	assert.Greater(t, s.TCP.Decoded, s.TCP.Octets*9/10)
	assert.NotZero(t, s.ByCode[captures.FragmentsMissing])
	assert.NotZero(t, s.ByCode[captures.FragmentsIncomplete])

	w.next = 0
	var size octetCount
	done, err := notes.Write(context.Background(), &size, newTraffic(memoryOctets(), games), w.progress)
	require.NoError(t, err)
	t.Logf("%d frames, %d with comments, %d octets written: live heap at most %d MiB", done.Frames, done.Commented, size, w.most>>20)
	assert.Equal(t, s.Frames, done.Frames)
	assert.Greater(t, done.Commented, done.Frames/2)
	assert.Greater(t, int64(size), memoryOctets())
	assert.Less(t, w.most, uint64(liveLimit))
	assert.NotZero(t, w.most)
}

// An octetCount counts what is written.
type octetCount int64

func (c *octetCount) Write(p []byte) (int, error) { *c += octetCount(len(p)); return len(p), nil }

// TestHostileMemory reads a capture that is made to fill everything that is remembered.
func TestHostileMemory(t *testing.T) {
	w := newHeapWatch()
	s, err := captures.Read(context.Background(), newTraffic(memoryOctets()/4, hostile), captures.Options{Progress: w.progress},
		func(*captures.Record) error { return nil }, nil)
	require.NoError(t, err)
	requireBalanced(t, s)
	t.Logf("%d frames, %d messages, %d streams: live heap at most %d MiB\n%+v\n%+v\n%v", s.Frames, s.Messages, s.Streams, w.most>>20, s.TCP, s.UDP, s.ByCode)
	assert.Less(t, w.most, uint64(liveLimit))
	assert.NotZero(t, w.most)
}
