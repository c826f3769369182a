package local

import (
	"sync/atomic"
	"time"

	"dplay4/dpsp/bridge/link"
)

// A pace is when the port for enumerations is looked at.
type pace struct {
	began time.Time
	last  atomic.Int64 // when it was woken last
	woken chan struct{}
}

// wakeGap is how long it is left alone when it was woken: it looks by itself soon enough, and other machines can have it woken as often
// as they like.
const wakeGap = 20 * time.Millisecond

func newPace() *pace { return &pace{began: time.Now(), woken: make(chan struct{}, 1)} }

// now is the time since the beginning.
func (p *pace) now() time.Duration { return time.Since(p.began) }

// wake has it looked at now.
func (p *pace) wake() {
	now, last := int64(p.now()), p.last.Load()
	if time.Duration(now-last) < wakeGap || !p.last.CompareAndSwap(last, now) {
		return
	}
	link.Offer(p.woken, struct{}{})
}
