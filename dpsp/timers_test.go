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
			assert.Equal(t, time.Duration(i)*DefaultReply, b.out.Wake)
			b.out = b.Step(b.out.Wake-1, Input{})
			assert.Empty(t, b.out.Sends)
			b.out = b.Step(b.out.Wake, Input{})
			b.one(b.out.Sends, TCP, mockHost.String(), hexRequestPlayerID)
		}
		b.out = b.Step(b.out.Wake, Input{})
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

// 3.1.2.5, 3.1.6.2, 3.2.6.2: a silent machine is pinged after 35 s, eight times, and then lost.
func TestPings(t *testing.T) {
	for _, who := range []int{0, 1} { // the host is silent, or a member
		w, n, ids := session(t, wire.SessionKeepAlive, 2, Config{Strict: true})
		pings := 0
		w.cut = func(from, to *node, out Outgoing) bool {
			if to == n[who] {
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

// Nobody pings without KEEPALIVE; whoever answers stays; the flag can come and go.
func TestKeepAliveFlag(t *testing.T) {
	w, n, _ := session(t, 0, 2, Config{Strict: true})
	var log []string
	w.tap(&log)
	w.run(20 * DefaultPeriod)
	assert.Empty(t, log)
	w.must(n[0], SetDesc{Flags: wire.SessionKeepAlive})
	log = nil
	w.run(w.now + 20*DefaultPeriod)
	assert.Contains(t, log, "host>peer1 udp PING")
	assert.Contains(t, log, "peer1>host udp PINGREPLY")
	for _, p := range n {
		assert.Empty(t, eventsOf[PeerLost](p.events))
		assert.Empty(t, eventsOf[Dropped](p.events))
	}
	w.must(n[0], SetDesc{})
	w.run(w.now + DefaultPeriod)
	log = nil
	w.run(w.now + 20*DefaultPeriod)
	assert.Empty(t, log)
}

// 3.2.5.10, 3.2.5.11: a host tells strangers that they are dead; a member keeps silent (3.1.5.30, 3.1.5.31).
func TestYouAreDead(t *testing.T) {
	w, n, _ := session(t, 0, 1, Config{Strict: true})
	p := w.add("stranger", Config{})
	var log []string
	w.tap(&log)
	for _, m := range []wire.Message{&wire.Ping{From: 99}, &wire.PingReply{From: 99}} {
		for _, udp := range []bool{false, true} {
			log = nil
			w.raw(p, n[0], p.header(), m, udp)
			assert.Equal(t, []string{"host>stranger YOUAREDEAD"}, log)
			log = nil
			w.raw(p, n[1], p.header(), m, udp)
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
	w, n, ids := session(t, 0, 2, Config{Strict: true})
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
	w, n, _ := session(t, 0, 2, Config{Strict: true})
	n[1].events, n[0].events = nil, nil
	w.say(n[2], n[1], &wire.DeletePlayer{Player: n[1].self})
	assert.Equal(t, []Reason{NotAllowed}, dropped(n[1]))
	w.say(n[1], n[0], &wire.DeletePlayer{Player: n[0].self})
	assert.Equal(t, []Reason{NotAllowed}, dropped(n[0]))
	w.say(n[0], n[1], &wire.DeletePlayer{Player: n[1].self})
	assert.Len(t, take[SessionLost](n[1]), 1)
}

// Where there are audits each of our own peers hears of a player once, however many it announces; a legacy one each
// time, as 2.2.22 has it.
func TestVerifyOnce(t *testing.T) {
	for _, c := range []struct {
		legacy bool
		flags  wire.SessionFlags
		want   int
	}{
		{false, migrating, 3}, {true, migrating, 2 + 2 + 3}, {false, 0, 2 + 2 + 3},
	} {
		w := newWorld(t)
		h := w.add("host", Config{Strict: true})
		w.must(h, Host{Application: gameGUID, Flags: c.flags})
		a := w.add("peer1", Config{Strict: true})
		b := w.add("peer2", Config{Strict: true, Legacy: c.legacy})
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
		h := w.add("host", Config{Strict: true})
		w.must(h, Host{Application: gameGUID})
		w.must(h, CreatePlayer{})
		a := w.add("peer1", Config{Strict: true})
		b := w.add("peer2", Config{Strict: true, Dialect: c.dialect})
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
