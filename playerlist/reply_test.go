package playerlist

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readHex reads octets in hex; a # begins a comment.
func readHex(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var digits strings.Builder
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		digits.WriteString(strings.Join(strings.Fields(line), ""))
	}
	b, err := hex.DecodeString(digits.String())
	require.NoError(t, err, file)
	return b
}

// readSuper decodes a SUPERENUMPLAYERSREPLY of a TCP stream.
func readSuper(t testing.TB, file string) *wire.SuperEnumPlayersReply {
	t.Helper()
	e, err := new(wire.Decoder).DecodeStream(readHex(t, file))
	require.NoError(t, err)
	return e.Message.(*wire.SuperEnumPlayersReply)
}

// encode returns a message's octets from its signature on, and decodes it again.
func encode[M wire.Message](t testing.TB, m M) ([]byte, M) {
	t.Helper()
	b, err := wire.AppendMessage(nil, wire.DX9, m)
	require.NoError(t, err)
	_, d, err := new(wire.Decoder).DecodeMessage(b)
	require.NoError(t, err)
	return b, d.(M)
}

// TestReplyOfWindows lists the session of two Windows machines as their host did (facts, real-captures: the entries
// of SUPERENUMPLAYERSREPLY and its offsets).
func TestReplyOfWindows(t *testing.T) {
	l, err := New(Session{
		Desc: wire.SessionDesc{Flags: wire.SessionMigrateHost | wire.SessionKeepAlive, MaxPlayers: 5, Reserved1: 0x000284CB},
		Name: wire.NewText8("Lords2 Session1"),
	})
	require.NoError(t, err)
	apply(t, l,
		AddPlayer{Entry{ID: 0x000384CB, Flags: wire.PlayerSystem | wire.PlayerNameServer, Dialect: 14, SPData: spData(0, 0, 0, 0)}},
		AddPlayer{Entry{ID: 0x000384CA, System: 0x000384CB, ShortName: wire.NewText8("Nobleman"), SPData: spData(0, 0, 0, 0)}},
		AddPlayer{Entry{ID: 0x000384C9, Flags: wire.PlayerSystem | wire.PlayerLocal, Dialect: 14, SPData: spData(169, 254, 3, 245)}},
	)
	m := l.SuperEnumPlayersReply(View{Sender: 0x000384CB, Newcomer: 0x000384C9})
	b, m := encode(t, m)
	assert.Equal(t, l.SuperSize(), wire.SPHeaderSize+len(b))
	dword := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	name := uint32(len(wire.NewText8("Lords2 Session1")))
	assert.Equal(t, []uint32{3, 0, 116 + name, 0, 36, 116, 0},
		[]uint32{dword(8), dword(12), dword(16), dword(20), dword(24), dword(28), dword(32)},
		"players with the newcomer, groups, packed offset right after the name, shortcuts, description, name, password")
	assert.EqualValues(t, 1, m.Desc.CurrentPlayers, "one normal player")
	assert.Equal(t, []wire.SuperPackedPlayer{
		{Flags: 0x5, ID: 0x000384C9, Owner: 14, SPData: spData(169, 254, 3, 245)},
		{Flags: 0xF, ID: 0x000384CB, Owner: 14, SPData: spData(0, 0, 0, 0)},
		{Flags: 0xC, ID: 0x000384CA, Owner: 0x000384CB, ShortName: wire.NewText8("Nobleman"), SPData: spData(0, 0, 0, 0)},
	}, m.Players)
	for i, mask := range []uint32{0x04, 0x04, 0x05} {
		assert.Equal(t, mask, m.Players[i].InfoMask(), "entry %d", i)
	}
	assert.Nil(t, m.Groups)
	assert.Nil(t, m.Shortcuts)

	joined, err := FromSuperEnumPlayersReply(m, 0x000384C9)
	require.NoError(t, err)
	audit(t, joined)
	assert.True(t, Equal(l, joined), "with as many operations it even has the same version")
}

// TestReplyOfCapture takes the lists that the host of capture 05 sent to two joiners, and lists the session again.
func TestReplyOfCapture(t *testing.T) {
	host, guy, a, playerA, b := wire.PlayerID(0x19A9D65B), wire.PlayerID(0x3E9), wire.PlayerID(0x3EA), wire.PlayerID(0x3EB),
		wire.PlayerID(0x3EC)
	first, err := FromSuperEnumPlayersReply(readSuper(t, "testdata/capture05-first.hex"), a)
	require.NoError(t, err)
	audit(t, first)
	assert.Equal(t, ids(host, guy, a), first.AppendPlayers(nil))

	m := readSuper(t, "testdata/capture05-second.hex")
	l, err := FromSuperEnumPlayersReply(m, b)
	require.NoError(t, err)
	audit(t, l)
	assert.Equal(t, host, l.Host())
	assert.Equal(t, ids(host, guy, a, playerA, b), l.AppendPlayers(nil))
	assert.Equal(t, ids(host, a, b), l.AppendSystems(nil))
	s := l.Session()
	assert.Equal(t, "Three", s.Name.String())
	assert.Nil(t, s.Password)
	assert.Equal(t, m.Desc.CurrentPlayers, s.Desc.CurrentPlayers, "the host counts as we do")
	assert.Equal(t, m.Desc.Instance, s.Desc.Instance)
	assert.EqualValues(t, 8, s.Desc.MaxPlayers)
	assert.Zero(t, s.Desc.NamePointer, "that host sends what stood in its memory")
	e, _ := l.Get(playerA)
	assert.Equal(t, "W10A", e.ShortName.String())
	assert.Equal(t, host, e.System,
		"that host takes the specification by its word: the system player of the session, not of W10A's machine")
	assert.EqualValues(t, 11, e.Dialect, "of its machine: Wine")
	assert.Equal(t, []byte("aaa"), e.Data)
	low, _ := l.Lowest(host)
	assert.Equal(t, a, low, "the host's id is made otherwise, and higher")

	_, ours := encode(t, l.SuperEnumPlayersReply(View{Sender: host, Newcomer: b}))
	require.Len(t, ours.Players, 5)
	assert.Equal(t, []wire.PlayerID{b, host, guy, a, playerA}, []wire.PlayerID{ours.Players[0].ID, ours.Players[1].ID,
		ours.Players[2].ID, ours.Players[3].ID, ours.Players[4].ID}, "that host lists the newcomer last, Windows first")
	for i, theirs := range []int{4, 0, 1, 2} { // W10A would have to be one of the host's
		want, got := m.Players[theirs], ours.Players[i]
		assert.Equal(t, want.Flags|wire.PlayerInGroup, got.Flags, "it does not know INGROUP")
		assert.Equal(t, want.InfoMask(), got.InfoMask())
		assert.Equal(t, []any{want.ID, want.Owner, want.ShortName, want.LongName, want.Data, want.SPData},
			[]any{got.ID, got.Owner, got.ShortName, got.LongName, got.Data, got.SPData})
	}
}

// wineSuper is the list that the host in Wine's tests sends and Windows accepts (facts, 3.7).
func wineSuper() *wire.SuperEnumPlayersReply {
	sp := wire.SPData{
		Stream:   wire.SockAddr{Family: wire.FamilyINet, Port: 2349},
		Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 2399},
	}.Append(nil)
	short, long, data := wire.NewText("short name"), wire.NewText("long name"), []byte{1, 2, 3, 4}
	return &wire.SuperEnumPlayersReply{
		Desc: wire.SessionDesc{Reserved1: 0xAABBCCDD},
		Name: wire.NewText("normal"),
		Players: []wire.SuperPackedPlayer{
			{Flags: 0x5, ID: 0x12345678, Owner: 14, SPData: sp},
			{Flags: 0xF, ID: 0x51573, Owner: 14, SPData: sp},
			{Flags: 0x8, ID: 0x1337, Owner: 0x51573, ShortName: short, LongName: long, Data: data, SPData: sp},
			{Flags: 0x8, ID: 0xD00DE, Owner: 0x51573, SPData: sp},
		},
		Groups: []wire.SuperPackedPlayer{
			{Flags: 0x48, ID: 0x5E7, Owner: 0x51573, ShortName: short, LongName: long, Data: data, SPData: sp, PlayerIDs: ids(0xD00DE)},
		},
	}
}

// TestReplyOfWineTests takes the list of Wine's tests: the joiner is in it, ids are made freely, and the host's count
// of players, 0, is not believed (facts, 5.10).
func TestReplyOfWineTests(t *testing.T) {
	l, err := FromSuperEnumPlayersReply(wineSuper(), 0x12345678)
	require.NoError(t, err)
	audit(t, l)
	assert.Equal(t, ids(0x51573, 0x1337, 0xD00DE, 0x12345678), l.AppendPlayers(nil))
	assert.Equal(t, ids(0xD00DE), l.AppendMembers(nil, 0x5E7))
	assert.EqualValues(t, 2, l.Session().Desc.CurrentPlayers)
	assert.EqualValues(t, 0x51573, l.Host())
	ops, ok := l.Since(l.Version())
	assert.True(t, ok)
	assert.Nil(t, ops)
	_, ok = l.Since(0)
	assert.False(t, ok, "the numbers before are nobody else's")

	i := l.IDs(0)
	for range 100 {
		id, err := i.Reserve()
		require.NoError(t, err)
		player, group := l.Kind(id)
		assert.False(t, player || group)
		for _, held := range append(l.AppendPlayers(nil), 0x5E7) {
			assert.NotEqual(t, held.Index(0xAABBCCDD), id.Index(0xAABBCCDD))
		}
	}
}

// TestReplySample lists the sample in both ways, to a newcomer and to a member that asks.
func TestReplySample(t *testing.T) {
	l := sample(t)
	m := l.SuperEnumPlayersReply(View{Sender: 10, Newcomer: 30})
	b, m := encode(t, m)
	assert.Equal(t, l.SuperSize(), wire.SPHeaderSize+len(b))
	order := func(list []wire.SuperPackedPlayer) (all []wire.PlayerID) {
		for _, p := range list {
			all = append(all, p.ID)
		}
		return all
	}
	assert.Equal(t, ids(30, 10, 11, 31, 12), order(m.Players))
	assert.Equal(t, ids(20, 21, 32), order(m.Groups))
	assert.Equal(t, ids(20), order(m.Shortcuts), "the groups that have shortcuts (2.2.53)")
	assert.Equal(t, "Session/secret", m.Name.String()+"/"+m.Password.String())
	assert.Equal(t, wire.SuperPackedPlayer{
		Flags: wire.PlayerInGroup, ID: 31, Owner: 30, ShortName: wire.NewText("Nobleman"), LongName: wire.NewText8("Long"),
		Data: []byte{1, 2, 3}, SPData: spData(10, 0, 0, 3),
	}, m.Players[3])
	assert.Equal(t, wire.SuperPackedPlayer{Flags: 0x48, ID: 20, Owner: 10, PlayerIDs: ids(11, 31)}, m.Groups[0],
		"0x48 as of Windows")
	assert.Equal(t, wire.SuperPackedPlayer{Flags: wire.PlayerLocal, ID: 21, Owner: 10, ShortName: wire.NewText("child"), Parent: 20},
		m.Groups[1])
	assert.Equal(t, wire.SuperPackedPlayer{Flags: 0x48, ID: 20, Owner: 10, Shortcuts: ids(32)}, m.Shortcuts[0])
	assert.Equal(t, ids(10, 11, 30, 31, 12), order(l.SuperEnumPlayersReply(View{Sender: 10}).Players), "nobody joins")
	assert.Equal(t, ids(10, 11, 30, 31, 12), order(l.SuperEnumPlayersReply(View{Sender: 10, Newcomer: 10}).Players))
	assert.Equal(t, ids(10, 11, 30, 31, 12), order(l.SuperEnumPlayersReply(View{Sender: 10, Newcomer: 99}).Players))
	assert.Equal(t, ids(10, 11, 30, 31, 12), order(l.SuperEnumPlayersReply(View{Sender: 11, Newcomer: 20}).Players))

	_, n := encode(t, l.EnumPlayersReply(View{Sender: 10, Newcomer: 30}))
	var all []wire.PlayerID
	for _, p := range append(n.Players, n.Groups...) {
		all = append(all, p.ID)
		if e, _ := l.Get(p.ID); p.System != e.System || p.Version != 14 || p.Parent != e.Parent {
			t.Errorf("%v: %+v", p.ID, p)
		}
	}
	assert.Equal(t, ids(30, 10, 11, 31, 12, 20, 21, 32), all)
	assert.Equal(t, []wire.PlayerFlags{0x5, 0xF, 0xC},
		[]wire.PlayerFlags{n.Players[0].Flags, n.Players[1].Flags, n.Players[2].Flags})
	assert.Equal(t, ids(11, 31), n.Groups[0].PlayerIDs)
}

// TestReplyEmpty lists nobody.
func TestReplyEmpty(t *testing.T) {
	l := newList(t)
	b, m := encode(t, l.SuperEnumPlayersReply(View{Sender: 10, Newcomer: 30}))
	assert.Equal(t, l.SuperSize(), wire.SPHeaderSize+len(b))
	n := l.EnumPlayersReply(View{})
	assert.Nil(t, n.Players)
	assert.Nil(t, n.Groups)
	c, err := FromSuperEnumPlayersReply(m, 30)
	require.NoError(t, err)
	assert.True(t, Equal(l, c))
	c, err = FromEnumPlayersReply(n, 30)
	require.NoError(t, err)
	assert.True(t, Equal(l, c))
}

// TestReplyKeep sends what a client of a client/server session may know.
func TestReplyKeep(t *testing.T) {
	l := sample(t)
	apply(t, l, AddPlayer{Entry{ID: wire.IDServer, System: 10, Flags: wire.PlayerServerPlayer}}, AddMember{20, 30}, AddMember{20, 1})
	keep := func(id, system wire.PlayerID, f wire.PlayerFlags) bool {
		if s, ok := l.System(id); !ok || s != system {
			t.Errorf("%v is said to be %v's", id, system)
		}
		return f&wire.PlayerServerPlayer != 0
	}
	m := l.EnumPlayersReply(View{Sender: 10, Newcomer: 30, Keep: keep})
	require.Len(t, m.Players, 3)
	assert.Equal(t, ids(30, 10, 1), ids(m.Players[0].ID, m.Players[1].ID, m.Players[2].ID))
	assert.Nil(t, m.Groups)
	c, err := FromEnumPlayersReply(m, 30)
	require.NoError(t, err)
	assert.EqualValues(t, 1, c.Session().Desc.CurrentPlayers)

	some := func(id, _ wire.PlayerID, _ wire.PlayerFlags) bool {
		return id == 21 || id == 32 || id == 20 || id == 31
	}
	s := l.SuperEnumPlayersReply(View{Sender: 10, Newcomer: 30, Keep: some})
	assert.Equal(t, ids(31, 30), s.Groups[0].PlayerIDs, "of the members only those that are sent")
	assert.Equal(t, wire.PlayerID(20), s.Groups[1].Parent)
	_, err = FromSuperEnumPlayersReply(s, 30)
	require.NoError(t, err)
	no20 := func(id, _ wire.PlayerID, _ wire.PlayerFlags) bool { return id != 20 }
	s = l.SuperEnumPlayersReply(View{Sender: 10, Newcomer: 30, Keep: no20})
	assert.Zero(t, s.Groups[0].Parent, "no parent that is not sent")
	assert.Nil(t, s.Shortcuts)
	_, err = FromSuperEnumPlayersReply(s, 30)
	require.NoError(t, err)
}

// TestPacked announces players and groups as their owner does and as a host forwards them (facts, 4.5).
func TestPacked(t *testing.T) {
	l := sample(t)
	apply(t, l, AddPlayer{Entry{ID: 40, System: 30, Flags: wire.PlayerSpectator, SPData: []byte("other")}},
		SetSPData{30, spData(10, 0, 0, 3)})
	for _, c := range []struct {
		id, sender wire.PlayerID
		flags      wire.PlayerFlags
		sp         []byte
	}{
		{30, 30, 0x9, spData(0, 0, 0, 0)},  // ADDFORWARDREQUEST
		{31, 30, 0x8, spData(0, 0, 0, 0)},  // CREATEPLAYER
		{40, 30, 0x208, []byte("other")},   // of a spectator
		{32, 30, 0x4C, nil},                // CREATEGROUP of a group that a shortcut leads to
		{30, 10, 0x5, spData(10, 0, 0, 3)}, // ADDFORWARD
		{31, 10, 0x4, spData(10, 0, 0, 3)},
		{20, 10, 0x48, nil},
		{20, 30, 0x40, nil},
	} {
		p, ok := l.Packed(c.id, c.sender)
		require.True(t, ok)
		e, _ := l.Get(c.id)
		want := wire.PackedPlayer{
			Flags: c.flags, ID: c.id, System: e.System, Version: 14, Parent: e.Parent,
			ShortName: e.ShortName, LongName: e.LongName, SPData: c.sp, Data: e.Data, PlayerIDs: l.AppendMembers(nil, c.id),
		}
		assert.Equal(t, want, p, "%v by %v", c.id, c.sender)
		e.Flags, e.SPData, e.Added, e.Group = c.flags, c.sp, 0, false
		assert.Equal(t, e, EntryOf(&p))
	}
	_, ok := l.Packed(99, 10)
	assert.False(t, ok)
}

// TestEntryOfNames mends names that a packed player may have and a list may not.
func TestEntryOfNames(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"\x00\x00", "\x00\x00"},
		{"a\x00b\x00\x00\x00", "a\x00b\x00\x00\x00"},
		{"a\x00b\x00", "a\x00b\x00\x00\x00"},
		{"abc", "abc\x00\x00\x00"},
		{"a", "a\x00\x00\x00"},
		{"ab\x00", "ab\x00\x00"},
		{"a\x00\x00\x00junk", "a\x00\x00\x00"},
		{"ab\x00\x00x", "ab\x00\x00"},
		{"a\x00\x00b\x00\x00", "a\x00\x00b\x00\x00"}, // zero octets, but only the last WCHAR is zero
	} {
		in := []byte(c.in)
		e := EntryOf(&wire.PackedPlayer{ShortName: in, LongName: in})
		assert.Equal(t, c.want, string(e.ShortName), "%q", c.in)
		assert.Equal(t, c.want, string(e.LongName))
		assert.True(t, terminated(e.ShortName))
		assert.Equal(t, c.in, string(in), "the message stays as it is")
		_ = append(e.ShortName, 'x')
		assert.Equal(t, c.in, string(in))
	}
}
