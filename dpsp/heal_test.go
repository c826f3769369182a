package dpsp

import (
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"dplay4/wire"
	"dplay4/wire/dpl8"
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
		p.admission.ids = p.list.IDs(0)
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
// where a machine was that joined anew since, and that machine says where its host is.
func TestClaimToStranger(t *testing.T) {
	for alone := 1; alone < 3; alone++ {
		w, n, ids := session(t, migrating, 2, Config{Period: time.Second, Probes: 3})
		out, left := n[alone], n[3-alone]
		w.parts([]*node{n[0], left}, []*node{out})
		for _, p := range []*node{n[0], left} {
			p.partition.lost = nil // as if they had taken it for a legacy machine
		}
		h := w.add("newcomer", Config{Period: time.Second, Probes: 3})
		w.cutAs(map[*node]int{n[0]: 0, left: 0, h: 0, out: 1})
		w.join(h, n[0], "")
		for _, p := range []*node{n[0], left} {
			w.do(p, Leave{})
		}
		w.join(left, h, "")
		require.Empty(t, h.partition.lost)
		w.whole(30 * time.Second)
		agree(t, []*node{h, left, out}, 1)
		assert.Equal(t, ids[alone], out.Players()[0].ID)
	}
}

// A machine that is silent lets no greeting pass: its program may stand still. Once it is lost it is told who is host, for it
// may be one of ours. One that said something and no hello is not.
func TestSilentMachineMayBeOurs(t *testing.T) {
	for _, silent := range []bool{true, false} {
		w, n, _ := session(t, migrating, 1, Config{Period: time.Second, Probes: 2 * maxHellos})
		p := w.add("other", Config{Legacy: true, Period: time.Second})
		w.join(p, n[0], "")
		id := w.must(p, CreatePlayer{})
		for _, q := range n {
			q.peerByID(p.self).marked = true // it knows the extension, and has not come to say so
		}
		p.closed = silent
		for range maxHellos + 1 {
			w.run(w.now + time.Second)
			if !silent {
				w.must(p, Send{From: id, To: wire.IDAll, Guaranteed: true, Payload: []byte("x")})
			}
		}
		for _, q := range n {
			assert.Equal(t, maxHellos, q.peerByID(p.self).hellos, q.name)
		}
		p.closed = true
		w.run(w.now + 4*maxHellos*time.Second)
		for _, q := range n {
			assert.Nil(t, q.peerByID(p.self), q.name)
			assert.Equal(t, silent, len(q.partition.lost) > 0, q.name)
		}
	}
}

// A newcomer learns the session's secret although its host says nothing more once it let it in: another member tells it. So
// the host believes who joined the newcomer's part, and knows nobody of its own.
func TestSecretFromAMember(t *testing.T) {
	w, n, ids := session(t, migrating, 1, Config{Period: time.Second, Probes: 3})
	c := w.add("newcomer", Config{Period: time.Second, Probes: 3})
	w.cut = func(from, to *node, _ Outgoing) bool { return from == n[0] && to == c && c.Engine.state == member }
	w.join(c, n[0], "")
	w.do(n[1], Leave{})
	w.parts(n[:1], []*node{c})
	require.True(t, c.hosting())
	d := w.add("next", Config{Period: time.Second, Probes: 3})
	w.cutAs(map[*node]int{n[0]: 0, c: 1, d: 1})
	w.join(d, c, "")
	w.do(c, Leave{})
	require.True(t, d.hosting())
	w.whole(30 * time.Second)
	agree(t, []*node{n[0], d}, 1)
	assert.Equal(t, ids[0], d.Players()[0].ID)
}

// A host that was never told the secret draws one, for those who join it: one of them has slept ever since, and believes who
// joined while it slept, and is host when it wakes.
func TestSecretOfALaterHost(t *testing.T) {
	cfg := Config{Period: time.Second, Probes: 3}
	w, n, _ := session(t, migrating|wire.SessionKeepAlive, 0, cfg)
	first, later := n[0], w.add("later", cfg)
	w.cut = func(from, to *node, out Outgoing) bool {
		env, err := first.dec.DecodeStream(out.Data)
		_, extended := env.Message.(*wire.Extension)
		return from == first && err == nil && extended
	}
	w.join(later, first, "")
	first.closed = true
	w.run(w.now + time.Minute)
	require.True(t, later.hosting())
	require.NotEqual(t, first.partition.secrets.current, later.partition.secrets.current)
	require.False(t, later.partition.secrets.current.IsZero())
	w.cut = nil

	sleeper, awake := w.add("sleeper", cfg), w.add("awake", Config{Period: cfg.Period, Probes: cfg.Probes, Reply: time.Minute})
	w.join(sleeper, later, "")
	w.cut = func(from, to *node, _ Outgoing) bool { return from == sleeper || to == sleeper }
	w.must(awake, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
	f := take[SessionFound](awake)[0]
	w.step(awake, Input{Kind: Request, Command: Join{Host: f.Host, Desc: f.Desc, Name: f.Name}})
	w.settle()
	w.run(w.now + awake.cfg.Reply) // until the host has lost the sleeper
	later.closed = true
	w.run(w.now + time.Minute)
	require.True(t, awake.hosting())
	require.True(t, sleeper.hosting())
	w.cut = nil
	w.run(w.now + time.Minute)
	agree(t, []*node{sleeper, awake}, 0)
}

// A machine that heard nothing more since it came in becomes host by itself: it was never told the secret, nor of one that came in
// later, to which the host said who it is. That one comes over, though it has the lower id, for the other one has no reason to
// believe it.
func TestRivalIsUnknown(t *testing.T) {
	for _, lower := range []bool{false, true} {
		w, n, _ := session(t, migrating|wire.SessionKeepAlive, 2, strictly)
		first, deaf, later := n[0], n[1], n[2]
		if (later.self < deaf.self) != lower {
			deaf, later = later, deaf
		}
		w.cut = func(from, to *node, _ Outgoing) bool { return from == deaf || to == deaf }
		deaf.departed(later.self, loss{CauseLeft, "it was never here"}, false)
		first.closed = true
		w.run(w.now + 10*time.Minute)
		require.True(t, deaf.hosting())
		require.True(t, later.hosting())
		deaf.partition.lost, deaf.partition.secrets = nil, secrets{}
		w.whole(10 * time.Minute)
		agree(t, []*node{deaf, later}, 2)
		assert.True(t, deaf.hosting())
	}
}

// The host's word on the secret counts more than another member's, and whom it lost the host alone says.
func TestWhoseSecret(t *testing.T) {
	w, n, _ := session(t, migrating, 2, strictly)
	secret := n[0].partition.secrets.current
	n[2].partition.secrets, n[2].events = secrets{}, nil
	w.extend(n[1], n[2], n[1].self, &wire.ExtensionFormers{Secret: wire.GUID{1}}, false)
	assert.Equal(t, wire.GUID{1}, n[2].partition.secrets.current)
	w.extend(n[1], n[2], n[1].self, &wire.ExtensionFormers{Secret: wire.GUID{2}}, false)
	assert.Equal(t, wire.GUID{1}, n[2].partition.secrets.current, "the first one, until the host speaks")
	assert.Empty(t, eventsOf[Dropped](n[2].events))
	w.extend(n[1], n[2], n[1].self, &wire.ExtensionFormers{Formers: []wire.ExtensionFormer{{System: 0x9999, Stream: sockAddr(n[1].stream())}}}, false)
	assert.Len(t, eventsOf[Dropped](n[2].events), 1)
	for _, s := range []wire.GUID{secret, {}} {
		w.extend(n[0], n[2], n[0].self, &wire.ExtensionFormers{Secret: s}, false)
		assert.Equal(t, secret, n[2].partition.secrets.current)
	}
}

// What a member said of a migration before it greets us anew was of another time: it may have led, and come back to the
// host that we come back to. Without the greeting it counts, for that host may be gone by now.
func TestOldWordOfMigration(t *testing.T) {
	for _, greets := range []bool{false, true} {
		w, n, _ := session(t, migrating, 2, Config{})
		host, x, other := n[0], n[1], n[2]
		letGo := w.late(host, x)
		x.events = nil
		w.extend(host, x, host.self, &wire.ExtensionRejoinAt{Host: host.self, Stream: sockAddr(host.stream())}, false)
		require.True(t, x.join.goesBack())
		word, err := dpl8.Append(nil, &dpl8.HostMigrate{OldHost: dpl8.DPNID(host.self), NewHost: dpl8.DPNID(other.self)})
		require.NoError(t, err)
		w.extend(other, x, other.self, &wire.ExtensionTable{Message: word}, false)
		if greets {
			w.extend(other, x, other.self, &wire.ExtensionHello{Abilities: wire.HelloTable, Answer: 1}, false)
		}
		require.True(t, x.join.goesBack())
		letGo()
		lost := eventsOf[HostLost](x.events)
		if assert.Equal(t, !greets, len(lost) > 0) && !greets {
			assert.Equal(t, HostLost{host.self, CauseOtherHost, "another machine says that it is the host now"}, lost[0])
		}
	}
}

// A member led while we did not hear it, lost us, and came back: what it said as a host comes late, over an older
// connection. Who follows us is not host.
func TestOldWordOfHost(t *testing.T) {
	for _, as := range []string{"leader", "host"} {
		w, n, _ := session(t, migrating, 2, Config{})
		gone, host, x := n[0].self, n[1], n[2]
		w.kill(n[0])
		require.True(t, host.hosting())
		require.True(t, host.reconcile.table.Follows(x.self))
		if as == "leader" {
			word, err := dpl8.Append(nil, &dpl8.HostMigrate{OldHost: dpl8.DPNID(gone), NewHost: dpl8.DPNID(x.self)})
			require.NoError(t, err)
			w.extend(x, host, x.self, &wire.ExtensionTable{Message: append(word, make([]byte, 8)...)}, false)
		} else {
			w.raw(x, host, x.cfg.header(), &wire.IAmNameServer{To: host.self, Host: x.self, SPData: x.cfg.spData()}, false)
			w.settle()
		}
		agree(t, n[1:], 2)
		assert.Equal(t, host.self, x.host, as)
		assert.Empty(t, eventsOf[SessionSplit](host.events), as)
	}
}

// A program stood still, and what a former host said as a host waits for it: it follows that one, which says where it went
// when it gets reports for a host (seed 516359706). But nobody is sent to a host that is gone as well.
func TestFollowsFormerHost(t *testing.T) {
	for _, dead := range []bool{false, true} {
		w, n, _ := session(t, migrating, 2, Config{Period: time.Second, Probes: 3})
		host, x, former := n[0], n[1], n[2]
		x.events = nil
		host.closed = dead
		word, err := dpl8.Append(nil, &dpl8.HostMigrate{OldHost: dpl8.DPNID(host.self), NewHost: dpl8.DPNID(former.self)})
		require.NoError(t, err)
		for _, m := range []wire.Message{
			wire.NewExtension(former.self, &wire.ExtensionTable{Message: append(word, make([]byte, 8)...)}),
			&wire.IAmNameServer{To: x.self, Host: former.self, SPData: former.cfg.spData()},
		} {
			env := wire.Envelope{HasSP: true, SP: former.cfg.header(), Version: wire.DX9, Message: m}
			b, err := env.Append(nil)
			require.NoError(t, err)
			w.queue = append(w.queue, packet{from: former, to: x.stream(), data: b})
		}
		w.settle()
		require.NotEmpty(t, eventsOf[HostLost](x.events))
		w.run(w.now + 20*time.Second)
		assert.Empty(t, eventsOf[SessionLost](x.events))
		if dead {
			agree(t, n[1:], 2)
			assert.True(t, former.hosting())
		} else {
			agree(t, n, 3)
			assert.True(t, host.hosting())
		}
		assert.Empty(t, former.partition.misled)
	}
}

// A machine led while it was lost, and is back: what it said then, a greeting first, comes before it greets its host, over a
// connection that brought nothing until now (seed 2194745022).
func TestOldWordBeforeGreeting(t *testing.T) {
	w, n, _ := session(t, migrating, 3, Config{Period: time.Second, Probes: 3})
	gone, host, back := n[0].self, n[1], n[3]
	w.kill(n[0])
	n = n[1:]
	require.True(t, host.hosting())
	w.step(host, Input{Kind: StreamClosed, From: back.stream()})
	w.settle()
	require.Nil(t, host.peerByID(back.self))
	greeted := false
	letGo := w.hold(func(from, to *node, out Outgoing) bool {
		slow := from == back && to == host && out.Transport == TCP && host.peerByID(back.self) != nil && back.state == member
		greeted = greeted || slow
		return slow
	})
	w.run(w.now + 10*time.Second)
	require.NotNil(t, host.peerByID(back.self))
	require.True(t, greeted)
	host.events = nil

	back.dialled += 7
	w.extend(back, host, back.self, &wire.ExtensionHello{Abilities: wire.HelloTable | wire.HelloObjects, Answer: 1}, false)
	word, err := dpl8.Append(nil, &dpl8.HostMigrate{OldHost: dpl8.DPNID(gone), NewHost: dpl8.DPNID(back.self)})
	require.NoError(t, err)
	w.extend(back, host, back.self, &wire.ExtensionTable{Message: append(word, make([]byte, 8)...)}, false)
	w.raw(back, host, back.cfg.header(), &wire.IAmNameServer{To: host.self, Host: back.self, SPData: back.cfg.spData()}, false)
	assert.True(t, host.hosting())
	assert.Empty(t, eventsOf[MigrationStarted](host.events))

	back.dialled -= 7
	letGo()
	w.whole(10 * time.Second)
	agree(t, n, 3)
	assert.True(t, host.hosting())
	assert.False(t, host.peerByID(back.self).back)
}

// A machine was host while we had lost it, and is back: what it said then comes late, over its older connection, and makes it
// host no more; what it says over its newer one does, and over the older one once it greets us there.
func TestOldConnection(t *testing.T) {
	for _, greets := range []bool{false, true} {
		w, n, _ := session(t, migrating, 2, Config{Period: time.Second, Probes: 3})
		host, x, back := n[0], n[1], n[2]
		for _, p := range n[:2] {
			w.step(p, Input{Kind: StreamClosed, From: back.stream()})
		}
		back.dialled++
		w.settle()
		w.whole(10 * time.Second)
		agree(t, n, 3)

		back.dialled--
		if greets {
			w.extend(back, x, back.self, &wire.ExtensionHello{Abilities: wire.HelloTable | wire.HelloArrived}, false)
		}
		word, err := dpl8.Append(nil, &dpl8.HostMigrate{OldHost: dpl8.DPNID(host.self), NewHost: dpl8.DPNID(back.self)})
		require.NoError(t, err)
		x.events = nil
		w.cut = func(from, _ *node, _ Outgoing) bool { return from == x } // it answers, and that is all of this
		w.extend(back, x, back.self, &wire.ExtensionTable{Message: append(word, make([]byte, 8)...)}, false)
		assert.Equal(t, greets, len(eventsOf[HostLost](x.events)) > 0)
		w.raw(back, x, back.cfg.header(), &wire.IAmNameServer{To: x.self, Host: back.self, SPData: back.cfg.spData()}, false)
		w.settle()
		assert.Equal(t, greets, x.host == back.self)
		back.dialled++
		w.raw(back, x, back.cfg.header(), &wire.IAmNameServer{To: x.self, Host: back.self, SPData: back.cfg.spData()}, false)
		w.settle()
		assert.Equal(t, back.self, x.host)
	}
}

// A machine that lost its first host before it was told the session's secret is taken for a part of the session on the word
// of the one peer that it knew, and that went over to another host.
func TestVouchedFor(t *testing.T) {
	w, n, _ := session(t, migrating|wire.SessionKeepAlive, 1, Config{Period: 2 * time.Second, Probes: 3})
	host, knows := n[0], n[1] // which is host of both in the end: that with the lower id
	if knows.self < host.self {
		host, knows = knows, host
	}
	late := w.add("late", Config{Period: 2 * time.Second, Probes: 3})
	between := func(x, y *node) func(a, b *node) bool {
		return func(a, b *node) bool { return a == x && b == y || a == y && b == x }
	}
	apart := func(cut ...func(a, b *node) bool) {
		w.cut = func(from, to *node, out Outgoing) bool {
			env, err := host.dec.DecodeStream(out.Data)
			_, extended := env.Message.(*wire.Extension)
			return slices.ContainsFunc(cut, func(c func(a, b *node) bool) bool { return c(from, to) }) ||
				err == nil && extended && to == late && !late.hosting() // it is told no more than the list
		}
	}
	apart(between(host, knows), between(host, late))
	w.run(w.now + 30*time.Second)
	require.True(t, knows.hosting())
	w.join(late, knows, "")
	require.True(t, late.partition.secrets.current.IsZero())
	apart(between(host, knows), between(host, late), between(knows, late))
	w.run(w.now + 30*time.Second)
	require.True(t, late.hosting())
	apart(between(knows, late))
	w.run(w.now + time.Minute)
	require.Equal(t, host.self, knows.host, "the two are one part")
	w.cut = nil
	w.run(w.now + time.Minute)
	agree(t, []*node{host, knows, late}, 2)
}

// A stranger that claims the session in datagrams is told at most once in the reply time that we are host, never the secret, and
// nothing at all if it does not know who we are.
func TestClaimsOfAStranger(t *testing.T) {
	w, n, _ := session(t, migrating, 1, Config{Reply: 5 * time.Second})
	host := n[0]
	s, desc := w.stranger()
	var told []wire.GUID
	w.cut = func(from, to *node, out Outgoing) bool {
		if env, err := host.dec.DecodeStream(out.Data); err == nil && from == host && to == s {
			if x, ok := env.Message.(*wire.Extension); ok {
				told = append(told, x.Body.(*wire.ExtensionClaim).Secret)
			}
		}
		return false
	}
	for _, to := range []wire.PlayerID{0, 0x1234, host.self} {
		told = nil
		for range 100 {
			w.extend(s, host, 0x77, &wire.ExtensionClaim{To: to, Instance: desc.Instance, Secret: wire.GUID{9}}, true)
			w.run(w.now + 100*time.Millisecond)
		}
		if to != host.self {
			assert.Empty(t, told)
			continue
		}
		assert.Equal(t, []wire.GUID{{}, {}}, told)
		assert.True(t, host.hosting())
		agree(t, n, 2)
	}
}

// While we join, a member says that it leads, and then our host that it is gone: the host is ours still. The list has that
// member, if the host let it come back, or was slow. Another one may have said that it leads before.
func TestLeaderGoneBeforeList(t *testing.T) {
	for _, tt := range []struct {
		leaders     []int // those that say that they lead, in this order
		lost, hosts bool  // the newcomer loses the host, and is host for a while
	}{
		{[]int{2}, false, false},
		{[]int{1, 2}, true, true},
		{[]int{2, 1}, true, false},
	} {
		w, n, _ := session(t, migrating, 2, Config{})
		host, other, gone := n[0], n[1], n[2]
		x := w.add("newcomer", Config{})
		w.must(x, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
		found := take[SessionFound](x)[0]
		letGo := w.hold(func(from, to *node, out Outgoing) bool {
			env, err := from.dec.DecodeStream(out.Data)
			return to == x && out.Transport == TCP && err == nil && env.Message.Command() == wire.CmdSuperEnumPlayersReply
		})
		w.step(x, Input{Kind: Request, Command: Join{Host: found.Host, Desc: found.Desc, Name: found.Name}, Token: 1})
		w.settle()
		require.True(t, x.join.admitted)
		var olds []byte
		for _, i := range tt.leaders {
			p := n[i]
			word, err := dpl8.Append(nil, &dpl8.HostMigrate{OldHost: dpl8.DPNID(host.self), NewHost: dpl8.DPNID(p.self)})
			require.NoError(t, err)
			word = append(append(word, make([]byte, 8)...), olds...) // its round and number, and who led before
			w.extend(p, x, p.self, &wire.ExtensionTable{Message: word}, false)
			olds = binary.LittleEndian.AppendUint32(olds, uint32(p.self))
		}
		gone.closed = true
		w.step(host, Input{Kind: StreamClosed, From: gone.stream()})
		w.settle()
		require.Nil(t, host.peerByID(gone.self))

		letGo()
		require.Equal(t, member, x.state)
		assert.Nil(t, x.peerByID(gone.self))
		assert.Equal(t, tt.lost, len(eventsOf[HostLost](x.events)) > 0, tt.leaders)
		assert.Equal(t, tt.hosts, x.hosting(), tt.leaders)
		if !tt.lost {
			assert.Equal(t, host.reconcile.table.Version(), x.reconcile.table.Version(), "its replica is whole")
		}
		w.run(w.now + time.Minute)
		agree(t, []*node{host, other, x}, 2)
	}
}
