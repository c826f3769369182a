package playerlist

import (
	"cmp"
	"slices"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// content is what a list sent by sender can carry: all but the numbers, sender's addresses, and, in an
// ENUMPLAYERSREPLY, shortcuts.
type content struct {
	Session   Session
	Host      wire.PlayerID
	Players   []Entry
	Groups    []Entry
	Members   [][]wire.PlayerID // by group
	Shortcuts [][]wire.PlayerID
}

func contentOf(l *List, sender wire.PlayerID, shortcuts bool) content {
	c := content{Session: l.Session(), Host: l.Host(), Players: l.Players(), Groups: l.Groups()}
	for _, list := range [][]Entry{c.Players, c.Groups} {
		for i := range list {
			e := &list[i]
			e.local(sender)
			e.Flags &^= wire.PlayerLocal
			e.Added = 0
			if e.Group && !shortcuts {
				e.Flags &^= wire.PlayerInGroup
			}
		}
	}
	for _, g := range c.Groups {
		c.Members = append(c.Members, l.AppendMembers(nil, g.ID))
		if shortcuts {
			c.Shortcuts = append(c.Shortcuts, l.AppendShortcuts(nil, g.ID))
		}
	}
	return c
}

// sorted puts a content in order of ids.
func (c content) sorted() content {
	at := map[wire.PlayerID]int{}
	for i, g := range c.Groups {
		at[g.ID] = i
	}
	byID := func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(c.Players, byID)
	slices.SortFunc(c.Groups, byID)
	members, shortcuts := c.Members, c.Shortcuts
	c.Members, c.Shortcuts = nil, nil
	for _, g := range c.Groups {
		c.Members = append(c.Members, members[at[g.ID]])
		if shortcuts != nil {
			c.Shortcuts = append(c.Shortcuts, shortcuts[at[g.ID]])
		}
	}
	return c
}

// TestRandomReplies sends random lists over the wire and loads them: the content is equal, whoever joins.
func TestRandomReplies(t *testing.T) {
	entries := 0
	for seed := range uint64(300) {
		s := newSeeded(seed)
		l := randomList(s, 50+s.choose(300))
		systems := l.AppendSystems(nil)
		if len(systems) == 0 {
			continue
		}
		v := View{Sender: systems[s.choose(len(systems))], Newcomer: systems[s.choose(len(systems))]}
		b, m := encode(t, l.SuperEnumPlayersReply(v))
		require.Equal(t, l.SuperSize(), wire.SPHeaderSize+len(b), "seed %d", seed)
		c, err := FromSuperEnumPlayersReply(m, v.Newcomer)
		require.NoError(t, err, "seed %d", seed)
		audit(t, c)
		want := contentOf(l, v.Sender, true)
		require.Equal(t, want.sorted(), contentOf(c, v.Sender, true).sorted(), "seed %d", seed)

		_, n := encode(t, l.EnumPlayersReply(v))
		c, err = FromEnumPlayersReply(n, v.Newcomer)
		require.NoError(t, err, "seed %d", seed)
		audit(t, c)
		require.Equal(t, contentOf(l, v.Sender, false).sorted(), contentOf(c, v.Sender, false).sorted(), "seed %d", seed)
		entries += len(m.Players) + len(m.Groups)
	}
	assert.Greater(t, entries, 1000, "the generator makes too small lists")
}

// TestRandomJoins lets a machine join a random session whose first machine is still its host: the newcomer's list
// is the host's, order and all.
func TestRandomJoins(t *testing.T) {
	for seed := range uint64(200) {
		s := newSeeded(seed)
		l := newList(t)
		const host, newcomer = 1000, 2000
		apply(t, l, AddPlayer{Entry{ID: host, Flags: wire.PlayerSystem | wire.PlayerNameServer, Dialect: 14,
			SPData: spData(0, 0, 0, 0)}})
		for range s.choose(300) {
			_, _ = l.Apply(randomOp(s)) // refusals are wanted
		}
		apply(t, l, SetHost{host}, AddPlayer{Entry{ID: newcomer, Flags: wire.PlayerSystem, Dialect: 11, SPData: spData(10, 0, 0, 9)}})
		v := View{Sender: host, Newcomer: newcomer}
		_, m := encode(t, l.SuperEnumPlayersReply(v))
		assert.Equal(t, ids(newcomer, host), ids(m.Players[0].ID, m.Players[1].ID))
		c, err := FromSuperEnumPlayersReply(m, newcomer)
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, contentOf(l, host, true), contentOf(c, host, true), "seed %d", seed)
		_, n := encode(t, l.EnumPlayersReply(v))
		c, err = FromEnumPlayersReply(n, newcomer)
		require.NoError(t, err, "seed %d", seed)
		require.Equal(t, contentOf(l, host, false), contentOf(c, host, false), "seed %d", seed)
	}
}

// TestReplyRefusals spoils the list of Wine's tests in every way that an entry can be wrong, and checks what is said
// about it and what is left.
func TestReplyRefusals(t *testing.T) {
	type m = *wire.SuperEnumPlayersReply
	const self, host, long, plain, grp = 0x12345678, 0x51573, 0x1337, 0xD00DE, 0x5E7
	for name, c := range map[string]struct {
		spoil   func(m)
		place   []string
		want    []error
		players []wire.PlayerID
		groups  []wire.PlayerID
	}{
		"nothing":        {func(m) {}, nil, nil, ids(host, long, plain, self), ids(grp)},
		"not a newcomer": {func(x m) { x.Players[0].ID = 5 }, nil, nil, ids(5, host, long, plain), ids(grp)},
		"players first":  {func(x m) { slices.Reverse(x.Players) }, nil, nil, ids(host, plain, long, self), ids(grp)},
		"mine before me": {func(x m) { x.Players[2].Owner = self }, nil, nil, ids(host, plain, self, long), ids(grp)},
		"id 0": {func(x m) { x.Players[3].ID = 0 }, []string{"Players[3]", "Groups[0].PlayerIDs[0]"},
			[]error{ErrReserved, ErrUnknown}, ids(host, long, self), ids(grp)},
		"same id": {func(x m) { x.Players[3].ID = long }, []string{"Players[3]", "Groups[0].PlayerIDs[0]"},
			[]error{ErrInUse, ErrUnknown}, ids(host, long, self), ids(grp)},
		"me twice": {func(x m) { x.Players[3] = x.Players[0] }, []string{"Players[3]", "Groups[0].PlayerIDs[0]"},
			[]error{ErrInUse, ErrUnknown}, ids(host, long, self), ids(grp)},
		"group's id": {func(x m) { x.Groups[0].ID = plain }, []string{"Groups[0]"}, []error{ErrInUse},
			ids(host, long, plain, self), nil},
		"unknown owner": {func(x m) { x.Players[2].Owner = 99 }, []string{"Players[2]"}, []error{ErrUnknown},
			ids(host, plain, self, long), ids(grp)},
		"owner 0": {func(x m) { x.Groups[0].Owner = 0 }, []string{"Groups[0]"}, []error{ErrUnknown},
			ids(host, long, plain, self), ids(grp)},
		"player as owner": {func(x m) { x.Players[3].Owner = long }, []string{"Players[3]", "Groups[0].PlayerIDs[0]"},
			[]error{ErrNotSystem, ErrUnknown}, ids(host, long, self), ids(grp)},
		"no host": {func(x m) { x.Players[1].Flags &^= wire.PlayerNameServer }, nil, nil, ids(host, long, plain, self), ids(grp)},
		"no host, owner": {func(x m) { x.Players[1].Flags &^= wire.PlayerNameServer; x.Groups[0].Owner = 9 },
			[]string{"Groups[0]"}, []error{ErrUnknown}, ids(host, long, plain, self), nil},
		"two hosts": {func(x m) { x.Players[0].Flags |= wire.PlayerNameServer }, []string{"Players[0]"}, []error{ErrHost},
			ids(host, long, plain, self), ids(grp)},
		"a player as host": {func(x m) { x.Players[2].Flags |= wire.PlayerNameServer }, []string{"Players[2]"}, []error{ErrFlags},
			ids(host, long, plain, self), ids(grp)},
		"a system group": {func(x m) { x.Groups[0].Flags |= wire.PlayerSystem }, []string{"Groups[0]"}, []error{ErrFlags},
			ids(host, long, plain, self), nil},
		"unknown parent": {func(x m) { x.Groups[0].Parent = 99 }, []string{"Groups[0]"}, []error{ErrUnknown},
			ids(host, long, plain, self), ids(grp)},
		"parent is player": {func(x m) { x.Groups[0].Parent = plain }, []string{"Groups[0]"}, []error{ErrNotGroup},
			ids(host, long, plain, self), nil},
		"its own parent": {func(x m) { x.Groups[0].Parent = grp }, []string{"Groups[0]"}, []error{ErrUnknown},
			ids(host, long, plain, self), ids(grp)},
		"parents later": {func(x m) { addGroups(x, 7, 8, 8, 9, 9, 0) }, nil, nil, ids(host, long, plain, self), ids(grp, 9, 8, 7)},
		"parents in circle": {func(x m) { addGroups(x, 7, 8, 8, 9, 9, 7) }, []string{"Groups[1]"}, []error{ErrUnknown},
			ids(host, long, plain, self), ids(grp, 7, 9, 8)},
		"circle and owner": {func(x m) { addGroups(x, 7, 8, 8, 7); x.Groups[1].Owner = 9 },
			[]string{"Groups[1]", "Groups[1]"}, []error{ErrUnknown, ErrUnknown}, ids(host, long, plain, self), ids(grp, 7, 8)},
		"child of lost one": {func(x m) { addGroups(x, 7, 8, 8, 99) }, []string{"Groups[2]"}, []error{ErrUnknown},
			ids(host, long, plain, self), ids(grp, 8, 7)},
		"members": {func(x m) { x.Groups[0].PlayerIDs = ids(plain, 99, plain, grp, host) },
			[]string{"Groups[0].PlayerIDs[1]", "Groups[0].PlayerIDs[2]", "Groups[0].PlayerIDs[3]"},
			[]error{ErrUnknown, ErrMember, ErrNotPlayer},
			ids(host, long, plain, self), ids(grp)},
		"shortcuts": {func(x m) {
			addGroups(x, 7, 0)
			x.Groups[0].Shortcuts = ids(7)
			x.Shortcuts = []wire.SuperPackedPlayer{{ID: grp, Shortcuts: ids(7, grp, 99)}, {ID: 98, Shortcuts: ids(7)},
				{ID: plain, Shortcuts: ids(7)}}
		}, []string{"Shortcuts[0].ShortcutIDs[1]", "Shortcuts[0].ShortcutIDs[2]", "Shortcuts[1].ShortcutIDs[0]",
			"Shortcuts[2].ShortcutIDs[0]"},
			[]error{ErrSelf, ErrUnknown, ErrUnknown, ErrNotGroup}, ids(host, long, plain, self), ids(grp, 7)},
		"session": {func(x m) { x.Name = longText(MaxSessionOctets + 1) }, []string{"Session"}, []error{ErrTooLarge},
			ids(host, long, plain, self), ids(grp)},
		"data": {func(x m) { x.Players[2].Data = make([]byte, MaxEntryOctets) }, []string{"Players[2]"}, []error{ErrTooLarge},
			ids(host, plain, self), ids(grp)},
		"empty": {func(x m) { x.Players, x.Groups = nil, nil }, nil, nil, nil, nil},
	} {
		x := wineSuper()
		c.spoil(x)
		l, err := FromSuperEnumPlayersReply(x, self)
		require.NotNil(t, l, name)
		audit(t, l)
		assert.Equal(t, c.players, l.AppendPlayers(nil), name)
		assert.Equal(t, c.groups, l.AppendGroups(nil), name)
		if c.want == nil {
			require.NoError(t, err, name)
			continue
		}
		var r Refused
		require.ErrorAs(t, err, &r, name)
		var place []string
		for i, e := range r {
			place = append(place, e.Place)
			if i < len(c.want) {
				assert.ErrorIs(t, e, c.want[i], name)
				assert.ErrorIs(t, err, c.want[i], name)
			}
		}
		assert.Equal(t, c.place, place, name)
		assert.Contains(t, err.Error(), c.place[0]+": ", name)
	}
}

// addGroups adds the host's groups to a message: pairs of id and parent.
func addGroups(m *wire.SuperEnumPlayersReply, pairs ...wire.PlayerID) {
	for i := 0; i < len(pairs); i += 2 {
		m.Groups = append(m.Groups, wire.SuperPackedPlayer{ID: pairs[i], Parent: pairs[i+1], Owner: 0x51573})
	}
}

// TestReplyErrors checks what an error says, and that it does not grow with a message full of wrong ids.
func TestReplyErrors(t *testing.T) {
	m := wineSuper()
	m.Groups[0].PlayerIDs = ids(99)
	_, err := FromSuperEnumPlayersReply(m, 0)
	assert.EqualError(t, err, "Groups[0].PlayerIDs[0]: AddMember 0x00000063: no player or group has this id")
	for id := range wire.PlayerID(10000) {
		m.Groups[0].PlayerIDs = append(m.Groups[0].PlayerIDs, id+100)
	}
	_, err = FromSuperEnumPlayersReply(m, 0)
	assert.EqualError(t, err, "Groups[0].PlayerIDs[0]: AddMember 0x00000063: no player or group has this id (and 99 more)")
	assert.Len(t, err, MaxRefused)
}

// TestReplyLongChain loads groups each of which was created in the next one of the message: that takes no time that
// grows with the square of their number.
func TestReplyLongChain(t *testing.T) {
	m := wineSuper()
	m.Groups = nil
	const n = 40000
	for id := wire.PlayerID(1); id <= n; id++ {
		addGroups(m, 0x100000+id, 0x100001+id)
	}
	m.Groups[n-1].Parent = 0
	l, err := FromSuperEnumPlayersReply(m, 0)
	require.NoError(t, err)
	_, groups := l.Len()
	assert.Equal(t, n, groups)
	audit(t, l)
	m.Groups[n-1].Parent = 0x100001
	l, err = FromSuperEnumPlayersReply(m, 0)
	require.Error(t, err)
	assert.Len(t, err, 1)
	_, groups = l.Len()
	assert.Equal(t, n, groups)
}
