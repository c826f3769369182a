package captures_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/annotate"
)

// TestFlatMemoryAnnotate writes a long capture with its comments: memory stays flat, although much of what happens is known
// only later than its frame.
func TestFlatMemoryAnnotate(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	runtime.GC()
	peak, next := uint64(0), int64(0)
	var m runtime.MemStats
	watch := func(octets int64) {
		if octets >= next {
			next = octets + 4<<20
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		}
	}
	opt := annotate.Options{Options: captures.Options{Progress: watch}}
	notes, err := annotate.Read(context.Background(), newTraffic(memoryOctets(), games), opt)
	require.NoError(t, err)
	defer notes.Close()
	next = 0
	var size octetCount
	done, err := notes.Write(context.Background(), &size, newTraffic(memoryOctets(), games), watch)
	require.NoError(t, err)
	t.Logf("%d frames, %d with comments, %d octets written: heap in use at most %d MB", done.Frames, done.Commented, size, peak>>20)
	assert.Equal(t, notes.Report.Summary.Frames, done.Frames)
	assert.Greater(t, done.Commented, done.Frames/2)
	assert.Greater(t, int64(size), memoryOctets())
	assert.Less(t, peak, uint64(heapLimit+heapLimit/4), "what the doctor remembers is on top")
}

// An octetCount counts what is written.
type octetCount int64

func (c *octetCount) Write(p []byte) (int, error) { *c += octetCount(len(p)); return len(p), nil }
