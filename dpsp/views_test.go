package dpsp

import (
	"slices"
	"testing"
	"time"

	"dplay4/hostmigrate/view"
	"dplay4/playerlist"
	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// viewed is a session whose members are all in the first view.
func viewed(t *testing.T, n int) (*world, []*node, []wire.PlayerID) {
	t.Helper()
	w, all, ids := session(t, migrating, n, Config{Period: time.Second, Probes: 3})
	w.run(w.now + 5*time.Second)
	for _, p := range all {
		require.Len(t, p.views.core.Members(), n+1, p.name)
	}
	return w, all, ids
}

// Two members whose connections stand still for longer than they greet each other have the same objects afterwards.
func TestViewsObjectsWithoutHello(t *testing.T) {
	w, n, _ := viewed(t, 1)
	c := w.add("newcomer", Config{Period: time.Second, Probes: 3})
	w.cut = func(from, to *node, out Outgoing) bool {
		return out.Transport == TCP && (from == n[1] && to == c || from == c && to == n[1])
	}
	w.join(c, n[0], "")
	w.run(w.now + 2*maxHellos*time.Second)
	w.object(n[1], CreateObject{State: []byte("of the member")})
	w.object(c, CreateObject{State: []byte("of the newcomer")})
	assert.Len(t, c.Objects(), 1)
	w.whole(4 * time.Second)
	sameObjects(t, append(n, c), 2)
}

// A member that missed that the host lost a program has it leave when the host lets another one in at its listener.
func TestViewsFormerSelf(t *testing.T) {
	w, n, _ := viewed(t, 2)
	h, p, q := n[0], n[1], n[2]
	lost := q.self
	q.closed = true
	w.cut = func(from, to *node, _ Outgoing) bool { return from == h && to == p }
	w.step(h, Input{Kind: StreamClosed, From: q.stream()})
	w.run(w.now + time.Second)
	require.Zero(t, h.MachineAt(q.stream()))
	require.Equal(t, lost, p.MachineAt(q.stream()))
	again := w.add("again", Config{Period: time.Second, Probes: 3})
	again.addr = q.addr
	var listed []int
	w.cut = func(from, to *node, out Outgoing) bool {
		listed = append(listed, len(p.Machines()))
		env, err := new(wire.Decoder).DecodeStream(out.Data)
		x, ok := env.Message.(*wire.Extension)
		return from == h && to == p && err == nil && ok && x.Kind == wire.KindView // it goes on missing what the host numbered
	}
	w.join(again, h, "")
	assert.Equal(t, again.self, p.MachineAt(q.stream()))
	assert.NotContains(t, listed, 3, "the program stands beside its former self")
}

// TestAskHealthy: a member that the leader asks, because another one accuses it, answers over its connection, also where datagrams do not
// arrive. The program is told nothing, and the end of its connection counts as before.
func TestAskHealthy(t *testing.T) {
	for _, udp := range []bool{true, false} {
		w, n, _ := viewed(t, 2)
		w.cut = func(_, _ *node, out Outgoing) bool { return out.Transport == UDP && !udp }
		for _, p := range n {
			p.events = nil
		}
		n[1].views.core.Suspect(w.now, n[2].self)
		w.step(n[1], Input{})
		p := n[0].peerByID(n[2].self)
		w.settle()
		assert.False(t, n[0].liveness.asked.has(p.system))
		assert.False(t, p.answered)
		for _, p := range n {
			assert.Empty(t, eventsOf[ConnectionRenewed](p.events), p.name)
		}
		nobodyLost(t, n)
		n[2].closed = true
		w.step(n[0], Input{Kind: StreamClosed, From: n[2].stream()})
		assert.Len(t, eventsOf[PeerLost](n[0].events), 1)
	}
}

// TestViewsOrphanStays: two compatible newcomers lose the host before they have a view, and the first one was not told of the second one.
// The first one hosts. Its YOUAREDEAD, before it lets the second one in, does not end the session for that one.
func TestViewsOrphanStays(t *testing.T) {
	cfg := Config{Period: time.Second, Probes: 3, Populate: time.Second, Compatible: true}
	w, n, _ := session(t, migrating, 0, cfg)
	h := n[0]
	told := func(out Outgoing) (command wire.Command, kind wire.ExtensionKind) {
		env, err := new(wire.Decoder).DecodeStream(out.Data)
		if err != nil || env.Message == nil {
			return 0, 0
		}
		if x, ok := env.Message.(*wire.Extension); ok {
			kind = x.Kind
		}
		return env.Message.Command(), kind
	}
	w.cut = func(from, to *node, out Outgoing) bool {
		command, kind := told(out)
		return from == h && (kind == wire.KindView || command == wire.CmdAddForward)
	}
	first := w.add("first", cfg)
	w.join(first, h, "")
	second := w.add("second", cfg)
	w.must(second, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
	found := take[SessionFound](second)[0]
	w.step(second, Input{Kind: Request, Command: Join{Host: found.Host, Desc: found.Desc, Name: found.Name}})
	w.settle()
	w.run(w.now + cfg.Populate)
	require.Len(t, take[SessionOpened](second), 1)
	require.NotZero(t, second.MachineAt(first.stream()))
	require.Zero(t, first.MachineAt(second.stream()))
	deaf, apart := true, []*node{first}
	w.cut = func(from, to *node, out Outgoing) bool {
		_, kind := told(out)
		return from == h && (kind == wire.KindView || slices.Contains(apart, to)) || to == h && slices.Contains(apart, from) ||
			deaf && kind == wire.KindView && from == second && to == first
	}
	w.run(w.now + 2*time.Second)
	apart = append(apart, second)
	w.run(w.now + 5*time.Second)
	require.True(t, first.hosting())
	require.True(t, second.views.newcomer())
	require.NotZero(t, second.views.alone)
	w.say(first, second, &wire.YouAreDead{})
	assert.Empty(t, take[SessionLost](second))
	deaf = false
	w.run(w.now + 13*time.Second)
	agree(t, []*node{first, second}, 0)
	w.whole(40 * time.Second)
	assert.Empty(t, take[SessionLost](second))
	agree(t, []*node{h, first, second}, 1)
}

// TestSilentNewcomer: a member that falls silent before it said that it is in its view is lost because it does not answer, and without
// KEEPALIVE not at all. It is in the view once it is heard again.
func TestSilentNewcomer(t *testing.T) {
	for _, flags := range []wire.SessionFlags{wire.SessionMigrateHost, migrating} {
		w, n, ids := session(t, flags, 1, Config{Period: time.Second, Probes: 8})
		w.cut = func(from, to *node, out Outgoing) bool { return from == n[1] }
		w.run(w.now + 16*time.Second)
		lost := eventsOf[PeerLost](n[0].events)
		if flags&wire.SessionKeepAlive != 0 {
			require.Len(t, lost, 1)
			assert.Equal(t, "it does not answer", lost[0].Reason)
			continue
		}
		assert.Empty(t, lost)
		w.run(w.now + time.Minute)
		assert.Empty(t, eventsOf[PeerLost](n[0].events))
		n[1].events = nil
		w.must(n[0], Send{From: ids[0], To: ids[1], Guaranteed: true, Payload: []byte("x")})
		w.whole(5 * time.Second)
		agree(t, n, 2)
		assert.Len(t, eventsOf[Message](n[1].events), 1)
	}
}

// A newcomer without a view that does not reach a member leaves it to the host whether the member is lost.
func TestViewsNewcomerLosesNobody(t *testing.T) {
	w, n, _ := viewed(t, 1)
	h, p := n[0], n[1]
	c := w.add("newcomer", Config{Period: time.Second, Probes: 3})
	w.cut = func(from, to *node, out Outgoing) bool {
		env, err := new(wire.Decoder).DecodeStream(out.Data)
		x, ok := env.Message.(*wire.Extension)
		return from == p && to == c || from == c && to == p || from == h && to == c && err == nil && ok && x.Kind == wire.KindView
	}
	w.join(c, h, "")
	w.step(c, Input{Kind: StreamClosed, From: p.stream()})
	w.run(w.now + 2*time.Second)
	assert.Empty(t, take[PeerLost](c))
	assert.Equal(t, p.self, c.MachineAt(p.stream()))
	w.whole(4 * time.Second)
	agree(t, append(n, c), 2)
}

// A newcomer whose host is killed before the first view is host at once if there is nobody else.
func TestViewsOrphanAlone(t *testing.T) {
	for _, flags := range []wire.SessionFlags{wire.SessionMigrateHost, migrating} {
		w, n, _ := session(t, flags, 0, Config{})
		p := w.add("newcomer", Config{})
		view := func(from, _ *node, out Outgoing) bool {
			m, err := new(wire.Decoder).DecodeStream(out.Data)
			x, ok := m.Message.(*wire.Extension)
			return from == n[0] && err == nil && ok && x.Kind == wire.KindView && x.Body.(*wire.ExtensionView).Step == wire.ViewInstall
		}
		w.cut = view
		w.join(p, n[0], "")
		w.must(p, CreatePlayer{})
		require.True(t, p.views.newcomer())
		w.kill(n[0])
		w.run(w.now + time.Millisecond)
		assert.True(t, p.hosting(), flags)
		assert.Len(t, p.list.Players(), 2)
	}
}

// A leader that adds and deletes a member's players without end has a bounded number of deletions wait for the member's message. The next
// one is shown at once.
func TestViewsDeletionsBounded(t *testing.T) {
	w, n, _ := viewed(t, 2)
	p, owner := n[1], n[2].self
	at := func(i int) wire.PlayerID { return wire.PlayerID(0x10000 + i) }
	there := func(i int) bool { _, ok := p.list.Look(at(i)); return ok }
	p.views.adopting = true
	for i := range maxLate + 1 {
		op := playerlist.AddPlayer{Entry: playerlist.Entry{ID: at(i), System: owner}}
		require.NoError(t, p.apply(op))
	}
	p.views.adopting = false
	for i := range maxLate + 1 {
		p.views.do(view.Show{Op: playerlist.DeletePlayer{ID: at(i)}, Own: true})
	}
	p.views.do(view.Show{Op: playerlist.DeletePlayer{ID: at(0)}, Own: true}) // which waits already
	assert.Equal(t, maxLate, len(p.views.late))
	assert.True(t, there(0) && there(maxLate-1))
	assert.False(t, there(maxLate))
	w.run(w.now + p.answerTime())
	assert.Empty(t, p.views.late)
	assert.False(t, there(0))
}
