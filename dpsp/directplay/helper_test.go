package directplay

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

var testGame = wire.GUID{0xD1, 0x4E}

// patience is how long a test waits for what has to come.
const patience = 20 * time.Second

// lanes counts the addresses that lane gave.
var lanes atomic.Uint32

// claim is open until the process ends.
var claim net.PacketConn

// network claims the loopback addresses that begin with 127 and another octet for this run of the tests: several runs on one
// machine would find each other's sessions.
var network = sync.OnceValue(func() byte {
	for second := byte(100); second < 200; second++ {
		var err error
		if claim, err = net.ListenPacket("udp4", fmt.Sprintf("127.%d.255.254:2299", second)); err == nil {
			return second
		}
	}
	panic("all addresses are taken")
})

// lane returns addresses that no other test has.
func lane(n int) (all []netip.Addr) {
	l := lanes.Add(1)
	for i := range n {
		all = append(all, netip.AddrFrom4([4]byte{127, network(), byte(l >> 4), byte(l<<4) + byte(i)}))
	}
	return all
}

// A game is an object at work, as a game uses it by the 8-bit interface with pointers of 4 octets.
type game struct {
	*Object
	t *testing.T
}

// initialized returns an object with a connection that searches an address.
func initialized(t *testing.T, at netip.Addr, searches string) *game {
	t.Helper()
	return initializedWith(t, Options{Config: Config{Bind: at, Period: 100 * time.Millisecond, Probes: 50}}, searches)
}

func initializedWith(t *testing.T, opt Options, searches string) *game {
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
func hosts(t *testing.T, at netip.Addr, flags wire.SessionFlags) *game {
	t.Helper()
	g := initialized(t, at, at.String())
	d := SessionDesc{Application: testGame, MaxPlayers: 10, Flags: flags}
	require.Equal(t, wire.OK, g.Open(&d, OpenCreate))
	return g
}

// joins finds the session of a host and enters it.
func joins(t *testing.T, at, host netip.Addr) *game {
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
func (g *game) find() SessionDesc {
	g.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if all := g.search(200, 0); len(all) > 0 {
			return all[0]
		}
	}
	require.FailNow(g.t, "no session")
	return SessionDesc{}
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
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if from, to, data, ok := g.received(); ok {
			return from, to, data
		}
		nap()
	}
	require.FailNow(g.t, "no message")
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

// nap lets others work.
func nap() { <-time.After(time.Millisecond) }

// eventually waits until something holds.
func eventually(t *testing.T, holds func() bool, what string) {
	t.Helper()
	require.Eventually(t, holds, patience, time.Millisecond, what)
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
