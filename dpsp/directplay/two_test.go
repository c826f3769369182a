package directplay

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestGroupsOfTwo is who is told what, in which order, as Wine's test of groups has it for Windows: three players on either
// machine, one group on the first, two on the second, and messages of three players to everybody and to each group.
func TestGroupsOfTwo(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		g := []*game{hosts(t, at[0], 0), nil}
		g[1] = joins(t, at[1], at[0])
		var p []wire.PlayerID
		for i := range 6 {
			p = append(p, g[i/3].player("", 0))
			g[0].sees(p[i])
			g[1].sees(p[i])
		}
		groups := []wire.PlayerID{g[0].group(0, 0), 0, 0}
		g[1].sees(groups[0])
		groups[2] = g[1].group(0, 0)
		groups[1] = g[1].group(groups[2], 0)
		g[0].traceEventually("S0,S1,S0,"+strings.Repeat("S2,S1,S0,", 6), p...)
		g[1].traceEventually("S3,S4,S3,"+strings.Repeat("S5,S4,S3,", 3), p...)
		for i, in := range [][]int{0: {0, 1, 2}, 1: {3, 4}, 2: {4, 5}} {
			for _, who := range in {
				g[min(i, 1)].sees(groups[i])
				assert.Equal(t, wire.OK, g[min(i, 1)].AddPlayerToGroup(groups[i], p[who]))
			}
		}
		assert.Equal(t, wire.OK, g[1].AddPlayerToGroup(groups[2], p[5]), "it is in it already")
		assert.Equal(t, wire.OK, g[1].AddGroupToGroup(groups[2], groups[1]), "it was made there")
		g[0].traceEventually(strings.Repeat("S2,S1,S0,", 7), p...)
		g[1].traceEventually(strings.Repeat("S5,S4,S3,", 7), p...)
		for _, c := range []struct {
			from, group int // -1 is everybody
			want        [2]string
		}{
			{0, -1, [2]string{"02,01,", "05,04,03,"}}, {0, 0, [2]string{"02,01,", ""}},
			{0, 1, [2]string{"", "04,03,"}}, {0, 2, [2]string{"", "05,04,"}},
			{3, -1, [2]string{"32,31,30,", "35,34,"}}, {3, 0, [2]string{"32,31,30,", ""}},
			{3, 1, [2]string{"", "34,"}}, {3, 2, [2]string{"", "35,34,"}},
			{5, -1, [2]string{"52,51,50,", "54,53,"}}, {5, 0, [2]string{"52,51,50,", ""}},
			{5, 1, [2]string{"", "54,53,"}}, {5, 2, [2]string{"", "54,"}},
		} {
			to := wire.IDAll
			if c.group >= 0 {
				to = groups[c.group]
			}
			require.Equal(t, wire.OK, g[c.from/3].Send(p[c.from], to, 0, []byte("data"), 4))
			for i := range g {
				g[i].traceEventually(c.want[i], p...)
			}
		}
		require.Equal(t, wire.OK, g[0].DestroyGroup(groups[2]), "anybody may")
		g[0].traceEventually(strings.Repeat("S2,S1,S0,", 2), p...)
		g[1].traceEventually(strings.Repeat("S5,S4,S3,", 2), p...)
		assert.Equal(t, wire.ErrInvalidGroup, g[0].GetGroupFlags(groups[1], new(uint32)))
	})
}

// sees waits until an object knows a player or group.
func (g *game) sees(id wire.PlayerID) {
	g.t.Helper()
	eventually(g.t, func() bool {
		return g.GetPlayerFlags(id, new(uint32)) == wire.OK || g.GetGroupFlags(id, new(uint32)) == wire.OK
	}, id.String())
}

// listed writes what an enumeration tells: indices in ids, and flags.
func listed(t testing.TB, ids []wire.PlayerID, enumerate func(func(Listed) bool) wire.HResult) (who, flags string) {
	t.Helper()
	require.Equal(t, wire.OK, enumerate(func(l Listed) bool {
		for i, id := range ids {
			if id == l.ID {
				who += fmt.Sprint(i)
			}
		}
		flags += fmt.Sprintf("%X ", l.Flags)
		return true
	}))
	return who, flags
}

// TestEnumerations: order, flags and filters, as Wine's tests have them for Windows.
func TestEnumerations(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		ids := []wire.PlayerID{h.player("", FlagServerPlayer), 0, h.player("", 0), 0, 0, h.group(0, 0), 0}
		who, flags := listed(t, ids, func(f func(Listed) bool) wire.HResult { return h.EnumPlayers(nil, f, 0) })
		assert.Equal(t, "20 0 100 ", who+" "+flags)
		j := joins(t, at[1], at[0])
		ids[3], ids[4], ids[6] = j.player("", FlagSpectator), j.player("", 0), j.group(0, 0)
		for _, c := range []struct {
			flags       uint32
			who, listed string
		}{
			{0, "4302", "0 200 100 0 "}, {EnumGroup, "430256", "20 220 120 20 0 0 "}, {EnumLocal, "43", "8 208 "},
			{EnumRemote, "02", "110 10 "}, {EnumServerPlayer, "0", "100 "}, {EnumSpectator, "3", "200 "},
		} {
			who, flags := listed(t, ids, func(f func(Listed) bool) wire.HResult { return j.EnumPlayers(&testGame, f, c.flags) })
			assert.Equal(t, c.who+" "+c.listed, who+" "+flags, "%X", c.flags)
		}
		assert.Equal(t, wire.ErrInvalidParams, j.EnumPlayers(nil, nil, 0))
		assert.Equal(t, wire.ErrInvalidParams, j.EnumPlayers(nil, func(Listed) bool { return true }, EnumSession))
	})
}

// TestGroupEnumerations: groups in order of coming, those in a group the other way round, shortcuts among them.
func TestGroupEnumerations(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		ids := []wire.PlayerID{h.group(0, 0), h.group(0, FlagHidden)}
		ids = append(ids, h.group(ids[1], 0), h.group(ids[1], FlagHidden), h.group(ids[1], FlagStagingArea), h.group(0, FlagStagingArea))
		require.Equal(t, wire.OK, h.AddGroupToGroup(ids[1], ids[5]))
		j := joins(t, at[1], at[0])
		for i, g := range []*game{h, j} {
			side := []uint32{EnumLocal, EnumRemote}[i]
			for _, c := range []struct {
				flags       uint32
				who, listed string
			}{
				{0, "5432", "C00 800 1000 0 "}, {EnumHidden, "3", "1000 "}, {EnumShortcut, "5", "C00 "},
				{side, "5432", fmt.Sprintf("%X %X %X %X ", 0xC00|side, 0x800|side, 0x1000|side, side)},
				{(EnumLocal | EnumRemote) ^ side, "", ""},
			} {
				who, flags := listed(t, ids, func(f func(Listed) bool) wire.HResult { return g.EnumGroupsInGroup(ids[1], nil, f, c.flags) })
				assert.Equal(t, c.who+" "+c.listed, who+" "+flags, "%d, %X", i, c.flags)
			}
			who, flags := listed(t, ids, func(f func(Listed) bool) wire.HResult { return g.EnumGroups(nil, f, 0) })
			assert.Equal(t, "015 0 1000 800 ", who+" "+flags)
			assert.Equal(t, wire.ErrInvalidParams, g.EnumGroupsInGroup(ids[1], nil, nil, 0))
			assert.Equal(t, wire.ErrInvalidParams, g.EnumGroupsInGroup(ids[1], nil, func(Listed) bool { return true }, EnumSession))
			var parent wire.PlayerID
			require.Equal(t, wire.OK, g.GetGroupParent(ids[3], &parent))
			assert.Equal(t, ids[1], parent)
			assert.Equal(t, wire.ErrUnsupported, g.OfLobby(ids[0]))
		}
		require.Equal(t, wire.OK, h.DeleteGroupFromGroup(ids[1], ids[5]))
		assert.Equal(t, wire.ErrInvalidGroup, h.DeleteGroupFromGroup(ids[1], ids[5]))
	})
}

// TestData: of all machines and of one alone, of players of ours and of others.
func TestData(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		a := h.player("", 0)
		j := joins(t, at[1], at[0])
		b := j.player("", 0)
		h.sees(b)
		h.trace()
		get := func(g *game, id wire.PlayerID, flags uint32) string {
			buffer := Buffer{Size: 100}
			require.Equal(t, wire.OK, g.GetPlayerData(id, &buffer, flags))
			assert.EqualValues(t, len(buffer.Data), buffer.Size)
			return string(buffer.Data)
		}
		assert.Empty(t, get(h, a, GetLocal))
		none := Buffer{Null: true, Size: 100}
		assert.Equal(t, wire.OK, h.GetPlayerData(a, &none, GetLocal), "nothing fits everywhere")
		for _, c := range []struct {
			data        string
			size, flags uint32
			want        wire.HResult
		}{
			{"", 4, 0, wire.ErrInvalidParams}, {"data", 0xFFFFFFFF, 0, wire.ErrInvalidParams},
			{"data", 4, SetLocal | SetGuaranteed, wire.ErrInvalidParams}, {"data", 4, 0x80, wire.ErrInvalidParams},
			{"remote", 6, SetGuaranteed, wire.OK}, {"local", 5, SetLocal, wire.OK},
		} {
			assert.Equal(t, c.want, h.SetPlayerData(a, []byte(c.data), c.size, c.flags), "%q %d %d", c.data, c.size, c.flags)
		}
		assert.Equal(t, wire.OK, h.SetPlayerData(b, []byte("mine"), 4, SetLocal), "what this machine keeps is its own")
		assert.Equal(t, wire.ErrAccessDenied, h.SetPlayerData(b, []byte("mine"), 4, 0))
		assert.Equal(t, []string{"remote", "local", "local", "", "mine"},
			[]string{get(h, a, 0), get(h, a, GetLocal), get(h, a, GetLocal|0x80), get(h, b, 0), get(h, b, GetLocal)})
		small := Buffer{Size: 2}
		assert.Equal(t, wire.ErrBufferTooSmall, h.GetPlayerData(a, &small, 0))
		assert.Equal(t, Buffer{Size: 6}, small)
		assert.Equal(t, wire.ErrInvalidParams, h.GetPlayerData(a, nil, 0))
		data := j.awaitSystem(SysSetPlayerOrGroupData)
		assert.Equal(t, "remote", string(data[20:]))
		assert.Equal(t, uint32(0x1014), binary.LittleEndian.Uint32(data[12:]), "where the data are in the game's memory")
		assert.Equal(t, "remote", get(j, a, 0))
		assert.Len(t, h.awaitSystem(SysSetPlayerOrGroupData), 26, "our own players hear of it as well")
		require.Equal(t, wire.OK, h.DestroyPlayer(a))
		assert.Equal(t, wire.ErrInvalidPlayer, h.GetPlayerData(a, &small, 0))
		assert.Equal(t, wire.ErrAccessDenied, h.DestroyPlayer(b))
	})
}

// TestNames: set and told, NULL and not, for all machines and for one alone.
func TestNames(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		j := joins(t, at[1], at[0])
		a, b := h.player("", 0), j.player("", 0)
		h.sees(b)
		j.sees(a)
		h.trace()
		size := func(g *game, id wire.PlayerID) uint32 {
			buffer := Buffer{Size: 100}
			require.Equal(t, wire.OK, g.GetPlayerName(id, &buffer, Face{}))
			return buffer.Size
		}
		text := func(s string) *string { return &s }
		assert.Equal(t, wire.ErrInvalidPlayer, h.SetPlayerName(0, &Name{}, 0))
		assert.Equal(t, wire.ErrInvalidParams, h.SetPlayerName(a, &Name{}, 0xFFFFFFFF))
		assert.Equal(t, wire.ErrAccessDenied, h.SetPlayerName(b, &Name{}, 0))
		assert.Equal(t, wire.ErrInvalidParams, h.GetPlayerName(a, nil, Face{}))
		long := text("player_long_name")
		for _, c := range []struct {
			name  *Name
			flags uint32
			size  uint32
		}{
			{&Name{}, 0, 16}, {&Name{text("player_name"), long}, 0, 45}, {nil, 0, 16},
			{&Name{text("player_name"), long}, SetGuaranteed, 45},
			{&Name{text("no_propagation"), long}, SetLocal, 48}, {&Name{text("no_propagation_2"), long}, SetLocal, 50},
			{&Name{text("propagation"), long}, 0, 45}, {&Name{text(""), nil}, 0, 17},
		} {
			require.Equal(t, wire.OK, h.SetPlayerName(a, c.name, c.flags))
			assert.Equal(t, c.size, size(h, a))
		}
		for _, g := range []*game{h, j} {
			for _, want := range []int{28, 57, 28, 57, 57, 28} {
				n := len(g.awaitSystem(SysSetPlayerOrGroupName))
				if g == h && want == 28 && n == 29 { // the empty name, which others cannot tell from none
					continue
				}
				assert.Equal(t, want, n)
			}
		}
		wide := Buffer{Size: 100, Address: 0x7FFF00000000}
		require.Equal(t, wire.OK, h.SetPlayerName(a, &Name{text("Zoë"), nil}, 0))
		require.Equal(t, wire.OK, h.GetPlayerName(a, &wide, Face{Wide: true, Pointer: 8}))
		assert.Equal(t, uint64(0x7FFF00000018), binary.LittleEndian.Uint64(wide.Data[8:]))
		assert.Equal(t, "Z\x00o\x00\xEB\x00\x00\x00", string(wide.Data[24:]))
	})
}

// TestSessionDesc: every change is told, also one that changes nothing; only the host makes one.
func TestSessionDesc(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		j := joins(t, at[1], at[0])
		a, b := h.player("", 0), j.player("", 0)
		h.sees(b)
		h.trace()
		assert.Equal(t, wire.ErrInvalidParams, h.GetSessionDesc(nil, Face{}))
		assert.Equal(t, wire.ErrInvalidParams, h.SetSessionDesc(nil, 0))
		none := Buffer{Null: true, Size: 1024}
		assert.Equal(t, wire.ErrBufferTooSmall, h.GetSessionDesc(&none, Face{}))
		assert.Equal(t, uint32(80), none.Size)
		name, password := "Wahaa", "secret"
		d := SessionDesc{Application: testGame, MaxPlayers: 10, Name: &name}
		set := func(g *game, change func(*SessionDesc)) wire.HResult {
			x := d
			change(&x)
			return g.SetSessionDesc(&x, 0)
		}
		assert.Equal(t, wire.OK, set(h, func(*SessionDesc) {}))
		assert.Equal(t, wire.ErrAccessDenied, set(j, func(*SessionDesc) {}))
		assert.Equal(t, wire.OK, set(h, func(*SessionDesc) {}))
		assert.Equal(t, wire.ErrInvalidParams, set(h, func(d *SessionDesc) { d.Flags = wire.SessionSecureServer }))
		assert.Equal(t, wire.ErrInvalidParams, set(h, func(d *SessionDesc) { d.WrongSize = true }))
		assert.Equal(t, wire.OK, set(h, func(d *SessionDesc) { d.Application, d.Instance = wire.GUID{1}, wire.GUID{2} }))
		h.traceEventually("S0,S0,S0,", a)
		j.traceEventually("S0,S0,S0,", b)
		assert.Equal(t, wire.OK, set(h, func(d *SessionDesc) { d.Password = &password }))
		for _, g := range []*game{h, j} {
			assert.Len(t, g.awaitSystem(SysSetSessionDesc), 90)
			got := Buffer{Size: 1024, Address: 0x100}
			require.Equal(t, wire.OK, g.GetSessionDesc(&got, Face{}))
			assert.Equal(t, testGame[:], got.Data[24:40], "the GUIDs stay")
			assert.Equal(t, "Wahaa\x00", string(got.Data[80:86]))
			assert.Equal(t, uint32(0x150), binary.LittleEndian.Uint32(got.Data[48:]))
		}
		k := initialized(t, t.lane(1)[0], at[0].String())
		wrong := "hadouken"
		for _, c := range []struct {
			password *string
			want     wire.HResult
		}{{&wrong, wire.ErrInvalidPassword}, {nil, wire.ErrInvalidPassword}, {&password, wire.OK}} {
			var found []SessionDesc
			for len(found) == 0 {
				found = k.search(100, wire.EnumPasswordRequired)
			}
			found[0].Password = c.password
			assert.Equal(t, c.want, k.Open(&found[0], OpenJoin))
		}
	})
}

// TestChat: to a player, to a group and to everybody.
func TestChat(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		j := joins(t, at[1], at[0])
		a, b := h.player("", 0), j.player("", 0)
		h.sees(b)
		j.sees(a)
		g := j.group(0, 0)
		require.Equal(t, wire.OK, j.AddPlayerToGroup(g, b))
		h.sees(g)
		eventually(t, func() bool {
			who, _ := listed(t, []wire.PlayerID{b}, func(f func(Listed) bool) wire.HResult { return h.EnumGroupPlayers(g, nil, f, 0) })
			return who != ""
		}, "the member")
		text := "hi there"
		assert.Equal(t, wire.ErrInvalidParams, h.SendChatMessage(a, b, 0, nil))
		assert.Equal(t, wire.ErrAccessDenied, h.SendChatMessage(b, a, 0, &text))
		for _, c := range []struct{ to, player, group wire.PlayerID }{{b, b, 0}, {g, 0, g}, {0, 0, 0}} {
			require.Equal(t, wire.OK, h.SendChatMessage(a, c.to, SendGuaranteed, &text))
			data := j.awaitSystem(SysChat)
			words := make([]uint32, 9)
			require.NoError(t, second(binary.Decode(data, binary.LittleEndian, words)))
			assert.Equal(t, []uint32{SysChat, SendGuaranteed, uint32(a), uint32(c.player), uint32(c.group), 0x1018, 12, 0, 0x1024}, words)
			assert.Equal(t, text+"\x00", string(data[36:]))
		}
	})
}

// TestCapsAndFlags of players of ours and of others, and where they are.
func TestCapsAndFlags(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], 0)
		j := joins(t, at[1], at[0])
		a, b, s := h.player("", 0), j.player("", FlagSpectator), h.player("", FlagServerPlayer)
		h.sees(b)
		j.sees(a)
		j.sees(s)
		for _, c := range []struct {
			g    *game
			id   wire.PlayerID
			want uint32
		}{{h, a, FlagLocal}, {h, b, FlagSpectator}, {j, b, FlagSpectator | FlagLocal}, {j, s, FlagServerPlayer}, {j, a, 0}} {
			var flags uint32
			require.Equal(t, wire.OK, c.g.GetPlayerFlags(c.id, &flags))
			assert.Equal(t, c.want, flags)
		}
		assert.Equal(t, wire.ErrInvalidParams, h.GetPlayerFlags(a, nil))
		for flags, want := range []Caps{
			{Flags: 0x10060, MaxBuffer: 65479, MaxPlayers: 65536, MaxLocal: 65536, Header: 20, TimeoutMS: 5000},
			{Flags: 0x10060, MaxBuffer: 1048547, MaxPlayers: 64, MaxLocal: 65536, Header: 20, TimeoutMS: 5000},
		} {
			for id, more := range map[wire.PlayerID]uint32{a: CapsIsHost | CapsLocal, b: CapsIsHost} {
				var c Caps
				require.Equal(t, wire.OK, h.GetPlayerCaps(id, &c, uint32(flags)))
				w := want
				w.Flags |= more
				assert.Equal(t, w, c)
				assert.Len(t, c.Block().Data, 40)
			}
			var c Caps
			require.Equal(t, wire.OK, j.GetCaps(&c, uint32(flags)))
			want.Latency = 500
			assert.Equal(t, want, c)
		}
		for _, c := range []struct {
			g    *game
			id   wire.PlayerID
			host string
		}{{h, a, at[0].String()}, {h, b, at[1].String()}, {j, a, at[0].String()}, {j, b, at[1].String()}} {
			buffer := Buffer{Size: 1024}
			require.Equal(t, wire.OK, c.g.GetPlayerAddress(c.id, &buffer))
			n, err := ReadAddress(buffer.Data)
			require.NoError(t, err)
			assert.Equal(t, c.host, *n.Host)
			assert.Equal(t, ProviderTCP, n.Provider)
		}
		assert.Equal(t, wire.ErrUnsupported, h.GetPlayerAddress(0, &Buffer{}))
		assert.Equal(t, wire.ErrInvalidParams, h.GetPlayerAddress(a, nil))
	})
}
