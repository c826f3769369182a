package sock

import (
	"context"
	"net/netip"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// owing makes a connection for which octets wait since a time.
func (l *loop) owing(port uint16, octets int, since time.Time) *outbound {
	o := &outbound{to: netip.AddrPortFrom(loopback, port), octets: octets, since: since, queued: &l.queued}
	l.queued.Add(int64(octets))
	l.outbound[o.to] = o
	return o
}

// The connection that is given up is the one whose octets have waited longest, of those with at least the mean.
func TestFurthestBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		l := &loop{outbound: map[netip.AddrPort]*outbound{}, ending: map[*outbound]bool{}, limits: defaults}
		assert.Nil(t, l.furthestBehind(true))
		ago := func(d time.Duration) time.Time { return now.Add(-d) }
		little := l.owing(1, 1, ago(time.Hour)) // a machine that is gone frees nothing
		quick := l.owing(2, 1000, ago(time.Second/2))
		assert.Nil(t, l.furthestBehind(false), "quick has had no time yet")
		assert.Same(t, quick, l.furthestBehind(true))
		slow := l.owing(3, 900, ago(2*time.Second))
		assert.Same(t, slow, l.furthestBehind(false))
		slower := l.owing(5, 800, ago(3*time.Second))
		assert.Same(t, slower, l.furthestBehind(true))
		more := l.owing(6, 801, ago(3*time.Second))
		assert.Same(t, more, l.furthestBehind(true))
		first := l.owing(4, 801, ago(3*time.Second))
		assert.Same(t, first, l.furthestBehind(true))
		first.settled()
		assert.Same(t, more, l.furthestBehind(true))
		more.settled()
		delete(l.outbound, slower.to)
		l.ending[slower] = true
		assert.Same(t, slower, l.furthestBehind(true), "also one that was ended and still writes")
		assert.EqualValues(t, 1+1000+900+800, l.queued.Load())
		little.wrote(1)
		assert.EqualValues(t, 1000+900+800, l.queued.Load())
	})
}

// Members that read nothing take no more than the budget together, and a member that reads loses nothing by them.
func TestQueuesInAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const (
			size    = 64 << 10
			readers = 20 // of nothing
			most    = readers * size
		)
		n, ctx := socktest.New(), context.Background()
		budget := queues{soft: 4 << 20, hard: 8 << 20, behind: time.Second}
		h := host(t, n, func(l *limits) { l.queues = budget })
		hp, err := h.CreatePlayer(ctx, "Host", nil)
		require.NoError(t, err)
		j, err := joined(ctx, on(n), find(t, ctx, n), "")
		require.NoError(t, err)
		defer j.Close()
		_, err = j.CreatePlayer(ctx, "Quick", nil)
		require.NoError(t, err)
		for range readers {
			stubborn(t, h)
		}
		require.Len(t, h.machines(), readers+1)
		send := func() {
			require.NoError(t, h.Send(ctx, hp, wire.IDAll, make([]byte, size), true))
			require.Len(t, next[dpsp.Message](t, j).Payload, size)
		}
		for range 5 {
			send()
		}
		assert.Len(t, h.machines(), readers+1, "they have had no time to read")
		assert.Greater(t, h.loop.queued.Load(), budget.soft)
		assert.True(t, h.Pressed())
		for range 20 {
			send()
			assert.LessOrEqual(t, h.loop.queued.Load(), budget.hard+most)
		}
		left := len(h.machines())
		assert.Less(t, left, readers+1)
		<-time.After(2 * budget.behind)
		for range 100 {
			send()
			assert.LessOrEqual(t, h.loop.queued.Load(), budget.soft+most)
			<-time.After(2 * budget.behind)
		}
		assert.Less(t, len(h.machines()), left)
		assert.Contains(t, h.machines(), j.StreamAddr())
		late, err := joined(ctx, on(n), find(t, ctx, n), "")
		require.NoError(t, err, "others can join")
		late.Close()
		for {
			if e := next[dpsp.Dropped](t, h); e.Reason == dpsp.LimitReached {
				assert.Contains(t, e.Text, "read least")
				break
			}
		}
	})
}

// While a list of players waits to be sent to a member, it is sent no other one.
func TestOneListAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, ctx := socktest.New(), context.Background()
		h := host(t, n, func(*limits) {})
		_, err := h.CreatePlayer(ctx, "Large", make([]byte, 120<<10))
		require.NoError(t, err)
		for range 2 {
			j, err := joined(ctx, on(n), find(t, ctx, n), "")
			require.NoError(t, err)
			defer j.Close()
			_, err = j.CreatePlayer(ctx, "Large", make([]byte, 120<<10))
			require.NoError(t, err)
		}
		x := byHand(t, h)
		synctest.Wait()
		waits := func() int {
			h.loop.mu.Lock()
			defer h.loop.mu.Unlock()
			return h.loop.outbound[x.at].waiting()
		}
		before := waits()
		require.Positive(t, before)
		for range 4 {
			x.say(x.to, &wire.EnumPlayer{})
		}
		synctest.Wait()
		assert.Equal(t, before, waits(), "the list of its join waits")
		list := make([]byte, 1<<20) // it reads it
		go func() {
			for {
				if _, err := x.in.Read(list); err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		assert.Zero(t, waits())
		assert.Contains(t, next[dpsp.Dropped](t, h).Text, "lists of players were not sent")
	})
}

// The memory of a host stays below 256 MB while 63 members read nothing, ask for lists all the time and are sent large messages. Their
// own memory is in it as well: they are of this process.
func TestMemoryOfAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const members = 63
		n, ctx := socktest.New(), context.Background()
		h := host(t, n, func(*limits) {})
		hp, err := h.CreatePlayer(ctx, "Host", make([]byte, 120<<10))
		require.NoError(t, err)
		var all []*hand
		for range members {
			all = append(all, byHand(t, h))
		}
		go func() { // the program reads
			for range h.Events() {
			}
		}()
		runtime.GC()
		most := uint64(0)
		for i := range 200 {
			require.NoError(t, h.Send(ctx, hp, wire.IDAll, make([]byte, 60<<10), true))
			for _, x := range all {
				if b := x.octets(&wire.EnumPlayer{}); x.to != nil {
					if _, err := x.to.Write(b); err != nil {
						x.to = nil // it was given up
					}
				}
			}
			synctest.Wait()
			assert.LessOrEqual(t, h.loop.queued.Load(), defaults.queues.hard+members*64<<10)
			if i%10 == 9 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
				<-time.After(time.Second)
			}
		}
		t.Logf("%d MB at most, %d of %d members are left", most>>20, len(h.machines()), members)
		assert.Less(t, most, uint64(256<<20))
		late, err := joined(ctx, on(n), find(t, ctx, n), "")
		require.NoError(t, err)
		late.Close()
	})
}
