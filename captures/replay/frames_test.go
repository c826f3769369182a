package replay

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/dpsp/recording"
	"dplay4/wire"
)

// period is that of their ping timers.
const period = 5 * time.Second

// A conversation is between two engines of ours, over a network that loses frames. It is recorded as the host's machine sees it.
type conversation struct {
	t       *testing.T
	rnd     *rand.Rand
	loss    float64
	engines [2]*dpsp.Engine
	at      [2]netip.Addr
	wake    [2]time.Duration
	events  [2][]dpsp.Event
	now     time.Duration
	way     []travelling
	seen    []seen
	lag     time.Duration // how late the capture has the host's frames: its acknowledgements come late, then
	lost    int
	arrived [2][]string
}

// A travelling message is on its way.
type travelling struct {
	at  time.Duration
	to  int
	out dpsp.Outgoing
}

// A seen message is in the capture.
type seen struct {
	at        time.Duration
	transport dpsp.Transport
	src, dst  netip.AddrPort
	data      []byte
}

func newConversation(t *testing.T, seed uint64, loss float64, legacy bool) *conversation {
	c := &conversation{t: t, rnd: rand.New(rand.NewPCG(seed, 7)), loss: loss,
		at: [2]netip.Addr{netip.MustParseAddr(hostIP), netip.MustParseAddr(joinerIP)}}
	for i := range c.engines {
		c.engines[i] = dpsp.New(dpsp.Config{Seed: [32]byte{byte(seed), byte(i), 1}, Legacy: legacy, Period: period,
			Stream:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{}), 2300),
			Datagram: netip.AddrPortFrom(netip.AddrFrom4([4]byte{}), 2350)})
		c.wake[i] = dpsp.Never
	}
	return c
}

// step steps an engine, and puts what it sends on the way.
func (c *conversation) step(i int, in dpsp.Input) {
	out := c.engines[i].Step(c.now, in)
	c.wake[i] = out.Wake
	c.events[i] = append(c.events[i], out.Events...)
	for _, e := range out.Events {
		if m, ok := e.(dpsp.Message); ok {
			c.arrived[i] = append(c.arrived[i], string(m.Payload))
		}
	}
	for _, s := range out.Sends {
		s.Data = bytes.Clone(s.Data)
		if i == 0 {
			c.record(i, s)
		}
		framed := framed(&s)
		if framed && c.rnd.Float64() < c.loss {
			c.lost++
			continue
		}
		delay := 10 * time.Millisecond
		if framed {
			delay += time.Duration(c.rnd.IntN(8)) * time.Millisecond
		}
		c.way = append(c.way, travelling{c.now + delay, 1 - i, s})
	}
}

// record writes a message of an engine as its network has it.
func (c *conversation) record(from int, s dpsp.Outgoing) {
	at := c.now
	if from == 0 && framed(&s) {
		at += c.lag
	}
	transport, src, dst := dpsp.TCP, netip.AddrPortFrom(c.at[from], 1024), netip.AddrPortFrom(c.at[1-from], s.To.Port())
	if s.Transport != dpsp.TCP {
		transport, src = dpsp.UDP, netip.AddrPortFrom(c.at[from], 2350)
	}
	c.seen = append(c.seen, seen{at, transport, src, dst, s.Data})
}

// framed reports whether a message is a frame.
func framed(s *dpsp.Outgoing) bool {
	return s.Transport == dpsp.UDP && s.To.Port() != dpsp.EnumPort && !ownHeader(s.Data)
}

// capture returns what was seen.
func (c *conversation) capture() *Capture {
	c.t.Helper()
	var b bytes.Buffer
	w, err := recording.New(&b)
	require.NoError(c.t, err)
	slices.SortStableFunc(c.seen, func(x, y seen) int { return cmp.Compare(x.at, y.at) })
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, s := range c.seen {
		w.Packet(began.Add(s.at), s.transport, s.src, s.dst, s.data)
	}
	require.NoError(c.t, w.Close())
	r, err := Read(context.Background(), &b, captures.Options{})
	require.NoError(c.t, err)
	return r
}

// run lets time pass.
func (c *conversation) run(d time.Duration) {
	for until := c.now + d; ; {
		next := min(c.wake[0], c.wake[1])
		for _, m := range c.way {
			next = min(next, m.at)
		}
		if next > until {
			c.now = until
			return
		}
		c.now = max(c.now, next)
		i := slices.IndexFunc(c.way, func(m travelling) bool { return m.at <= c.now })
		if i < 0 {
			for n := range c.engines {
				if c.wake[n] <= c.now {
					c.step(n, dpsp.Input{})
				}
			}
			continue
		}
		m := c.way[i]
		c.way = slices.Delete(c.way, i, i+1)
		in := dpsp.Input{Kind: dpsp.Stream, From: netip.AddrPortFrom(c.at[1-m.to], 1024), Data: m.out.Data}
		if m.out.Transport != dpsp.TCP {
			in.Kind, in.From = dpsp.Datagram, netip.AddrPortFrom(c.at[1-m.to], 2350)
		}
		if m.to == 0 {
			c.record(1, m.out)
		}
		c.step(m.to, in)
	}
}

// do does a command, and gives the id that it made.
func (c *conversation) do(i int, cmd dpsp.Command) (id wire.PlayerID) {
	c.t.Helper()
	c.events[i] = nil
	c.step(i, dpsp.Input{Kind: dpsp.Request, Command: cmd, Token: 1})
	c.run(730 * time.Millisecond) // their timers elapse at other times
	for _, e := range c.events[i] {
		if d, ok := e.(dpsp.Done); ok {
			require.NoError(c.t, d.Err)
			id = d.ID
		}
	}
	return id
}

// talk has them meet, and say messages of all sizes to each other, reliable ones and others.
func (c *conversation) talk() *Capture {
	t := c.t
	app := wire.GUID{7}
	c.do(0, dpsp.Host{Application: app, Name: "lossy", Flags: wire.SessionDirectPlayProtocol | wire.SessionKeepAlive})
	bob := c.do(0, dpsp.CreatePlayer{ShortName: "Bob"})
	search := []netip.AddrPort{netip.AddrPortFrom(c.at[0], dpsp.EnumPort)}
	c.do(1, dpsp.Enumerate{To: search, Application: app, Flags: wire.EnumAll})
	i := slices.IndexFunc(c.events[1], func(e dpsp.Event) bool { _, ok := e.(dpsp.SessionFound); return ok })
	require.GreaterOrEqual(t, i, 0)
	f := c.events[1][i].(dpsp.SessionFound)
	c.do(1, dpsp.Join{Host: f.Host, From: f.From, Desc: f.Desc, Name: f.Name, Encoding: f.Encoding})
	eve := c.do(1, dpsp.CreatePlayer{ShortName: "Eve"})
	ids := [2]wire.PlayerID{bob, eve}
	for n := range 60 {
		who := n % 2
		to := ids[1-who]
		if n%5 == 0 {
			to = wire.IDAll
		}
		body := bytes.Repeat([]byte{byte(n)}, []int{5, 700, 4000, 60_000}[n%4*min(1, n%3)])
		c.events[who] = nil
		c.step(who, dpsp.Input{Kind: dpsp.Request, Token: 1, Command: dpsp.Send{From: ids[who], To: to, Guaranteed: n%6 != 0,
			Payload: fmt.Appendf(body, "move %d", n)}})
		c.run(time.Duration(20+c.rnd.IntN(200)) * time.Millisecond)
	}
	c.do(1, dpsp.SetData{ID: eve, Data: []byte("her data")})
	c.run(25*time.Second - c.now%period + period/4) // not while a ping is on its way: the host's machine would not show it
	return c.capture()
}

// Conversations in frames are equal as messages, whatever was lost and sent again, and if ours is done with some later.
func TestLossyConversation(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		for seed, loss := range []float64{0, 0.05, 0.25} {
			for _, lag := range []time.Duration{0, 12 * time.Millisecond} {
				t.Run(fmt.Sprintf("legacy %v, loss %v, lag %v", legacy, loss, lag), func(t *testing.T) {
					c := newConversation(t, uint64(seed), loss, legacy)
					c.lag = lag
					all := parties(t, c.talk(), Options{Config: dpsp.Config{Period: period}})
					require.Len(t, all, 2)
					assert.Equal(t, loss > 0, c.lost > 0)
					for at, p := range all {
						equalInFrames(t, at, &p)
						assert.True(t, loss == 0 || p.Frames.Recorded.Repeated > 0, at)
					}
				})
			}
		}
	}
}

func equalInFrames(t *testing.T, at string, p *Party) {
	t.Helper()
	text := string(AppendParty(nil, p, true))
	assert.Empty(t, p.NotPlayed, at)
	assert.Empty(t, p.Differences, text)
	assert.Greater(t, p.Compared, 25, text)
	assert.Equal(t, p.Compared, p.Equal)
	assert.Equal(t, 30, p.Commands["Send"], text)
	assert.NotZero(t, p.Frames.Recorded.ACKs, text)
	assert.NotZero(t, p.Frames.Ours.ACKs, text)
}

// A message to everybody is sent once, if frames say it to one machine after the other, and again if one hears it again.
func TestSpread(t *testing.T) {
	p := &player{}
	says := func(to wire.PlayerID, payload string) bool {
		m := &message{framing: framing{ends: [2]endOfLink{{id: ann}, {id: to, system: true}}}}
		return p.spreads(m, &wire.PlayerMessage{Payload: []byte(payload)})
	}
	assert.False(t, says(system, "a"))
	assert.True(t, says(joiner, "a"))
	assert.False(t, says(system, "a"))
	assert.False(t, says(system, "b"))
	assert.True(t, says(joiner, "b"))
	assert.True(t, says(joiner, "a"))
	assert.False(t, says(joiner, "a"))
}
