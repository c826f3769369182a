package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// A newcomer gets the groups as they are: the one that another stands in, members, shortcuts, names, data (2.2.53). What
// was created in a group outlives it (3.1.5.15 removes the group alone; playerlist.DeleteGroup).
func TestGroupsOfANewcomer(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{Strict: true})
	parent := w.must(n[0], CreateGroup{ShortName: wire.NewText("parent"), LongName: wire.NewText("long"), Data: []byte("data")})
	child := w.must(n[0], CreateGroup{ShortName: wire.NewText("child"), Parent: parent})
	other := w.must(n[1], CreateGroup{ShortName: wire.NewText("other"), Flags: wire.PlayerHiddenGroup})
	w.must(n[1], AddToGroup{Player: ids[0], Group: child})
	w.must(n[1], AddToGroup{Player: ids[1], Group: child})
	w.must(n[1], AddShortcut{Child: child, Parent: other})
	p := w.add("late", Config{Strict: true})
	w.join(p, n[0], "")
	got := map[wire.PlayerID]GroupCreated{}
	for _, g := range eventsOf[GroupCreated](p.events) {
		got[g.ID] = g
	}
	require.Len(t, got, 3)
	assert.Equal(t, "parent", got[parent].ShortName)
	assert.Equal(t, "long", got[parent].LongName)
	assert.Equal(t, "data", string(got[parent].Data))
	assert.Equal(t, parent, got[child].Parent)
	assert.Equal(t, n[1].self, got[other].System)
	assert.NotZero(t, got[other].Flags&wire.PlayerHiddenGroup)
	assert.Equal(t, []MemberAdded{{Player: ids[0], Group: child}, {Player: ids[1], Group: child}}, eventsOf[MemberAdded](p.events))
	assert.Equal(t, []ShortcutAdded{{Child: child, Parent: other}}, eventsOf[ShortcutAdded](p.events))
	w.must(n[0], DeleteGroup{ID: parent})
	w.must(n[1], DeletePlayer{ID: ids[1]})
	for _, m := range w.nodes {
		assert.Equal(t, []wire.PlayerID{child, other}, m.list.AppendGroups(nil), m.name)
		assert.Equal(t, []wire.PlayerID{ids[0]}, m.list.AppendMembers(nil, child), m.name)
		assert.Equal(t, []wire.PlayerID{child}, m.list.AppendShortcuts(nil, other), m.name)
	}
	w.sane("groups")
}

// The group of a machine that leaves goes with it, and its players leave the groups of others (3.1.5.16).
func TestGroupsOfALeaver(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{Strict: true})
	own := w.must(n[1], CreateGroup{})
	kept := w.must(n[2], CreateGroup{})
	w.must(n[2], AddToGroup{Player: ids[1], Group: kept})
	w.must(n[2], AddToGroup{Player: ids[0], Group: kept})
	w.must(n[2], AddToGroup{Player: ids[0], Group: own})
	w.must(n[1], Leave{})
	for _, p := range []*node{n[0], n[2]} {
		assert.Equal(t, []wire.PlayerID{kept}, p.list.AppendGroups(nil), p.name)
		assert.Equal(t, []wire.PlayerID{ids[0]}, p.list.AppendMembers(nil, kept), p.name)
	}
	w.sane("leaver")
}
