package bridge

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/dpsp/bridge/local"
	"dplay4/dpsp/bridge/plan"
)

// ended returns the reason for which the other side ended a link.
func ended(t *testing.T, way link.Link) string {
	t.Helper()
	var e *link.EndedError
	require.ErrorAs(t, context.Cause(way.Context()), &e)
	return e.Reason
}

// TestNonsense has a machine say on the stream of the plans what no program of ours says: the link ends, once it is sure that it is
// not the link that ended the stream.
func TestNonsense(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		all := session(t, hub, 1)
		way, err := hub.Machine().Knock(t.Context())
		require.NoError(t, err)
		s, err := way.OpenStream(t.Context())
		require.NoError(t, err)
		_, err = s.Write([]byte{255, 255, 255, 255})
		require.NoError(t, err)
		pass(endMost / 2)
		assert.NoError(t, way.Context().Err())
		pass(endMost)
		assert.Equal(t, plan.Broken, ended(t, way))
		end(all)
	})
}

// TestTakesNothing has a machine take nothing of what the plan says: the link ends.
func TestTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		a, b := hub.Machine(), hub.Machine()
		ours, err := a.Dial(t.Context(), b.ID(), b.Addresses())
		require.NoError(t, err)
		theirs, err := b.Accept(t.Context())
		require.NoError(t, err)
		l := &loop{wires: map[plan.Link]*wired{1: {link: ours, out: make(chan []byte, messagesWait)}}}
		for range messagesWait {
			l.say(plan.Send{Link: 1})
		}
		l.work.Wait()
		assert.NoError(t, theirs.Context().Err())
		l.say(plan.Send{Link: 1})
		l.work.Wait()
		assert.Equal(t, plan.Broken, ended(t, theirs))
	})
}

// TestShortSilence has nothing come from the keeper for a moment, which happens on every network.
func TestShortSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := session(t, linktest.New(), 2)
		all[1].deaf.Store(true)
		pass(2 * look)
		all[1].deaf.Store(false)
		pass(2 * time.Second)
		assert.Empty(t, told[KeeperChanged](all[1]))
		end(all)
	})
}

// TestManyAddresses has more relayed addresses than a plan keeps: it is told of them once.
func TestManyAddresses(t *testing.T) {
	n := &manyAddresses{Machine: linktest.New().Machine()}
	l := &loop{ctx: t.Context(), net: n, plan: plan.New(plan.Config{ID: plan.ID{1}}), over: make(chan struct{})}
	close(l.over)
	l.reach()
	l.work.Wait()
	at := l.plan.Self().At
	assert.NotEmpty(t, at)
	l.plan = nil // it is not asked for anything
	assert.NotPanics(t, l.reach)
}

// A manyAddresses is a machine that has nine.
type manyAddresses struct{ *linktest.Machine }

func (manyAddresses) Addresses() (all []netip.AddrPort) {
	for i := range uint16(9) {
		all = append(all, netip.AddrPortFrom(netip.MustParseAddr("192.0.2.1"), 10000+i))
	}
	return all
}

// TestNoPlace has what stands for others fail: a machine that is not reached is told of as a connection that was cut, which nobody
// has to take back, and without a place of our own the session ends.
func TestNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := linktest.New()
		first, err := start(t, hub, nil, Options{Name: "first"})
		require.NoError(t, err)
		first.failing = errors.New("no way")
		second, err := start(t, hub, first.code(), Options{Name: "second"})
		require.NoError(t, err)
		pass(time.Second)
		assert.Equal(t, []Local{{Event: local.Cut{Slot: 1, Err: first.failing}}}, told[Local](first)[1:])
		require.NoError(t, first.session.ask(func(l *loop) error {
			l.do(plan.Moved{Slot: 7})
			return nil
		}))
		<-first.over
		assert.Equal(t, []Ended{{Reason: "no way"}}, told[Ended](first))
		end([]*computer{first, second})
	})
}
