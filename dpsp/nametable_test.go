package dpsp

import (
	"dplay4/hostmigrate/view"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// sameViews checks that machines are in one view, at one index, with the list that their programs see.
func sameViews(t *testing.T, n []*node) {
	t.Helper()
	for _, p := range n {
		x, y := n[0].views.core, p.views.core
		require.NotNil(t, y.List(), p.name)
		assert.Equal(t, x.View(), y.View(), p.name)
		assert.Equal(t, x.List().Version(), y.List().Version(), p.name)
		assert.ElementsMatch(t, incarnations(x), incarnations(y), p.name)
		assert.Empty(t, unequal(x.List(), y.List()), p.name)
		assert.Empty(t, unequal(y.List(), p.list), p.name)
	}
}

// incarnations returns those of a view's members.
func incarnations(c *view.Core) (all []wire.Incarnation) {
	for _, m := range c.Members() {
		all = append(all, m.Incarnation)
	}
	return all
}

// Members have replicas of the host's list, number by number, whoever changes what.
func TestReplicas(t *testing.T) {
	w, n, ids := session(t, migrating, 3, Config{})
	g := w.must(n[2], CreateGroup{ShortName: "group", Data: []byte{1, 2}})
	w.must(n[3], AddToGroup{Player: ids[3], Group: g})
	w.must(n[1], SetName{ID: ids[1], ShortName: "other", LongName: "name"})
	w.must(n[1], SetData{ID: ids[1], Data: []byte("data")})
	w.must(n[0], SetDesc{Name: "Changed", Flags: migrating, MaxPlayers: 9})
	w.must(n[3], RemoveFromGroup{Player: ids[3], Group: g})
	w.must(n[2], DeletePlayer{ID: ids[2]})
	sameViews(t, n)
	w.sane(migrating)
}

// The oldest machine becomes host where all know the extension; its list is that of the table, and all have it.
func TestModernHostKilled(t *testing.T) {
	w, n, ids := session(t, migrating, 4, Config{})
	for i := range 3 {
		w.must(n[i+1], CreatePlayer{ShortName: "another"})
		w.kill(n[i])
		left := n[i+1:]
		agree(t, left, 5+1-(i+1)-i+i)
		assert.True(t, left[0].hosting(), "the oldest")
		sameViews(t, left)
		for _, p := range left {
			assert.Empty(t, eventsOf[SessionLost](p.events))
			assert.Len(t, eventsOf[HostChanged](p.events), i+1)
		}
		id := w.must(left[len(left)-1], CreatePlayer{})
		assert.NotContains(t, ids, id)
		ids = append(ids, id)
		w.must(left[len(left)-1], DeletePlayer{ID: id})
		sameViews(t, left)
	}
	w.sane(migrating)
}

// What only some members heard before the host died, all have afterwards.
func TestNothingIsLost(t *testing.T) {
	w, n, ids := session(t, migrating, 3, Config{})
	// peer2 makes a player; only the host hears of it, and says so to peer1 alone.
	w.cut = func(from, to *node, out Outgoing) bool {
		return from == n[2] && to != n[0] || from == n[0] && to != n[1] && to != n[2] || from == n[0] && to == n[2] && isView(out)
	}
	id := w.must(n[2], CreatePlayer{ShortName: "late"})
	assert.Greater(t, n[1].views.core.List().Version(), n[3].views.core.List().Version())
	w.cut = nil
	for _, p := range n {
		p.events = nil
	}
	w.kill(n[0])
	agree(t, n[1:], 4)
	sameViews(t, n[1:])
	made := eventsOf[PlayerCreated](n[3].events)
	require.Len(t, made, 1)
	assert.Equal(t, id, made[0].ID)
	assert.NotContains(t, ids, id)
	w.sane(migrating)
}

func isView(out Outgoing) bool {
	env, err := new(wire.Decoder).DecodeStream(out.Data)
	x, ok := env.Message.(*wire.Extension)
	return err == nil && ok && x.Kind == wire.KindView
}

// What its owner deleted while the host was dying is not brought back by a replica that has not heard of it.
func TestDeletedStaysDeleted(t *testing.T) {
	w, n, ids := session(t, migrating, 3, Config{})
	w.cut = func(from, to *node, out Outgoing) bool { return to == n[0] || from == n[0] }
	w.must(n[2], DeletePlayer{ID: ids[2]})
	for _, p := range n {
		p.events = nil
	}
	w.cut = nil
	w.kill(n[0])
	agree(t, n[1:], 2)
	sameViews(t, n[1:])
	for _, p := range n[1:] {
		assert.Empty(t, eventsOf[PlayerCreated](p.events), p.name)
	}
}

// One legacy machine in the session: the lowest id becomes host, modern or not, and the modern ones resynchronise.
func TestMixedSession(t *testing.T) {
	for legacy := 1; legacy < 4; legacy++ {
		w, n, _ := mixed(t, 4, legacy)
		want := byID(n[1:])[0]
		w.kill(n[0])
		if want == n[legacy] {
			w.run(w.now + time.Minute)
		}
		agree(t, n[1:], 3)
		assert.True(t, want.hosting(), legacy)
		var modern []*node
		for i, p := range n {
			if i > 0 && i != legacy {
				modern = append(modern, p)
			}
		}
		if want != n[legacy] {
			sameViews(t, modern)
		}
		w.sane(migrating)
	}
}

// mixed makes a session in which one machine is a legacy one.
func mixed(t *testing.T, peers, legacy int) (*world, []*node, []wire.PlayerID) {
	t.Helper()
	w := newWorld(t)
	var all []*node
	var ids []wire.PlayerID
	for i := range peers {
		cfg := Config{Period: time.Second, Probes: 3, Legacy: i == legacy}
		p := w.add("peer"+string(rune('0'+i)), cfg)
		if i == 0 {
			w.must(p, Host{Application: gameGUID, Name: "Game", Flags: migrating})
		} else {
			w.join(p, all[0], "")
		}
		all = append(all, p)
		ids = append(ids, w.must(p, CreatePlayer{ShortName: Text(p.name)}))
	}
	return w, all, ids
}

// One broken connection throws nobody out: a machine that a member accuses is asked by the leader, and lost if it does not answer. So it
// is where the session does not outlive its host.
func TestAccused(t *testing.T) {
	for _, flags := range []wire.SessionFlags{migrating, 0} {
		w, n, _ := session(t, flags, 3, Config{Period: time.Second, Probes: 3})
		w.step(n[1], Input{Kind: StreamClosed, From: n[2].stream()})
		w.settle()
		w.run(w.now + 3*time.Second)
		agree(t, n, 4)

		w, n, _ = session(t, flags, 3, Config{Period: time.Second, Probes: 3})
		w.cut = func(from, to *node, out Outgoing) bool { return from == n[2] || to == n[2] }
		w.step(n[1], Input{Kind: StreamClosed, From: n[2].stream()})
		w.settle()
		w.run(w.now + 3*time.Second)
		agree(t, []*node{n[0], n[1], n[3]}, 3)
		assert.Empty(t, eventsOf[SessionLost](n[1].events))
	}
}

// Members that closed their connections before the host died are not waited for as a host that is silent: it was to find out
// whether they are there. Those that are there say so when they are pinged, and one of them is host.
func TestLeftBeforeHost(t *testing.T) {
	for _, there := range []bool{false, true} {
		w, n, _ := session(t, migrating, 3, Config{Period: time.Second, Probes: 3})
		last := n[3]
		last.events = nil
		n[0].closed, n[1].closed, n[2].closed = true, !there, !there
		for _, p := range []*node{n[1], n[2], n[0]} {
			w.step(last, Input{Kind: StreamClosed, From: p.stream()})
		}
		if there {
			for _, p := range n[1:3] {
				w.step(p, Input{Kind: StreamClosed, From: n[0].stream()})
			}
		}
		w.settle()
		start, host := w.now, last
		if there {
			host = n[1]
		}
		w.run(start + 5*time.Second/2)
		assert.Equal(t, host.self, last.host, there)
		w.run(start + 10*time.Second)
		assert.Equal(t, host.self, last.host, there)
		assert.Equal(t, there, last.peerByID(n[1].self) != nil)
		assert.Equal(t, there, last.peerByID(n[2].self) != nil)
		assert.Empty(t, eventsOf[SessionLost](last.events))
	}
}
