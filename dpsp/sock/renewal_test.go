package sock

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/network"
	"dplay4/dpsp/sock/socktest"
	"dplay4/hostmigrate"
	"dplay4/wire"
)

// talk has every member of a crowd say something to every other one, with guarantee. It fails where anybody was lost.
func (c *crowd) allTalk(text string) {
	c.t.Helper()
	for _, p := range c.members {
		for _, q := range c.members {
			if p == q {
				continue
			}
			said := fmt.Sprintf("%s: %s to %s", text, p.name, q.name)
			require.NoError(c.t, p.Send(c.ctx, p.id, q.id, []byte(said), true))
			got(c.t, c.ctx, q, func(m dpsp.Message) bool { return m.From == p.id && string(m.Payload) == said })
		}
	}
}

// freeze has the session of a member take nothing in until the function that it returns is called.
func freeze(m *part) (thaw func()) {
	stands, goes := make(chan struct{}), make(chan struct{})
	go m.loop.do(func(*dpsp.Engine) { close(stands); <-goes })
	<-stands
	return func() { close(goes) }
}

// TestReset breaks connections between members while the network is well: in one direction or both, while they are idle or while much
// is written. Nobody is lost, and everybody is heard.
func TestReset(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]int{{1, 2}, {2, 1}, {0, 2}, {2, 0}} {
		for _, both := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d to %d, both %v", pair[0], pair[1], both), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					n := socktest.New()
					c := newCrowd(t, n, false, 3, 0)
					c.allTalk("before")
					a, b := c.members[pair[0]], c.members[pair[1]]
					for i := range 3 {
						n.Reset(a.loop.opt.Bind, b.StreamAddr())
						if both {
							n.Reset(b.loop.opt.Bind, a.StreamAddr())
						}
						<-time.After(2 * hostmigrate.DefaultTimeout)
						c.allTalk(fmt.Sprint("after ", i))
					}
				})
			})
		}
	}
}

// A slow network takes long to open connections, or never does, and counts them.
type slowNetwork struct {
	network.Network
	never atomic.Bool
	dials atomic.Int64
}

func (n *slowNetwork) DialStream(ctx context.Context, from netip.Addr, to netip.AddrPort) (network.Stream, error) {
	n.dials.Add(1)
	if n.never.Load() {
		<-ctx.Done()
		return nil, syscall.ETIMEDOUT
	}
	return n.Network.DialStream(ctx, from, to)
}

// TestCrashIsNoticedAtOnce kills the host: its connections end, and a new one is refused, or is not answered at all, as behind a
// firewall. The others notice as early in either case: nobody waits for the connection longer than for a last word.
func TestCrashIsNoticedAtOnce(t *testing.T) {
	t.Parallel()
	for _, never := range []bool{false, true} {
		t.Run(fmt.Sprint("never ", never), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := &slowNetwork{Network: socktest.New()}
				c := newCrowd(t, n, false, 2, 0)
				c.allTalk("before")
				n.never.Store(never)
				began := time.Now()
				c.members[0].crash()
				p := c.members[1]
				for range p.Events() {
					if p.Hosting() {
						break
					}
				}
				assert.LessOrEqual(t, time.Since(began), defaults.grace+10*time.Millisecond)
			})
		})
	}
}

// TestResetWhileWriting breaks a connection that a peer does not read while much waits to be written. As much as the engine keeps comes
// over the new connection, in order and once. The sender is told that the rest is lost.
func TestResetWhileWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 3, 0)
		c.allTalk("before")
		a, b := c.members[1], c.members[2]
		thaw := freeze(b)
		const messages, size, kept = 100, 16 << 10, 256 << 10
		for i := range messages {
			require.NoError(t, a.Send(c.ctx, a.id, b.id, append([]byte{byte(i)}, make([]byte, size)...), true))
		}
		synctest.Wait()
		assert.Greater(t, a.loop.queued.Load(), int64(messages*size/2))
		n.Reset(a.loop.opt.Bind, b.StreamAddr())
		synctest.Wait()
		assert.Less(t, a.loop.queued.Load(), int64(size), "the engine has what counts")
		thaw()
		var came []byte
		for len(came) == 0 || came[len(came)-1] != messages-1 {
			came = append(came, got(t, c.ctx, b, func(dpsp.Message) bool { return true }).Payload[0])
		}
		assert.IsIncreasing(t, came)
		assert.GreaterOrEqual(t, len(came), kept/size-1)
		assert.Less(t, len(came), messages, "more is not kept")
		renewed := got(t, c.ctx, a, func(dpsp.ConnectionRenewed) bool { return true })
		assert.Equal(t, dpsp.ConnectionRenewed{System: b.Info().System, Lost: true}, renewed)
		c.allTalk("after")
		eventually(t, "nothing waits", func() bool { return a.loop.queued.Load() == 0 })
	})
}

// TestResetLosesNothing breaks a connection between one message and the next, whoever notices that first: who writes or who watches.
// All that the peer's system had not taken goes over the new connection, in order and once.
func TestResetLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 3, 0)
		c.allTalk("before") // so that there are connections
		synctest.Wait()     // until both ends count: a break before that is reported as a loss
		a, b := c.members[1], c.members[2]
		const breaks = 100
		for i := range byte(breaks) {
			require.NoError(t, a.Send(c.ctx, a.id, b.id, []byte{2 * i}, true))
			n.Reset(a.loop.opt.Bind, b.StreamAddr())
			require.NoError(t, a.Send(c.ctx, a.id, b.id, []byte{2*i + 1}, true))
			for _, want := range []byte{2 * i, 2*i + 1} {
				require.Equal(t, []byte{want}, got(t, c.ctx, b, func(dpsp.Message) bool { return true }).Payload)
			}
			renewed := got(t, c.ctx, a, func(dpsp.ConnectionRenewed) bool { return true })
			require.Equal(t, dpsp.ConnectionRenewed{System: b.Info().System}, renewed)
			<-time.After(time.Second)
		}
	})
}

// TestResetOfStranger breaks a connection to a peer that is none of ours: what waits for it is not sent over a new one.
func TestResetOfStranger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		h := host(t, n, func(*limits) {})
		x := byHand(t, h)
		require.Len(t, h.machines(), 1)
		h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(x.at, make([]byte, 1<<20), dpsp.NoList) })
		synctest.Wait()
		n.Reset(loopback, x.at)
		eventually(t, "it is lost", func() bool { return len(h.machines()) == 0 })
		assert.Nil(t, h.outboundTo(x.at))
	})
}

// waitingMessages makes a connection for which messages wait.
func (l *loop) waitingMessages(t *testing.T, since time.Time, messages int) (o *outbound, octets int) {
	b, err := (&wire.Envelope{HasSP: true, Message: &wire.PlayerMessage{Payload: []byte("text")}}).Append(nil)
	require.NoError(t, err)
	o = l.owing(1, 0, since)
	for range messages {
		require.True(t, o.add(b, messages*len(b)))
	}
	o.since = since
	return o, messages * len(b)
}

// TestHandOverCounts gives a peer up for the budget while the connection to it is replaced. The new one counts all the same.
func TestHandOverCounts(t *testing.T) {
	l := &loop{outbound: map[netip.AddrPort]*outbound{}, ending: map[*outbound]bool{}, limits: defaults, abort: t.Context()}
	o, octets := l.waitingMessages(t, time.Now(), 3)
	ready, settled := make(chan struct{}), make(chan struct{})
	go func() {
		close(ready)
		o.settled()
		close(settled)
	}()
	<-ready
	next := l.successor(o, false) // the race detector looks at this
	<-settled
	o.wrote(o.waiting())
	assert.EqualValues(t, octets, l.queued.Load())
	assert.Equal(t, octets, next.debt().octets)
	assert.Same(t, &l.queued, next.debt().queued)

	o, _ = l.waitingMessages(t, time.Now(), 3)
	o.settled()
	assert.Same(t, &l.queued, l.successor(o, false).debt().queued)
}

// TestHandOverKeepsAge replaces a connection whose peer reads nothing: what waits has waited as long as before, and a list of players
// waits still. So a peer that resets its connections does not evade the budget.
func TestHandOverKeepsAge(t *testing.T) {
	since := time.Now().Add(-time.Hour)
	for _, list := range []int{0, 10, math.MaxInt} {
		l := &loop{outbound: map[netip.AddrPort]*outbound{}, ending: map[*outbound]bool{}, limits: defaults, abort: t.Context()}
		o, octets := l.waitingMessages(t, since, 3)
		o.list = list
		next := l.successor(o, false)
		assert.Equal(t, since, next.debt().since)
		assert.Equal(t, min(list, octets), next.list)
		next.take() // they are being written
		assert.Equal(t, since, next.debt().since)
	}
}

// TestHandOverOfFullQueue replaces a connection while as much waits as may, and a batch besides of which a part was written: that had made
// room. No message is left out.
func TestHandOverOfFullQueue(t *testing.T) {
	l := &loop{outbound: map[netip.AddrPort]*outbound{}, ending: map[*outbound]bool{}, limits: defaults, abort: t.Context()}
	o, octets := l.waitingMessages(t, time.Now(), 3)
	l.limits.octets = octets
	o.unsent = batch{slices.Clone(o.queue.octets[:octets/3]), []int{octets / 3}}
	next := l.successor(o, false)
	assert.Equal(t, octets/3+octets, next.waiting())
	assert.False(t, next.add([]byte{1}, l.limits.octets), "more has no room")
}

// TestUnsent takes the messages of which nothing was written.
func TestUnsent(t *testing.T) {
	message := func(text string) []byte {
		b, err := (&wire.Envelope{HasSP: true, Message: &wire.PlayerMessage{Payload: []byte(text)}}).Append(nil)
		require.NoError(t, err)
		return b
	}
	first, second := message("first"), message("second one")
	both := &batch{slices.Concat(first, second), []int{len(first), len(second)}}
	for octets := range len(both.octets) + 1 {
		want := both.octets
		switch {
		case octets > len(first):
			want = nil
		case octets > 0:
			want = second
		}
		assert.Equal(t, string(want), string(both.unsent(octets).octets), octets)
	}
}

// TestResetAgainAndAgain resets each connection to a member as soon as it is there: few are made, so nobody can have us dial in a loop.
func TestResetAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reset := socktest.New()
		n := &slowNetwork{Network: reset}
		c := newCrowd(t, n, false, 3, 0)
		a, b := c.members[1], c.members[2]
		c.allTalk("before")
		synctest.Wait()
		before := n.dials.Load()
		for range 50 {
			synctest.Wait()
			reset.Reset(a.loop.opt.Bind, b.StreamAddr())
		}
		synctest.Wait()
		assert.EqualValues(t, 4, n.dials.Load()-before)
	})
}

// A resettingNetwork takes time to open connections. While it resets, it breaks those from one machine to another as soon as they are open.
type resettingNetwork struct {
	*socktest.Network
	resets atomic.Bool
	from   netip.Addr
	to     netip.AddrPort
	dials  atomic.Int64
}

func (n *resettingNetwork) DialStream(ctx context.Context, from netip.Addr, to netip.AddrPort) (network.Stream, error) {
	<-time.After(time.Millisecond)
	c, err := n.Network.DialStream(ctx, from, to)
	if n.resets.Load() && from == n.from && to == n.to {
		n.dials.Add(1)
		n.Reset(from, to)
	}
	return c, err
}

// TestResetAgainAndAgainWhileWriting resets each connection to a member as soon as it is open, while messages wait to be sent there and the
// member keeps its own connection: few are made, and nobody is out.
func TestResetAgainAndAgainWhileWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &resettingNetwork{Network: socktest.New()}
		c := newCrowd(t, n, false, 3, 0)
		a, b := c.members[1], c.members[2]
		c.allTalk("before")
		n.from, n.to = a.loop.opt.Bind, b.StreamAddr()
		n.resets.Store(true)
		n.Reset(n.from, n.to)
		began := time.Now()
		for range 10 {
			a.Send(c.ctx, a.id, b.id, []byte("x"), true)
			<-time.After(time.Second)
		}
		assert.NotZero(t, a.loop.machine(n.to), "it is accused, and answers the host")
		assert.LessOrEqual(t, n.dials.Load(), int64(4*(1+time.Since(began)/a.loop.opt.Config.Period)), "in each period")
	})
}

// TestResetTwice breaks a connection and, before the peer answered over the new one, that as well, while much waits to be sent. Nobody is
// accused, and all comes in order and once, because it is no more than the engine keeps.
func TestResetTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := newCrowd(t, n, false, 3, 0)
		c.allTalk("before")
		a, b := c.members[1], c.members[2]
		synctest.Wait() // as in TestResetLosesNothing
		thaw := freeze(b)
		const messages, size = 100, 2 << 10
		for i := range messages {
			require.NoError(t, a.Send(c.ctx, a.id, b.id, append([]byte{byte(i)}, make([]byte, size)...), true))
		}
		for range 2 {
			synctest.Wait()
			n.Reset(a.loop.opt.Bind, b.StreamAddr())
			<-time.After(100 * time.Millisecond)
		}
		thaw()
		var came []byte
		for len(came) == 0 || came[len(came)-1] != messages-1 {
			came = append(came, got(t, c.ctx, b, func(dpsp.Message) bool { return true }).Payload[0])
		}
		assert.IsIncreasing(t, came)
		assert.Len(t, came, messages)
		renewed := got(t, c.ctx, a, func(dpsp.ConnectionRenewed) bool { return true })
		assert.Equal(t, dpsp.ConnectionRenewed{System: b.Info().System}, renewed)
		<-time.After(3 * hostmigrate.DefaultTimeout)
		c.allTalk("after")
	})
}

// TestResetWhileJoining breaks the host's connection to a newcomer while a member that stands still keeps it waiting for the list: it
// answers nothing until then, and gets in all the same.
func TestResetWhileJoining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		c := crowdWith(t, n, wire.SessionMigrateHost, false, 2, 1) // nobody is pinged
		h, slow := c.members[0], c.members[1]
		thaw := freeze(slow)
		defer thaw()
		f, err := seek(c.ctx, c.own(c.seeker), h.loop.opt.Bind, "", func(*Found) bool { return true })
		require.NoError(t, err)
		opt := c.own(c.address())
		in := make(chan error)
		go func() {
			s, err := joined(c.ctx, opt, f, "")
			if err == nil {
				defer s.Close()
			}
			in <- err
		}()
		newcomer := netip.AddrPortFrom(opt.Bind, wire.StreamPorts.First)
		eventually(t, "it waits", func() bool { return h.loop.machine(newcomer) != 0 })
		n.Reset(h.loop.opt.Bind, newcomer)
		require.NoError(t, <-in)
	})
}

// TestDropCounted: a batch that waits for a connection that breaks keeps the messages that do not count, with their sizes: the engine sends
// the others again.
func TestDropCounted(t *testing.T) {
	message := func(m wire.Message) []byte {
		env := wire.Envelope{HasSP: true, Version: wire.DX9, Message: m}
		b, err := env.Append(nil)
		require.NoError(t, err)
		return b
	}
	ping, hello := message(&wire.Ping{Tick: 1}), message(wire.NewExtension(1, &wire.ExtensionHello{}))
	game, created := message(&wire.PlayerMessage{From: 1, To: 2, Payload: []byte("game")}), message(&wire.DeletePlayer{Player: 1})
	for name, c := range map[string]struct {
		in, kept [][]byte
	}{
		"nothing":         {nil, nil},
		"all count":       {[][]byte{game, created}, nil},
		"none counts":     {[][]byte{ping, hello}, [][]byte{ping, hello}},
		"some do":         {[][]byte{game, ping, created, hello, game}, [][]byte{ping, hello}},
		"the first does":  {[][]byte{game, ping}, [][]byte{ping}},
		"the last counts": {[][]byte{hello, game}, [][]byte{hello}},
	} {
		b := &batch{octets: slices.Concat(c.in...)}
		want := 0
		for _, m := range c.in {
			b.sizes = append(b.sizes, len(m))
			if len(m) > 10 && dpsp.Counted(m) {
				want += len(m)
			}
		}
		assert.Equal(t, want, b.drop(), name)
		assert.Equal(t, slices.Concat(c.kept...), append([]byte(nil), b.octets...), name)
		var sizes []int
		for _, m := range c.kept {
			sizes = append(sizes, len(m))
		}
		assert.Equal(t, sizes, b.sizes, name)
	}
}
