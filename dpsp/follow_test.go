package dpsp

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A follower is what a program makes of the events of its engine.
type follower struct {
	list    playerlist.List
	of      *playerlist.List // the engine's list when both were compared
	version uint32           // its version then
	apart   bool             // it follows no more
}

// begin has the list of a program begin anew if a test has changed the engine, or its list, behind its back since the last step.
func (f *follower) begin(e *Engine) {
	switch {
	case f.apart:
	case e.state == idle:
		*f = follower{}
	case e.state == member && (f.of != e.list || f.version != e.list.Version()):
		*f = follower{list: *introduced(e), of: e.list, version: e.list.Version()}
	}
}

// follow applies the events of a step, and compares the list that comes of it with the engine's.
func (w *world) follow(n *node, events []Event) {
	f := &n.program
	if f.apart {
		return
	}
	changed := false
	for _, e := range events {
		switch e.(type) {
		case SessionClosed, SessionLost:
			*f = follower{}
		}
		if err := Follow(&f.list, e); err != nil {
			f.apart = true
			w.t.Errorf("%s: %T: %v", n.name, e, err)
		}
		_, change := e.(Change)
		changed = changed || change
	}
	if n.state != member || f.apart || !changed && n.list == f.of && n.list.Version() == f.version {
		return
	}
	f.of, f.version = n.list, n.list.Version()
	if err := n.Compare(&f.list); err != nil {
		f.apart = true
		assert.Equal(w.t, lines(introduced(n.Engine)), lines(&f.list), "%s: %v", n.name, err)
	}
}

// introduced returns the list of a program that begins to follow now.
func introduced(e *Engine) *playerlist.List {
	var l playerlist.List
	for _, c := range e.introduction(e.list) {
		Follow(&l, c) //nolint:errcheck // the comparison finds it
	}
	return &l
}

// lines returns a line for each player, group, membership and shortcut of a list, sorted.
func lines(l *playerlist.List) (all []string) {
	s := l.State()
	for _, e := range s.Entries {
		short, long := Names(&e)
		all = append(all, fmt.Sprintf("%v of %v in %v: %v %q %q %x", e.ID, e.System, e.Parent, e.Flags, short, long, e.Data))
	}
	for _, k := range s.Links {
		all = append(all, fmt.Sprintf("%v is in %v", k.Member, k.Group))
	}
	slices.Sort(all)
	return all
}

// TestFollow has a list follow each kind of event.
func TestFollow(t *testing.T) {
	var l playerlist.List
	follow := func(events ...Event) {
		t.Helper()
		for _, e := range events {
			require.NoError(t, Follow(&l, e), "%T", e)
		}
	}
	follow(PeerJoined{System: 1}, PlayerCreated{ID: 10, System: 2, Flags: wire.PlayerSpectator, ShortName: "Zoë", LongName: "日本", Data: []byte{1}},
		PlayerCreated{ID: 11, System: 3, ShortName: "AB"}, SessionOpened{System: 3}, GroupCreated{ID: 20, System: 3},
		GroupCreated{ID: 21, System: 2, Parent: 20, ShortName: "in it"}, MemberAdded{Player: 10, Group: 20},
		MemberAdded{Player: 11, Group: 20}, ShortcutAdded{Child: 20, Parent: 21}, Message{From: 10, To: 11})
	assert.Equal(t, 2, l.Count())
	assert.Equal(t, []wire.PlayerID{2, 3}, l.AppendSystems(nil), "machines that own something")
	p, _ := l.Get(10)
	short, long := Names(&p)
	assert.Equal(t, []string{"Zoë", "日本"}, []string{short, long})
	assert.Equal(t, []byte{1}, p.Data)
	assert.NotZero(t, p.Flags&wire.PlayerSpectator)
	follow(PlayerChanged{ID: 10, ShortName: "Ann", Data: []byte{2}, Renamed: true}, GroupChanged{ID: 21, ShortName: "?", Data: []byte{3}})
	p, _ = l.Get(10)
	short, _ = Names(&p)
	assert.Equal(t, "Ann", short)
	assert.Equal(t, []byte{1}, p.Data, "the event is about the name")
	g, _ := l.Get(21)
	short, _ = Names(&g)
	assert.Equal(t, "in it", short, "the event is about the data")
	assert.Equal(t, []byte{3}, g.Data)
	follow(MemberRemoved{Player: 10, Group: 20}, ShortcutRemoved{Child: 20, Parent: 21}, PlayerDeleted{ID: 10, Name: "Ann"})
	assert.Equal(t, []wire.PlayerID{11}, l.AppendMembers(nil, 20))
	assert.Empty(t, l.AppendShortcuts(nil, 21))
	follow(GroupDeleted{ID: 21}, GroupDeleted{ID: 20}, PlayerCreated{ID: 2, System: 3})
	assert.Equal(t, []wire.PlayerID{3}, l.AppendSystems(nil), "the id of a machine that owns nothing may be another's")
	assert.ErrorIs(t, Follow(&l, GroupDeleted{ID: 20}), playerlist.ErrUnknown)
	assert.ErrorIs(t, Follow(&l, PlayerCreated{ID: 11, System: 5}), playerlist.ErrInUse)
	assert.Equal(t, []wire.PlayerID{3}, l.AppendSystems(nil))
	ops, _ := l.Since(l.Version() - 1)
	assert.Empty(t, ops, "no log")
}

// TestCompare compares lists that differ from an engine's in one thing.
func TestCompare(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{})
	group := w.must(n[0], CreateGroup{ShortName: "g"})
	in := w.must(n[0], CreateGroup{ShortName: "h", Parent: group})
	w.must(n[0], AddToGroup{Player: ids[0], Group: group})
	w.must(n[0], AddShortcut{Parent: in, Child: group})
	require.NoError(t, n[1].Compare(introduced(n[1].Engine)))
	for i, op := range []playerlist.Op{
		playerlist.SetName{ID: ids[0], ShortName: wire.NewText("x"), LongName: wire.NewText("host")},
		playerlist.SetName{ID: ids[0], ShortName: wire.NewText("host"), LongName: wire.NewText("x")},
		playerlist.SetData{ID: group, Data: []byte{1}}, playerlist.DeletePlayer{ID: ids[1]}, playerlist.DeleteGroup{ID: in},
		playerlist.RemoveMember{Group: group, Player: ids[0]}, playerlist.AddMember{Group: in, Player: ids[0]},
		playerlist.RemoveShortcut{Parent: in, Child: group},
		playerlist.AddPlayer{Entry: playerlist.Entry{ID: 0x7700, System: n[0].self}},
		playerlist.AddGroup{Entry: playerlist.Entry{ID: 0x7700, System: n[0].self}},
	} {
		l := introduced(n[1].Engine)
		_, err := l.Apply(op)
		require.NoError(t, err)
		assert.Error(t, n[1].Compare(l), "%d: %T", i, op)
	}
	for _, e := range []playerlist.Entry{{ID: in, System: n[1].self, Parent: group}, {ID: in, System: n[0].self},
		{ID: in, System: n[0].self, Parent: group, Flags: wire.PlayerStagingArea}} {
		l := introduced(n[1].Engine)
		for _, op := range []playerlist.Op{playerlist.DeleteGroup{ID: in}, playerlist.AddGroup{Entry: e},
			playerlist.AddShortcut{Parent: in, Child: group},
			playerlist.SetName{ID: in, ShortName: wire.NewText("h"), LongName: wire.NewText("h")}} {
			_, err := l.Apply(op)
			require.NoError(t, err)
		}
		assert.Error(t, n[1].Compare(l), "%+v", e)
	}
	assert.NoError(t, New(Config{}).Compare(new(playerlist.List)), "in no session")
}
