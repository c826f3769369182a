package directplay

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestNeighbours: objects that know of each other see at once what one of them does, as Wine's tests of Windows want it.
func TestNeighbours(t *testing.T) {
	bubble(t, func(t *world) {
		at, near := t.lane(2), new(Neighbours)
		var g []*game
		for i := range at {
			g = append(g, initializedWith(t, Options{Config: Config{Bind: at[i]}, Network: t.network, Neighbours: near}, at[0].String()))
		}
		d := SessionDesc{Application: testGame, Flags: wire.SessionMigrateHost}
		require.Equal(t, wire.OK, g[0].Open(&d, OpenCreate))
		g[1].enter("")
		a, b := g[0].player("", 0), g[1].player("", 0)
		assert.Equal(t, "S0,", g[0].trace(a, b))
		name, text := "Ann", "hi"
		const rounds = 20
		for range rounds {
			require.Equal(t, wire.OK, g[0].SetPlayerName(a, &Name{Short: &name}, 0))
			require.Equal(t, wire.OK, g[0].SetPlayerData(a, []byte("x"), 1, 0))
			require.Equal(t, wire.OK, g[0].SetSessionDesc(&SessionDesc{Flags: wire.SessionMigrateHost}, 0))
			group := g[0].group(0, 0)
			require.Equal(t, wire.OK, g[1].AddPlayerToGroup(group, b))
			require.Equal(t, wire.OK, g[0].Send(a, wire.IDAll, 0, []byte("x"), 1))
			require.Equal(t, wire.OK, g[0].Send(a, group, SendGuaranteed, []byte("x"), 1))
			require.Equal(t, wire.OK, g[0].SendChatMessage(a, b, 0, &text))
			assert.Equal(t, "S1,S1,S1,S1,S1,01,01,S1,", g[1].trace(a, b))
			require.Equal(t, wire.OK, g[1].Send(b, a, 0, []byte("x"), 1))
			require.Equal(t, wire.OK, g[1].DestroyGroup(group))
			assert.Equal(t, strings.Repeat("S0,", 5)+"10,S0,", g[0].trace(a, b))
			assert.Equal(t, "S1,", g[1].trace(a, b))
		}
		require.Equal(t, wire.OK, g[0].Close())
		assert.Equal(t, "S1,S1,", g[1].trace(a, b), "its player is gone, and we are host")
		var caps Caps
		require.Equal(t, wire.OK, g[1].GetCaps(&caps, 0))
		assert.NotZero(t, caps.Flags&CapsIsHost)
		assert.Equal(t, []*Object{g[1].Object}, near.all, "who left is kept by nobody")
		g[1].Release()
		assert.Empty(t, near.all)
	})
}
