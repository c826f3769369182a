package dpsp

import (
	"testing"
	"time"

	"dplay4/dpsp/internal/share"
	"dplay4/hostmigrate"
	"dplay4/playerlist"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// asMember returns a machine as the cores of others know it.
func (n *node) asMember() wire.ViewMember {
	k := n.views.core.Members()
	for _, m := range k {
		if m.System == n.self {
			return m
		}
	}
	return wire.ViewMember{}
}

// A member that sends a PREPARE as another member, or passes one on, begins no view.
func TestViewInAnothersName(t *testing.T) {
	m := newMixed(t, 3)
	leader, victim, enemy := m.n[0], m.n[1], m.n[2]
	was := leader.views.core.View()
	all := leader.views.core.Members()
	require.Len(t, all, 3)
	for _, in := range []struct {
		system wire.PlayerID
		why    string
	}{{victim.self, ""}, {enemy.self, "another program than"}, {0, ""}} {
		from := victim.asMember()
		from.System = in.system
		leader.events = nil
		for _, to := range []*node{leader, victim} {
			m.say(enemy, to, wire.NewExtension(enemy.self, &wire.ExtensionView{Step: wire.ViewPrepare, From: from, Members: all,
				View: wire.View{Epoch: was.Epoch + 9, Leader: from.System, Incarnation: from.Incarnation}}))
			m.say(enemy, to, wire.NewExtension(enemy.self, &wire.ExtensionView{Step: wire.ViewPosition, From: from, View: was,
				Place: wire.View{Epoch: was.Epoch + 9, Leader: from.System, Incarnation: from.Incarnation}}))
		}
		m.settle()
		m.run(m.now + 10*time.Second)
		assert.Equal(t, was, leader.views.core.View(), in)
		if in.why != "" {
			d := eventsOf[Dropped](leader.events)
			require.NotEmpty(t, d)
			assert.Contains(t, d[0].Text, in.why)
		}
	}
	agree(t, m.n, 3)
}

// A machine whose incarnation is not known yet cannot introduce itself with that of somebody else, nor with that of a lost member that was
// at another listener.
func TestViewIncarnationOfAnother(t *testing.T) {
	for _, lost := range []bool{false, true} {
		m := newMixed(t, 4)
		leader, victim, enemy := m.n[0], m.n[1], m.n[2]
		from := victim.asMember()
		if lost {
			m.kill(victim)
			m.run(m.now + time.Minute)
			require.Len(t, leader.views.core.Lost(), 1)
			m.n = []*node{leader, enemy, m.n[3]}
		}
		p := leader.peerByID(enemy.self)
		was := p.incarnation
		p.incarnation = 0
		from.System = enemy.self
		m.say(enemy, leader, wire.NewExtension(enemy.self, &wire.ExtensionView{Step: wire.ViewPosition, From: from, View: leader.views.core.View()}))
		m.settle()
		assert.Zero(t, p.incarnation)
		m.run(m.now + 10*time.Second)
		assert.Equal(t, was, p.incarnation)
		agree(t, m.n, len(m.n))
	}
}

// What a member says again in an OWN is within its share, as what it says with the messages of DirectPlay 4.
func TestViewShares(t *testing.T) {
	m := newMixed(t, 3)
	leader, greedy := m.n[0], m.n[1]
	leader.events = nil
	own := func(data int) *wire.ExtensionView {
		list := leader.views.core.List()
		v := &wire.ExtensionView{Step: wire.ViewOwn, From: greedy.asMember(), View: leader.views.core.View(), Index: list.Version()}
		system, _ := list.Look(greedy.self)
		ops := []playerlist.Entry{system}
		for n := range 5 {
			ops = append(ops, playerlist.Entry{ID: wire.PlayerID(0x10000 * (n + 100)), System: greedy.self, Data: make([]byte, data)})
		}
		for n, e := range ops {
			b, err := hostmigrate.AppendOperation(nil, playerlist.Numbered{Version: v.Index + uint32(n) + 1, Op: playerlist.AddPlayer{Entry: e}})
			require.NoError(t, err)
			v.Ops = append(v.Ops, b)
		}
		return v
	}
	for _, data := range []int{10, 60000} { // players, then their data
		m.say(greedy, leader, wire.NewExtension(greedy.self, own(data)))
		m.settle()
		rows, octets, _ := leader.list.Share(greedy.self)
		assert.Equal(t, 5, rows)
		assert.LessOrEqual(t, octets+share.EntryOctets*rows, share.MaxOctets)
		assert.Greater(t, octets, data)
	}
	d := eventsOf[Dropped](leader.events)
	require.NotEmpty(t, d)
	assert.Equal(t, LimitReached, d[0].Reason)

	e := playerlist.Entry{ID: 0x7F0000, System: greedy.self, Data: make([]byte, 1<<15)}
	l, err := playerlist.New(playerlist.Session{})
	require.NoError(t, err)
	for n := range wire.PlayerID(9) { // of one address, and then of many
		system := wire.PlayerID(100 + n)
		sp := wire.SPData{Stream: wire.SockAddr{Family: 2, Port: uint16(2300 + n), Addr: [4]byte{10, 9, 9, 9}}}
		_, err := l.Apply(playerlist.AddPlayer{Entry: playerlist.Entry{ID: system, Flags: wire.PlayerSystem, SPData: sp.Append(nil)}})
		require.NoError(t, err)
	}
	fits := room(&leader.sender)(l)
	n := 0
	for i := range wire.PlayerID(9) {
		e.System, e.ID = 100+i, 1000+i
		if fits(playerlist.AddPlayer{Entry: e}) {
			_, err := l.Apply(playerlist.AddPlayer{Entry: e})
			require.NoError(t, err)
			n++
		}
	}
	assert.Equal(t, 7, n)
	e.Data = nil
	e.SPData = make([]byte, share.MaxOctets)
	assert.False(t, fits(playerlist.AddPlayer{Entry: e}))
	assert.False(t, fits(playerlist.SetSPData{ID: 1000, SPData: e.SPData}))
}

// A program that was never in the session and asks to be let in by views meets the conditions that any newcomer does.
func TestViewJoinAdmits(t *testing.T) {
	const closed = wire.SessionJoinDisabled
	for _, row := range []struct {
		why      string
		password string
		desc     SetDesc // of the session
		instance byte
		in       bool
	}{
		{"the password", "sesame", SetDesc{Flags: migrating}, 0, true},
		{"another password", "open", SetDesc{Flags: migrating}, 0, false},
		{"no password", "", SetDesc{Flags: migrating}, 0, false},
		{"JOINDISABLED", "sesame", SetDesc{Flags: migrating | closed}, 0, false},
		{"NEWPLAYERSDISABLED", "sesame", SetDesc{Flags: migrating | wire.SessionNewPlayersDisabled}, 0, false},
		{"full", "sesame", SetDesc{Flags: migrating, MaxPlayers: 2}, 0, false},
		{"not full", "sesame", SetDesc{Flags: migrating, MaxPlayers: 3}, 0, true},
		{"another session", "sesame", SetDesc{Flags: migrating}, 1, false},
	} {
		w := newWorld(t)
		h := w.add("host", strictly)
		w.must(h, Host{Application: gameGUID, Name: "Game", Password: "sesame", Flags: migrating})
		p := w.add("peer", strictly)
		w.join(p, h, "sesame")
		for _, n := range []*node{h, p} {
			w.must(n, CreatePlayer{ShortName: Text(n.name)})
		}
		row.desc.Name, row.desc.Password = "Game", "sesame"
		w.must(h, row.desc)
		s, desc := w.stranger()
		desc.Instance[0] += row.instance
		session := playerlist.Session{Desc: desc, Name: wire.NewText("Game")}
		if row.password != "" {
			session.Password = wire.NewText(row.password)
		}
		b, err := hostmigrate.AppendOperation(nil, playerlist.Numbered{Op: playerlist.SetDesc{Session: session}})
		require.NoError(t, err)
		was := h.views.core.View()
		from := wire.ViewMember{System: 2, Incarnation: 7, Stream: sockAddr(s.stream()), Datagram: sockAddr(s.datagram())}
		w.extend(s, h, 2, &wire.ExtensionView{Step: wire.ViewJoin, From: from, Ops: [][]byte{b}}, false)
		w.run(w.now + 30*time.Second)
		assert.Equal(t, row.in, h.views.core.View().Newer(was) || was.Newer(h.views.core.View()), row.why)
		assert.Len(t, h.views.core.Members(), 2)
		assert.Equal(t, h.self, h.host)
	}
}

// A host that says goodbye in its log alone, and has another member delete a player after that, ends the session. That deletion means nothing
// then.
func TestViewGoodbyeInLog(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{Period: time.Second, Probes: 3})
	w.run(w.now + 5*time.Second)
	h, p := n[0], n[1]
	host, other := h.asMember(), n[2].asMember()
	v, index := h.views.core.View(), h.views.core.List().Version()
	for _, x := range []struct {
		by wire.ViewMember
		id wire.PlayerID
	}{{host, ids[0]}, {host, h.self}, {other, ids[2]}} {
		index++
		b, err := hostmigrate.AppendOperation(nil, playerlist.Numbered{Version: index, Op: playerlist.DeletePlayer{ID: x.id}})
		require.NoError(t, err)
		w.say(h, p, wire.NewExtension(h.self, &wire.ExtensionView{Step: wire.ViewLog, From: host, View: v, Index: index,
			Members: []wire.ViewMember{x.by}, Ops: [][]byte{b}}))
	}
	require.Equal(t, index, p.views.core.List().Version())
	h.closed = true
	w.run(w.now + 2*time.Second)
	assert.Len(t, take[SessionLost](p), 1)
}
