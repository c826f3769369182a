package bridge

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/dpsp/bridge/local"
	"dplay4/dpsp/bridge/plan"
)

// In a bubble of synctest a test fails if anything runs on when it is over.

func TestSessions(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8} {
		synctest.Test(t, func(t *testing.T) {
			all := session(t, linktest.New(), n)
			for i, c := range all {
				assert.Equal(t, i, c.slot)
				assert.Len(t, c.slots(), n-1)
				assert.Equal(t, all[0].names(), c.names())
				assert.Len(t, told[Joined](c), n-1)
				require.Len(t, told[Opened](c), 1)
				assert.IsType(t, Opened{}, c.events[0])
				assert.Equal(t, []Local{{local.Searching{}}}, told[Local](c))
				self := told[Opened](c)[0].Self
				assert.Equal(t, Member{ID: c.net.ID(), Slot: i, Name: self.Name, Self: true, Linked: true, Keeper: i == 0,
					Ports: local.At(i)}, self)
			}
			everybodyTalks(t, all)
			end(all)
			for _, c := range all {
				assert.False(t, c.open)
				assert.Equal(t, []Ended{{}}, told[Ended](c))
				assert.Equal(t, c.events[len(c.events)-1], Ended{})
			}
		})
	}
}

func TestGoodbye(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := session(t, linktest.New(), 3)
		end(all[1:2])
		pass(time.Second)
		for _, c := range []*computer{all[0], all[2]} {
			assert.Equal(t, []string{"m0", "m2"}, c.names())
			assert.Equal(t, "it left", told[Left](c)[0].Reason)
		}
		end(all)
	})
}

// TestSharerDies has the sharer's machine vanish: the others go on, and newcomers come with the same code.
func TestSharerDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 4)
		rest := all[1:]
		unplug(hub, all[0], rest, true)
		pass(5 * time.Second)
		for _, c := range rest {
			changed := told[KeeperChanged](c)
			require.Len(t, changed, 1)
			assert.Equal(t, all[1].net.ID(), changed[0].Member.ID)
			assert.Equal(t, all[0].session.Code(), c.session.Code())
		}
		assert.True(t, all[1].net.Meets())
		everybodyTalks(t, rest)
		late, err := start(t, hub, all[0].code(), Options{Name: "late"})
		require.NoError(t, err)
		assert.Equal(t, 4, late.slot, "the one that vanished has its slot for a while")
		pass(time.Second)
		everybodyTalks(t, append(rest, late))

		all = append(all, late)
		unplug(hub, all[0], all[1:], false)
		pass(time.Minute)
		for _, c := range all {
			assert.Equal(t, all[0].names(), c.names())
		}
		assert.True(t, all[0].net.Meets(), "the one that came first is keeper again")
		everybodyTalks(t, all)
		end(all)
	})
}

// TestSilentKeeper has nothing come from the keeper any more, long before its links are down.
func TestSilentKeeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := session(t, linktest.New(), 2)
		all[1].deaf.Store(true)
		pass(2 * time.Second)
		assert.Equal(t, all[1].net.ID(), told[KeeperChanged](all[1])[0].Member.ID)
		assert.False(t, all[1].session.Members()[0].Linked)
		assert.Equal(t, []int{0}, all[1].slots(), "it has its slot")
		all[1].deaf.Store(false)
		pass(2 * time.Second)
		assert.Equal(t, all[0].net.ID(), told[KeeperChanged](all[1])[1].Member.ID)
		var linked []bool
		for _, e := range told[WayChanged](all[1]) {
			linked = append(linked, e.Member.Linked)
		}
		assert.Equal(t, []bool{false, true}, linked)
		pass(time.Minute)
		assert.True(t, all[0].net.Meets())
		everybodyTalks(t, all)
		end(all)
	})
}

// TestAwayForLong has a machine be cut off for minutes, and a newcomer get its slot: it is told that it has another one when it is back,
// and nobody else notices.
func TestAwayForLong(t *testing.T) {
	for away := range 3 {
		synctest.Test(t, func(t *testing.T) {
			hub := linktest.New()
			all := session(t, hub, 3)
			with, c := all[0].code(), all[away]
			rest := slices.Delete(slices.Clone(all), away, away+1)
			unplug(hub, c, rest, true)
			pass(time.Minute)
			late, err := start(t, hub, with, Options{Name: "late"})
			require.NoError(t, err)
			assert.Equal(t, away, late.slot)
			pass(4 * time.Minute)
			rest = append(rest, late)
			joined := len(told[WayChanged](late))
			unplug(hub, c, rest, false)
			pass(time.Minute)
			require.Len(t, told[SlotChanged](c), 1)
			assert.Equal(t, 3, told[SlotChanged](c)[0].Self.Slot)
			for _, r := range rest {
				assert.Empty(t, told[SlotChanged](r))
				assert.LessOrEqual(t, len(told[Left](r)), 1, "only the one that was away")
			}
			assert.Len(t, told[WayChanged](late), joined)
			everybodyTalks(t, append(rest, c))
			end(append(rest, c))
		})
	}
}

// TestSlept has a machine sleep, by its time of day: it calls nobody before it knows who is still there.
func TestSlept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 2)
		before := all[1].dials.Load()
		require.NoError(t, all[1].session.ask(func(l *loop) error {
			l.looked = l.looked.Add(-time.Minute)
			l.step(plan.Tick{})
			assert.WithinDuration(t, time.Now(), l.looked, time.Second, "it noticed before it did anything")
			return nil
		}))
		hub.Cut(all[0].net, all[1].net)
		pass(10 * time.Second)
		assert.Equal(t, before, all[1].dials.Load())
		pass(10 * time.Second)
		assert.Less(t, before, all[1].dials.Load())
		end(all)
		l := &loop{}
		var slept []bool
		for _, s := range []int64{0, 1, 61, 62} {
			slept = append(slept, l.slept(time.Unix(1e9+s, 0)))
		}
		assert.Equal(t, []bool{false, false, true, false}, slept)
	})
}

// TestPlainRelay has relays that give ports of their own: the code names them, and is another one when the keeper is.
func TestPlainRelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		first, err := start(t, hub, nil, Options{Name: "plain"})
		require.NoError(t, err)
		second, err := start(t, hub, first.code(), Options{Name: "plain"})
		require.NoError(t, err)
		third, err := start(t, hub, first.code(), Options{Name: "plain"})
		require.NoError(t, err)
		assert.Equal(t, uint16(10000), first.code().Meeting.Port())
		assert.Equal(t, first.session.Code(), third.session.Code())
		end([]*computer{first})
		pass(5 * time.Second)
		assert.Equal(t, uint16(10001), second.code().Meeting.Port())
		for _, c := range []*computer{second, third} {
			assert.Equal(t, []CodeChanged{{Code: second.session.Code()}}, told[CodeChanged](c))
		}
		end([]*computer{second, third})
	})
}

// TestRelayGoes takes the relay away: who is linked does not notice.
func TestRelayGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 3)
		hub.Relay(false)
		pass(time.Minute)
		everybodyTalks(t, all)
		_, err := start(t, hub, all[0].code(), Options{})
		assert.ErrorIs(t, err, link.ErrNoRelay)
		hub.Relay(true)
		pass(time.Minute)
		late, err := start(t, hub, all[0].code(), Options{})
		require.NoError(t, err)
		pass(time.Second)
		everybodyTalks(t, append(all, late))
		end(append(all, late))
	})
}

func TestNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 1)
		with := all[0].code()
		end(all)
		_, err := start(t, hub, with, Options{})
		assert.ErrorIs(t, err, ErrEmpty)
		assert.ErrorIs(t, err, link.ErrNobody)
	})
}

func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		first, err := start(t, hub, nil, Options{Name: "first", Ask: true})
		require.NoError(t, err)
		answer := func(yes bool) {
			pass(time.Minute)
			asked := told[Asked](first)
			assert.NoError(t, first.session.Answer(asked[len(asked)-1].ID, yes))
		}
		go answer(true)
		second, err := start(t, hub, first.code(), Options{Name: "second"})
		require.NoError(t, err)
		assert.Equal(t, []Wait{ForRelay, ForSession, ForYes}, second.waited)
		go answer(false)
		_, err = start(t, hub, first.code(), Options{Name: "third"})
		assert.ErrorIs(t, err, ErrNotLetIn)
		assert.EqualError(t, err, "this machine was not let in: somebody in the session said no")
		assert.ErrorIs(t, first.session.Answer(link.ID{1}, true), ErrNobodyThere)
		end([]*computer{first, second})
		assert.ErrorIs(t, first.session.Answer(link.ID{1}, true), link.ErrClosed)
	})
}

// TestAskStays has who shared with Ask leave: the next one is asked.
func TestAskStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		first, err := start(t, hub, nil, Options{Name: "first", Ask: true})
		require.NoError(t, err)
		with := first.code()
		yes := func(c *computer) {
			pass(time.Minute)
			assert.NoError(t, c.session.Answer(c.session.Asking()[0].ID, true))
		}
		go yes(first)
		second, err := start(t, hub, with, Options{Name: "second"})
		require.NoError(t, err)
		end([]*computer{first})
		go yes(second)
		third, err := start(t, hub, with, Options{Name: "third"})
		require.NoError(t, err)
		assert.Len(t, told[Asked](second), 1)
		end([]*computer{second, third})
	})
}

// TestAskedAndGone has a newcomer go before it is answered, and come again: that is another question.
func TestAskedAndGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		first, err := start(t, hub, nil, Options{Name: "first", Ask: true})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = startAs(ctx, t, hub.Machine(), first.code(), Options{Name: "second"})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		pass(time.Second)
		asked := told[Asked](first)
		require.Len(t, asked, 1)
		assert.Equal(t, []Unasked{{ID: asked[0].ID, Name: "second", Reason: "it does not wait any more"}}, told[Unasked](first))
		assert.ErrorIs(t, first.session.Answer(asked[0].ID, true), ErrNobodyThere)
		assert.Empty(t, first.session.Asking())
		go func() {
			pass(time.Minute)
			assert.NoError(t, first.session.Answer(first.session.Asking()[0].ID, true))
		}()
		second, err := start(t, hub, first.code(), Options{Name: "second"})
		require.NoError(t, err)
		assert.Len(t, told[Unasked](first), 1)
		end([]*computer{first, second})
	})
}

func TestKick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := session(t, linktest.New(), 4)
		assert.ErrorIs(t, all[0].session.Kick(9, ""), ErrNobodyThere)
		require.NoError(t, all[0].session.Kick(2, "be nice"))
		pass(time.Second)
		<-all[2].over
		assert.Equal(t, []Ended{{Reason: "this machine was sent away: be nice"}}, told[Ended](all[2]))
		rest := []*computer{all[0], all[1], all[3]}
		for _, c := range rest {
			assert.Equal(t, []string{"m0", "m1", "m3"}, c.names())
			gone := told[Left](c)
			require.Len(t, gone, 1)
			assert.Contains(t, gone[0].Reason, "it was sent away")
		}
		everybodyTalks(t, rest)
		end(all)
	})
}

// TestCut has a machine that is no keeper send another one away, which it cannot, and cut it off.
func TestCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := session(t, linktest.New(), 3)
		assert.ErrorIs(t, all[1].session.Kick(2, ""), ErrNotKeeper)
		pass(time.Second)
		everybodyTalks(t, all)
		assert.ErrorIs(t, all[1].session.Cut(9), ErrNobodyThere)
		require.NoError(t, all[1].session.Cut(2))
		pass(time.Minute)
		for i, want := range [][]string{{"m0", "m1", "m2"}, {"m0", "m1"}, {"m0", "m2"}} {
			assert.Equal(t, want, all[i].names())
		}
		assert.Equal(t, "it was cut off from this machine alone", told[Left](all[1])[0].Reason)
		assert.Equal(t, "it has cut this machine off", told[Left](all[2])[0].Reason)
		end(all)
	})
}

// TestUnreached has a newcomer not reach a machine that the others have: each sees that the other one is there, and that it is gone.
func TestUnreached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 2)
		m := hub.Machine()
		hub.Cut(m, all[1].net)
		late, err := startAs(t.Context(), t, m, all[0].code(), Options{Name: "late"})
		require.NoError(t, err)
		pass(10 * time.Second)
		missing := Member{ID: all[1].net.ID(), Slot: 1, Ports: local.At(1)}
		assert.Equal(t, []string{"m0", "", "late"}, late.names())
		assert.Equal(t, []int{0}, late.slots())
		assert.Equal(t, missing, told[Joined](late)[1].Member)
		assert.False(t, told[Joined](all[1])[1].Member.Linked)
		hub.Heal(m, all[1].net)
		pass(10 * time.Second)
		assert.Equal(t, "m1", told[WayChanged](late)[0].Member.Name)
		everybodyTalks(t, append(all, late))
		end(append(all, late))
	})
}

// TestBackByOthers has a machine be gone for us, and another one reach it again before we do: once we do, it is told to be here.
func TestBackByOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 4)
		for _, near := range all[:2] {
			for _, far := range all[2:] {
				hub.Cut(near.net, far.net)
			}
		}
		pass(time.Minute)
		c, back := all[1], all[2]
		require.Len(t, told[Left](c), 2)
		hub.Heal(all[0].net, back.net)
		pass(time.Minute)
		joined := told[Joined](c)
		assert.Equal(t, Member{ID: back.net.ID(), Slot: 2, Ports: local.At(2)}, joined[3].Member)
		before := len(told[WayChanged](c))
		hub.Heal(c.net, back.net)
		pass(10 * time.Second)
		after := told[WayChanged](c)[before:]
		require.Len(t, after, 1)
		assert.True(t, after[0].First)
		assert.Equal(t, "m2", after[0].Member.Name)
		end(all)
	})
}

// TestKeeperBack has a keeper that all lost be back: it is told by its name, though it has no slot yet.
func TestKeeperBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 3)
		unplug(hub, all[0], all[1:], true)
		pass(5 * time.Minute)
		unplug(hub, all[0], all[1:], false)
		pass(time.Minute)
		for _, c := range all[1:] {
			for _, e := range told[KeeperChanged](c) {
				assert.NotEmpty(t, e.Member.Name)
			}
		}
		end(all)
	})
}

// TestGameThatRuns has games on ports of their own: the first has its slot for them, the next one is translated.
func TestGameThatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		at := filter.Ports{TCP: 2303, UDP: 2353}
		game := Options{running: func(uint64) (local.Game, filter.Ports, error) { return local.Game{Ports: at}, at, nil }}
		first, err := start(t, hub, nil, game)
		require.NoError(t, err)
		second, err := start(t, hub, first.code(), game)
		require.NoError(t, err)
		assert.Equal(t, 3, first.slot)
		assert.Equal(t, at, first.game, "the ports of its slot")
		assert.Equal(t, 0, second.slot)
		assert.Equal(t, at, second.game)
		end([]*computer{first, second})
	})
}

// TestWish has machines without a game on which other programs have ports: one has the slot that it wishes for, the next one another.
func TestWish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		wish := Options{running: func(uint64) (game local.Game, wish filter.Ports, err error) { return game, local.At(7), nil }}
		first, err := start(t, hub, nil, wish)
		require.NoError(t, err)
		second, err := start(t, hub, first.code(), wish)
		require.NoError(t, err)
		assert.Equal(t, []int{7, 0}, []int{first.slot, second.slot})
		assert.Equal(t, []filter.Ports{{}, {}}, []filter.Ports{first.game, second.game}, "there is none to be translated")
		end([]*computer{first, second})
	})
}

// TestHostElsewhere has the game of another machine be host, whose name the program is told.
func TestHostElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := session(t, linktest.New(), 2)
		all[1].report(local.Elsewhere{Slot: 0})
		require.NoError(t, all[1].session.LetHost(true))
		assert.True(t, all[1].lets)
		all[1].report(local.Elsewhere{Slot: -1})
		pass(time.Second)
		got := told[HostElsewhere](all[1])
		require.Len(t, got, 2)
		assert.True(t, got[0].On)
		assert.Equal(t, "m0", got[0].Member.Name)
		assert.Equal(t, HostElsewhere{}, got[1])
		end(all)
		assert.ErrorIs(t, all[1].session.LetHost(false), link.ErrClosed)
	})
}

// TestVisit has a machine look at a session without a game.
func TestVisit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 2)
		visitor, err := start(t, hub, all[0].code(), Options{Name: "doctor", Visit: true})
		require.NoError(t, err)
		pass(time.Second)
		assert.Equal(t, []string{"m0", "m1", "doctor"}, visitor.names())
		assert.True(t, visitor.session.Members()[1].Linked)
		assert.Empty(t, visitor.slots(), "it holds no ports")
		end(append(all, visitor))
	})
}

// TestComeAndGo has machines come and go for two minutes.
func TestComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 8)
		for i := range 24 {
			end(all[i%8 : i%8+1])
			c, err := start(t, hub, all[(i+1)%8].code(), Options{Name: "again"})
			require.NoError(t, err)
			all[i%8] = c
			pass(5 * time.Second)
			everybodyTalks(t, all)
		}
		end(all)
	})
}
