package sock

import (
	"fmt"
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

// senders counts the addresses that a command came from.
func (r *traffic) senders(c wire.Command) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[netip.Addr]bool{}
	for _, p := range r.all {
		if p.command == c {
			all[p.from.Addr()] = true
		}
	}
	return len(all)
}

// TestLobby has four machines join within one round trip, as a lobby starts them: a member is slow to acknowledge them, so
// that the host lets all four in at the same moment, and they know each other in different orders. Then that member leaves,
// and the host crashes. The four have one host before pings would tell who is lost, and all are still in.
func TestLobby(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		const newcomers, period = 4, time.Second
		free := lane(3 + newcomers)
		c := &crowd{t: t, n: n, ctx: soon(t), seeker: free[0], free: free[1:]}
		at, hosts := c.address(), &traffic{}
		opt := c.own(at)
		opt.Record = hosts
		s, err := hosted(c.ctx, opt, dpsp.Host{Application: testGame, Name: "Lobby",
			Flags: wire.SessionMigrateHost | wire.SessionKeepAlive})
		c.add(s, err)
		c.join(at)
		host, slow := c.members[0], c.members[1]
		f, err := seek(c.ctx, c.own(c.seeker), at, "", func(*Found) bool { return true })
		require.NoError(t, err)

		slow.loop.stepping.Lock() // it answers nothing
		came := make([]chan error, newcomers)
		parts := make([]*Session, newcomers)
		for i := range came {
			opt := c.own(c.address())
			opt.Config.Period = period
			came[i] = make(chan error, 1)
			go func() {
				var err error
				parts[i], err = joined(c.ctx, opt, f, "")
				came[i] <- err
			}()
		}
		eventually(t, "all are on their way in", func() bool { return hosts.senders(wire.CmdAddForwardRequest) >= 1+newcomers })
		for _, one := range came {
			assert.Empty(t, one, "the member did not acknowledge it")
		}
		slow.loop.stepping.Unlock()
		for i, one := range came {
			require.NoError(t, <-one)
			p := &part{Session: parts[i], name: fmt.Sprint("newcomer ", i+1)}
			t.Cleanup(func() { p.Close() })
			c.members = append(c.members, p)
		}
		left := c.members[2:]
		for _, p := range left {
			p.id, err = p.CreatePlayer(c.ctx, dpsp.Text(p.name), nil)
			require.NoError(t, err)
		}
		for _, p := range c.members {
			c.sees(p, left)
		}
		require.NoError(t, slow.Close())
		for _, p := range left {
			c.until(p, func(e dpsp.Event) bool { x, ok := e.(dpsp.PlayerDeleted); return ok && x.ID == slow.id })
		}

		since := time.Now()
		host.crash()
		c.members = left
		next := c.until(left[0], func(e dpsp.Event) bool { _, ok := e.(dpsp.HostChanged); return ok }).(dpsp.HostChanged).New
		hosting := 0
		for i, p := range left {
			if i > 0 {
				e := c.until(p, func(e dpsp.Event) bool { _, ok := e.(dpsp.HostChanged); return ok }).(dpsp.HostChanged)
				assert.Equal(t, next, e.New, p.name)
			}
			if p.Hosting() {
				hosting++
				assert.Equal(t, next, p.Info().System)
			}
		}
		assert.Less(t, time.Since(since), 4*period)
		assert.Equal(t, 1, hosting)
		for _, p := range left {
			assert.Zero(t, count[dpsp.SessionSplit](p), p.name)
		}
		for _, p := range left {
			c.until(p, func(e dpsp.Event) bool { x, ok := e.(dpsp.PlayerDeleted); return ok && x.ID == host.id })
		}
		c.talk()
	})
}
