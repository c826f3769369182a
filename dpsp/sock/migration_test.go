package sock

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// crash ends a session as if its process was killed: all sockets close, and nothing is said.
func (s *Session) crash() {
	l := s.loop
	l.stepping.Lock()
	l.stopped = true
	l.stepping.Unlock()
	l.cancel() // who writes calls nobody again over a new connection
	s.listing.close()
	l.stream.Close()
	l.udp.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.inbound {
		i.conn.Close()
	}
	for _, o := range l.outbound {
		if o.conn != nil {
			o.conn.Close()
		}
	}
}

// A crowd is a session of machines that each have an address of their own, as on a network: each may become host, and
// port 47624 is theirs alone.
type crowd struct {
	t       *testing.T
	n       Network
	ctx     context.Context
	legacy  bool
	members []*part // in order of joining
	seeker  netip.Addr
	free    []netip.Addr
}

// own gives options of a machine. In a bubble it notices early who is gone; on the system's network, where it may not get the
// processor for long, the ends of connections tell.
func (c *crowd) own(at netip.Addr) Options {
	o := Options{Bind: at, Network: c.n, Config: dpsp.Config{Legacy: c.legacy, Period: 500 * time.Millisecond, Probes: 3}}
	if isSystem(c.n) {
		o.Config.Period, o.Config.Probes, o.Config.Tries = 0, 0, 100
	}
	return o
}

func newCrowd(t *testing.T, net Network, legacy bool, n, later int) *crowd {
	t.Helper()
	return crowdWith(t, net, wire.SessionMigrateHost|wire.SessionKeepAlive, legacy, n, later)
}

// crowdWith is newCrowd with other flags of the session.
func crowdWith(t *testing.T, net Network, flags wire.SessionFlags, legacy bool, n, later int) *crowd {
	t.Helper()
	c := &crowd{t: t, n: net, legacy: legacy}
	if isSystem(net) {
		c.ctx, c.free = testkit.Context(t), testkit.Addrs(t, n+later+1)
	} else {
		c.ctx, c.free = soon(t), lane(n+later+1)
	}
	c.seeker = c.address()
	at := c.address()
	s, err := hosted(c.ctx, c.own(at), dpsp.Host{Application: testGame, Name: "Crowd", Flags: flags})
	c.add(s, err)
	for range n - 1 {
		c.join(at)
	}
	return c
}

func (c *crowd) address() netip.Addr {
	at := c.free[0]
	c.free = c.free[1:]
	return at
}

// add has a machine that came in make a player, and waits until all know each other.
func (c *crowd) add(s *Session, err error) {
	c.t.Helper()
	p, err := enter(fmt.Sprint("machine ", len(c.members)), s, err)
	require.NoError(c.t, err)
	c.t.Cleanup(func() { p.Close() })
	p.id, err = p.CreatePlayer(c.ctx, dpsp.Text(p.name), nil)
	require.NoError(c.t, err, p.name)
	c.members = append(c.members, p)
	c.sees(p, c.members)
	for _, o := range c.members[:len(c.members)-1] {
		c.sees(o, []*part{p})
	}
}

// join has another machine look for the session at an address and come in.
func (c *crowd) join(host netip.Addr) {
	c.t.Helper()
	f, err := seek(c.ctx, c.own(c.seeker), host, "", func(*Found) bool { return true })
	require.NoError(c.t, err)
	assert.Equal(c.t, host, f.Host.Addr())
	c.add(joined(c.ctx, c.own(c.address()), f, ""))
}

// sees waits until a machine knows those players.
func (c *crowd) sees(p *part, of []*part) {
	c.t.Helper()
	for _, o := range of {
		c.until(p, func(e dpsp.Event) bool { x, ok := e.(dpsp.PlayerCreated); return ok && x.ID == o.id })
	}
}

// until gives the first event that matches, of those that nobody was given, whatever else happens.
func (c *crowd) until(p *part, match func(dpsp.Event) bool) dpsp.Event {
	c.t.Helper()
	if i := slices.IndexFunc(p.seen, match); i >= 0 {
		e := p.seen[i]
		p.seen = slices.Delete(p.seen, i, i+1)
		return e
	}
	for {
		select {
		case e, ok := <-p.Events():
			require.True(c.t, ok, "%s: events end", p.name)
			if match(e) {
				return e
			}
			p.seen = append(p.seen, e)
		case <-c.ctx.Done():
			require.FailNow(c.t, p.name+": it does not happen", "%+v", p.seen)
		}
	}
}

// heir says who is to be host after the first of those that are left was lost: the one with the lowest id by the rule of
// DirectPlay 4 (3.1.7.1), the oldest one where all know the extension.
func (c *crowd) heir() *part {
	if !c.legacy {
		return c.members[0]
	}
	return slices.MinFunc(c.members, func(a, b *part) int { return cmp.Compare(a.Info().System, b.Info().System) })
}

// lose has the host crash and waits until all others agree on the next one, which it gives.
func (c *crowd) lose(host *part) *part {
	c.t.Helper()
	old := host.Info().System
	host.crash()
	c.members = slices.DeleteFunc(c.members, func(p *part) bool { return p == host })
	next := c.heir()
	for _, p := range c.members {
		e := c.until(p, func(e dpsp.Event) bool { _, ok := e.(dpsp.HostChanged); return ok }).(dpsp.HostChanged)
		assert.Equal(c.t, old, e.Old, p.name)
		assert.Equal(c.t, next.Info().System, e.New, p.name)
		assert.Equal(c.t, p == next, e.Hosting, p.name)
		assert.Equal(c.t, p == next, p.Hosting(), p.name)
		assert.Equal(c.t, e.New, p.HostID(), p.name)
		c.until(p, func(e dpsp.Event) bool { x, ok := e.(dpsp.PlayerDeleted); return ok && x.ID == host.id })
	}
	return next
}

// talk has everybody send to everybody.
func (c *crowd) talk() {
	c.t.Helper()
	for _, p := range c.members {
		require.Len(c.t, p.Players(), len(c.members), p.name)
		require.EqualValues(c.t, len(c.members), p.Info().Desc.CurrentPlayers, p.name)
		require.NoError(c.t, p.Send(c.ctx, p.id, wire.IDAll, []byte(p.name), true))
	}
	for _, p := range c.members {
		for _, o := range c.members {
			if o != p {
				m := c.until(p, func(e dpsp.Event) bool { m, ok := e.(dpsp.Message); return ok && m.From == o.id }).(dpsp.Message)
				assert.Equal(c.t, o.name, string(m.Payload))
			}
		}
	}
}

// TestMigration has the host of four machines killed; a newcomer finds the next one by asking it, and joins it; then that
// one is killed, and whoever comes next serves on. Both rules of succession are tried, in bubbles and on the system's network.
func TestMigration(t *testing.T) {
	for name, legacy := range map[string]bool{"modern": false, "legacy": true} {
		t.Run(name, func(t *testing.T) {
			t.Run("bubble", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { migrates(t, socktest.New(), legacy) })
			})
			t.Run("system", func(t *testing.T) {
				before := runtime.NumGoroutine()
				migrates(t, system{}, legacy)
				noneLeft(t, before)
			})
		})
	}
}

func migrates(t *testing.T, n Network, legacy bool) {
	t.Helper()
	c := newCrowd(t, n, legacy, 4, 2)
	host := c.members[0]
	all := slices.Clone(c.members)
	for range 2 {
		c.talk()
		host = c.lose(host)
		c.join(host.loop.opt.Bind)
		all = append(all, c.members[len(c.members)-1])
		assert.NoError(t, host.ListingError())
	}
	c.talk()
	for _, p := range all {
		require.NoError(t, p.Close())
		require.False(t, p.Hosting() && slices.Contains(c.members, p), p.name)
	}
}

// occupy takes the port for enumerations of an address as another process would.
func occupy(t *testing.T, n Network, at netip.Addr) DatagramSocket {
	t.Helper()
	other, err := n.ListenDatagrams(netip.AddrPortFrom(at, dpsp.EnumPort))
	require.NoError(t, err)
	t.Cleanup(func() { other.Close() })
	return other
}

// TestListingRetried has another process hold the port that the next host needs: the session goes on, the program can
// know, and once the port is free the session is found there.
func TestListingRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 2, 1)
		host, next := c.members[0], c.members[1]
		other := occupy(t, n, next.loop.opt.Bind)
		require.Same(t, next, c.lose(host))
		eventually(t, "the port is taken", func() bool { return next.ListingError() != nil })
		require.ErrorContains(t, next.ListingError(), "UDP port 47624 is taken")
		c.talk()
		require.NoError(t, other.Close())
		c.join(next.loop.opt.Bind)
		assert.NoError(t, next.ListingError())
		c.talk()
	})
}

// TestListingEnds has sessions that are no host any more leave the ports to others, in each way that this comes about.
func TestListingEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := context.Background()
		for name, end := range map[string]func(*Session){
			"another host": func(s *Session) { s.take([]dpsp.Event{dpsp.HostChanged{Old: s.HostID(), New: 1}}, nil) },
			"lost":         func(s *Session) { s.take([]dpsp.Event{dpsp.SessionLost{}}, nil) },
			"left":         func(s *Session) { require.NoError(t, s.Leave(ctx)) },
			"closed":       func(s *Session) { s.Close() },
		} {
			s, err := hosted(ctx, on(n), dpsp.Host{Application: testGame, Name: dpsp.Text(name)})
			require.NoError(t, err, name)
			require.True(t, s.Hosting(), name)
			end(s)
			assert.False(t, s.Hosting(), name)
			eventually(t, name, func() bool {
				c, err := n.ListenDatagrams(netip.AddrPortFrom(loopback, dpsp.EnumPort))
				if err == nil {
					c.Close()
				}
				return err == nil
			})
			require.NoError(t, s.Close())
			require.NoError(t, s.ListingError(), name)
		}
	})
}

// TestListingClosedWhileTaken closes a session that waits for its port: nothing is left of that.
func TestListingClosedWhileTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 2, 0)
		next := c.members[1]
		next.loop.limits.relist = time.Hour
		occupy(t, n, next.loop.opt.Bind)
		c.lose(c.members[0])
		eventually(t, "the port is taken", func() bool { return next.ListingError() != nil })
		require.NoError(t, next.Close())
		assert.NoError(t, next.ListingError())
	})
}
