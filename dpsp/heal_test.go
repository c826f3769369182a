package dpsp

import (
	"slices"
	"testing"
	"time"

	"dplay4/wire"
	"github.com/stretchr/testify/assert"
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
		assert.Len(t, p.machines, len(n)-1, p.name)
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
		w, n, ids := session(t, migrating, 5, Config{Strict: true, Period: time.Second, Probes: 3})
		g := w.must(n[first], CreateGroup{ShortName: wire.NewText("group")})
		w.must(n[first], AddToGroup{Player: ids[first], Group: g})
		w.must(n[(first+1)%6], AddToGroup{Player: ids[(first+1)%6], Group: g})
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
		want := []wire.PlayerID{ids[first]} // who was cut off from the group's owner is out of the group
		if slices.Contains(left, n[(first+1)%6]) == slices.Contains(left, n[first]) {
			want = append(want, ids[(first+1)%6])
		}
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
	w, n, _ := session(t, migrating, 3, Config{Strict: true, Period: time.Second, Probes: 3})
	order := byID(n[1:])
	order[0], order[alone] = order[alone], order[0]
	w.parts(n[:1], order[:1], order[1:])
	n[0].closed = true
	agree(t, order[1:], 2)
	h := order[1]
	if order[2].hosting() {
		h = order[2]
	}
	a, b := w.add("a", Config{Strict: true, Period: time.Second}), w.add("b", Config{Strict: true, Period: time.Second})
	w.cutAs(map[*node]int{order[0]: 0, a: 0, order[1]: 1, order[2]: 1, b: 1})
	for _, p := range []*node{order[0], h} { // as if both had drawn the same number, which is rare
		p.ids = p.list.IDs(0)
	}
	w.join(a, order[0], "")
	w.join(b, h, "")
	for range first {
		w.must(order[0], CreatePlayer{})
	}
	pa := w.must(a, CreatePlayer{ShortName: wire.NewText("a")})
	pb := w.must(b, CreatePlayer{ShortName: wire.NewText("b")})
	if a.self == b.self || pa == pb || a.self == pb || b.self == pa {
		collided = 1
	}
	w.whole(30 * time.Second)
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
	w, n, ids := session(t, migrating, 2, Config{Strict: true, Period: time.Second, Probes: 3})
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
