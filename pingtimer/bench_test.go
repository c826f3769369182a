package pingtimer_test

import (
	"runtime"
	"testing"
	"time"

	"dplay4/pingtimer"

	"github.com/stretchr/testify/assert"
)

func filled(n uint32) *pingtimer.Timer[uint32] {
	p := pingtimer.New[uint32](pingtimer.Config{Period: time.Second, Probes: 1 << 30})
	for id := range n {
		p.Add(id, 0)
	}
	return p
}

// BenchmarkLookIdle is a Look before the timer elapses: what an engine does for every message.
func BenchmarkLookIdle(b *testing.B) {
	p := filled(64)
	b.ReportAllocs()
	for b.Loop() {
		p.Look(0)
	}
}

// BenchmarkLook64 is a Look at 64 silent peers.
func BenchmarkLook64(b *testing.B) {
	p := filled(64)
	b.ReportAllocs()
	for b.Loop() {
		p.Look(p.Next())
	}
}

func BenchmarkHeard(b *testing.B) {
	p := filled(64)
	b.ReportAllocs()
	for n := uint32(0); b.Loop(); n++ {
		p.Heard(n % 64)
	}
}

// TestDoesNotAllocate checks what happens for every message and every period.
func TestDoesNotAllocate(t *testing.T) {
	p := filled(64)
	p.Look(p.Next())
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		now := p.Next()
		ping, _ := p.Look(now)
		for _, id := range ping {
			p.Tick(now)
			p.Heard(id)
		}
		p.Heard(7)
		p.Look(p.Next())
	}))
}

// TestMemory holds the promise of the package documentation.
func TestMemory(t *testing.T) {
	const n = 1 << 14
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	p := filled(n)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(p)
	per := float64(after.HeapAlloc-before.HeapAlloc) / n
	t.Logf("%.0f octets a peer", per)
	assert.Less(t, per, 200.0)
}
