package cli

import (
	"context"
	"time"
)

// Wait waits for a time. An error says that the context ended before.
func Wait(ctx context.Context, d time.Duration) error {
	wait := time.NewTimer(d)
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// LeaveTime is how long it may take to say goodbye.
const LeaveTime = 2 * time.Second
