package sock

import (
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
)

// TestRest: who writes goes on for what came meanwhile, first of all for octets, and only else is done.
func TestRest(t *testing.T) {
	t.Parallel()
	o := &outbound{busy: true, queued: new(atomic.Int64)}
	w := &writer{outbound: o, gone: make(chan struct{})}
	assert.Equal(t, idle, w.rest())
	assert.False(t, o.busy)
	o.busy = true
	close(w.gone)
	assert.Equal(t, left, w.rest())
	o.ended = true
	assert.Equal(t, closed, w.rest())
	require.True(t, o.add([]byte("goodbye"), 100))
	assert.Equal(t, more, w.rest())
	assert.True(t, o.busy)
}

// TestUnopened ends connections that somebody is about to open, a stranger's and one of a search: they are not even tried.
func TestUnopened(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*Session, *outbound){
		"stranger": func(s *Session, o *outbound) { s.loop.evict(o) },
		"search":   func(s *Session, o *outbound) { s.hangUp([]netip.AddrPort{o.to}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := socktest.New()
				opt := on(n)
				opt.limits = defaults
				opt.limits.dialing = 0 // to open it takes for ever
				opt.limits.linger = time.Hour
				s, err := Open(opt)
				require.NoError(t, err)
				defer s.Close()
				o := s.loop.newOutbound(netip.AddrPortFrom(loopback, 1), false)
				o.stranger, o.busy = true, true
				s.loop.mu.Lock()
				s.loop.outbound[o.to] = o
				s.loop.mu.Unlock()
				end(s, o)
				opened := make(chan bool)
				go func() { opened <- s.loop.connect(o) }()
				select {
				case is := <-opened:
					assert.False(t, is)
				case <-time.After(time.Minute):
					t.Error("it is still tried")
				}
			})
		})
	}
}

// TestNobodyWrites: what waits for a connection that is over is lost, and Leave does not wait for it.
func TestNobodyWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		s, err := Open(on(n))
		require.NoError(t, err)
		defer s.Close()
		o := &outbound{queued: &s.loop.queued}
		require.True(t, o.add([]byte("goodbye"), 100))
		written := o.emptied()
		require.NotNil(t, written)
		s.loop.left(o)
		select {
		case <-written:
		default:
			t.Error("it is waited for")
		}
		assert.True(t, o.idle())
	})
}

// TestOneTakes: of those who add, one is to see to what waits; once that is done, the next one is.
func TestOneTakes(t *testing.T) {
	t.Parallel()
	m := newMail(nil)
	assert.False(t, m.begin(), "nothing waits")
	for range 2 {
		s := m.of(loopback)
		m.put(s, 1, nil)
		assert.True(t, m.begin())
		m.put(s, 1, nil)
		assert.False(t, m.begin(), "somebody does")
		m.take()
		assert.True(t, m.more())
		m.take()
		assert.False(t, m.more())
	}
	b := newBacklog(room{10, 10}, room{10, 10})
	assert.False(t, b.begin(), "nothing waits")
	for range 2 {
		b.add([]dpsp.Event{dpsp.SessionLost{}}, nil)
		assert.True(t, b.begin())
		b.add([]dpsp.Event{dpsp.SessionLost{}}, nil)
		assert.False(t, b.begin(), "somebody does")
		list, _ := b.take()
		assert.Len(t, list, 2)
		assert.False(t, b.begin(), "it is with who took it")
		list, _ = b.take()
		assert.Empty(t, list)
	}
}
