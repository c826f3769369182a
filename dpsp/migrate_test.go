package dpsp

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// kill ends a machine's process: nothing more comes from it, and its connections break for all others.
func (w *world) kill(n *node) {
	n.closed = true
	for _, p := range w.nodes {
		if p != n && !p.closed {
			w.step(p, Input{Kind: StreamEnded, From: n.stream()})
			w.step(p, Input{Kind: StreamClosed, From: n.stream()})
		}
	}
	w.settle()
}

// byID returns the machines in order of their system players' ids.
func byID(n []*node) []*node {
	n = slices.Clone(n)
	slices.SortFunc(n, func(a, b *node) int { return int(int64(a.self) - int64(b.self)) })
	return n
}

const migrating = wire.SessionMigrateHost | wire.SessionKeepAlive

// 3.1.7.1: the machine with the lowest id becomes host when the old one is killed, and everybody agrees. Newcomers
// join it, with ids that nobody has.
func TestHostKilled(t *testing.T) {
	w, n, ids := session(t, migrating, 3, Config{Legacy: true})
	old := n[0].self
	want := byID(n[1:])[0]
	for _, p := range n {
		p.events = nil
	}
	w.now = time.Hour
	w.kill(n[0])
	for _, p := range n[1:] {
		assert.Equal(t, want.self, p.host, p.name)
		assert.False(t, p.migration.running)
		assert.Equal(t, []PlayerDeleted{{ID: ids[0], Name: "host"}}, eventsOf[PlayerDeleted](p.events), p.name)
		assert.Equal(t, []HostLost{{Host: old, Cause: CauseClosed, Reason: "it closed its connection"}}, eventsOf[HostLost](p.events))
		assert.Equal(t, []MigrationStarted{{Candidate: want.self}}, eventsOf[MigrationStarted](p.events))
		assert.Equal(t, []HostChanged{{Old: old, New: want.self, Hosting: p == want}}, eventsOf[HostChanged](p.events))
		assert.Empty(t, eventsOf[SessionLost](p.events))
		assert.Equal(t, want.self, p.list.Host())
	}
	q := w.add("newcomer", Config{Legacy: true})
	w.join(q, want, "")
	id := w.must(q, CreatePlayer{ShortName: "newcomer"})
	held := map[wire.PlayerID]bool{}
	for _, p := range append(slices.Clone(n[1:]), q) {
		assert.Len(t, p.Players(), 4, p.name)
		assert.False(t, held[p.self])
		held[p.self] = true
	}
	for _, old := range append(ids, old) {
		assert.NotEqual(t, old, id)
		assert.NotEqual(t, old, q.self)
	}
	for _, p := range n[1:] {
		w.must(p, CreatePlayer{ShortName: Text("second of " + p.name)})
	}
	assert.Len(t, q.Players(), 7)
	w.sane(migrating)
}

// A host that leaves says so; no time passes without a host. Facts 5.4: its player goes first, then the host changes. Nobody reports it as
// a machine that was lost.
func TestHostLeaves(t *testing.T) {
	for _, legacy := range []bool{true, false} {
		w, n, _ := session(t, wire.SessionMigrateHost, 2, Config{Legacy: legacy})
		n[1].events, n[2].events = nil, nil
		w.must(n[0], Leave{})
		var want *node
		for _, p := range n[1:] {
			if p.hosting() {
				want = p
			}
		}
		require.NotNil(t, want)
		for _, p := range n[1:] {
			assert.Equal(t, want.self, p.host)
			kinds := []string{}
			for _, e := range p.events {
				switch e := e.(type) {
				case PlayerDeleted:
					kinds = append(kinds, "deleted")
				case HostLost:
					kinds = append(kinds, "lost")
					assert.Equal(t, CauseLeft, e.Cause)
				case MigrationStarted:
					kinds = append(kinds, "started")
				case HostChanged:
					kinds = append(kinds, "changed")
				default:
					t.Errorf("%s: %T %+v", p.name, e, e)
				}
			}
			assert.Equal(t, []string{"deleted", "lost", "started", "changed"}, kinds, p.name)
		}
		other := n[1]
		if other == want {
			other = n[2]
		}
		w.must(other, Leave{})
		assert.Len(t, want.Players(), 1)
	}
}

// Without MIGRATEHOST, and where the host passes everything on, the session ends with its host.
func TestNoMigration(t *testing.T) {
	for _, f := range []wire.SessionFlags{0, wire.SessionKeepAlive, wire.SessionMulticastServer} {
		w, n, _ := session(t, f, 2, Config{Legacy: true})
		w.kill(n[0])
		for _, p := range n[1:] {
			assert.Len(t, eventsOf[SessionLost](p.events), 1, f)
			assert.Empty(t, eventsOf[MigrationStarted](p.events), f)
		}
	}
}

// One candidate after the other is lost, each of them before it could say anything.
func TestCandidatesLost(t *testing.T) {
	w, n, _ := session(t, migrating, 5, Config{Legacy: true})
	order := byID(n[1:])
	for _, p := range n {
		p.events = nil
	}
	last := order[3:]
	for _, dead := range append([]*node{n[0]}, order[:3]...) {
		dead.closed = true
		for _, p := range last {
			w.step(p, Input{Kind: StreamClosed, From: dead.stream()})
		}
	}
	w.settle()
	for _, p := range last {
		assert.Equal(t, last[0].self, p.host)
		var tried []wire.PlayerID
		for _, e := range eventsOf[MigrationStarted](p.events) {
			tried = append(tried, e.Candidate)
		}
		assert.Equal(t, []wire.PlayerID{order[0].self, order[1].self, order[2].self, order[3].self}, tried)
		assert.Len(t, eventsOf[HostChanged](p.events), 1)
		assert.Len(t, p.Players(), 2)
	}
}

// A host and a candidate that fall silent without a word: eight pings each, one after the other (3.1.7.1). The
// candidate does not answer either while the host is waited for, so it is lost soon after.
func TestSilentHost(t *testing.T) {
	w, n, _ := session(t, migrating, 3, Config{Legacy: true, Period: time.Second, Probes: 3})
	order := byID(n[1:])
	silent := map[*node]bool{n[0]: true, order[0]: true}
	w.cut = func(from, to *node, out Outgoing) bool { return silent[from] || silent[to] }
	w.run(60 * time.Second)
	for _, p := range order[1:] {
		assert.Equal(t, order[1].self, p.host, p.name)
		changed := eventsOf[HostChanged](p.events)
		require.Len(t, changed, 1)
		assert.Equal(t, 4*time.Second, changed[0].Took, "three pings, a period apart, and one more for the last answer")
		assert.Empty(t, eventsOf[SessionLost](p.events))
	}
	assert.Less(t, w.now, 61*time.Second)
}

// 3.1.5.32: a host that hears IAMNAMESERVER says YOUAREDEAD, and who hears that from the host leaves. Of two hosts
// that both say it, the one with the lower id stays.
func TestTwoHosts(t *testing.T) {
	w, n, _ := session(t, migrating, 1, Config{Legacy: true})
	// Contact is lost for a moment, for one of them only.
	w.step(n[1], Input{Kind: StreamClosed, From: n[0].stream()})
	assert.True(t, n[1].hosting())
	w.queue = nil
	// It is heard of again: what it said when it became host arrives now.
	w.say(n[1], n[0], &wire.IAmNameServer{To: n[0].self, Host: n[1].self, Flags: 7, SPData: n[1].cfg.spData()})
	assert.True(t, n[0].hosting())
	assert.True(t, n[1].hosting(), "it does not know any more who says so")
	// Both know each other, and each takes itself for the host.
	w, n, _ = session(t, migrating, 1, Config{Legacy: true})
	order := byID(n)
	b := n[1]
	b.migration.begin()
	b.becomeHost()
	w.step(b, Input{})
	w.say(b, n[0], &wire.IAmNameServer{To: n[0].self, Host: b.self, Flags: 7, SPData: b.cfg.spData()})
	w.say(n[0], b, &wire.IAmNameServer{To: b.self, Host: n[0].self, Flags: 7, SPData: n[0].cfg.spData()})
	assert.True(t, order[0].hosting())
	assert.Len(t, eventsOf[SessionLost](order[1].events), 1)
	assert.Empty(t, eventsOf[SessionLost](order[0].events))
}

// Ids that were asked for when the host died, and while there was none, come from the next one.
func TestRequestsAcrossHosts(t *testing.T) {
	w, n, _ := session(t, migrating, 3, Config{Legacy: true, Period: time.Second, Probes: 3})
	order := byID(n[1:])
	dead := map[*node]bool{n[0]: true, order[0]: true}
	w.cut = func(from, to *node, out Outgoing) bool { return dead[from] || dead[to] }
	for i, p := range order[1:] {
		w.step(p, Input{Kind: Request, Token: 1, Command: CreatePlayer{}})
		w.step(p, Input{Kind: StreamClosed, From: n[0].stream()})
		require.True(t, p.migration.running, i)
		w.step(p, Input{Kind: Request, Token: 2, Command: CreateGroup{}})
		w.step(p, Input{Kind: Request, Token: 3, Command: CreatePlayer{}})
		assert.Equal(t, p.liveness.pings.Next(), p.wake, "nothing else to wait for")
		p.events = nil
	}
	w.run(20 * time.Second)
	for _, p := range order[1:] {
		for _, d := range eventsOf[Done](p.events) {
			assert.NoError(t, d.Err)
		}
		assert.Len(t, eventsOf[Done](p.events), 3, p.name)
		assert.Len(t, p.Players(), 6)
	}
	w.sane(migrating)
}

// A machine below dialect 10 becomes host without a word, and is not told of others that do.
func TestOldDialect(t *testing.T) {
	w, n, _ := session(t, migrating, 2, Config{Legacy: true})
	order := byID(n[1:])
	order[1].peerByID(order[0].self).dialect = wire.DX6
	order[0].peerByID(order[1].self).dialect = wire.DX6
	var log []string
	w.tap(&log)
	w.kill(n[0])
	assert.Equal(t, order[0].self, order[1].host)
	assert.NotContains(t, log, order[0].name+">"+order[1].name+" IAMNAMESERVER")
	assert.Len(t, eventsOf[HostChanged](order[1].events), 1)
}

// The host dies while a newcomer is on its way in. It is a member by the list that it got; the others know it.
func TestHostDiesDuringJoin(t *testing.T) {
	w, n, _ := session(t, migrating, 2, Config{Legacy: true, Tries: 1})
	q := w.add("newcomer", Config{Legacy: true})
	w.cut = func(from, to *node, out Outgoing) bool { return from == n[1] && to == n[0] } // its acknowledgement
	w.must(q, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
	f := take[SessionFound](q)[0]
	w.step(q, Input{Kind: Request, Token: 77, Command: Join{Host: f.Host, Desc: f.Desc, Name: f.Name}})
	w.settle()
	require.Equal(t, joinState, q.state)
	w.cut = nil
	w.kill(n[0])
	w.run(w.now + time.Minute)
	assert.Equal(t, idle, q.state)
	done := eventsOf[Done](q.events)
	require.NotEmpty(t, done)
	assert.ErrorIs(t, done[len(done)-1].Err, ErrTimeout)
	order := byID(n[1:])
	// Nobody answers for it: whoever was told of it takes it for lost in the end.
	w.run(w.now + 20*DefaultPeriod)
	for _, p := range n[1:] {
		assert.Nil(t, p.peerByID(q.self))
		assert.Equal(t, order[0].self, p.host)
	}
}
