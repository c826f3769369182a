package local

import "time"

// A pace is when the port for enumerations is looked at.
type pace struct {
	began time.Time
	woken chan struct{}
}

func newPace() *pace { return &pace{began: time.Now(), woken: make(chan struct{}, 1)} }

// now is the time since the beginning.
func (p *pace) now() time.Duration { return time.Since(p.began) }

// wake has it looked at now.
func (p *pace) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}
