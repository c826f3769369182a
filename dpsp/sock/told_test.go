package sock

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// TestTold: who has read as many events as there were when a command was done knows all that it did.
func TestTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		s, err := Open(on(n))
		require.NoError(t, err)
		defer s.Close()
		require.NoError(t, s.Host(t.Context(), dpsp.Host{Application: wire.GUID{1}, Name: "Test"}))
		for range 10 {
			_, err = s.CreatePlayer(t.Context(), "Ann", nil)
			require.NoError(t, err)
		}
		told, players := s.Told(), 0
		for range told {
			select {
			case e := <-s.Events():
				if _, ok := e.(dpsp.PlayerCreated); ok {
					players++
				}
			case <-time.After(time.Hour):
				require.FailNow(t, "there are fewer events than were told")
			}
		}
		assert.Equal(t, 10, players)
		assert.Equal(t, told, s.Told())
	})
}

// TestPressed: a quarter of what may wait for a peer is enough to make a program wait; what waits for strangers is not.
func TestPressed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		s, err := Open(on(n))
		require.NoError(t, err)
		defer s.Close()
		o := &outbound{to: netip.AddrPortFrom(loopback, 1), octets: s.loop.limits.octets / 4}
		other := &outbound{to: netip.AddrPortFrom(loopback, 2), octets: s.loop.limits.octets/4 - 1}
		add := func(o *outbound) {
			s.loop.mu.Lock()
			defer s.loop.mu.Unlock()
			s.loop.outbound[o.to] = o
		}
		add(other)
		assert.False(t, s.Pressed())
		o.stranger = true
		add(o)
		assert.False(t, s.Pressed())
		s.loop.mu.Lock()
		o.stranger = false
		s.loop.mu.Unlock()
		assert.True(t, s.Pressed())
		s.loop.mu.Lock()
		clear(s.loop.outbound) // nobody is to write them
		s.loop.mu.Unlock()
	})
}
