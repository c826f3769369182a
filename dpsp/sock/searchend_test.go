package sock

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/socktest"
)

// TestSearchEnds: a search whose host cannot be reached leaves nothing behind that Close would wait for.
func TestSearchEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		opt := on(n)
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
		began := time.Now()
		s.loop.writers.Wait()
		assert.Zero(t, time.Since(began), "a connection was still being opened")
	})
}
