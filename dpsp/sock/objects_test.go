package sock

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

// told waits until a machine is told what happened to an object.
func told[T dpsp.Event](c *crowd, p *part, match func(T) bool) T {
	c.t.Helper()
	return c.until(p, func(e dpsp.Event) bool { x, ok := e.(T); return ok && match(x) }).(T)
}

// owns waits until a machine knows that another one took an object from a third one, with a state.
func (c *crowd) owns(p, from, to *part, rock wire.ObjectID, state string) {
	c.t.Helper()
	e := told(c, p, func(e dpsp.ObjectMigrated) bool { return e.ID == rock && e.From == from.Info().System })
	assert.Equal(c.t, to.Info().System, e.To, p.name)
	assert.Equal(c.t, state, string(e.State), p.name)
}

// changed waits until a machine knows that an object has a state.
func (c *crowd) changed(p *part, rock wire.ObjectID, state string) {
	c.t.Helper()
	told(c, p, func(e dpsp.ObjectUpdated) bool { return e.ID == rock && string(e.State) == state })
}

// TestObjects has an object made, changed, given away, taken over from a machine that died, and destroyed, by three
// machines.
func TestObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 3, 0)
		host, maker, heir := c.members[0], c.members[1], c.members[2]
		state := []byte("at the top")
		rock, err := maker.CreateObject(c.ctx, state)
		require.NoError(t, err)
		assert.Equal(t, maker.Info().System, rock.Creator)
		state[0] = 'X'
		for _, p := range []*part{host, heir} {
			e := told(c, p, func(e dpsp.ObjectCreated) bool { return e.ID == rock })
			assert.Equal(t, "at the top", string(e.State), p.name)
			assert.Equal(t, rock.Creator, e.Owner, p.name)
		}
		require.NoError(t, maker.UpdateObject(c.ctx, rock, []byte("rolling")))
		c.changed(host, rock, "rolling")
		c.changed(heir, rock, "rolling")
		assert.ErrorIs(t, heir.UpdateObject(c.ctx, rock, nil), object.ErrNotOwner)
		assert.ErrorIs(t, heir.DestroyObject(c.ctx, rock), object.ErrNotOwner)

		require.NoError(t, maker.MigrateObject(c.ctx, rock, heir.id))
		for _, p := range c.members {
			c.owns(p, maker, heir, rock, "rolling")
		}
		heir.Objects()[0].State[0] = 'X'
		require.NoError(t, heir.UpdateObject(c.ctx, rock, []byte("caught")))
		c.changed(host, rock, "caught")
		c.changed(maker, rock, "caught")
		assert.Equal(t, host.Objects(), maker.Objects())

		heir.crash()
		next := told(c, host, func(e dpsp.ObjectMigrated) bool { return e.From == heir.Info().System })
		owner, other := host, maker
		if next.To == maker.Info().System {
			owner, other = maker, host
		}
		told(c, maker, func(e dpsp.ObjectMigrated) bool { return e.From == heir.Info().System && e.To == owner.Info().System })
		for _, p := range []*part{host, maker} {
			all := p.Objects()
			require.Len(t, all, 1, p.name)
			assert.Equal(t, object.Object{ID: rock, Owner: next.To, Counter: 2, Sequence: 2, State: []byte("caught")}, all[0], p.name)
		}
		require.NoError(t, owner.DestroyObject(c.ctx, rock))
		told(c, other, func(e dpsp.ObjectDestroyed) bool { return e.ID == rock })
		assert.Empty(t, other.Objects())
		assert.ErrorIs(t, owner.DestroyObject(c.ctx, rock), object.ErrDestroyed)
		require.NoError(t, owner.Close())
		_, err = owner.CreateObject(c.ctx, nil)
		assert.ErrorIs(t, err, ErrClosed)
		assert.Empty(t, owner.Objects())
		require.NoError(t, other.Close())
		require.NoError(t, heir.Close())
	})
}

// TestBalanceObjects has the host spread what one machine made.
func TestBalanceObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 3, 0)
		host, maker := c.members[0], c.members[1]
		for range 3 {
			rock, err := maker.CreateObject(c.ctx, []byte("rock"))
			require.NoError(t, err)
			told(c, host, func(e dpsp.ObjectCreated) bool { return e.ID == rock })
		}
		assert.ErrorIs(t, maker.BalanceObjects(c.ctx), dpsp.ErrNotHost)
		require.NoError(t, host.BalanceObjects(c.ctx))
		owners := map[wire.PlayerID]int{}
		for range 2 {
			owners[told(c, maker, func(dpsp.ObjectMigrated) bool { return true }).To]++
		}
		assert.Equal(t, map[wire.PlayerID]int{host.Info().System: 1, c.members[2].Info().System: 1}, owners)
	})
}

// TestObjectErrors asks for what cannot be done.
func TestObjectErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 1, 0)
		s := c.members[0]
		_, err := s.CreateObject(c.ctx, make([]byte, dpsp.MaxObjectState+1))
		assert.ErrorIs(t, err, object.ErrTooLarge)
		rock, err := s.CreateObject(c.ctx, nil)
		require.NoError(t, err)
		assert.ErrorIs(t, s.UpdateObject(c.ctx, rock, make([]byte, dpsp.MaxObjectUpdate+1)), object.ErrTooLarge)
		assert.ErrorIs(t, s.UpdateObject(c.ctx, wire.ObjectID{Creator: 1}, nil), object.ErrUnknown)
		assert.ErrorIs(t, s.MigrateObject(c.ctx, rock, 1), dpsp.ErrNoID)
		none := newCrowd(t, n, true, 1, 0).members[0]
		_, err = none.CreateObject(c.ctx, nil)
		assert.ErrorIs(t, err, dpsp.ErrNoObjects)
		require.NoError(t, none.Leave(c.ctx))
		assert.ErrorIs(t, none.BalanceObjects(c.ctx), dpsp.ErrNoSession)
	})
}

// TestObjectsWeigh: what waits for the program counts with the states of objects.
func TestObjectsWeigh(t *testing.T) {
	state := []byte("12345")
	for _, e := range []dpsp.Event{dpsp.ObjectCreated{ObjectCreated: object.ObjectCreated{State: state}},
		dpsp.ObjectUpdated{ObjectUpdated: object.ObjectUpdated{State: state}},
		dpsp.ObjectMigrated{ObjectMigrated: object.ObjectMigrated{State: state}}} {
		assert.EqualValues(t, len(state), weight(e), "%T", e)
	}
	assert.Zero(t, weight(dpsp.ObjectDestroyed{}))
}

// TestHealed has a machine come back into the session as another one, and as one that is no host any more.
func TestHealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 1, 0)
		s := c.members[0]
		was := s.Info()
		s.take([]dpsp.Event{dpsp.HostChanged{Old: was.System, New: 7}, dpsp.SessionHealed{Host: 7, System: 8}}, nil)
		want := was
		want.System, want.Host, want.Hosting = 8, 7, false
		assert.Equal(t, want, s.Info())
		s.take([]dpsp.Event{dpsp.HostChanged{Old: 7, New: 8, Hosting: true}, dpsp.SessionHealed{Host: 8, System: 8}}, nil)
		want.Host, want.Hosting = 8, true
		assert.Equal(t, want, s.Info())
		assert.Equal(t, was.Desc, s.Info().Desc)
	})
}

// TestHandOver has a machine make as many large objects as it may, and leave. Each queue holds four states, and nobody is given up: what is
// to be told waits until the receiver has acted on what it was told before. The objects beyond the share are refused with a reason.
func TestHandOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, ctx := socktest.New(), soon(t)
		opt := on(n)
		opt.limits = defaults
		opt.limits.octets = 4 * object.Window
		h, err := hosted(ctx, opt, dpsp.Host{Application: testGame, Name: "Objects", Flags: wire.SessionMigrateHost | wire.SessionKeepAlive})
		require.NoError(t, err)
		defer h.Close()
		at := find(t, ctx, n)
		var all []*Session
		for range 3 {
			s, err := joined(ctx, opt, at, "")
			require.NoError(t, err)
			defer s.Close()
			all = append(all, s)
		}
		synctest.Wait()
		maker, rest := all[0], append(all[1:], h)
		made := 0
		for ; err == nil; made++ {
			_, err = maker.CreateObject(ctx, make([]byte, object.MaxState))
		}
		made--
		assert.ErrorIs(t, err, object.ErrShare)
		assert.Equal(t, object.MaxMade/object.MaxState, made)
		reads := func(s *Session) {
			for len(s.Events()) > 0 {
				switch e := (<-s.Events()).(type) {
				case dpsp.PeerLost, dpsp.SessionLost, dpsp.Dropped:
					t.Errorf("%+v", e)
				}
			}
		}
		have := func(is func(object.Object) bool) (have int) {
			for range 1000 {
				have = 0
				for _, s := range rest {
					reads(s)
					assert.LessOrEqual(t, s.loop.queued.Load(), int64(len(rest))*2*object.Window)
					have += len(slices.DeleteFunc(s.Objects(), func(o object.Object) bool { return !is(o) }))
				}
				if have == made*len(rest) || t.Failed() {
					return have
				}
				<-time.After(10 * time.Millisecond)
			}
			return have
		}
		gone := maker.Info().System
		require.Equal(t, made*len(rest), have(func(o object.Object) bool { return o.Owner == gone }))
		require.NoError(t, maker.Leave(ctx))
		require.Equal(t, made*len(rest), have(func(o object.Object) bool { return o.Owner != gone }))
		assert.Len(t, h.machines(), 2)
	})
}
