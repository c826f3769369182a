package cli

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// An Until is the event that ends a command. A nil Until stands for none. Several goroutines may use it.
type Until struct {
	event string
	came  atomic.Bool
}

// NewUntil returns an Until for an event; nil for "".
func NewUntil(event string) *Until {
	if event == "" {
		return nil
	}
	return &Until{event: event}
}

// Printed stores that an event came: one that was printed, or that is in NDJSON alone and not printed for people. It returns what
// Came returns then.
func (u *Until) Printed(event string) bool {
	if u != nil && event == u.event {
		u.came.Store(true)
	}
	return u.Came()
}

// Came reports whether the event came, so that the command ends.
func (u *Until) Came() bool { return u != nil && u.came.Load() }

// Ended returns the error of a command that ended with err: nil if the event came, and never nil if it did not.
func (u *Until) Ended(err error) error {
	switch {
	case u.Came():
		return nil
	case u != nil && err == nil:
		return fmt.Errorf("ended before %s", u.event)
	}
	return err
}

// Wait waits for a time. An error says that the context ended before.
func Wait(ctx context.Context, d time.Duration) error {
	over, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-over.Done()
	return ctx.Err()
}

// LeaveTime is how long it may take to say goodbye.
const LeaveTime = 2 * time.Second
