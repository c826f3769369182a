package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// A newcomer gets the groups as they are: the one that another stands in, members, shortcuts, names, data (2.2.53).
func TestGroupsOfANewcomer(t *testing.T) {
	w, n, ids := session(t, 0, 1, Config{})
	parent := w.must(n[0], CreateGroup{ShortName: "parent", LongName: "long", Data: []byte("data")})
	child := w.must(n[0], CreateGroup{ShortName: "child", Parent: parent})
	other := w.must(n[1], CreateGroup{ShortName: "other", Flags: wire.PlayerHiddenGroup})
	w.must(n[1], AddToGroup{Player: ids[0], Group: child})
	w.must(n[1], AddToGroup{Player: ids[1], Group: child})
	w.must(n[1], AddShortcut{Child: child, Parent: other})
	w.must(n[1], AddShortcut{Child: other, Parent: parent})
	p := w.add("late", Config{})
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
	assert.Equal(t, []ShortcutAdded{{Child: other, Parent: parent}, {Child: child, Parent: other}}, eventsOf[ShortcutAdded](p.events))
	told := map[wire.PlayerID]bool{}
	for _, ev := range p.events {
		switch ev := ev.(type) {
		case GroupCreated:
			told[ev.ID] = true
		case ShortcutAdded:
			assert.True(t, told[ev.Child] && told[ev.Parent], "%v: the program knows both groups", ev)
		}
	}
	w.must(n[1], DeletePlayer{ID: ids[1]})
	for _, m := range w.nodes {
		assert.Equal(t, []wire.PlayerID{parent, child, other}, m.list.AppendGroups(nil), m.name)
		assert.Equal(t, []wire.PlayerID{ids[0]}, m.list.AppendMembers(nil, child), m.name)
		assert.Equal(t, []wire.PlayerID{child}, m.list.AppendShortcuts(nil, other), m.name)
	}
	w.sane("groups")
}

// The group of a machine that leaves goes with it, and its players leave the groups of others (3.1.5.16).
func TestGroupsOfALeaver(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{})
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

// Groups have no service provider data in what is announced and in the list, as those of Windows (facts, 10.3): they are
// no machine's to be reached at.
func TestGroupsWithoutServiceProviderData(t *testing.T) {
	w, n, ids := session(t, migrating, 1, Config{})
	got := map[string]int{}
	w.cut = func(from, _ *node, out Outgoing) bool {
		env, err := from.dec.DecodeStream(out.Data)
		if out.Transport != TCP || err != nil {
			return false
		}
		switch m := env.Message.(type) {
		case *wire.CreateGroup:
			assert.Empty(t, m.Info.SPData)
			got["created"]++
		case *wire.SuperEnumPlayersReply:
			for _, g := range m.Groups {
				assert.Equal(t, uint32(0x41), g.InfoMask()&^0x02, "SHORTNAME and PLAYERS:1, and LONGNAME where it has one")
				got["listed"]++
			}
		}
		return false
	}
	for i, p := range n {
		g := w.must(p, CreateGroup{ShortName: "g"})
		w.must(p, AddToGroup{Player: ids[i], Group: g})
	}
	w.join(w.add("late", Config{}), n[0], "")
	assert.Equal(t, map[string]int{"created": 2, "listed": 2}, got)
}
