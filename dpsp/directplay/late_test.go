package directplay

import (
	"context"
	"encoding/binary"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// TestLateHost: a search whose length is left to us waits longer for a host that is slow, one of the game's choice does not.
func TestLateHost(t *testing.T) {
	bubble(t, func(t *world) {
		const late = defaultSearch + 300*time.Millisecond
		for _, c := range []struct {
			timeout uint32
			found   int
			took    time.Duration
		}{{0, 1, late}, {900, 0, 900 * time.Millisecond}} {
			at := t.lane(2)
			answersLate(t, at[0], late)
			g := initialized(t, at[1], at[0].String())
			began := time.Now()
			assert.Len(t, g.search(c.timeout, 0), c.found)
			assert.Equal(t, c.took, time.Since(began))
			<-time.After(2 * longer) // the answer comes while somebody is there
		}
	})
}

// asked opens the UDP socket to which searches come.
func asked(t *world, at netip.Addr) network.Datagrams {
	conn, err := t.network.ListenDatagrams(netip.AddrPortFrom(at, wire.EnumPort))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// answersLate answers a search at an address, some time after it was asked.
func answersLate(t *world, at netip.Addr, late time.Duration) {
	conn := asked(t, at)
	sp := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2349}}
	reply := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9,
		Message: &wire.EnumSessionsReply{
			Desc: wire.SessionDesc{Application: testGame, Instance: wire.GUID{1}}, Name: wire.NewText("late")}}
	b, err := reply.Append(nil)
	require.NoError(t, err)
	go func() {
		question := make([]byte, 512)
		n, _, _, from, err := conn.ReadMsgUDPAddrPort(question, nil)
		if err != nil || n < wire.SPHeaderSize {
			return
		}
		<-time.After(late)
		back, err := t.network.DialStream(context.Background(), at, netip.AddrPortFrom(from.Addr(), binary.BigEndian.Uint16(question[6:])))
		if assert.NoError(t, err) {
			back.Write(b)
			back.Close()
		}
	}()
}

// TestSearchesSeldom: a search in the background asks no more often than is good for the network, whatever the game says.
func TestSearchesSeldom(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		conn := asked(t, at[0])
		g := initialized(t, at[1], at[0].String())
		began := time.Now()
		assert.Empty(t, g.search(1, wire.EnumAsync))
		for question := range 4 {
			_, _, _, _, err := conn.ReadMsgUDPAddrPort(make([]byte, 512), nil)
			require.NoError(t, err)
			synctest.Wait()
			assert.Equal(t, time.Duration(question)*seldom, time.Since(began))
		}
	})
}

// TestSearches has programs search in every form for a host that answers at once, late and never: what answers a search is found by it,
// or by the next one.
func TestSearches(t *testing.T) {
	const late = 1300 * time.Millisecond
	polls := func(g *game, n int, timeout uint32, flags wire.EnumFlags) (found int) {
		for range n {
			began := time.Now()
			if found = len(g.search(timeout, flags)); found > 0 {
				return found
			}
			if flags&wire.EnumAsync != 0 {
				assert.Zero(g.t, time.Since(began), "the menu stands still")
				<-time.After(100 * time.Millisecond)
			}
		}
		return found
	}
	for name, c := range map[string]struct {
		search       func(g *game) int
		soon, latest int // found of a host that answers at once, and late
	}{
		"once, as long as is usual": {func(g *game) int { return polls(g, 1, 0, wire.EnumAvailable) }, 1, 1},
		"once, for half a second":   {func(g *game) int { return polls(g, 1, 500, 0) }, 1, 0},
		"with RETURNSTATUS":         {func(g *game) int { return polls(g, 1, 0, wire.EnumReturnStatus) }, 1, 1},
		"again and again":           {func(g *game) int { return polls(g, 5, 500, wire.EnumAll) }, 1, 1},
		"in the background, once":   {func(g *game) int { return polls(g, 1, 0, wire.EnumAsync) }, 0, 0},
		"in the background":         {func(g *game) int { return polls(g, 30, 0, wire.EnumAsync) }, 1, 1},
		"in the background, with RETURNSTATUS": {func(g *game) int {
			return polls(g, 30, 0, wire.EnumAsync|wire.EnumReturnStatus)
		}, 1, 1},
		"in the background, ended, and begun again": {func(g *game) int {
			polls(g, 1, 0, wire.EnumAsync)
			assert.Empty(g.t, g.search(0, wire.EnumStopAsync))
			assert.Empty(g.t, g.search(0, wire.EnumStopAsync|wire.EnumAsync|wire.EnumReturnStatus), "twice")
			return polls(g, 30, 0, wire.EnumAsync)
		}, 0, 1},
		"in the background, and then not": {func(g *game) int {
			polls(g, 1, 0, wire.EnumAsync)
			return polls(g, 3, 700, wire.EnumAvailable)
		}, 1, 1},
	} {
		for _, host := range []struct {
			name  string
			after time.Duration // negative: never
			want  int
		}{{"at once", 0, c.soon}, {"late", late, c.latest}, {"never", -1, 0}} {
			t.Run(name+", a host that answers "+host.name, func(t *testing.T) {
				bubble(t, func(t *world) {
					at := t.lane(2)
					if host.after >= 0 {
						answersLate(t, at[0], host.after)
					} else {
						asked(t, at[0])
					}
					g := initialized(t, at[1], at[0].String())
					assert.Equal(t, host.want, c.search(g))
					<-time.After(2 * longer) // the answer comes while somebody is there
					_, known := g.known(wire.GUID{1})
					assert.Equal(t, host.after >= 0, known, "whoever answered can be joined")
					assert.Equal(t, wire.OK, g.EnumSessions(&SessionDesc{}, 0, nil, uint32(wire.EnumStopAsync)))
				})
			})
		}
	}
}
