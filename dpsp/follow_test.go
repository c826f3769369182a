package dpsp

import (
	"bytes"
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
	if !f.equals(n.Engine) {
		f.apart = true
		assert.Equal(w.t, lines(introduced(n.Engine)), lines(&f.list), "%s: the list that follows the events", n.name)
	}
}

// equals reports whether the list is the engine's.
func (f *follower) equals(e *Engine) bool {
	if f.list.Count() != e.list.Count() || len(f.list.AppendGroups(nil)) != len(e.list.AppendGroups(nil)) {
		return false
	}
	same := func(p *playerlist.Entry) bool {
		q, _ := f.list.Look(p.ID)
		short, long := Names(&q)
		return q.ID == p.ID && q.System == p.System && q.Group == p.Group && q.Parent == p.Parent && q.Flags == p.Flags &&
			short == e.text.read(p.ShortName) && long == e.text.read(p.LongName) && bytes.Equal(q.Data, p.Data)
	}
	sorted := func(ids []wire.PlayerID) []wire.PlayerID {
		slices.Sort(ids)
		return ids
	}
	for p := range e.list.EachPlayer() {
		if p.Flags&wire.PlayerSystem == 0 && !same(&p) {
			return false
		}
	}
	for g := range e.list.EachGroup() {
		if !same(&g) || !slices.Equal(sorted(e.list.AppendMembers(nil, g.ID)), sorted(f.list.AppendMembers(nil, g.ID))) ||
			!slices.Equal(sorted(e.list.AppendShortcuts(nil, g.ID)), sorted(f.list.AppendShortcuts(nil, g.ID))) {
			return false
		}
	}
	return true
}

// introduced returns the list of a program that begins to follow now.
func introduced(e *Engine) *playerlist.List {
	var l playerlist.List
	for _, c := range e.Introduction() {
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
