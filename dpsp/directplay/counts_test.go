package directplay

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// currentPlayers is where DPSESSIONDESC2 has dwCurrentPlayers.
const currentPlayers = 44

// described returns what GetSessionDesc gives.
func described(g *game) []byte {
	g.t.Helper()
	b := Buffer{Size: 1024}
	require.Equal(g.t, wire.OK, g.GetSessionDesc(&b, Face{}))
	return b.Data
}

// counted returns the number of players by GetSessionDesc, and by EnumPlayers.
func (g *game) counted() (desc, listed int) {
	g.t.Helper()
	require.Equal(g.t, wire.OK, g.EnumPlayers(nil, func(Listed) bool { listed++; return true }, 0))
	return int(binary.LittleEndian.Uint32(described(g)[currentPlayers:])), listed
}

// TestCounts: after every change the number of players is the same in the session's description, in the list of players, in the
// message about a new description, and for whoever searches from outside; at the host, at a joiner, and at one with two players.
func TestCounts(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(3)
		h := hosts(t, at[0], wire.SessionMigrateHost)
		out := initialized(t, at[2], at[0].String())
		games := []*game{h}
		agree := func(n int, what string) {
			t.Helper()
			for i, g := range games {
				eventually(t, func() bool { _, listed := g.counted(); return listed == n }, what)
				desc, _ := g.counted()
				assert.Equal(t, n, desc, "%s: game %d", what, i)
			}
			assert.EqualValues(t, n, out.find().CurrentPlayers, what)
			d := SessionDesc{Flags: wire.SessionMigrateHost, MaxPlayers: 10}
			require.Equal(t, wire.OK, games[0].SetSessionDesc(&d, 0))
			for i, g := range games {
				ours := 0
				require.Equal(t, wire.OK, g.EnumPlayers(nil, func(Listed) bool { ours++; return true }, EnumLocal))
				for range ours { // each is told
					assert.EqualValues(t, n, binary.LittleEndian.Uint32(g.awaitSystem(SysSetSessionDesc)[4+currentPlayers:]),
						"%s: DPSYS_SETSESSIONDESC at game %d", what, i)
				}
			}
		}
		agree(0, "an empty session")
		a := h.player("Ann", 0)
		agree(1, "the host's player")
		j := joins(t, at[1], at[0])
		games = append(games, j)
		agree(1, "a machine without a player")
		b := j.player("Ben", 0)
		agree(2, "the joiner's player")
		c := j.player("Cid", FlagSpectator)
		agree(3, "two players on one machine")
		h.player("", FlagServerPlayer)
		agree(4, "the server player")
		g := h.group(0, 0)
		require.Equal(t, wire.OK, h.AddPlayerToGroup(g, a))
		agree(4, "a group")
		require.Equal(t, wire.OK, j.DestroyPlayer(b))
		agree(3, "one of two is destroyed")
		require.Equal(t, wire.OK, h.DestroyPlayer(a))
		agree(2, "the host's is destroyed")
		require.Equal(t, wire.OK, h.Close())
		games = []*game{j}
		eventually(t, func() bool { desc, _ := j.counted(); return desc == 1 }, "the host has left")
		_, n := j.counted()
		assert.Equal(t, 1, n)
		require.Equal(t, wire.OK, j.DestroyPlayer(c))
		desc, n := j.counted()
		assert.Equal(t, []int{0, 0}, []int{desc, n})
	})
}

// TestCountsInMessages: DPSYS_CREATEPLAYERORGROUP counts a new player of another machine and not one of its own, for hosts and for
// joiners, as Windows has it (facts, dll 11).
func TestCountsInMessages(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		h.player("Ann", 0)
		j := joins(t, at[1], at[0])
		created := func(g *game) uint32 {
			return binary.LittleEndian.Uint32(g.awaitSystem(SysCreatePlayerOrGroup)[12:])
		}
		j.player("Ben", 0)
		assert.EqualValues(t, 2, created(h), "with the joiner's")
		j.player("Cid", 0)
		assert.EqualValues(t, 2, created(j), "without its own")
		assert.EqualValues(t, 3, created(h), "with the joiner's second")
		h.player("Dan", 0)
		assert.EqualValues(t, 3, created(h), "without its own")
		for range 2 {
			assert.EqualValues(t, 4, created(j), "with the host's")
		}
	})
}
