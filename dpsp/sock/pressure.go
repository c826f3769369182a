package sock

import (
	"context"
	"sync"
	"time"

	"dplay4/dpsp"
)

// A pressure is what somebody's messages made us send to a peer that has much waiting already. What others have for that
// peer comes behind it, so who causes it waits before its next turn: for longer, the more waits and the more it adds.
// Who adds little, such as a line of text, waits hardly at all, whatever others do, and nobody waits longer than
// pressMost for a peer that takes nothing.
type pressure struct {
	mu    sync.Mutex
	to    *outbound
	added int
}

const (
	// press is how many octets may wait for a peer without anybody being made to wait: a large message of a game.
	press = 128 << 10
	// pressRate is how many octets a second somebody may add when so many wait; half of that when twice as many do.
	pressRate = 8 << 20
	pressMost = time.Second
	pressLook = time.Millisecond
)

// on notes that so many octets were added to what waits for a peer.
func (p *pressure) on(to *outbound, added int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to == nil || to.waiting() > p.to.waiting() {
		p.to = to
	}
	p.added += added
}

// take returns what was noted since the last time.
func (p *pressure) take() (to *outbound, added int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	to, added = p.to, p.added
	p.to, p.added = nil, 0
	return to, added
}

// relaxTime is how long to wait at most, with so much waiting for a peer.
func relaxTime(added, waiting int) time.Duration {
	d := time.Duration(float64(added) / pressRate * float64(waiting) / press * float64(time.Second))
	return min(d, pressMost)
}

// relax waits until a peer has what was sent to it because of somebody, but not for long.
func (l *loop) relax(i *inbound) {
	o, added := i.source.pressure.take()
	if o == nil {
		return
	}
	most := relaxTime(added, o.waiting())
	if most < pressLook {
		return
	}
	ctx, cancel := context.WithTimeout(l.quit, most)
	defer cancel()
	look := time.NewTicker(pressLook)
	defer look.Stop()
	for o.waiting() > press/2 {
		select {
		case <-look.C:
		case <-i.evicted:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Pressed reports whether so much waits to be sent to a machine, a quarter of what may, that a program does well to wait before it
// sends more. One that never waits loses a peer that is slower than it: a peer whose queue is full is given up, and in a session with
// DIRECTPLAYPROTOCOL what finds the queue full is dropped.
func (s *Session) Pressed() bool {
	pressed := false
	s.loop.do(func(e *dpsp.Engine) { pressed = e.Pressed() })
	return pressed || s.loop.pressed()
}

// pressed reports whether a quarter of what may wait for a peer over its connection does, or of what may wait for all.
func (l *loop) pressed() bool {
	if l.queued.Load() >= l.limits.queues.soft/4 {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.outbound {
		if !o.stranger && o.waiting() >= l.limits.octets/4 {
			return true
		}
	}
	return false
}
