package directplay

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// firstHosts opens a session by IDirectPlay.
func firstHosts(t *world) (First, *FirstDesc, *game) {
	t.Helper()
	at := t.lane(2)
	g := initialized(t, at[0], at[0].String())
	d := &FirstDesc{Application: testGame, MaxPlayers: 7, Name: "Old game", Password: "secret", Flags: OpenCreate,
		UserField: [16]byte{'l', 'e', 'v', 'e', 'l', ' ', '3'}}
	require.Equal(t, wire.OK, g.First(Face{}).Open(d))
	return g.First(Face{}), d, initialized(t, at[1], at[0].String())
}

// firstFinds searches by IDirectPlay for the session of firstHosts, which is not told of to who does not know its password.
func (g *game) firstFinds() FirstDesc {
	g.t.Helper()
	var all []FirstDesc
	wanted := &FirstDesc{Application: testGame, Password: "secret"}
	r := g.First(Face{}).EnumSessions(wanted, 1000, func(d *FirstDesc, _ *uint32) bool {
		if d != nil {
			all = append(all, *d)
		}
		return d != nil
	}, 0)
	require.Equal(g.t, wire.OK, r)
	require.Len(g.t, all, 1)
	return all[0]
}

func (f First) player(t testing.TB, friendly, formal string) (id wire.PlayerID) {
	t.Helper()
	require.Equal(t, wire.OK, f.CreatePlayer(&id, &friendly, &formal, nil))
	return id
}

// words returns a text's octets, padded to a size.
func words(s string, size int) []byte { return append([]byte(s), make([]byte, size-len(s))...) }

// message returns the octets of a system message: numbers and texts.
func message(all ...any) (b []byte) {
	for _, x := range all {
		switch x := x.(type) {
		case int:
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		case wire.PlayerID:
			b = binary.LittleEndian.AppendUint32(b, uint32(x))
		case []byte:
			b = append(b, x...)
		}
	}
	return b
}

func TestFirstSession(t *testing.T) {
	bubble(t, func(t *world) {
		f, d, g := firstHosts(t)
		host := f.player(t, "Ann", "Ann of the north")
		found := g.firstFinds()
		assert.Equal(t, FirstDesc{Application: testGame, Session: d.Session, MaxPlayers: 7, CurrentPlayers: 1, Name: "Old game",
			UserField: d.UserField, Reserved1: d.Reserved1, User: [4]uint32{0x6576656C, 0x0033206C, 0, 0}}, found,
			"the user field is carried, flags and password are not told")

		found.Flags, found.Password = OpenJoin, "wrong"
		assert.Equal(t, wire.ErrInvalidPassword, g.First(Face{}).Open(&found))
		found.Password = "secret"
		require.Equal(t, wire.OK, g.First(Face{}).Open(&found))
		assert.Equal(t, wire.ErrAlreadyInitialized, g.First(Face{}).Open(&found))
		joiner := g.First(Face{}).player(t, "Bob", strings.Repeat("Bob ", 20))

		h := &game{f.Object, t}
		from, to, data := h.await()
		assert.Zero(t, from)
		assert.Equal(t, host, to)
		assert.Equal(t, message(3, 1, joiner, words(strings.Repeat("Bob ", 20)[:51], 52), words("Bob", 20), 2), data)

		require.Equal(t, wire.OK, g.Send(joiner, host, SendGuaranteed, []byte("move"), 4))
		from, to, data = h.await()
		assert.Equal(t, []any{joiner, host, "move"}, []any{from, to, string(data)})

		require.Equal(t, wire.OK, g.DestroyPlayer(joiner))
		_, _, data = h.await()
		assert.Equal(t, message(5, joiner), data)
	})
}

// A player made by IDirectPlay hears of groups in its own shapes, and nothing of what later versions tell.
func TestFirstHears(t *testing.T) {
	bubble(t, func(t *world) {
		f, d, g := firstHosts(t)
		host := f.player(t, "Ann", "")
		g.firstFinds()
		s := SessionDesc{Instance: f.sess.Info().Desc.Instance, Password: &d.Password}
		require.Equal(t, wire.OK, g.Open(&s, OpenJoin))
		later := g.player("Late", 0)
		group := g.group(0, 0)
		require.Equal(t, wire.OK, g.AddPlayerToGroup(group, later))
		require.Equal(t, wire.OK, g.AddGroupToGroup(group, g.group(0, 0)))
		name := "Later"
		require.Equal(t, wire.OK, g.SetPlayerName(later, &Name{Short: &name}, 0))
		require.Equal(t, wire.OK, g.SetPlayerData(later, []byte{1}, 1, 0))
		require.Equal(t, wire.OK, g.SendChatMessage(later, 0, SendGuaranteed, &name))
		require.Equal(t, wire.OK, f.EnableNewPlayers(false))
		require.Equal(t, wire.OK, g.DeletePlayerFromGroup(group, later))
		require.Equal(t, wire.OK, g.DestroyGroup(group))
		require.Equal(t, wire.OK, g.Send(later, 0, SendGuaranteed, []byte("end"), 3))

		h := &game{f.Object, t}
		var heard [][]byte
		for !bytes.Equal([]byte("end"), last(heard)) {
			_, to, data := h.await()
			require.Equal(t, host, to)
			heard = append(heard, data)
		}
		require.Len(t, heard, 7)
		assert.Equal(t, message(3, 1, later, words("Late", 52), words("Late", 20), 2), heard[0])
		assert.Equal(t, message(3, 0, group, words("", 72), 1), heard[1])
		assert.Equal(t, message(7, group, later), heard[2])
		assert.Equal(t, uint32(3), binary.LittleEndian.Uint32(heard[3]))
		assert.Equal(t, message(0x21, group, later), heard[4])
		assert.Equal(t, message(0x20, group), heard[5])
		assert.Equal(t, wire.SessionNewPlayersDisabled, f.sess.Info().Desc.Flags&wire.SessionNewPlayersDisabled)
	})
}

func last(all [][]byte) []byte {
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

func TestFirstNames(t *testing.T) {
	bubble(t, func(t *world) {
		f, _, _ := firstHosts(t)
		ann := f.player(t, "Ann", "Ann of the north")
		var group, nameless wire.PlayerID
		friendly, formal := "Reds", strings.Repeat("r", 60)
		require.Equal(t, wire.OK, f.CreateGroup(&group, &friendly, &formal))
		require.Equal(t, wire.OK, f.CreatePlayer(&nameless, nil, nil, nil))

		short, long := &Buffer{Size: 20}, &Buffer{Size: 52}
		require.Equal(t, wire.OK, f.GetPlayerName(ann, short, long))
		assert.Equal(t, []string{"Ann\x00", "Ann of the north\x00"}, []string{string(short.Data), string(long.Data)})
		assert.Equal(t, []uint32{4, 17}, []uint32{short.Size, long.Size})
		short, long = &Buffer{Size: 20}, &Buffer{Size: 16}
		assert.Equal(t, wire.ErrBufferTooSmall, f.GetPlayerName(ann, short, long))
		assert.Equal(t, []any{uint32(4), uint32(17), []byte(nil)}, []any{short.Size, long.Size, short.Data})
		short = &Buffer{Null: true, Size: 20}
		assert.Equal(t, wire.ErrBufferTooSmall, f.GetPlayerName(ann, short, nil))
		assert.Equal(t, uint32(4), short.Size)
		long = &Buffer{Size: 52}
		require.Equal(t, wire.OK, f.GetPlayerName(group, nil, long))
		assert.Equal(t, formal[:51]+"\x00", string(long.Data), "no longer than what games have room for")
		long = &Buffer{Size: 1}
		require.Equal(t, wire.OK, f.GetPlayerName(nameless, nil, long))
		assert.Equal(t, "\x00", string(long.Data))
		assert.Equal(t, wire.ErrInvalidParams, f.GetPlayerName(ann, nil, nil))
		assert.Equal(t, wire.ErrInvalidPlayer, f.GetPlayerName(0x777, nil, nil))

		other := "Anna"
		require.Equal(t, wire.OK, f.SetPlayerName(ann, &other, nil))
		require.Equal(t, wire.OK, f.SetPlayerName(group, &other, &other))
		short = &Buffer{Size: 20}
		require.Equal(t, wire.OK, f.GetPlayerName(group, short, nil))
		assert.Equal(t, "Anna\x00", string(short.Data))
		assert.Equal(t, wire.ErrInvalidPlayer, f.SetPlayerName(0x777, &other, nil))

		listed := map[wire.PlayerID]FirstListed{}
		list := func(l FirstListed) bool { listed[l.ID] = l; return true }
		require.Equal(t, wire.OK, f.EnumPlayers(0, list, EnumGroup))
		assert.Equal(t, map[wire.PlayerID]FirstListed{
			ann:      {ann, []byte("Anna\x00"), []byte{0}, EnumLocal},
			nameless: {nameless, []byte{0}, []byte{0}, EnumLocal},
			group:    {group, []byte("Anna\x00"), []byte("Anna\x00"), EnumLocal | EnumGroup},
		}, listed)
		clear(listed)
		require.Equal(t, wire.OK, f.EnumPlayers(0, list, EnumPrevious))
		assert.Empty(t, listed, "nobody is saved")
		require.Equal(t, wire.OK, f.EnumGroups(0, list, 0))
		assert.Len(t, listed, 1)
		require.Equal(t, wire.OK, f.AddPlayerToGroup(group, ann))
		clear(listed)
		require.Equal(t, wire.OK, f.EnumGroupPlayers(group, list, 0))
		assert.Equal(t, EnumLocal, int(listed[ann].Flags))
	})
}

// What is wrong is answered as by the other interfaces, in the same order.
func TestFirstErrors(t *testing.T) {
	bubble(t, func(t *world) {
		none := New(Options{}).First(Face{})
		t.Cleanup(none.Release)
		d := FirstDesc{Flags: OpenJoin, Session: 5}
		for what, r := range map[string]wire.HResult{
			"Open": none.Open(&d), "EnumSessions": none.EnumSessions(nil, 0, nil, 0), "EnableNewPlayers": none.EnableNewPlayers(true),
			"SaveSession": none.SaveSession(), "GetCaps": none.GetCaps(nil), "GetPlayerName": none.GetPlayerName(0, nil, nil),
			"CreatePlayer": none.CreatePlayer(nil, nil, nil, nil), "CreateGroup": none.CreateGroup(nil, nil, nil),
			"EnumPlayers": none.EnumPlayers(0, nil, 0), "SetPlayerName": none.SetPlayerName(0, nil, nil),
		} {
			assert.Equal(t, wire.ErrUninitialized, r, what)
		}
		assert.Equal(t, wire.ErrInvalidParams, none.Open(nil))

		at := t.lane(1)
		f := initialized(t, at[0], at[0].String()).First(Face{})
		assert.Equal(t, wire.ErrInvalidParams, f.Open(&FirstDesc{WrongSize: true, Flags: OpenJoin}))
		assert.Equal(t, wire.ErrInvalidFlags, f.Open(&FirstDesc{}))
		assert.Equal(t, wire.ErrNoSessions, f.Open(&d), "a number that was not found")
		assert.Equal(t, wire.ErrNoSessions, f.EnableNewPlayers(true))
		assert.Equal(t, wire.ErrNoSessions, f.SaveSession())
		assert.Equal(t, wire.ErrNoSessions, f.EnumPlayers(5, func(FirstListed) bool { return true }, EnumSession))
		assert.Equal(t, wire.ErrInvalidParams, f.EnumSessions(nil, 0, func(*FirstDesc, *uint32) bool { return true }, 0))
		assert.Equal(t, wire.ErrInvalidParams, f.EnumSessions(&FirstDesc{}, 0, nil, 0))
		d = FirstDesc{Application: testGame, Flags: OpenCreate}
		require.Equal(t, wire.OK, f.Open(&d))
		assert.Equal(t, wire.ErrUnsupported, f.SaveSession())
		var id wire.PlayerID
		require.Equal(t, wire.OK, f.EnableNewPlayers(false))
		assert.NotEqual(t, wire.OK, f.CreatePlayer(&id, nil, nil, nil))
		require.Equal(t, wire.OK, f.EnableNewPlayers(true))
		assert.Equal(t, wire.OK, f.CreatePlayer(&id, nil, nil, nil))
		var c Caps
		require.Equal(t, wire.OK, f.GetPlayerCaps(id, &c))
		assert.Equal(t, uint32(CapsLocal|CapsIsHost|CapsGuaranteed|CapsNameService),
			c.Flags&(CapsLocal|CapsIsHost|CapsGuaranteed|CapsNameService))
	})
}

// The layout of the headers: every octet of it has its place.
func TestFirstDescOctets(t *testing.T) {
	t.Parallel()
	var b [FirstDescSize]byte
	copy(b[:], message(124, testGame[:], 0x11, 0x12, 0x13, OpenJoin, words("Session", 32), words("user", 16), 0x14,
		words("pass", 16), 0x15, 0x16, 0x17, 0x18, 0x19))
	d := ReadFirstDesc(&b, Face{})
	assert.Equal(t, FirstDesc{Application: testGame, Session: 0x11, MaxPlayers: 0x12, CurrentPlayers: 0x13, Flags: OpenJoin,
		Name: "Session", UserField: [16]byte{'u', 's', 'e', 'r'}, Reserved1: 0x14, Password: "pass", Reserved2: 0x15,
		User: [4]uint32{0x16, 0x17, 0x18, 0x19}}, d)
	assert.Equal(t, b[:], d.Block(Face{}).Data)
	assert.Equal(t, [4]uint32{0x16, 0x17, 0x18, 0x19}, d.session().User, "numbers go before the user field")

	for i := range b { // no terminator anywhere
		b[i] = 'x'
	}
	d = ReadFirstDesc(&b, Face{})
	assert.True(t, d.WrongSize)
	assert.Equal(t, []int{32, 16}, []int{len(d.Name), len(d.Password)})
	assert.Equal(t, strings.Repeat("x", 31)+"\x00", string(d.Block(Face{}).Data[36:68]), "there is one in what games are told")
}
