package playerlist

import (
	"slices"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ids(x ...wire.PlayerID) []wire.PlayerID { return x }

// entryIDs returns the ids of entries.
func entryIDs(entries []Entry) []wire.PlayerID {
	var all []wire.PlayerID
	for _, e := range entries {
		all = append(all, e.ID)
	}
	return all
}

// TestLookups reads the sample in every way.
func TestLookups(t *testing.T) {
	l := sample(t)
	assert.EqualValues(t, 12, l.Version())
	assert.EqualValues(t, 10, l.Host())
	players, groups := l.Len()
	assert.Equal(t, []int{5, 3, 3}, []int{players, groups, l.Count()})
	assert.Equal(t, ids(10, 11, 30, 31, 12), entryIDs(l.Players()), "order of joining")
	assert.Equal(t, ids(20, 21, 32), entryIDs(l.Groups()))
	assert.Equal(t, l.Players(), slices.Collect(l.EachPlayer()))
	assert.Equal(t, l.Groups(), slices.Collect(l.EachGroup()))
	for e := range l.EachGroup() {
		assert.EqualValues(t, 20, e.ID, "who has seen enough gets no more")
		break
	}
	assert.Equal(t, ids(7, 10, 11, 30, 31, 12), l.AppendPlayers(ids(7)))
	assert.Equal(t, ids(7, 10, 30), l.AppendSystems(ids(7)))
	assert.Equal(t, ids(7, 20, 21, 32), l.AppendGroups(ids(7)))
	assert.Equal(t, ids(7, 11, 31), l.AppendMembers(ids(7), 20))
	assert.Equal(t, ids(7, 32), l.AppendShortcuts(ids(7), 20))
	for _, id := range ids(0, 11, 99) {
		assert.Nil(t, l.AppendMembers(nil, id))
		assert.Nil(t, l.AppendShortcuts(nil, id))
	}
	assert.True(t, l.IsMember(20, 11))
	for _, no := range [][]wire.PlayerID{{20, 12}, {20, 32}, {11, 11}, {99, 11}, {20, 99}} {
		assert.False(t, l.IsMember(no[0], no[1]), "%v", no)
	}

	e, ok := l.Get(31)
	shared, _ := l.Look(31)
	assert.Equal(t, e, shared)
	require.True(t, ok)
	assert.Equal(t, Entry{
		ID: 31, Flags: wire.PlayerInGroup, System: 30, Dialect: 14, Added: 6, ShortName: wire.NewText("Nobleman"),
		LongName: wire.NewText8("Long"), SPData: spData(10, 0, 0, 3), Data: []byte{1, 2, 3},
	}, e)
	e, ok = l.Get(21)
	require.True(t, ok)
	assert.Equal(t, Entry{ID: 21, System: 10, Parent: 20, Dialect: 14, Added: 5, Group: true, ShortName: wire.NewText("child")}, e)
	_, ok = l.Get(99)
	assert.False(t, ok)
	for id, want := range map[wire.PlayerID][2]bool{10: {true, false}, 11: {true, false}, 20: {false, true}, 99: {}, 0: {}} {
		p, g := l.Kind(id)
		assert.Equal(t, want, [2]bool{p, g}, "%v", id)
	}
	for id, want := range map[wire.PlayerID]wire.PlayerID{10: 10, 11: 10, 31: 30, 20: 10, 99: 0} {
		s, ok := l.System(id)
		assert.Equal(t, want, s)
		assert.Equal(t, id != 99, ok)
	}
}

// TestFlags checks the computed flags; see the package documentation for where they come from.
func TestFlags(t *testing.T) {
	l := sample(t)
	all := wire.PlayerLocal | wire.PlayerInGroup | wire.PlayerSpectator | 0x80000000
	apply(t, l, AddPlayer{Entry{ID: 40, System: 30, Flags: all}}, AddGroup{Entry{ID: 41, System: 30, Flags: all}})
	want := map[wire.PlayerID]wire.PlayerFlags{
		10: wire.PlayerSystem | wire.PlayerNameServer | wire.PlayerInGroup,
		30: wire.PlayerSystem | wire.PlayerInGroup,
		11: wire.PlayerInGroup, 12: wire.PlayerInGroup, // member or not
		20: wire.PlayerGroup, 21: 0, // created in a group is not added to one
		32: wire.PlayerGroup | wire.PlayerInGroup, // shown by 20
		40: wire.PlayerSpectator | wire.PlayerInGroup | 0x80000000,
		41: wire.PlayerSpectator | 0x80000000,
	}
	check := func(when string) {
		t.Helper()
		for id, w := range want {
			f, ok := l.Flags(id)
			assert.True(t, ok)
			assert.Equal(t, w, f, "%v %s", id, when)
			e, _ := l.Get(id)
			assert.Equal(t, w, e.Flags, "%v %s", id, when)
		}
	}
	check("at first")
	apply(t, l, RemoveShortcut{20, 32}, SetHost{30}, RemoveMember{20, 11})
	want[32], want[10], want[30] = wire.PlayerGroup, wire.PlayerSystem|wire.PlayerInGroup,
		wire.PlayerSystem|wire.PlayerNameServer|wire.PlayerInGroup
	check("after migration")
	apply(t, l, AddShortcut{32, 20}, AddShortcut{20, 32})
	want[20] |= wire.PlayerInGroup
	want[32] |= wire.PlayerInGroup
	check("in a circle")
	_, ok := l.Flags(99)
	assert.False(t, ok)
}

// TestOwnFields checks that fields which are ignored going in are.
func TestOwnFields(t *testing.T) {
	l := newList(t)
	apply(t, l,
		AddPlayer{Entry{ID: 10, Flags: wire.PlayerSystem, System: 99, Parent: 98, Dialect: 11, Added: 97, Group: true}},
		AddPlayer{Entry{ID: 11, System: 10, Parent: 98, Dialect: 14, Added: 97, Group: true}},
		AddGroup{Entry{ID: 12, System: 10, Dialect: 14, Added: 97}})
	ops, _ := l.Since(0)
	assert.Equal(t, []Numbered{
		{1, AddPlayer{Entry{ID: 10, Flags: wire.PlayerSystem, System: 10, Dialect: 11}}}, {2, AddPlayer{Entry{ID: 11, System: 10}}},
		{3, AddGroup{Entry{ID: 12, System: 10, Group: true}}},
	}, ops, "nor do they get into the log")
	e, _ := l.Get(10)
	assert.Equal(t, Entry{ID: 10, Flags: wire.PlayerSystem | wire.PlayerInGroup, System: 10, Dialect: 11, Added: 1}, e)
	e, _ = l.Get(11)
	assert.Equal(t, Entry{ID: 11, Flags: wire.PlayerInGroup, System: 10, Dialect: 11, Added: 2}, e)
	e, _ = l.Get(12)
	assert.Equal(t, Entry{ID: 12, System: 10, Dialect: 11, Added: 3, Group: true}, e)
}

// TestServerPlayer checks that a server player, and nobody else, may be 1 (facts, 5.4).
func TestServerPlayer(t *testing.T) {
	l := sample(t)
	op := AddPlayer{Entry{ID: wire.IDServer, System: 10, Flags: wire.PlayerServerPlayer}}
	apply(t, l, op)
	_, err := l.Apply(op)
	assert.ErrorIs(t, err, ErrInUse, "there is one at most")
	apply(t, l, DeletePlayer{wire.IDServer}, op)
	audit(t, l)
}

// TestSetters checks operations that change a row or the session.
func TestSetters(t *testing.T) {
	l := sample(t)
	long, short := wire.NewText("a longer name than before"), wire.NewText("")
	apply(t, l, SetName{31, short, long}, SetData{31, []byte("data")}, SetSPData{31, nil}, SetName{32, nil, short})
	e, _ := l.Get(31)
	assert.Equal(t, []any{short, long, []byte("data"), []byte(nil)}, []any{e.ShortName, e.LongName, e.Data, e.SPData})
	e, _ = l.Get(32)
	assert.Equal(t, []any{wire.Text(nil), short}, []any{e.ShortName, e.LongName})
	v := l.Version()
	apply(t, l, SetInfo{31, long, nil, []byte{9}}, InstructConnect{30})
	e, _ = l.Get(31)
	assert.Equal(t, []any{long, wire.Text(nil), []byte{9}}, []any{e.ShortName, e.LongName, e.Data})
	assert.Equal(t, v+2, l.Version())
	audit(t, l)

	was := l.Session()
	assert.EqualValues(t, 3, was.Desc.CurrentPlayers)
	d := was.Desc
	d.Flags, d.MaxPlayers, d.CurrentPlayers, d.User = wire.SessionPrivate, 20, 77, [4]uint32{9}
	d.Instance, d.Application, d.Reserved1, d.NamePointer, d.PasswordPointer = wire.GUID{9}, wire.GUID{8}, 7, 6, 5
	apply(t, l, SetDesc{Session{d, wire.NewText("new"), nil}})
	d.CurrentPlayers, d.Instance, d.Application, d.Reserved1 = 3, was.Desc.Instance, was.Desc.Application, was.Desc.Reserved1
	d.NamePointer, d.PasswordPointer = 0, 0
	assert.Equal(t, Session{d, wire.NewText("new"), nil}, l.Session())
	ops, ok := l.Since(l.Version() - 1)
	require.True(t, ok)
	d.CurrentPlayers = 0
	assert.Equal(t, SetDesc{Session{d, wire.NewText("new"), nil}}, ops[0].Op, "as a copy has to apply it")
	audit(t, l)
}

// TestDeletePlayer checks what goes with a player.
func TestDeletePlayer(t *testing.T) {
	l := sample(t)
	apply(t, l, DeletePlayer{31})
	audit(t, l)
	assert.Equal(t, ids(11), l.AppendMembers(nil, 20))
	assert.Nil(t, l.AppendMembers(nil, 32))
	assert.EqualValues(t, 2, l.Session().Desc.CurrentPlayers)
	apply(t, l, player(31, 30))
	audit(t, l) // a new player with an old id is in no group
	assert.Equal(t, ids(10, 11, 30, 12, 31), l.AppendPlayers(nil), "and is the youngest")
}

// TestDeleteGroup checks what goes with a group: memberships and shortcuts, and the groups in it, but not its members.
func TestDeleteGroup(t *testing.T) {
	l := sample(t)
	apply(t, l, AddGroup{Entry{ID: 50, System: 30, Parent: 21}}, AddGroup{Entry{ID: 51, System: 10, Parent: 50}},
		AddGroup{Entry{ID: 52, System: 10, Parent: 20}}, AddGroup{Entry{ID: 53, System: 30, Parent: 32}},
		AddShortcut{53, 51}, AddMember{51, 11})
	assert.Equal(t, ids(51, 50, 21), l.Subtree(21), "30's group and the host's in that one, youngest first")
	assert.Equal(t, ids(52, 51, 50, 21, 20), l.Subtree(20))
	assert.Equal(t, ids(32), l.Subtree(32)[1:], "a shortcut to a group does not put it in there")
	for _, id := range ids(0, 10, 11, 99) {
		assert.Nil(t, l.Subtree(id))
	}
	one, whole := l.State(), l.Version()
	apply(t, l, DeleteGroup{21})
	audit(t, l)
	assert.Equal(t, ids(20, 32, 52, 53), l.AppendGroups(nil))
	assert.True(t, l.IsMember(20, 11))
	assert.Nil(t, l.AppendShortcuts(nil, 53))
	assert.Equal(t, whole+1, l.Version(), "one operation")

	m, err := Load(one) // one by one it comes to the same
	require.NoError(t, err)
	for _, id := range m.Subtree(21) {
		apply(t, m, DeleteGroup{id})
	}
	audit(t, m)
	assert.Equal(t, l.Groups(), m.Groups())

	apply(t, l, DeleteGroup{20})
	audit(t, l)
	assert.Equal(t, ids(32, 53), l.AppendGroups(nil))
	assert.True(t, l.IsMember(32, 31))
	f, _ := l.Flags(32)
	assert.Equal(t, wire.PlayerGroup, f, "no longer in a group")
	apply(t, l, DeleteGroup{53}, DeleteGroup{32})
	audit(t, l)
}

// TestDeparted checks the operations that remove a machine, of a host and of another one.
func TestDeparted(t *testing.T) {
	l := sample(t)
	apply(t, l, AddGroup{Entry{ID: 51, System: 30, Parent: 21}}) // in the host's group, and it goes with it
	want := []Op{DeleteGroup{51}, DeleteGroup{21}, DeleteGroup{20}, DeletePlayer{11}, DeletePlayer{12}, DeletePlayer{10}}
	assert.Equal(t, want, l.Departed(10))
	before := l.State()
	assert.Equal(t, want, l.Departed(10))
	assert.Equal(t, before, l.State(), "it only tells")
	apply(t, l, want...)
	audit(t, l)
	assert.Equal(t, ids(30, 31), l.AppendPlayers(nil))
	assert.Equal(t, ids(32), l.AppendGroups(nil))
	assert.Zero(t, l.Host())

	apply(t, l, l.Departed(30)...)
	players, groups := l.Len()
	assert.Zero(t, players+groups)
	assert.Equal(t, l.session.octets(), l.Octets())
	audit(t, l)
	for _, id := range ids(0, 31, 32, 99) {
		assert.Nil(t, sample(t).Departed(id))
	}
	apply(t, l, system(60))
	assert.Equal(t, []Op{DeletePlayer{60}}, l.Departed(60))
}

// TestElection checks the rule of DirectPlay 4 for the next host.
func TestElection(t *testing.T) {
	l := newList(t)
	_, ok := l.Lowest()
	assert.False(t, ok)
	apply(t, l, system(0x80000000), player(2, 0x80000000), system(50), system(40), system(60))
	for _, c := range []struct {
		except []wire.PlayerID
		lowest wire.PlayerID
	}{
		{nil, 40},
		{ids(0x80000000), 40},
		{ids(40), 50},
		{ids(0x80000000, 50, 40), 60},
		{ids(2, 99), 40},
	} {
		id, ok := l.Lowest(c.except...)
		assert.True(t, ok)
		assert.Equal(t, c.lowest, id, "lowest but %v: ids are unsigned", c.except)
	}
	_, ok = l.Lowest(0x80000000, 50, 40, 60)
	assert.False(t, ok)
}

// TestLowestInCapture takes the ids of two Windows machines (facts, real-captures): the joiner's system player is
// lower than the host's although it came later, for ids are masked.
func TestLowestInCapture(t *testing.T) {
	l := newList(t)
	apply(t, l, AddPlayer{Entry{ID: 0x000384CB, Flags: wire.PlayerSystem | wire.PlayerNameServer}}, player(0x000384CA, 0x000384CB),
		system(0x000384C9))
	id, _ := l.Lowest()
	assert.Equal(t, wire.PlayerID(0x000384C9), id)
}
