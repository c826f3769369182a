package playerlist

import (
	"fmt"
	"testing"

	"dplay4/internal/testkit"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runOps does n operations on a host's list, and those that are possible on a copy; after each the two must be equal.
// Every so often both are audited. It counts what was done and refused, by the type of the operation.
func runOps(t testing.TB, s source, n int, every int, done, refused map[string]int) {
	t.Helper()
	host, replica := newList(t), newList(t)
	for i := range n {
		op := randomOp(s)
		kind := fmt.Sprintf("%T", op)
		v, err := host.Apply(op)
		if err != nil {
			refused[kind]++
			require.Error(t, replica.ApplyAt(replica.Version()+1, op))
		} else {
			done[kind]++
			require.Equal(t, replica.Version()+1, v)
			require.NoError(t, replica.ApplyAt(v, op))
			require.ErrorIs(t, replica.ApplyAt(v, op), ErrRepeat)
		}
		require.True(t, Equal(host, replica), "after %T %+v (%v)", op, op, err)
		if i%every == 0 {
			audit(t, host)
			audit(t, replica)
		}
		if s.choose(400) == 0 {
			for _, op := range host.Departed(randomSystem(s)) {
				v, err := host.Apply(op)
				require.NoError(t, err, "what Departed gives is possible")
				require.NoError(t, replica.ApplyAt(v, op))
			}
		}
	}
	audit(t, host)
}

// TestRandomOps checks that copies agree with the host, and that what is refused changes nothing.
func TestRandomOps(t *testing.T) {
	done, refused := map[string]int{}, map[string]int{}
	seeds := testkit.Part(20)
	for seed := range seeds {
		runOps(t, newSeeded(uint64(seed)), 2000, 20, done, refused)
	}
	require.Len(t, done, 15, "the kinds of operations")
	for kind, n := range done {
		assert.Greater(t, n, 7*seeds, "%s: the generator makes too few that are possible", kind)
		assert.Greater(t, refused[kind], 7*seeds, "%s: the generator makes too few that are not", kind)
	}
}

// TestRandomStates checks that a loaded state is the same list, and goes on as the same list.
func TestRandomStates(t *testing.T) {
	for seed := range uint64(100) {
		s := newSeeded(seed)
		l := randomList(s, 300)
		c, err := Load(l.State())
		require.NoError(t, err, "seed %d", seed)
		audit(t, c)
		require.True(t, Equal(l, c))
		require.Equal(t, l.State(), c.State())
		for range 300 {
			op := randomOp(s)
			v, err := l.Apply(op)
			w, err2 := c.Apply(op)
			require.Equal(t, v, w)
			require.Equal(t, err, err2)
		}
		require.True(t, Equal(l, c))
		audit(t, c)
	}
}

// TestEqual checks that every difference counts.
func TestEqual(t *testing.T) {
	base := sample(t)
	assert.True(t, Equal(base, sample(t)))
	name, password, desc := testSession(), testSession(), testSession()
	name.Name, password.Password, desc.Desc.User[3] = wire.NewText("other"), wire.NewText("other"), 5
	for _, op := range []Op{
		SetDesc{name}, SetDesc{password}, SetDesc{desc},
		system(99), player(99, 10), aGroup(99, 30), DeletePlayer{12}, DeleteGroup{21}, SetName{31, nil, wire.NewText8("Long")},
		SetName{31, wire.NewText("Nobleman"), nil}, SetData{31, nil}, SetSPData{31, nil}, SetHost{30}, SetDesc{Session{}},
		AddMember{20, 12}, RemoveMember{20, 11}, AddShortcut{20, 21}, RemoveShortcut{20, 32},
	} {
		l := sample(t)
		apply(t, l, op)
		assert.False(t, Equal(base, l), "%T", op)
		l.version = base.version
		assert.False(t, Equal(base, l), "%T, but for the version", op)
		assert.False(t, Equal(l, base), "%T, the other way round", op)
	}
	l := sample(t)
	apply(t, l, InstructConnect{10})
	assert.False(t, Equal(base, l), "the version alone")
	for name, spoil := range map[string]func(*Entry){
		"dialect": func(e *Entry) { e.Dialect++ }, "number": func(e *Entry) { e.Added = 13 },
		"flags": func(e *Entry) { e.Flags = 1 << 20 },
		"owner": func(e *Entry) { e.System = 30 },
	} {
		a, b := sample(t), sample(t)
		for _, x := range []*List{a, b} {
			apply(t, x, InstructConnect{10}, system(50), player(51, 10))
		}
		s := b.State()
		last := &s.Entries[len(s.Entries)-1]
		if name == "dialect" || name == "number" {
			last = &s.Entries[len(s.Entries)-2]
		}
		spoil(last)
		b, err := Load(s)
		require.NoError(t, err, name)
		assert.False(t, Equal(a, b), name)
	}
	l = sample(t)
	apply(t, l, RemoveMember{20, 11}, AddMember{20, 11})
	l.version = base.version
	assert.False(t, Equal(base, l), "the order of members")
}

// TestLoadRefuses checks states that no operations lead to.
func TestLoadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*State)
		place string
		want  error
	}{
		"name":             {func(s *State) { s.Session.Name = wire.Text("x") }, "", ErrText},
		"number 0":         {func(s *State) { s.Entries[0].Added = 0 }, "Entries[0]", ErrOrder},
		"same number":      {func(s *State) { s.Entries[1].Added = s.Entries[0].Added }, "Entries[1]", ErrOrder},
		"order":            {func(s *State) { s.Entries[1], s.Entries[2] = s.Entries[2], s.Entries[1] }, "Entries[2]", ErrOrder},
		"beyond":           {func(s *State) { s.Version = 7 }, "Entries[7]", ErrOrder},
		"link beyond":      {func(s *State) { s.Version = 11 }, "Links[3]", ErrOrder},
		"link's number":    {func(s *State) { s.Links[1].Version = s.Links[0].Version }, "Links[1]", ErrOrder},
		"link before":      {func(s *State) { s.Links[0].Version = 4 }, "Links[0]", ErrOrder},
		"link too early":   {func(s *State) { s.Entries[0].Added, s.Links[0].Version = 2, 1 }, "Links[0]", ErrUnknown},
		"unknown member":   {func(s *State) { s.Links[0].Member = 99 }, "Links[0]", ErrUnknown},
		"unknown group":    {func(s *State) { s.Links[3].Group = 99 }, "Links[3]", ErrUnknown},
		"twice":            {func(s *State) { s.Links[1] = Link{20, 11, s.Links[1].Version} }, "Links[1]", ErrMember},
		"unknown owner":    {func(s *State) { s.Entries[1].System = 99 }, "Entries[1]", ErrUnknown},
		"owner is younger": {func(s *State) { s.Entries[1].System = 30 }, "Entries[1]", ErrUnknown},
		"same id":          {func(s *State) { s.Entries[3].ID = 10 }, "Entries[3]", ErrInUse},
		"two hosts":        {func(s *State) { s.Entries[3].Flags |= wire.PlayerNameServer }, "Entries[3]", ErrHost},
		"group as player":  {func(s *State) { s.Entries[2].Group = false }, "Entries[4]", ErrNotGroup},
		"data":             {func(s *State) { s.Entries[5].Data = make([]byte, MaxEntryOctets) }, "Entries[5]", ErrTooLarge},
	} {
		s := sample(t).State()
		c.spoil(&s)
		l, err := Load(s)
		require.ErrorIs(t, err, c.want, name)
		assert.Nil(t, l)
		if c.place != "" {
			var ee *EntryError
			require.ErrorAs(t, err, &ee, name)
			assert.Equal(t, c.place, ee.Place, name)
			assert.Contains(t, err.Error(), c.place+": ")
		}
	}
}

// TestNothingIsShared scribbles over everything that went into a list and came out of it.
func TestNothingIsShared(t *testing.T) {
	want := sample(t)
	name, long, sp, data := wire.NewText("name"), wire.NewText("long"), spData(1, 2, 3, 4), []byte("data")
	big := make([]byte, 2*smallOctets)
	sess := Session{Name: wire.NewText("n"), Password: wire.NewText("p")}
	ops := func() []Op {
		return []Op{
			AddPlayer{Entry{ID: 60, System: 10, ShortName: name, LongName: long, SPData: sp, Data: data}},
			AddPlayer{Entry{ID: 61, System: 10, ShortName: name, LongName: long, SPData: sp, Data: big}},
			AddGroup{Entry{ID: 62, System: 10, ShortName: name, LongName: long, SPData: sp, Data: data}},
			SetName{11, name, long}, SetData{11, data}, SetSPData{11, sp}, SetInfo{12, name, long, data}, SetDesc{sess},
			AddMember{62, 60}, AddShortcut{62, 20},
		}
	}
	apply(t, want, ops()...)
	l, _ := New(testSession())
	all, ok := want.Since(0)
	require.True(t, ok)
	for _, op := range all {
		apply(t, l, op.Op)
	}
	scribble := func(bs ...[]byte) {
		for _, b := range bs {
			for i := range b {
				b[i] = 0xEE
			}
			_ = append(b, 0xEE, 0xEE) // must not reach what stands behind it
		}
	}
	entries := func(es []Entry) {
		for _, e := range es {
			scribble(e.ShortName, e.LongName, e.SPData, e.Data)
		}
	}
	entries(l.Players())
	entries(l.Groups())
	s := l.State()
	entries(s.Entries)
	scribble(s.Session.Name, s.Session.Password)
	e, _ := l.Get(60)
	entries([]Entry{e})
	o := l.Session()
	scribble(o.Name, o.Password)
	for _, op := range all {
		switch op := op.Op.(type) {
		case AddPlayer:
			entries([]Entry{op.Entry})
		case AddGroup:
			entries([]Entry{op.Entry})
		case SetName:
			scribble(op.ShortName, op.LongName)
		case SetData:
			scribble(op.Data)
		case SetSPData:
			scribble(op.SPData)
		case SetInfo:
			scribble(op.ShortName, op.LongName, op.Data)
		case SetDesc:
			scribble(op.Session.Name, op.Session.Password)
		}
	}
	v := View{Sender: 10, Newcomer: 30}
	m := l.SuperEnumPlayersReply(v)
	scribble(m.Name, m.Password)
	for _, p := range append(append(m.Players, m.Groups...), m.Shortcuts...) {
		scribble(p.ShortName, p.LongName, p.SPData, p.Data)
		for i := range p.PlayerIDs {
			p.PlayerIDs[i] = 0xEE
		}
		for i := range p.Shortcuts {
			p.Shortcuts[i] = 0xEE
		}
	}
	n := l.EnumPlayersReply(v)
	scribble(n.Name, n.Password)
	for _, p := range append(n.Players, n.Groups...) {
		scribble(p.ShortName, p.LongName, p.SPData, p.Data)
		for i := range p.PlayerIDs {
			p.PlayerIDs[i] = 0xEE
		}
	}
	p, _ := l.Packed(62, 10)
	scribble(p.ShortName, p.LongName, p.SPData, p.Data)
	p.PlayerIDs[0] = 0xEE
	g := l.AppendMembers(nil, 62)
	g[0] = 0xEE
	scribble(name, long, sp, data, big, sess.Name, sess.Password) // what want was made of

	for _, x := range []*List{l, want} {
		audit(t, x)
		e, _ := x.Get(60)
		assert.Equal(t, "name/long/data", e.ShortName.String()+"/"+e.LongName.String()+"/"+string(e.Data))
		assert.Equal(t, spData(1, 2, 3, 4), e.SPData)
	}
	assert.True(t, Equal(want, l))
	logged, _ := l.Since(0)
	again := newList(t)
	for _, op := range logged {
		apply(t, again, op.Op)
	}
	assert.True(t, Equal(want, again), "the log is as it was")
}

// TestFull checks the bounds of a whole list.
func TestFull(t *testing.T) {
	l := newList(t)
	apply(t, l, system(2), aGroup(3, 2))
	for id := wire.PlayerID(4); id < MaxRows+2; id++ {
		apply(t, l, player(id, 2))
	}
	_, err := l.Apply(player(0x100000, 2))
	require.ErrorIs(t, err, ErrFull)
	_, err = l.Apply(aGroup(0x100000, 2))
	require.ErrorIs(t, err, ErrFull)
	assert.Len(t, l.rows, 65536)
	apply(t, l, DeletePlayer{100}, aGroup(100, 2))
	audit(t, l)
	for _, op := range l.Departed(2) {
		apply(t, l, op)
	}
	assert.Empty(t, l.rows)

	apply(t, l, system(2), player(3, 2), player(4, 2))
	rest := MaxOctets - l.Octets()
	id := wire.PlayerID(100)
	for ; rest > MaxEntryOctets; rest -= MaxEntryOctets {
		apply(t, l, AddPlayer{Entry{ID: id, System: 2, Data: make([]byte, MaxEntryOctets)}})
		id++
	}
	apply(t, l, SetData{3, make([]byte, rest)})
	assert.Equal(t, MaxOctets, l.Octets())
	for _, op := range []Op{
		SetData{4, []byte{1}}, SetName{4, wire.NewText(""), nil}, SetSPData{4, []byte{1}}, SetInfo{4, nil, nil, []byte{1}},
		AddPlayer{Entry{ID: 5, System: 2, Data: []byte{1}}}, AddGroup{Entry{ID: 5, System: 2, Data: []byte{1}}},
		SetDesc{Session{Name: longText(1000)}},
	} {
		_, err := l.Apply(op)
		require.ErrorIs(t, err, ErrFull, "%T", op)
	}
	apply(t, l, SetData{3, make([]byte, rest-1)}, SetData{4, []byte{1}}, SetDesc{Session{}}, SetDesc{testSession()})
	assert.Equal(t, MaxOctets, l.Octets(), "to the last octet")
	audit(t, l)
}

// TestFullOfLinks checks the bound of memberships and shortcuts.
func TestFullOfLinks(t *testing.T) {
	l := newList(t)
	apply(t, l, system(2), aGroup(3, 2), aGroup(4, 2))
	n := 0
	for g := wire.PlayerID(10); n < MaxLinks; g++ {
		apply(t, l, aGroup(g, 2), player(g+0x10000, 2))
		for p := wire.PlayerID(10); p <= g && n < MaxLinks; p++ {
			apply(t, l, AddMember{g, p + 0x10000})
			n++
		}
	}
	_, err := l.Apply(AddMember{3, 2})
	require.ErrorIs(t, err, ErrFull)
	_, err = l.Apply(AddShortcut{3, 4})
	require.ErrorIs(t, err, ErrFull)
	apply(t, l, DeletePlayer{0x10000 + 10}, AddShortcut{3, 4}, DeleteGroup{20})
	audit(t, l)
}
