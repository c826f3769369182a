package directplay

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock"
	"dplay4/dpsp/sock/socktest"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

var testGame = wire.GUID{0xD1, 0x4E}

// A world is a test with the network that its games play on.
type world struct {
	*testing.T
	network sock.Network // in memory, in a bubble; nil: the sockets of the system
	given   byte         // addresses, by lane
}

// bubble runs a test in a bubble of testing/synctest, on a network of its own in memory: what waits there takes no time, and the
// clock shows exactly what the games waited for.
func bubble(t *testing.T, test func(t *world)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { test(&world{T: t, network: socktest.New()}) })
}

// onSockets is for a test that plays on the sockets of the system.
func onSockets(t *testing.T) *world { return &world{T: t} }

// lane returns addresses that nothing else has.
func (w *world) lane(n int) (all []netip.Addr) {
	if w.network == nil {
		return testkit.Addrs(w, n)
	}
	for range n {
		w.given++
		all = append(all, netip.AddrFrom4([4]byte{10, 0, 0, w.given}))
	}
	return all
}

// A game is an object at work, as a game uses it by the 8-bit interface with pointers of 4 octets.
type game struct {
	*Object
	t *world
}

// initialized returns an object with a connection that searches an address.
func initialized(t *world, at netip.Addr, searches string) *game {
	t.Helper()
	c := Config{Bind: at}
	if t.network != nil {
		c.Period, c.Probes = 100*time.Millisecond, 50 // a machine of the system may be too busy to answer that soon
	}
	return initializedWith(t, Options{Config: c, Network: t.network}, searches)
}

func initializedWith(t *world, opt Options, searches string) *game {
	t.Helper()
	g := &game{New(opt), t}
	t.Cleanup(g.Release)
	require.Equal(t, wire.OK, g.InitializeConnection(connectionTo(ProviderTCP, &searches), 0))
	return g
}

// connectionTo returns the address that a game gives InitializeConnection.
func connectionTo(p wire.GUID, host *string) []byte {
	chunks := []Chunk{{AddressServiceProvider, p[:]}}
	if host != nil {
		chunks = append(chunks, Chunk{AddressINet, append([]byte(*host), 0)})
	}
	return AppendAddress(nil, chunks...)
}

// hosts opens a session.
func hosts(t *world, at netip.Addr, flags wire.SessionFlags) *game {
	t.Helper()
	g := initialized(t, at, at.String())
	d := SessionDesc{Application: testGame, MaxPlayers: 10, Flags: flags}
	require.Equal(t, wire.OK, g.Open(&d, OpenCreate))
	return g
}

// joins finds the session of a host and enters it.
func joins(t *world, at, host netip.Addr) *game {
	t.Helper()
	g := initialized(t, at, host.String())
	g.enter("")
	return g
}

// enter finds the only session and enters it.
func (g *game) enter(password string) {
	g.t.Helper()
	d := g.find()
	d.Password = &password
	require.Equal(g.t, wire.OK, g.Open(&d, OpenJoin))
}

// find searches until there is a session.
func (g *game) find() (d SessionDesc) {
	g.t.Helper()
	eventually(g.t, func() bool {
		all := g.search(200, 0)
		if len(all) > 0 {
			d = all[0]
		}
		return len(all) > 0
	}, "a session")
	return d
}

// search returns what one call of EnumSessions tells.
func (g *game) search(timeout uint32, flags wire.EnumFlags) (all []SessionDesc) {
	g.t.Helper()
	timedOut := 0
	r := g.EnumSessions(&SessionDesc{Application: testGame}, timeout, func(d *SessionDesc, _ *uint32) bool {
		if d == nil {
			timedOut++
			return false
		}
		all = append(all, *d)
		return true
	}, uint32(flags))
	require.Equal(g.t, wire.OK, r)
	assert.Equal(g.t, 1, timedOut)
	return all
}

// player makes a player; both names are the same, none if it is "".
func (g *game) player(name string, flags uint32) wire.PlayerID {
	g.t.Helper()
	var id wire.PlayerID
	m := Making{Flags: flags}
	if name != "" {
		m.Name = &Name{&name, &name}
	}
	require.Equal(g.t, wire.OK, g.CreatePlayer(&id, m))
	return id
}

func (g *game) group(parent wire.PlayerID, flags uint32) (id wire.PlayerID) {
	g.t.Helper()
	r := wire.OK
	if parent == 0 {
		r = g.CreateGroup(&id, Making{Flags: flags})
	} else {
		r = g.CreateGroupInGroup(parent, &id, Making{Flags: flags})
	}
	require.Equal(g.t, wire.OK, r)
	return id
}

// received takes a message; ok is false if there is none.
func (g *game) received() (from, to wire.PlayerID, data []byte, ok bool) {
	g.t.Helper()
	b := Buffer{Size: 1 << 20, Address: 0x1000}
	switch r := g.Receive(&from, &to, 0, &b, Face{}); r {
	case wire.OK:
		return from, to, b.Data, true
	case wire.ErrNoMessages:
		return 0, 0, nil, false
	default:
		require.Equal(g.t, wire.OK, r)
		return
	}
}

// await takes the next message, which has to come.
func (g *game) await() (from, to wire.PlayerID, data []byte) {
	g.t.Helper()
	eventually(g.t, func() (ok bool) {
		from, to, data, ok = g.received()
		return ok
	}, "a message")
	return
}

// awaitSystem takes messages until a system message of a type comes.
func (g *game) awaitSystem(kind uint32) []byte {
	g.t.Helper()
	for {
		if from, _, data := g.await(); from == 0 && binary.LittleEndian.Uint32(data) == kind {
			return data
		}
	}
}

// nap lets time go by in a bubble.
func nap() { <-time.After(time.Millisecond) }

// eventually waits until something holds, in a bubble for a minute of its time.
func eventually(t *world, holds func() bool, what string) {
	t.Helper()
	if t.network == nil {
		testkit.Until(t, holds, "%s", what)
		return
	}
	for end := time.Now().Add(time.Minute); !holds(); nap() {
		require.True(t, time.Now().Before(end), "waited in vain for %s", what)
	}
}

// trace empties the queue, and writes for each message who it is from and for, as an index in ids, S for the system.
func (g *game) trace(ids ...wire.PlayerID) string {
	g.t.Helper()
	name := func(id wire.PlayerID) string {
		if id == 0 {
			return "S"
		}
		for i, x := range ids {
			if x == id {
				return fmt.Sprint(i)
			}
		}
		return "?"
	}
	var b strings.Builder
	for {
		from, to, _, ok := g.received()
		if !ok {
			return b.String()
		}
		b.WriteString(name(from) + name(to) + ",")
	}
}

// traceEventually waits for as many messages as there are in a trace, and compares.
func (g *game) traceEventually(want string, ids ...wire.PlayerID) {
	g.t.Helper()
	eventually(g.t, func() bool {
		var n uint32
		return g.GetMessageCount(0, &n) == wire.OK && int(n) >= strings.Count(want, ",")
	}, "as many messages as "+want)
	assert.Equal(g.t, want, g.trace(ids...))
}

// resolver knows one host by name.
func resolver(at netip.Addr) func(context.Context, string) ([]netip.Addr, error) {
	return func(_ context.Context, host string) ([]netip.Addr, error) {
		if host != "gamehost" {
			return nil, errors.New("no such host")
		}
		return []netip.Addr{at}, nil
	}
}
