package playerlist

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"dplay4/internal/testkit"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// diffed returns the state of want as a list has it after Diff from have: without numbers and order, and with what Diff leaves
// alone as have has it.
func diffed(have, want *List) State {
	s := want.State()
	dialects := map[wire.PlayerID]uint32{}
	for i := range s.Entries {
		e := &s.Entries[i]
		e.Added = 0
		e.Flags &^= wire.PlayerNameServer
		if h := have.rows[e.ID]; h != nil && h.isSystem() && e.Flags&wire.PlayerSystem != 0 {
			e.Flags, e.Dialect = have.flags(h)&^wire.PlayerNameServer, h.dialect
		}
		if e.Flags&wire.PlayerSystem != 0 {
			dialects[e.ID] = e.Dialect
		}
		e.Dialect = dialects[e.System]
	}
	slices.SortFunc(s.Entries, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	for i := range s.Links {
		s.Links[i].Version = 0
	}
	slices.SortFunc(s.Links, func(a, b Link) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Member, b.Member)) })
	s.Version, s.Session.Desc.Reserved1 = 0, have.session.Desc.Reserved1
	s.Session.Desc.Instance, s.Session.Desc.Application = have.session.Desc.Instance, have.session.Desc.Application
	return s
}

// checkDiff checks all that Diff promises of two lists, and returns its operations.
func checkDiff(t testing.TB, have, want *List) []Op {
	t.Helper()
	before, target := have.State(), want.State()
	ops := Diff(have, want)
	require.Equal(t, ops, Diff(have, want), "equal lists give equal operations")
	require.Equal(t, before, have.State(), "have is not changed")
	require.Equal(t, target, want.State(), "want is not changed")
	l, err := Load(before)
	require.NoError(t, err)
	require.Equal(t, ops, Diff(l, want), "a copy gives the same operations")
	host := want.Host()
	for _, op := range ops {
		_, err := l.Apply(op)
		require.NoError(t, err, "%T %+v of %v", op, op, ops)
	}
	audit(t, l)
	require.Equal(t, diffed(have, want), diffed(l, l))
	if host == 0 {
		if h, stays := want.rows[have.Host()]; stays && h.isSystem() {
			host = have.Host()
		}
	}
	require.Equal(t, host, l.Host())
	require.Empty(t, Diff(l, want), "nothing differs any more")
	require.Empty(t, Diff(want, want))
	return ops
}

// about returns the ids that an operation names.
func about(op Op) []wire.PlayerID {
	switch op := op.(type) {
	case AddPlayer:
		return ids(op.Entry.ID)
	case AddGroup:
		return ids(op.Entry.ID)
	case DeletePlayer:
		return ids(op.ID)
	case DeleteGroup:
		return ids(op.ID)
	case AddMember:
		return ids(op.Group, op.Player)
	case RemoveMember:
		return ids(op.Group, op.Player)
	case AddShortcut:
		return ids(op.Parent, op.Child)
	case RemoveShortcut:
		return ids(op.Parent, op.Child)
	case SetName:
		return ids(op.ID)
	case SetData:
		return ids(op.ID)
	case SetInfo:
		return ids(op.ID)
	case SetSPData:
		return ids(op.ID)
	case SetHost:
		return ids(op.ID)
	}
	return nil
}

// TestDiffRandom compares random lists: of independent sessions, in which an id is a player here and a group there, another
// machine's, or in another group; and of one session that went on differently in two places.
func TestDiffRandom(t *testing.T) {
	kinds, replaced, ops := map[string]int{}, 0, 0
	pairs := testkit.Part(4000)
	for seed := range uint64(pairs) {
		s := newSeeded(seed)
		have := randomList(s, 10+s.choose(150))
		want := randomList(s, 10+s.choose(150))
		if seed%2 == 0 {
			var err error
			want, err = Load(have.State())
			require.NoError(t, err)
			for _, l := range []*List{have, want} {
				for range s.choose(20) {
					_, _ = l.Apply(randomOp(s)) // refusals are wanted
				}
			}
		}
		deleted := map[wire.PlayerID]bool{}
		for _, op := range checkDiff(t, have, want) {
			ops++
			kinds[fmt.Sprintf("%T", op)]++
			switch op.(type) {
			case DeletePlayer, DeleteGroup:
				deleted[about(op)[0]] = true
			case AddPlayer, AddGroup:
				if deleted[about(op)[0]] {
					replaced++
				}
			}
		}
	}
	assert.Len(t, kinds, 14, "the kinds of operations: all but InstructConnect, which changes nothing")
	assert.Greater(t, replaced, pairs/4, "ids that are something else in the other list")
	t.Logf("%d pairs, %d operations, %d ids replaced", pairs, ops, replaced)
}

// TestDiffMinimal checks that one change gives one operation, the one that was made.
func TestDiffMinimal(t *testing.T) {
	other := testSession()
	other.Name, other.Desc.User[2] = wire.NewText("another name"), 7
	for _, op := range []Op{
		AddPlayer{Entry{ID: 40, Flags: wire.PlayerSystem, System: 40, Dialect: 9}}, AddPlayer{Entry{ID: 40, System: 30, Dialect: 14}},
		AddGroup{Entry{ID: 40, System: 30, Dialect: 14, Parent: 21, Group: true}},
		DeletePlayer{31}, DeleteGroup{32}, SetName{31, nil, wire.NewText("Long")}, SetData{20, []byte("data")},
		SetInfo{31, wire.NewText("short"), nil, []byte("data")}, SetSPData{30, spData(1, 2, 3, 4)}, SetHost{30},
		AddMember{21, 31}, RemoveMember{20, 31}, AddShortcut{32, 21}, RemoveShortcut{20, 32}, SetDesc{other},
	} {
		want := sample(t)
		apply(t, want, op)
		ops := checkDiff(t, sample(t), want)
		require.Len(t, ops, 1, "%T", op)
		if d, ok := op.(AddPlayer); ok {
			d.Entry.Dialect = ops[0].(AddPlayer).Entry.Dialect // it is the machine's
			op = d
		}
		if d, ok := op.(AddGroup); ok {
			d.Entry.Dialect = ops[0].(AddGroup).Entry.Dialect
			op = d
		}
		if d, ok := op.(SetDesc); ok {
			d.Session.Desc = ops[0].(SetDesc).Session.Desc
			op = d
		}
		assert.Equal(t, op, ops[0])
	}
	want := sample(t)
	apply(t, want, InstructConnect{10}, RemoveMember{20, 11}, AddMember{20, 11}, SetDesc{Session{Name: wire.NewText("n")}}, SetDesc{testSession()})
	assert.Empty(t, checkDiff(t, sample(t), want), "numbers and the order of members do not count")
}

// TestDiffReplaces checks ids that are something else in the other list.
func TestDiffReplaces(t *testing.T) {
	for name, c := range map[string]struct{ spoil, want []Op }{
		"another owner": {
			[]Op{DeletePlayer{31}, player(31, 10), AddMember{20, 31}},
			[]Op{DeletePlayer{31}, AddPlayer{Entry{ID: 31, System: 10, Dialect: 14}}, AddMember{20, 31}},
		},
		"a group instead of a player": {
			[]Op{DeletePlayer{12}, aGroup(12, 10)},
			[]Op{DeletePlayer{12}, AddGroup{Entry{ID: 12, System: 10, Dialect: 14, Flags: wire.PlayerGroup, Group: true}}},
		},
		"other flags": {
			[]Op{DeletePlayer{12}, AddPlayer{Entry{ID: 12, System: 10, Flags: wire.PlayerSpectator}}},
			[]Op{DeletePlayer{12}, AddPlayer{Entry{ID: 12, System: 10, Dialect: 14, Flags: wire.PlayerSpectator}}},
		},
		"a machine with another listener": {[]Op{SetSPData{30, spData(9, 9, 9, 9)}}, []Op{SetSPData{30, spData(9, 9, 9, 9)}}},
	} {
		t.Run(name, func(t *testing.T) {
			want := sample(t)
			apply(t, want, c.spoil...)
			assert.Equal(t, c.want, checkDiff(t, sample(t), want))
		})
	}

	// A group in another one, and all that is in it.
	have, want := sample(t), sample(t)
	apply(t, have, AddGroup{Entry{ID: 22, System: 30, Parent: 21}}, AddMember{22, 31}, AddMember{21, 31})
	apply(t, want, DeleteGroup{21}, AddGroup{Entry{ID: 21, System: 10, ShortName: wire.NewText("child")}},
		AddGroup{Entry{ID: 22, System: 30, Parent: 21}}, AddMember{22, 31}, AddMember{21, 31})
	ops := checkDiff(t, have, want)
	var order []string
	for _, op := range ops {
		order = append(order, fmt.Sprintf("%T %v", op, about(op)))
	}
	assert.Equal(t, []string{
		"playerlist.DeleteGroup [0x00000016]", "playerlist.DeleteGroup [0x00000015]",
		"playerlist.AddGroup [0x00000015]", "playerlist.AddGroup [0x00000016]",
		"playerlist.AddMember [0x00000015 0x0000001f]", "playerlist.AddMember [0x00000016 0x0000001f]",
	}, order)

	// A machine that is a player of another one, and the other way round.
	have, want = newList(t), newList(t)
	apply(t, have, system(3), system(4), player(5, 3), aGroup(6, 4), SetHost{3})
	apply(t, want, system(5), player(3, 5), aGroup(4, 5), player(6, 5), SetHost{5})
	checkDiff(t, have, want)
	checkDiff(t, want, have)

	// The host stays where nobody is host.
	have, want = sample(t), sample(t)
	want.host = nil
	assert.Empty(t, checkDiff(t, have, want))
}

// TestDiffFull checks that lists that can hold no more become each other.
func TestDiffFull(t *testing.T) {
	full := func(large, small wire.PlayerID, session Session) *List {
		l, err := New(Session{})
		require.NoError(t, err)
		apply(t, l, system(2), player(3, 2), player(4, 2))
		for id := wire.PlayerID(100); l.Octets()+3*MaxEntryOctets < MaxOctets; id++ {
			apply(t, l, AddPlayer{Entry{ID: id, System: 2, Data: make([]byte, MaxEntryOctets)}})
		}
		apply(t, l, SetDesc{session})
		apply(t, l, SetSPData{small, make([]byte, 100)}, SetData{large, make([]byte, MaxEntryOctets-100)}, SetSPData{large, make([]byte, 100)})
		apply(t, l, SetData{small, make([]byte, min(MaxEntryOctets-100, MaxOctets-l.Octets()))})
		for id := wire.PlayerID(1000); l.Octets() < MaxOctets; id++ {
			apply(t, l, AddPlayer{Entry{ID: id, System: 2, Data: make([]byte, min(MaxEntryOctets, MaxOctets-l.Octets()))}})
		}
		require.Equal(t, MaxOctets, l.Octets())
		return l
	}
	a, b := full(3, 4, Session{Name: longText(2000)}), full(4, 3, Session{})
	checkDiff(t, a, b)
	checkDiff(t, b, a)
	apply(t, b, SetData{4, make([]byte, 100)}, SetSPData{4, make([]byte, MaxEntryOctets-100)})
	checkDiff(t, a, b)
	checkDiff(t, b, a)

	rows, empty := newList(t), newList(t)
	apply(t, rows, system(2))
	apply(t, empty, system(2))
	for id := wire.PlayerID(3); id < MaxRows+2; id++ {
		apply(t, rows, player(id, 2))
		apply(t, empty, player(id+MaxRows, 2))
	}
	ops := Diff(rows, empty)
	require.Len(t, ops, 2*(MaxRows-1))
	apply(t, rows, ops...)
	assert.Empty(t, Diff(rows, empty))
}

// FuzzDiff makes two lists of octets and compares them.
func FuzzDiff(f *testing.F) {
	for seed := range uint64(8) {
		s := newSeeded(seed)
		b := make([]byte, 800)
		for i := range b {
			b[i] = byte(s.choose(256))
		}
		f.Add(b, uint(seed*50), seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, b []byte, at uint, one bool) {
		n := int(min(at, uint(len(b))))
		have, want := newList(t), newList(t)
		for s := (&octets{b[:n]}); len(s.b) > 0; {
			op := randomOp(s)
			_, _ = have.Apply(op) // refusals are wanted
			if one {
				_, _ = want.Apply(op)
			}
		}
		for s := (&octets{b[n:]}); len(s.b) > 0; {
			_, _ = want.Apply(randomOp(s))
		}
		checkDiff(t, have, want)
		checkDiff(t, want, have)
	})
}
