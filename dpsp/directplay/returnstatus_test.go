package directplay

import (
	"fmt"
	"math"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/windowshost"
	"dplay4/wire"
)

// A slowHost is how a host answers a joiner, and how that ends for one that waits.
type slowHost struct {
	name    string
	deaf    int           // requests for an id that it leaves unanswered
	list    time.Duration // when it answers the request that follows; 0: at once, negative: never
	refuses bool

	result wire.HResult
	after  time.Duration
}

var slowHosts = []slowHost{
	{name: "answers at once", result: wire.OK},
	{name: "answers after 2 s", deaf: 2, result: wire.OK, after: 2 * time.Second},
	{name: "answers after 5.5 s", list: 5500 * time.Millisecond, result: wire.OK, after: 5500 * time.Millisecond},
	{name: "answers after 9 s", list: 9 * time.Second, result: wire.OK, after: 9 * time.Second},
	{name: "refuses at once", list: time.Millisecond, refuses: true, result: wire.ErrInvalidPassword},
	{name: "refuses after 9 s", list: 9 * time.Second, refuses: true, result: wire.ErrInvalidPassword, after: 9 * time.Second},
	{name: "never answers", deaf: math.MaxInt, result: wire.ErrTimeout, after: dpsp.DefaultReply},
	{name: "never sends the list", list: -1, result: wire.ErrTimeout, after: dpsp.DefaultReply + dpsp.DefaultPopulate},
}

// opens begins to host at an address.
func (c slowHost) opens(t *world, at netip.Addr) *windowshost.Host {
	t.Helper()
	h, err := windowshost.Open(at, testGame, windowshost.Manner{Network: t.network, Deaf: c.deaf})
	require.NoError(t, err)
	t.Cleanup(h.Close)
	if c.list == 0 {
		return h
	}
	h.Answer(wire.CmdSuperEnumPlayersReply, &wire.Ping{}) // which a joiner ignores
	asked := func() *wire.AddForwardRequest {
		m, _ := h.Last(wire.CmdAddForwardRequest).(*wire.AddForwardRequest)
		return m
	}
	pause := func(d time.Duration) (goOn bool) { // until the test is over
		select {
		case <-t.Context().Done():
			return false
		case <-time.After(d):
			return true
		}
	}
	go func() {
		for asked() == nil {
			if !pause(time.Millisecond) {
				return
			}
		}
		if c.list < 0 || !pause(c.list) {
			return
		}
		h.Answer(wire.CmdSuperEnumPlayersReply, nil)
		if c.refuses {
			h.Tell(&wire.AddForwardReply{Error: c.result})
			return
		}
		h.Tell(listFor(asked()))
	}()
	return h
}

// listFor returns the list of players for a newcomer: the machine and the player of a windowshost.Host, and the newcomer.
func listFor(m *wire.AddForwardRequest) *wire.SuperEnumPlayersReply {
	const host, player = 0x00B0C002, 0x00B0C003
	at := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}, Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 2350}}
	return &wire.SuperEnumPlayersReply{Desc: wire.SessionDesc{Instance: wire.GUID{0x57}, Application: testGame},
		Name: wire.NewText("Windows"), Players: []wire.SuperPackedPlayer{
			{Flags: wire.PlayerSystem | wire.PlayerNameServer, ID: host, Owner: uint32(wire.DX9), SPData: at.Append(nil)},
			{ID: player, Owner: host, ShortName: wire.NewText("Müller"), SPData: at.Append(nil)},
			{Flags: wire.PlayerSystem, ID: m.Player, Owner: m.Info.Version, SPData: m.Info.SPData},
		}}
}

// Ways in which programs enter a session. Each returns what the last Open returned, and before it what the first one did.
var programs = map[string]func(g *game, d SessionDesc) (first, last wire.HResult){
	"waits": func(g *game, d SessionDesc) (first, last wire.HResult) {
		r := g.Open(&d, OpenJoin)
		return r, r
	},
	"asks once, and again when its player does": func(g *game, d SessionDesc) (first, last wire.HResult) {
		if first = g.Open(&d, OpenJoin|OpenReturnStatus); first != wire.ErrConnecting {
			return first, first
		}
		for range 20 { // it takes that for a failure, and is back in its menu
			<-time.After(time.Second)
			assert.Len(g.t, g.search(0, wire.EnumAvailable|wire.EnumAsync), 1)
		}
		return first, g.Open(&d, OpenJoin|OpenReturnStatus)
	},
	"loops": func(g *game, d SessionDesc) (first, last wire.HResult) {
		first = g.Open(&d, OpenJoin|OpenReturnStatus)
		for last = first; last == wire.ErrConnecting; last = g.Open(&d, OpenJoin|OpenReturnStatus) {
			<-time.After(50 * time.Millisecond) // it draws its window
		}
		return first, last
	},
	"loops, and searches meanwhile": func(g *game, d SessionDesc) (first, last wire.HResult) {
		g.search(0, wire.EnumAsync)
		first = g.Open(&d, OpenJoin|OpenReturnStatus)
		for last = first; last == wire.ErrConnecting; last = g.Open(&d, OpenJoin|OpenReturnStatus) {
			<-time.After(200 * time.Millisecond)
			assert.Len(g.t, g.search(0, wire.EnumAsync), 1)
		}
		return first, last
	},
	"asks once, stops its search, and waits": func(g *game, d SessionDesc) (first, last wire.HResult) {
		g.search(0, wire.EnumAsync|wire.EnumReturnStatus)
		if first = g.Open(&d, OpenJoin|OpenReturnStatus); first != wire.ErrConnecting {
			return first, first
		}
		assert.Empty(g.t, g.search(0, wire.EnumStopAsync))
		assert.Len(g.t, g.search(500, wire.EnumReturnStatus), 1)
		return first, g.Open(&d, OpenJoin)
	},
}

// soon is the time in which a result is returned by the first call.
const soon = 6 * time.Second

// TestReturnStatus has programs of every kind enter sessions whose host answers at once, late and never. What is decided soon, Open
// returns at once. Otherwise the program can go on searching, and the next Open returns the result.
func TestReturnStatus(t *testing.T) {
	for _, c := range slowHosts {
		for name, enter := range programs {
			t.Run(fmt.Sprintf("a host %s, a program %s", c.name, name), func(t *testing.T) {
				bubble(t, func(t *world) {
					at := t.lane(2)
					c.opens(t, at[0])
					g := initialized(t, at[1], at[0].String())
					d := g.find()
					began := time.Now()
					want := c.result
					if c.after > soon && name != "waits" {
						want = wire.ErrConnecting
					}
					first, last := enter(g, d)
					took := time.Since(began)
					assert.Equal(t, want, first)
					assert.Equal(t, c.result, last)
					assert.GreaterOrEqual(t, took+100*time.Millisecond, c.after)
					if c.after < soon || name == "waits" || name == "loops" {
						assert.Less(t, took, c.after+200*time.Millisecond)
					}
					told(g, d, c.result)
				})
			})
		}
	}
}

// told looks at an object when the game was told how Open ended.
func told(g *game, d SessionDesc, result wire.HResult) {
	g.t.Helper()
	each := func(*SessionDesc, *uint32) bool { return false }
	b := Buffer{Size: 1024}
	if result == wire.OK {
		assert.False(g.t, g.Object.search.busy, "the search has ended")
		assert.Equal(g.t, wire.ErrGeneric, g.EnumSessions(&SessionDesc{}, 1, each, 0), "it is in a session")
		assert.Equal(g.t, wire.OK, g.EnumSessions(&SessionDesc{}, 0, nil, uint32(wire.EnumStopAsync)), "it may be ended again")
		for _, flags := range []uint32{OpenJoin, OpenJoin | OpenReturnStatus, OpenCreate} {
			assert.Equal(g.t, wire.ErrAlreadyInitialized, g.Open(&d, flags))
		}
		assert.Equal(g.t, wire.OK, g.GetSessionDesc(&b, Face{}))
		g.player("Ann", 0)
		assert.Equal(g.t, wire.OK, g.Close())
		return
	}
	assert.Equal(g.t, wire.ErrNoSessions, g.GetSessionDesc(&b, Face{}))
	assert.Equal(g.t, wire.ErrNoSessions, g.Close())
	assert.Len(g.t, g.search(100, 0), 1, "it can search again")
}

// TestReturnStatusOtherwise has a program that was told DPERR_CONNECTING do something else than to ask again: the attempt, and the
// session that it led into, are given up.
func TestReturnStatusOtherwise(t *testing.T) {
	slow := slowHosts[3]
	for name, c := range map[string]struct {
		wait time.Duration // before the program does something else
		do   func(t *world, g *game, d, other SessionDesc)
	}{
		"host, on the way":    {0, creates},
		"host, inside":        {slow.after, creates},
		"another, on the way": {0, joinsOther},
		"another, inside":     {slow.after, joinsOther},
		"another, which another thread began meanwhile": {0, func(t *world, g *game, _, other SessionDesc) {
			require.Equal(t, wire.OK, g.attempt(&other, OpenJoin|OpenReturnStatus), "after open found no attempt")
			assert.Equal(t, other.Instance[:], described(g)[8:24])
		}},
		"close, on the way": {0, func(t *world, g *game, _, _ SessionDesc) { assert.Equal(t, wire.ErrNoSessions, g.Close()) }},
		"close, inside":     {slow.after, func(t *world, g *game, _, _ SessionDesc) { assert.Equal(t, wire.OK, g.Close()) }},
		"another password, inside": {slow.after, func(t *world, g *game, d, _ SessionDesc) {
			d.Password = some("sesame")
			assert.Equal(t, wire.OK, g.Open(&d, OpenJoin|OpenReturnStatus))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *world) {
				at := t.lane(3)
				h := slow.opens(t, at[0])
				hosts(t, at[2], 0)
				g := initialized(t, at[1], "")
				var found []SessionDesc
				eventually(t, func() bool { found = g.search(100, 0); return len(found) == 2 }, "both sessions")
				d, other := found[0], found[1]
				if d.Instance != (wire.GUID{0x57}) {
					d, other = other, d
				}
				require.Equal(t, wire.ErrConnecting, g.Open(&d, OpenJoin|OpenReturnStatus))
				<-time.After(c.wait)
				synctest.Wait()
				c.do(t, g, d, other)
				if c.wait > 0 {
					eventually(t, func() bool { return h.Heard(wire.CmdDeletePlayer) == 1 }, "that we left")
				}
				assert.Nil(t, g.joining)
			})
		})
	}
}

func creates(t *world, g *game, d, _ SessionDesc) {
	instance := d.Instance
	require.Equal(t, wire.OK, g.Open(&d, OpenCreate))
	assert.NotEqual(t, instance, d.Instance)
	assert.Equal(t, d.Instance[:], described(g)[8:24])
}

func joinsOther(t *world, g *game, _, other SessionDesc) {
	require.Equal(t, wire.OK, g.Open(&other, OpenJoin|OpenReturnStatus))
	assert.Equal(t, other.Instance[:], described(g)[8:24])
}

// TestReturnStatusLost: a session that was entered and lost before the program asked again is entered once more.
func TestReturnStatusLost(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := slowHosts[3].opens(t, at[0])
		g := initialized(t, at[1], at[0].String())
		d := g.find()
		require.Equal(t, wire.ErrConnecting, g.Open(&d, OpenJoin|OpenReturnStatus))
		<-time.After(slowHosts[3].after)
		eventually(t, g.inSession, "the session")
		h.Close()
		eventually(t, func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.state == lost }, "its loss")
		again := slowHosts[0].opens(t, at[0])
		require.Equal(t, wire.OK, g.Open(&d, OpenJoin|OpenReturnStatus))
		assert.Equal(t, 1, again.Heard(wire.CmdAddForwardRequest))
		desc, listed := g.counted()
		assert.Equal(t, []int{1, 1}, []int{desc, listed})
	})
}

// TestReturnStatusThreads: of two threads that open one session one is told that it is open, and one that it was open already.
func TestReturnStatusThreads(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		slowHosts[1].opens(t, at[0])
		g := initialized(t, at[1], at[0].String())
		d := g.find()
		back := make(chan wire.HResult, 2)
		for _, flags := range []uint32{OpenJoin, OpenJoin | OpenReturnStatus} {
			go func() { back <- g.Open(&d, flags) }()
		}
		assert.ElementsMatch(t, []wire.HResult{wire.OK, wire.ErrAlreadyInitialized}, []wire.HResult{<-back, <-back})
	})
}

// TestLobbyReturnStatus is TestReturnStatus for a lobbied game, which ConnectEx takes into its session.
func TestLobbyReturnStatus(t *testing.T) {
	for _, c := range slowHosts {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *world) {
				at := t.lane(2)
				c.opens(t, at[0])
				game := newDesk(t).process(1)
				require.Equal(t, wire.OK, game.SetConnectionSettings(0, 0, &Settings{Flags: OpenJoin | OpenReturnStatus, Provider: ProviderTCP,
					Session: &SessionDesc{Application: testGame}, Address: compound(t, Chunk{AddressINet, append([]byte(at[0].String()), 0)})}))
				began := time.Now()
				o, r := game.Connect(OpenReturnStatus, objects(t, at[1]))
				first := r
				for r == wire.ErrConnecting {
					<-time.After(50 * time.Millisecond)
					o, r = game.Connect(OpenReturnStatus, nil)
				}
				t.Cleanup(o.Release)
				assert.Equal(t, c.result, r)
				assert.Less(t, time.Since(began), lobbySearch*time.Millisecond+c.after+200*time.Millisecond)
				if c.after > soon {
					assert.Equal(t, wire.ErrConnecting, first)
				} else if c.after+lobbySearch*time.Millisecond < soon {
					assert.Equal(t, c.result, first)
				}
			})
		})
	}
}
