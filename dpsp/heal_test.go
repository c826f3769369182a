package dpsp

import (
	"slices"
	"testing"
	"time"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parts cuts the network into parts: what is between two of them is lost, and connections between them break.
func (w *world) parts(parts ...[]*node) {
	in := map[*node]int{}
	for i, part := range parts {
		for _, n := range part {
			in[n] = i
		}
	}
	w.cut = func(from, to *node, out Outgoing) bool { return to != nil && in[from] != in[to] }
	for _, a := range w.nodes {
		for _, b := range w.nodes {
			if a != b && in[a] != in[b] {
				w.step(a, Input{Kind: StreamClosed, From: b.stream()})
			}
		}
	}
	w.settle()
}

// whole ends the partition and lets time pass.
func (w *world) whole(d time.Duration) {
	w.cut = nil
	w.run(w.now + d)
}

// agree checks that machines are in one session with one host and know the same players.
func agree(t *testing.T, n []*node, players int) {
	t.Helper()
	hosts := 0
	for _, p := range n {
		assert.Equal(t, n[0].host, p.host, p.name)
		assert.Equal(t, member, p.state, p.name)
		assert.Len(t, p.Players(), players, p.name)
		assert.Len(t, p.peers.all, len(n)-1, p.name)
		if p.hosting() {
			hosts++
		}
	}
	assert.Equal(t, 1, hosts)
}

// A network that breaks in two leaves two sessions; when it is mended, they are one again, with all players under
// the ids that they had.
func TestSplitAndHeal(t *testing.T) {
	for first := range 6 {
		w, n, ids := session(t, migrating, 5, Config{Period: time.Second, Probes: 3})
		g := w.must(n[first], CreateGroup{ShortName: "group"})
		w.must(n[first], AddToGroup{Player: ids[first], Group: g})
		w.must(n[(first+1)%6], AddToGroup{Player: ids[(first+1)%6], Group: g})
		w.must(n[(first+3)%6], AddToGroup{Player: ids[(first+3)%6], Group: g})
		left, right := []*node{}, []*node{}
		for i, p := range n {
			if (i+first)%6 < 3 {
				left = append(left, p)
			} else {
				right = append(right, p)
			}
		}
		w.parts(left, right)
		agree(t, left, 3)
		agree(t, right, 3)
		for _, p := range n {
			p.events = nil
		}
		want := []wire.PlayerID{ids[first], ids[(first+1)%6], ids[(first+3)%6]} // also who was cut off from the group's owner
		low := min(left[0].host, right[0].host)
		w.whole(20 * time.Second)
		agree(t, n, 6)
		assert.Equal(t, low, n[0].host, "the lower one of the two hosts keeps the session")
		for _, p := range n {
			var have []wire.PlayerID
			for _, q := range p.Players() {
				have = append(have, q.ID)
			}
			assert.ElementsMatch(t, ids, have)
			assert.NotEmpty(t, eventsOf[SessionHealed](p.events), p.name)
			assert.Empty(t, eventsOf[SessionLost](p.events))
			assert.Empty(t, eventsOf[Dropped](p.events))
			assert.ElementsMatch(t, want, p.list.AppendMembers(nil, g), p.name)
			group, _ := p.list.Get(g)
			assert.Empty(t, group.SPData, "as it was before (facts, 10.3)")
		}
		id := w.must(n[first], CreatePlayer{})
		assert.False(t, slices.Contains(ids, id))
		w.sane(migrating)
	}
}

// Both parts take newcomers in while they are apart: the new hosts give the same ids. Where they collide, the machine
// that comes over gets new ones, and its program is told.
func TestHealWithCollidingIDs(t *testing.T) {
	collided := 0
	for alone := range 3 {
		for first := range 4 {
			collided += healColliding(t, alone, first)
		}
	}
	assert.NotZero(t, collided)
}

// healColliding has two parts, one of a single machine, and makes some players in one of them before both take a
// newcomer in; so their ids collide in one way or another.
func healColliding(t *testing.T, alone, first int) (collided int) {
	w, n, _ := session(t, migrating, 3, Config{Period: time.Second, Probes: 3})
	order := byID(n[1:])
	order[0], order[alone] = order[alone], order[0]
	w.parts(n[:1], order[:1], order[1:])
	n[0].closed = true
	agree(t, order[1:], 2)
	h := order[1]
	if order[2].hosting() {
		h = order[2]
	}
	a, b := w.add("a", Config{Period: time.Second}), w.add("b", Config{Period: time.Second})
	w.cutAs(map[*node]int{order[0]: 0, a: 0, order[1]: 1, order[2]: 1, b: 1})
	for _, p := range []*node{order[0], h} { // as if both had drawn the same number, which is rare
		p.admission.IDs = p.list.IDs(0)
	}
	w.join(a, order[0], "")
	w.join(b, h, "")
	for range first {
		w.must(order[0], CreatePlayer{})
	}
	pa := w.must(a, CreatePlayer{ShortName: "a"})
	pb := w.must(b, CreatePlayer{ShortName: "b"})
	if a.self == b.self || pa == pb || a.self == pb || b.self == pa {
		collided = 1
	}
	w.whole(30 * time.Second)
	for p, id := range map[*node]wire.PlayerID{a: pa, b: pb} {
		for _, c := range eventsOf[PlayerCreated](p.events) {
			lost := slices.Contains(eventsOf[PlayerDeleted](p.events), PlayerDeleted{ID: id, Name: p.name})
			if c.Local && c.ID != id {
				assert.True(t, lost && c.Instead == id, "%s: %v instead of %v", p.name, c.ID, c.Instead)
			} else {
				assert.Zero(t, c.Instead)
			}
		}
	}
	all := append(order, a, b)
	agree(t, all, 5+first)
	for _, p := range all {
		assert.Empty(t, eventsOf[SessionLost](p.events), p.name)
	}
	return collided
}

// cutAs cuts what is between machines of different parts.
func (w *world) cutAs(in map[*node]int) {
	w.cut = func(from, to *node, out Outgoing) bool { return to != nil && in[from] != in[to] }
}

// A machine that slept is taken back when it pings its host.
func TestSleeperComesBack(t *testing.T) {
	w, n, ids := session(t, migrating, 2, Config{Period: time.Second, Probes: 3})
	for _, p := range n[:2] {
		w.step(p, Input{Kind: StreamClosed, From: n[2].stream()})
	}
	n[2].events = nil
	w.settle()
	assert.Len(t, n[0].Players(), 2)
	w.whole(10 * time.Second)
	agree(t, n, 3)
	var have []wire.PlayerID
	for _, p := range n[0].Players() {
		have = append(have, p.ID)
	}
	assert.ElementsMatch(t, ids, have)
	assert.NotEmpty(t, eventsOf[SessionHealed](n[2].events))
	assert.Empty(t, eventsOf[PlayerDeleted](n[2].events))
}

// Two parts of a session find each other although in one of them nobody is left who knew the other one: the claim goes to
// where a machine was that joined anew since, or from the host that was told whom those before it lost.
func TestClaimToStranger(t *testing.T) {
	for alone := 1; alone < 3; alone++ {
		w, n, ids := session(t, migrating, 2, Config{Period: time.Second, Probes: 3})
		out, left := n[alone], n[3-alone]
		w.parts([]*node{n[0], left}, []*node{out})
		h := w.add("newcomer", Config{Period: time.Second, Probes: 3})
		w.cutAs(map[*node]int{n[0]: 0, left: 0, h: 0, out: 1})
		w.join(h, n[0], "")
		for _, p := range []*node{n[0], left} {
			w.do(p, Leave{})
		}
		w.join(left, h, "")
		w.whole(30 * time.Second)
		agree(t, []*node{h, left, out}, 1)
		assert.Equal(t, ids[alone], out.Players()[0].ID)
	}
}

// TestFormerHostIsTold: a newcomer loses its host before it has a view, and leads alone. Who joins it learns of that host, and finds it after
// the newcomer left, whether the newcomer had heard a word of the host or none.
func TestFormerHostIsTold(t *testing.T) {
	for _, heard := range []bool{true, false} {
		w, n, ids := session(t, migrating, 0, Config{Period: time.Second, Probes: 3})
		c := w.add("newcomer", Config{Period: time.Second, Probes: 3})
		w.cut = func(from, to *node, out Outgoing) bool {
			return from == n[0] && to == c && c.Engine.state == member && (!heard || len(c.peers.all) == 0 || c.peers.all[0].incarnation != 0)
		}
		w.join(c, n[0], "")
		w.parts(n[:1], []*node{c})
		require.Equal(t, heard, c.peers.all[0].incarnation != 0)
		w.run(w.now + 5*time.Second)
		require.True(t, c.hosting())
		d := w.add("next", Config{Period: time.Second, Probes: 3})
		w.cutAs(map[*node]int{n[0]: 0, c: 1, d: 1})
		w.join(d, c, "")
		w.run(w.now + 5*time.Second)
		w.do(c, Leave{})
		w.run(w.now + 5*time.Second)
		require.True(t, d.hosting())
		require.Len(t, n[0].peers.all, 0)
		w.whole(30 * time.Second)
		agree(t, []*node{n[0], d}, 1)
		assert.Equal(t, ids[0], d.Players()[0].ID)
	}
}
