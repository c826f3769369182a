package dpsp

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp/internal/arrived"
	"dplay4/wire"
)

// loses has what one machine sends another one over its connection be lost, until the function that it returns is called.
func (w *world) loses(from, to *node) (found func()) {
	w.cut = func(a, b *node, out Outgoing) bool { return a == from && b == to && out.Transport == TCP }
	return func() { w.cut = nil }
}

// textsOf returns what a program got since it was asked last.
func textsOf(n *node) (all []string) {
	for _, m := range take[Message](n) {
		all = append(all, string(m.Payload))
	}
	return all
}

// What a broken connection lost is sent again: game messages, chat, and changes of the list before them, in order and once. Nothing is
// reported as lost.
func TestArrives(t *testing.T) {
	for _, pair := range [][2]int{{1, 2}, {0, 1}, {1, 0}} {
		for _, flags := range []wire.SessionFlags{migrating, 0, wire.SessionKeepAlive} {
			w, n, ids := session(t, flags, 2, Config{Period: 2 * DefaultPeriod, Probes: 3})
			a, b, to := n[pair[0]], n[pair[1]], ids[pair[1]]
			from := ids[pair[0]]
			say := func(id wire.PlayerID, text string) {
				w.must(a, Send{From: id, To: to, Guaranteed: true, Payload: []byte(text)})
			}
			say(from, "arrives")
			found := w.loses(a, b)
			say(from, "lost")
			late := wire.PlayerID(0)
			if pair[0] == 0 { // a member asks the host, which it does not reach
				late = w.must(a, CreatePlayer{ShortName: "late"})
				say(late, "by late")
			}
			found()
			assert.Equal(t, []string{"arrives"}, textsOf(b))
			w.step(a, Input{Kind: StreamEnded, From: b.stream(), Lost: true})
			say(from, "after") // before the other one answered
			if late != 0 {
				w.must(a, DeletePlayer{ID: late})
			}
			w.settle()
			want := []string{"lost", "after"}
			if late != 0 {
				want = []string{"lost", "by late", "after"}
			}
			assert.Equal(t, want, textsOf(b), "%v %v", pair, flags)
			assert.Equal(t, []ConnectionRenewed{{System: b.self}}, eventsOf[ConnectionRenewed](a.events))
			w.breaks(a, b, true)
			say(from, "last")
			assert.Equal(t, []string{"last"}, textsOf(b), "nothing comes twice")
			nobodyLost(t, n)
		}
	}
}

// TestLeaveWaits: a program leaves while messages to a member wait for its count. Its goodbye goes behind them, and the member does not lose
// it. If the member does not answer, the program waits a moment.
func TestLeaveWaits(t *testing.T) {
	for _, answers := range []bool{true, false} {
		w, n, ids := session(t, wire.SessionMigrateHost, 2, Config{})
		a, b := n[1], n[2]
		found := w.loses(a, b)
		w.must(a, Send{From: ids[1], To: ids[2], Guaranteed: true, Payload: []byte("lost")})
		found()
		if !answers {
			w.cut = func(from, to *node, out Outgoing) bool { return from == b && to == a }
		}
		w.step(a, Input{Kind: StreamEnded, From: b.stream(), Lost: true})
		a.events, b.events = nil, nil
		w.step(a, Input{Kind: Request, Command: Leave{}, Token: 77})
		assert.Empty(t, eventsOf[Done](a.events))
		w.settle()
		assert.Equal(t, answers, len(eventsOf[Done](a.events)) == 1)
		w.run(w.now + leaveGrace + time.Millisecond)
		assert.Len(t, eventsOf[Done](a.events), 1)
		assert.Len(t, eventsOf[SessionClosed](a.events), 1)
		if answers {
			assert.Equal(t, []Message{{From: ids[1], To: ids[2], Sent: ids[2], Guaranteed: true, Payload: []byte("lost")}}, eventsOf[Message](b.events))
			assert.Empty(t, eventsOf[PeerLost](b.events))
			assert.Len(t, b.Players(), 2)
		}
	}
}

// TestArrivedIsForgotten: a count frees the messages up to it. A program that sends nothing itself gets a count within a period.
func TestArrivedIsForgotten(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{})
	p := n[1].peerByID(n[2].self)
	say := func(text string) {
		w.must(n[1], Send{From: ids[1], To: ids[2], Guaranteed: true, Payload: []byte(text)})
	}
	say("once")
	before := n[2].peerByID(n[1].self).link.Count()
	found := w.loses(n[2], n[1]) // its counts
	w.run(w.now + 3*DefaultPeriod)
	found()
	say("again")
	assert.Equal(t, before+1, n[2].peerByID(n[1].self).link.Count())
	w.run(w.now + 2*DefaultPeriod)
	p.link.Broke(w.now)
	assert.EqualValues(t, before+1, p.link.Greet(w.now).Next-1, "all is known to have arrived, so that nothing waits for an answer")
}

// TestArrivedTooMuch: if more was lost than is kept, the program gets one report, and the peer gets HELLO and CREATEPLAYERVERIFY.
func TestArrivedTooMuch(t *testing.T) {
	w, n, ids := session(t, migrating, 2, Config{})
	found := w.loses(n[1], n[2])
	for i := range 40 {
		w.must(n[1], Send{From: ids[1], To: ids[2], Guaranteed: true, Payload: fmt.Append(make([]byte, 10<<10), i)})
	}
	id := ids[1]
	w.must(n[1], SetName{ID: id, ShortName: "other"})
	found()
	w.breaks(n[1], n[2], true)
	got := take[Message](n[2])
	assert.Greater(t, len(got), 20)
	assert.Less(t, len(got), 40)
	assert.Equal(t, []ConnectionRenewed{{System: n[2].self, Lost: true}}, eventsOf[ConnectionRenewed](n[1].events))
	w.breaks(n[1], n[2], true)
	assert.Equal(t, ConnectionRenewed{System: n[2].self}, eventsOf[ConnectionRenewed](n[1].events)[1])
	assert.Empty(t, take[Message](n[2]))
}

// TestArrivedAnew: messages for a peer do not go to the program that took its address, and the peer is lost.
func TestArrivedAnew(t *testing.T) {
	w, n, ids := session(t, migrating, 2, Config{Period: 2 * DefaultPeriod, Probes: 3})
	found := w.loses(n[1], n[2])
	w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: []byte("for the former one")})
	found()
	n[2].closed = true
	anew := w.add("anew", Config{Period: 2 * DefaultPeriod, Probes: 3})
	anew.addr = n[2].addr
	anew.cfg.Seed[0]++
	w.join(anew, n[0], "")
	w.must(anew, CreatePlayer{ShortName: "anew"})
	w.breaks(n[1], anew, true)
	w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: []byte("for all")})
	w.run(w.now + 4*DefaultPeriod)
	assert.Equal(t, []string{"for all"}, textsOf(anew))
	assert.Nil(t, n[1].peerByID(n[2].self))
}

// TestArrivedOlder: the HELLO of an older release lacks the bit ARRIVED. It gets no ARRIVED, and its messages have no number.
func TestArrivedOlder(t *testing.T) {
	w := newWorld(t)
	sent := map[bool]int{} // by whether it is an ARRIVED
	w.cut = func(from, to *node, out Outgoing) bool {
		if len(w.nodes) < 3 || from != w.nodes[2] && to != w.nodes[2] || len(out.Data) < wire.SPHeaderSize+12 {
			return false
		}
		b := out.Data[wire.SPHeaderSize:]
		if wire.HasSignature(b) && b[4] == 'D' && b[5] == '4' {
			if wire.ExtensionKind(b[10]) == wire.KindArrived {
				sent[true]++
				return true // who does not know it drops it
			}
			if from == w.nodes[2] && wire.ExtensionKind(b[10]) == wire.KindHello {
				b[16] &^= byte(wire.HelloArrived | wire.HelloCounted) // as the older release says it
			}
		}
		sent[false]++
		return false
	}
	h := w.add("host", Config{})
	w.must(h, Host{Application: gameGUID, Name: "Game", Flags: migrating})
	p, older := w.add("peer", Config{}), w.add("older", Config{})
	w.join(p, h, "")
	w.join(older, h, "")
	ids := []wire.PlayerID{w.must(h, CreatePlayer{}), w.must(p, CreatePlayer{}), w.must(older, CreatePlayer{})}
	w.must(p, Send{From: ids[1], To: ids[2], Guaranteed: true, Payload: []byte("to it")})
	w.must(older, Send{From: ids[2], To: ids[1], Guaranteed: true, Payload: []byte("from it")})
	assert.Equal(t, []string{"to it"}, textsOf(older))
	assert.Equal(t, []string{"from it"}, textsOf(p))
	w.run(w.now + 3*DefaultPeriod)
	assert.Positive(t, sent[false])
	for _, x := range []*node{h, p} {
		assert.False(t, x.peerByID(older.self).link.Counts())
		_, _, kept := x.Renews(older.stream())
		assert.False(t, kept)
	}
	_, _, kept := h.Renews(p.stream())
	assert.True(t, kept)
	older.events = nil
	w.breaks(p, older, true)
	assert.Equal(t, []ConnectionRenewed{{System: older.self}}, eventsOf[ConnectionRenewed](p.events), "it is asked by HELLO")
}

// Legacy machines see nothing of all that, and with Config.Legacy nobody does.
func TestArrivedLegacy(t *testing.T) {
	w, n, _ := mixed(t, 3, 2)
	var log []string
	w.tap(&log)
	w.run(w.now + 3*DefaultPeriod)
	for i := range n {
		assert.NotContains(t, log, fmt.Sprintf("%s>%s EXTENSION", n[i].name, n[2].name))
	}
}

// What a peer says that cannot be true is reported by an event, and both begin anew; beyond a few times a period it is ignored. Little is
// sent to it, nobody is lost, and other peers do not notice.
func TestArrivedHostile(t *testing.T) {
	for name, wrong := range map[string]func(*wire.ExtensionArrived){
		"beyond what was sent": func(b *wire.ExtensionArrived) { b.Count = 1 << 40 },
		"what came before":     func(b *wire.ExtensionArrived) { b.Next = 1 },
		"a gap":                func(b *wire.ExtensionArrived) { b.Next += 7 },
		"another incarnation":  func(b *wire.ExtensionArrived) { b.Mine.Incarnation[0]++ },
		"none":                 func(b *wire.ExtensionArrived) { b.Mine.Incarnation = wire.GUID{} },
		"the highest numbers":  func(b *wire.ExtensionArrived) { b.Next, b.Count = 1<<64-1, 1<<64-1 },
	} {
		t.Run(name, func(t *testing.T) {
			w, n, ids := session(t, migrating, 2, Config{})
			for range 3 {
				w.must(n[1], Send{From: ids[1], To: ids[2], Guaranteed: true, Payload: []byte("x")})
				w.must(n[2], Send{From: ids[2], To: ids[1], Guaranteed: true, Payload: []byte("y")})
			}
			sent := 0
			w.cut = func(from, to *node, out Outgoing) bool {
				if from == n[1] && to == n[2] {
					sent++
				}
				return from == n[1] && to == n[2]
			}
			n[1].events = nil
			for range 50 {
				note := n[2].peerByID(n[1].self).link.Note(w.now)
				if p := n[1].peerByID(n[2].self); p.link.Counts() {
					note.Yours, note.Next = arrived.End{Incarnation: n[1].arrivals.incarnation, Meeting: n[1].arrivals.met}, p.link.Count()+1
				}
				b := &wire.ExtensionArrived{Mine: onWire(note.Mine), Yours: onWire(note.Yours),
					Connection: note.Connection, Next: note.Next, Read: note.Read, Count: note.Count}
				wrong(b)
				w.extend(n[2], n[1], n[2].self, b, false)
			}
			assert.LessOrEqual(t, sent, 50+4*8, "one answer each, and a few reports")
			assert.LessOrEqual(t, len(eventsOf[ConnectionRenewed](n[1].events)), maxRenewals)
			assert.LessOrEqual(t, len(eventsOf[Dropped](n[1].events)), 50)
			nobodyLost(t, n)
			w.cut = nil
			n[1].events = nil
			w.breaks(n[0], n[1], true)
			w.must(n[0], Send{From: ids[0], To: ids[1], Guaranteed: true, Payload: []byte("later")})
			assert.Equal(t, []string{"later"}, textsOf(n[1]))
		})
	}
}

// theirs returns the program of a peer as the next Note to it names it.
func theirs(p *peer) arrived.End {
	link := p.link // a copy, because a Note changes it
	return link.Note(0).Yours
}

// What a member sends that never counts takes no more than is kept for one.
func TestArrivedFlood(t *testing.T) {
	w, n, ids := session(t, migrating, 2, Config{})
	w.cut = func(from, to *node, out Outgoing) bool { return from == n[2] }
	for range 64 {
		w.must(n[1], Send{From: ids[1], To: ids[2], Guaranteed: true, Payload: make([]byte, 64<<10)})
	}
	p := n[1].peerByID(n[2].self)
	p.link.Broke(w.now)
	again := 0
	for _, m := range p.link.Take(w.now, arrived.Note{Mine: theirs(p), Yours: theirs(n[2].peerByID(n[1].self)),
		Connection: 99, Read: p.link.Greet(w.now).Connection}, n[2].stream()).Again {
		again += len(m)
	}
	assert.LessOrEqual(t, again, arrived.Keep)
	assert.Greater(t, again, arrived.Keep/2)
}

// TestArrivedFirst: what a machine sends before it knows that the other one counts is not kept. If the connection breaks then, the loss is
// reported, and the list is right in the end. If nothing was sent, nothing is reported as lost.
func TestArrivedFirst(t *testing.T) {
	for _, says := range []bool{true, false} {
		w := newWorld(t)
		h := w.add("host", Config{})
		w.must(h, Host{Application: gameGUID, Name: "Game", Flags: migrating})
		hp := w.must(h, CreatePlayer{ShortName: "host"})
		p := w.add("peer", Config{})
		lossy := false
		w.cut = func(from, to *node, out Outgoing) bool { return lossy && from == h && to == p && out.Transport == TCP }
		letGo := w.hold(func(from, _ *node, out Outgoing) bool {
			b := out.Data[min(len(out.Data), wire.SPHeaderSize):]
			return from == p && out.Transport == TCP && len(b) >= 12 && wire.HasSignature(b) &&
				b[4] == 'D' && b[5] == '4' && wire.ExtensionKind(b[10]) == wire.KindArrived
		})
		w.join(p, h, "")
		pp := w.must(p, CreatePlayer{ShortName: "peer"})
		assert.False(t, h.peerByID(p.self).link.Counts())
		lossy = true
		if says {
			w.must(h, Send{From: hp, To: pp, Guaranteed: true, Payload: []byte("early")})
			w.must(h, SetName{ID: hp, ShortName: "renamed"})
		}
		letGo()
		assert.True(t, h.peerByID(p.self).link.Counts())
		lossy = false
		w.step(h, Input{Kind: StreamEnded, From: p.stream()})
		if h.anew == nil {
			h.anew = map[*node]uint16{}
		}
		h.anew[p]++
		w.settle()
		w.run(w.now + 4*DefaultPeriod)
		assert.Equal(t, []ConnectionRenewed{{System: p.self, Lost: says}}, eventsOf[ConnectionRenewed](h.events))
		e, _ := p.list.Look(hp)
		short, _ := Names(&e)
		assert.Equal(t, says, short == "renamed")
	}
}
