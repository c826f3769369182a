package dpsp

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// nested has the last peer make a group, the first one a group in it, and the second one a group in that one.
func nested(w *world, n []*node) (ids []wire.PlayerID) {
	last := len(n) - 1
	top := w.must(n[last], CreateGroup{ShortName: "top"})
	middle := w.must(n[0], CreateGroup{ShortName: "middle", Parent: top})
	inner := w.must(n[1], CreateGroup{ShortName: "inner", Parent: middle})
	return []wire.PlayerID{inner, middle, top}
}

// Any application may destroy any group, and the groups in it go with it, whosever they are (facts, 10.5). All programs
// are told of each, and names and data stay the creator's.
func TestAnybodyDestroysGroups(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, migrating, wire.SessionMulticastServer} {
		for _, cfg := range []Config{{}, {Compatible: true}, {Legacy: true}} {
			w, n, ids := session(t, flags, 3, cfg)
			other := w.must(n[3], CreateGroup{})
			groups := nested(w, n)
			w.must(n[2], AddToGroup{Player: ids[2], Group: groups[0]})
			w.must(n[3], AddShortcut{Child: groups[1], Parent: other})
			assert.Equal(t, ErrNotOurs, w.do(n[2], SetName{ID: groups[0]}).Err)
			assert.Equal(t, ErrNotOurs, w.do(n[2], SetData{ID: groups[0]}).Err)
			assert.Equal(t, ErrNoID, w.do(n[2], DeleteGroup{ID: ids[2]}).Err, "a player is no group")
			for _, p := range n {
				p.events = nil
			}
			var log []string
			w.tap(&log)
			w.must(n[2], DeleteGroup{ID: groups[2]}) // it owns none of them
			for _, p := range n {
				assert.Equal(t, []GroupDeleted{{groups[0]}, {groups[1]}, {groups[2]}}, eventsOf[GroupDeleted](p.events), "%s %v", p.name, flags)
				assert.Empty(t, eventsOf[Dropped](p.events), p.name)
				assert.Equal(t, []wire.PlayerID{other}, p.list.AppendGroups(nil), p.name)
				assert.Empty(t, p.list.AppendShortcuts(nil, other), p.name)
			}
			if flags&wire.SessionMulticastServer == 0 {
				told := slices.DeleteFunc(log, func(l string) bool { return !strings.HasSuffix(l, " DELETEGROUP") })
				assert.Len(t, told, 3*3, "each peer is told of each group: not all may know that they go with it")
			}
			w.sane(flags)
		}
	}
}

// A peer that names the outer group alone, as one may that leaves the rest to the others, is understood.
func TestOuterGroupAlone(t *testing.T) {
	w, n, _ := session(t, 0, 2, Config{})
	groups := nested(w, n)
	for _, to := range []*node{n[1], n[0]} { // of the host the others hear as well
		to.events = nil
		w.say(n[2], to, &wire.DeleteGroup{Group: groups[2]})
		assert.Len(t, eventsOf[GroupDeleted](to.events), 3)
		w.say(n[2], to, &wire.DeleteGroup{Group: groups[0]}) // and it may name them afterwards
		assert.Empty(t, eventsOf[Dropped](to.events))
		w.say(n[2], to, &wire.DeleteGroup{Group: 0x999})
	}
	w.run(w.now + 2*DefaultPopulate)
	for _, to := range []*node{n[0], n[1]} {
		assert.Equal(t, []Reason{NoSuchID}, dropped(to), "of what was never there it waits to hear")
	}
}

// A stranger deletes nothing, in any mode.
func TestStrangerDestroysNoGroup(t *testing.T) {
	w, n, _ := session(t, migrating, 1, Config{})
	g := w.must(n[1], CreateGroup{})
	s, _ := w.stranger()
	for _, udp := range []bool{false, true} {
		w.raw(s, n[0], s.cfg.header(), &wire.DeleteGroup{Group: g}, udp)
	}
	assert.Equal(t, []wire.PlayerID{g}, n[0].list.AppendGroups(nil))
}

// Two programs destroy the same group at a time, and a third one makes one in it meanwhile: all lists are equal, and
// nothing is dropped.
func TestDestroyedAtTheSameTime(t *testing.T) {
	w, n, _ := session(t, migrating, 3, Config{})
	groups := nested(w, n)
	for _, p := range n {
		p.events = nil
	}
	w.step(n[1], Input{Kind: Request, Command: DeleteGroup{ID: groups[2]}, Token: 1})
	w.step(n[2], Input{Kind: Request, Command: DeleteGroup{ID: groups[1]}, Token: 1})
	w.step(n[0], Input{Kind: Request, Command: CreateGroup{Parent: groups[2]}, Token: 1})
	w.settle()
	for _, p := range n {
		assert.Empty(t, p.list.AppendGroups(nil), p.name)
		assert.Empty(t, eventsOf[Dropped](p.events), p.name)
		assert.Len(t, eventsOf[GroupDeleted](p.events), len(eventsOf[GroupCreated](p.events))+3, p.name)
	}
	sameViews(t, n)
}

// What is said of a group comes before the group itself, where another machine made it: it waits. So does a group that
// was made in one.
func TestDestroyedBeforeItWasHeardOf(t *testing.T) {
	for _, late := range []int{0, 1} { // to whom the announcement is late: the host, or a member
		w, n, _ := session(t, 0, 3, Config{})
		for _, destroy := range []bool{true, false} {
			letGo := w.lateGroup(n[2], n[late])
			top := w.must(n[2], CreateGroup{})
			inner := w.must(n[3], CreateGroup{Parent: top})
			if destroy {
				w.must(n[3], DeleteGroup{ID: top})
			}
			letGo()
			assert.Empty(t, eventsOf[Dropped](n[late].events), late)
			if destroy {
				assert.Empty(t, n[late].list.AppendGroups(nil), late)
			} else {
				assert.Equal(t, []wire.PlayerID{top, inner}, n[late].list.AppendGroups(nil), late)
			}
		}
	}
}

// DELETEGROUP is lost on the way to one machine: the owner, the host, another one. It is gone everywhere, and
// nobody brings it back.
func TestLostDestroyGroup(t *testing.T) {
	for lost := range 4 {
		w, n, _ := session(t, migrating, 3, Config{Period: time.Second, Probes: 3})
		kept := w.must(n[lost], CreateGroup{})
		groups := nested(w, n)
		by := n[2]
		if lost == 2 {
			by = n[1]
		}
		w.cut = func(from, to *node, out Outgoing) bool {
			env, err := from.dec.DecodeStream(out.Data)
			_, is := env.Message.(*wire.DeleteGroup)
			return out.Transport == TCP && err == nil && is && to == n[lost]
		}
		w.must(by, DeleteGroup{ID: groups[2]})
		if lost == 0 { // to others the leader's operation says the same
			assert.Len(t, n[lost].list.AppendGroups(nil), 4)
		}
		w.whole(20 * time.Second)
		for _, p := range n {
			assert.Equal(t, []wire.PlayerID{kept}, p.list.AppendGroups(nil), "%s, lost to %s", p.name, n[lost].name)
		}
		sameViews(t, n)
	}
}

// A host that lost a machine tells peers with the extension so by its players: DELETEGROUP would be somebody's will for
// those to whom that machine is still there.
func TestLostMachinesGroups(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		w, n, _ := session(t, migrating, 3, Config{Legacy: legacy})
		groups := nested(w, n)
		var log []string
		w.tap(&log)
		w.step(n[0], Input{Kind: StreamClosed, From: n[3].stream()})
		w.settle()
		for _, to := range []string{"peer1", "peer2"} {
			assert.Contains(t, log, "host>"+to+" DELETEPLAYER")
			assert.Equal(t, legacy, slices.Contains(log, "host>"+to+" DELETEGROUP"))
		}
		for _, p := range n[:3] {
			assert.Empty(t, p.list.AppendGroups(nil), "%s %v", p.name, groups)
		}
	}
}

// lateGroup keeps back CREATEGROUP on the way from one machine to another one, until it is told to let it go.
func (w *world) lateGroup(from, to *node) (letGo func()) {
	return w.hold(func(by, at *node, out Outgoing) bool {
		env, err := by.dec.DecodeStream(out.Data)
		_, is := env.Message.(*wire.CreateGroup)
		return by == from && at == to && out.Transport == TCP && err == nil && is
	})
}
