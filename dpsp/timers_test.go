package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// 3.1.2.2: the reliable API timer, 5 s, with as many tries as configured, for joining and for ids.
func TestReplyTimer(t *testing.T) {
	for _, tries := range []int{0, 1, 3} {
		b := newBench(t, Config{Tries: tries})
		b.request(mockJoin(""))
		n := max(tries, 1)
		for i := 1; i < n; i++ {
			b.out = b.Step(b.out.Wake, Input{}) // once more, after a second
			b.out = b.Step(b.out.Wake, Input{}) // and after another one
			assert.Equal(t, time.Duration(i)*DefaultReply, b.out.Wake)
			b.out = b.Step(b.out.Wake-1, Input{})
			assert.Empty(t, b.out.Sends)
			b.out = b.Step(b.out.Wake, Input{})
			b.one(b.out.Sends, TCP, mockHost.String(), hexRequestPlayerID)
		}
		for range 3 {
			b.out = b.Step(b.out.Wake, Input{})
		}
		assert.Equal(t, time.Duration(n)*DefaultReply, b.now)
		assert.Equal(t, []Done{{Token: 1, Err: ErrTimeout}}, eventsOf[Done](b.out.Events))
		assert.Equal(t, Never, b.out.Wake)
	}
	b := joined(t, Config{Tries: 2})
	b.request(CreatePlayer{})
	b.out = b.Step(0, Input{Kind: Request, Command: CreateGroup{}, Token: 2}) // waits for its turn, and as long
	b.out = b.Step(time.Second, Input{Kind: Request, Command: CreateGroup{}, Token: 3})
	b.out = b.Step(DefaultReply, Input{})
	require.Len(t, b.out.Sends, 1)
	b.out = b.Step(2*DefaultReply, Input{})
	assert.Equal(t, []Done{{Token: 1, Err: ErrTimeout}, {Token: 2, Err: ErrTimeout}}, eventsOf[Done](b.out.Events))
	require.Len(t, b.out.Sends, 1, "the next one's turn")
	b.out = b.Step(b.now, Input{Kind: Request, Command: Leave{}, Token: 4})
	assert.Equal(t, []Done{{Token: 3, Err: ErrLeft}, {Token: 4}}, eventsOf[Done](b.out.Events))
}

// 3.1.2.5, 3.1.6.2, 3.2.6.2: a silent machine is pinged after 35 s, eight times, and then lost. Modern peers
// send each other more, which is a sign of life as well.
func TestPings(t *testing.T) {
	for _, who := range []int{0, 1} { // the host is silent, or a member
		w, n, ids := session(t, wire.SessionKeepAlive, 2, Config{Legacy: true})
		pings := 0
		w.cut = func(from, to *node, out Outgoing) bool {
			if to == n[who] && out.Transport == UDP {
				pings++
			}
			return from == n[who] || to == n[who]
		}
		w.run(DefaultPeriod*10 - 1) // heard in the first period, pinged in eight, and the last one has a period for its answer
		assert.Empty(t, eventsOf[PeerLost](n[2].events))
		w.run(DefaultPeriod*10 + time.Second)
		if who == 0 {
			assert.Equal(t, 16, pings, "both members ping the host")
			assert.Len(t, eventsOf[SessionLost](n[1].events), 1)
			assert.Len(t, eventsOf[SessionLost](n[2].events), 1)
			continue
		}
		assert.Equal(t, 8, pings, "the host alone pings members")
		assert.Len(t, eventsOf[PeerLost](n[0].events), 1)
		assert.Equal(t, []PlayerDeleted{{ID: ids[1], Name: "peer1"}}, eventsOf[PlayerDeleted](n[2].events))
	}
}

// Nobody pings without KEEPALIVE; with it whoever answers stays, and legacy machines are pinged. It cannot come and go, nor can MIGRATEHOST (facts, 10.5):
// a host of ours is refused, and that of another is not believed.
func TestFixedFlags(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, wire.SessionKeepAlive} {
		w, n, _ := session(t, flags, 2, Config{Legacy: flags != 0})
		var log []string
		w.tap(&log)
		for _, other := range []wire.SessionFlags{flags ^ wire.SessionKeepAlive, flags ^ wire.SessionMigrateHost} {
			assert.Equal(t, ErrFixed, w.do(n[0], SetDesc{Flags: other}).Err)
			d := n[0].list.Desc()
			d.Flags = other | wire.SessionJoinDisabled
			w.say(n[0], n[1], &wire.SessionDescChanged{Desc: d})
			assert.Equal(t, flags|wire.SessionJoinDisabled, n[1].flags(), "the rest is taken")
		}
		w.run(w.now + 2*DefaultPeriod) // the counts of what arrived
		log = nil
		w.run(w.now + 20*DefaultPeriod)
		if flags == 0 {
			assert.NotContains(t, log, "host>peer1 udp PING")
		} else {
			assert.Contains(t, log, "host>peer1 udp PING")
			assert.Contains(t, log, "peer1>host udp PINGREPLY")
		}
		for _, p := range n {
			assert.Empty(t, eventsOf[PeerLost](p.events))
			assert.Empty(t, eventsOf[Dropped](p.events))
		}
	}
}

// Whatever is heard is a sign of life, also a game message over UDP, which has no header (facts, 10.2): who talks is not
// pinged.
func TestGameMessagesAreSignsOfLife(t *testing.T) {
	for _, cfg := range []Config{{}, {Compatible: true}} {
		w, n, ids := session(t, wire.SessionKeepAlive, 1, cfg)
		var log []string
		w.tap(&log)
		for range 20 {
			w.must(n[1], Send{From: ids[1], Payload: []byte("x")})
			w.run(w.now + DefaultPeriod/2)
		}
		assert.NotContains(t, log, "host>peer1 udp PING")
	}
}

// 3.1.5.14: who is told to leave deletes its players first, so that the others need not find out.
func TestToldToLeave(t *testing.T) {
	for _, m := range []wire.Message{&wire.YouAreDead{}, nil} {
		w, n, ids := session(t, 0, 2, Config{})
		if m == nil {
			m = &wire.DeletePlayer{Player: n[1].self}
		}
		for _, p := range n {
			p.events = nil
		}
		w.say(n[0], n[1], m)
		assert.Len(t, eventsOf[SessionLost](n[1].events), 1)
		for _, p := range []*node{n[0], n[2]} {
			assert.Equal(t, []PlayerDeleted{{ID: ids[1], Name: "peer1"}}, eventsOf[PlayerDeleted](p.events), p.name)
			assert.Len(t, p.peers.all, 1)
		}
	}
}

// 2.2.33: a new host says where it is. That others say something else does not matter, unless it names a third machine.
func TestNewHostsAddress(t *testing.T) {
	for _, cfg := range []Config{{}, {Compatible: true}} {
		w := newMixed(t, 3, 0, 1)
		n := w.n
		n[2].cfg.Compatible = cfg.Compatible
		w.cut = func(_, _ *node, out Outgoing) bool { // nobody says it for us
			return out.Transport == TCP
		}
		for i, sp := range []struct {
			ip   [4]byte
			want string
		}{{[4]byte{6, 6, 6, 6}, "10.0.0.2:2300 10.0.0.2:2350"}, {[4]byte{}, "10.0.0.2:2301 10.0.0.2:2377"}} {
			d := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: 2301, Addr: sp.ip},
				Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 2377, Addr: sp.ip}}
			w.say(n[1], n[2], &wire.IAmNameServer{Host: n[1].self, SPData: d.Append(nil)})
			p := n[2].peerByID(n[1].self)
			assert.Equal(t, sp.want, p.stream.String()+" "+p.datagram.String(), i)
			assert.Equal(t, n[1].self, n[2].host)
		}
		n[2].events = nil
		w.say(n[1], n[2], &wire.SessionDescChanged{Desc: n[2].list.Desc()})
		assert.Empty(t, dropped(n[2]), "what it says from its old listener is its own still")
	}
}

// 3.2.5.10, 3.2.5.11: a host tells strangers that they are dead; a member keeps silent (3.1.5.30, 3.1.5.31).
func TestYouAreDead(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{})
	p := w.add("stranger", Config{})
	var log []string
	w.tap(&log)
	for _, m := range []wire.Message{&wire.Ping{From: 99}, &wire.PingReply{From: 99}} {
		for _, udp := range []bool{false, true} {
			log = nil
			w.raw(p, n[0], p.cfg.header(), m, udp)
			assert.Equal(t, []string{"host>stranger YOUAREDEAD"}, log)
			log = nil
			w.raw(p, n[1], p.cfg.header(), m, udp)
			assert.Empty(t, log)
		}
	}
	w.say(p, n[1], &wire.YouAreDead{})
	assert.Empty(t, take[SessionLost](n[1]))
	w.say(n[0], n[1], &wire.YouAreDead{})
	assert.Len(t, take[SessionLost](n[1]), 1)
}

// Facts 6: Wine's machines say nothing when they leave. Whoever sees the connection close tells the others.
func TestClosedConnection(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{})
	w.step(n[0], Input{Kind: StreamClosed, From: n[1].stream()})
	w.settle()
	assert.Len(t, eventsOf[PeerLost](n[0].events), 1)
	assert.Equal(t, []PlayerDeleted{{ID: ids[1], Name: "peer1"}}, take[PlayerDeleted](n[2]))
	w.step(n[2], Input{Kind: StreamClosed, From: n[0].stream()})
	assert.Len(t, take[SessionLost](n[2]), 1)
	w.step(n[2], Input{Kind: StreamClosed, From: n[0].stream()})
	assert.Empty(t, n[2].events)
}

// 3.1.5.14: the host tells a machine to leave.
func TestRemovedByHost(t *testing.T) {
	w, n, _ := session(t, 0, 2, Config{})
	n[1].events, n[0].events = nil, nil
	w.say(n[2], n[1], &wire.DeletePlayer{Player: n[1].self})
	assert.Equal(t, []Reason{NotAllowed}, dropped(n[1]))
	w.say(n[1], n[0], &wire.DeletePlayer{Player: n[0].self})
	assert.Equal(t, []Reason{NotAllowed}, dropped(n[0]))
	w.say(n[0], n[1], &wire.DeletePlayer{Player: n[1].self})
	assert.Len(t, take[SessionLost](n[1]), 1)
}

// Our own peers hear of a player from the leader of the view; a legacy one each time that it announces one, as 2.2.22 has it.
func TestVerifyOnce(t *testing.T) {
	for _, c := range []struct {
		legacy bool
		flags  wire.SessionFlags
		want   int
	}{
		{false, migrating, 0}, {true, migrating, 2 + 2 + 3}, {false, 0, 0},
	} {
		w := newWorld(t)
		h := w.add("host", Config{})
		w.must(h, Host{Application: gameGUID, Flags: c.flags})
		a := w.add("peer1", Config{})
		b := w.add("peer2", Config{Legacy: c.legacy})
		w.join(a, h, "")
		w.join(b, h, "")
		w.must(a, CreatePlayer{})
		w.must(a, CreatePlayer{})
		var log []string
		w.tap(&log)
		w.must(b, CreatePlayer{})
		w.must(b, CreatePlayer{})
		w.must(a, CreatePlayer{})
		w.must(b, CreatePlayer{})
		n := 0
		for _, l := range log {
			if l == "peer1>peer2 CREATEPLAYERVERIFY" {
				n++
			}
		}
		assert.Equal(t, c.want, n, "%+v", c)
	}
}

// 2.2.22, 3.1.5.13: who announces a player hears of those that were made in the last 40 s, unless from the host, or
// if it speaks an older dialect; and there it ends.
func TestCreatePlayerVerify(t *testing.T) {
	for _, c := range []struct {
		dialect wire.Dialect
		after   time.Duration
		want    []string
	}{
		{wire.DX9, 40 * time.Second, []string{"peer1>peer2 CREATEPLAYERVERIFY", "peer1>peer2 CREATEPLAYERVERIFY"}},
		{wire.DX8, 0, []string{"peer1>peer2 CREATEPLAYERVERIFY", "peer1>peer2 CREATEPLAYERVERIFY"}},
		{wire.DX61A, 0, nil}, {wire.DX9, 41 * time.Second, nil},
	} {
		w := newWorld(t)
		h := w.add("host", Config{})
		w.must(h, Host{Application: gameGUID})
		w.must(h, CreatePlayer{})
		a := w.add("peer1", Config{})
		b := w.add("peer2", Config{Dialect: c.dialect, Legacy: true})
		w.join(a, h, "")
		w.join(b, h, "")
		w.must(a, CreatePlayer{})
		gone := w.must(a, CreatePlayer{})
		w.must(a, CreatePlayer{})
		w.must(a, DeletePlayer{ID: gone})
		w.now += c.after
		var log, verify []string
		w.tap(&log)
		w.must(b, CreatePlayer{})
		for _, l := range log {
			if l[len(l)-6:] == "VERIFY" {
				verify = append(verify, l)
			}
		}
		assert.Equal(t, c.want, verify, "%v %v", c.dialect, c.after)
		for _, p := range w.nodes {
			assert.Empty(t, eventsOf[Dropped](p.events), p.name)
		}
		log = nil
		w.say(a, b, &wire.CreatePlayerVerify{Player: 77, Info: wire.PackedPlayer{ID: 0x7700, System: a.self}})
		assert.Empty(t, log)
		assert.Len(t, take[PlayerCreated](b), 6, "the host's, three of peer1, our own, and one that came with a VERIFY alone")
	}
}

// facts, 10.2: with a grid the ping timer elapses at fixed times, whoever is there, and a newcomer's first ping comes at one.
func TestPingGrid(t *testing.T) {
	const tick, first = 7500 * time.Millisecond, 2 * time.Second
	w := newWorld(t)
	h := w.add("host", Config{Period: tick, Grid: first})
	p := w.add("peer", Config{Period: time.Hour, Legacy: true})
	w.must(h, Host{Application: gameGUID, Name: "Game", Flags: wire.SessionKeepAlive})
	w.run(11 * time.Second)
	w.join(p, h, "")
	var pings []time.Duration
	w.cut = func(from, to *node, out Outgoing) bool {
		if from == h && out.Transport != TCP {
			pings = append(pings, w.now)
		}
		return false
	}
	w.run(time.Minute)
	// It says nothing after it got its list; and it answers, so at every other one.
	assert.Equal(t, []time.Duration{first + 2*tick, first + 4*tick, first + 6*tick}, pings)
}
