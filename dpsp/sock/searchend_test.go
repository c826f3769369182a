package sock

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSearchEnds: a search whose host cannot be reached leaves nothing behind that Close would wait for.
func TestSearchEnds(t *testing.T) {
	t.Parallel()
	opt := on()
	opt.limits = defaults
	opt.limits.linger, opt.limits.dial, opt.limits.dialing = time.Minute, time.Minute, 1
	s, err := Open(opt)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	s.loop.dialing <- struct{}{} // no connection is opened from now on
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	for _, err := range s.Enumerate(ctx, Ask{Application: testGame, Hosts: []netip.Addr{loopback}}) {
		require.NoError(t, err)
	}
	require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.loop.writers.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		require.Fail(t, "a connection is still being opened")
	}
}
