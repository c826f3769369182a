package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/internal/frame"
	"dplay4/dpsp/reliable"
	"dplay4/wire"
	frames "dplay4/wire/reliable"
)

// payloads returns what a machine was told the game said.
func payloads(n *node) (all []string) {
	for _, m := range eventsOf[Message](n.events) {
		all = append(all, string(m.Payload))
	}
	return all
}

// An index that is used again at once begins a link of its own: what is on its way to the player who had it before neither gets lost
// with the machine nor comes to the next one.
func TestIndexUsedAgain(t *testing.T) {
	w, n, ids := session(t, framed, 1, Config{})
	x := ids[0]
	for range 60 {
		w.must(n[1], Send{From: ids[1], To: x, Guaranteed: true, Payload: []byte("x")})
	}
	n[0].admission.IDs.Rotate = false // as another host would
	slow := true
	letGo := w.hold(func(from, _ *node, out Outgoing) bool { return slow && from == n[1] && out.Transport == UDP })
	w.step(n[1], Input{Kind: Request, Command: Send{From: ids[1], To: x, Guaranteed: true, Payload: []byte("late")}, Token: 1})
	slow = false
	w.must(n[0], DeletePlayer{ID: x})
	y := w.must(n[0], CreatePlayer{ShortName: "y"})
	require.Equal(t, x.Index(n[0].list.Desc().Reserved1), y.Index(n[0].list.Desc().Reserved1))
	letGo()
	n[0].events = nil
	for _, text := range []string{"1", "2", "3"} {
		w.must(n[1], Send{From: ids[1], To: y, Guaranteed: true, Payload: []byte(text)})
	}
	w.run(w.now + time.Minute)
	assert.Equal(t, []string{"1", "2", "3"}, payloads(n[0]))
	assert.Empty(t, eventsOf[PeerLost](append(n[0].events, n[1].events...)))
}

// In sessions with frames an index is used again as late as possible.
func TestIndexesRotate(t *testing.T) {
	w, n, ids := session(t, framed, 0, Config{})
	w.must(n[0], DeletePlayer{ID: ids[0]})
	again := w.must(n[0], CreatePlayer{})
	assert.NotEqual(t, ids[0].Index(n[0].list.Desc().Reserved1), again.Index(n[0].list.Desc().Reserved1))
}

// Two of our own that both began anew agree, whenever their greetings come.
func TestGreetingsAgree(t *testing.T) {
	for _, pause := range []time.Duration{0, time.Second, 6 * time.Second} {
		w, n, ids := session(t, framed|wire.SessionMigrateHost, 1, Config{})
		a, b := n[0], n[1]
		w.must(a, Send{From: ids[0], To: ids[1], Guaranteed: true, Payload: []byte("before")})
		w.cut = func(from, _ *node, out Outgoing) bool { return from == b && out.Transport == TCP } // its greeting comes late
		b.restart(b.peerByID(a.self))
		w.step(b, Input{})
		w.run(w.now + pause)
		w.cut = nil
		b.sayHello(b.peerByID(a.self), true)
		b.restart(b.peerByID(a.self))
		a.restart(a.peerByID(b.self))
		w.step(a, Input{})
		w.step(b, Input{})
		w.settle() // it fails if they greet each other for ever
		w.run(w.now + 10*time.Second)
		a.events, b.events = nil, nil
		w.must(a, Send{From: ids[0], To: ids[1], Guaranteed: true, Payload: []byte("to b")})
		w.must(b, Send{From: ids[1], To: ids[0], Guaranteed: true, Payload: []byte("to a")})
		w.run(w.now + 10*time.Second)
		assert.Equal(t, []string{"to b"}, payloads(b), "%v", pause)
		assert.Equal(t, []string{"to a"}, payloads(a), "%v", pause)
	}
}

// A machine that was lost repeats what was not acknowledged until it hears of that, and then begins anew: who knows no greetings
// takes what it says from then on, and nothing of before.
func TestFramesOfWhoIsBack(t *testing.T) {
	w := newWorld(t)
	h, b, c := w.add("host", Config{Period: 2 * time.Second}), w.add("back", Config{}), w.add("legacy", Config{Legacy: true})
	w.must(h, Host{Application: gameGUID, Flags: framed | wire.SessionMigrateHost})
	w.join(b, h, "")
	w.join(c, h, "")
	from, to := w.must(b, CreatePlayer{ShortName: "b"}), w.must(c, CreatePlayer{ShortName: "c"})
	w.must(c, Send{From: to, To: from, Guaranteed: true, Payload: []byte("c speaks in frames")})
	w.run(w.now + time.Second)

	w.cut = func(_, at *node, _ Outgoing) bool { return at == b }
	w.must(b, Send{From: from, To: to, Guaranteed: true, Payload: []byte("before")})
	w.step(h, Input{Kind: StreamClosed, From: b.stream()})
	w.settle()
	require.Len(t, eventsOf[PeerLost](h.events), 1)
	w.run(w.now + frame.Linger + 2*time.Second)
	require.NotZero(t, c.framing.links.Early())
	w.whole(5 * time.Second)
	require.Len(t, eventsOf[SessionHealed](b.events), 1)
	require.Equal(t, []string{"before"}, payloads(c))
	w.must(b, Send{From: from, To: to, Guaranteed: true, Payload: []byte("after")})
	w.run(w.now + 5*time.Second)
	assert.Equal(t, []string{"before", "after"}, payloads(c))
	assert.Empty(t, eventsOf[PeerLost](b.events))
}

// Frames of nobody wait for their senders, as many as there may be, and no step has more to do for that.
func TestEarlyFramesCostNothing(t *testing.T) {
	w, n, ids := session(t, framed, 0, Config{})
	h := n[0]
	step := func() float64 {
		return testing.AllocsPerRun(10, func() {
			w.now += time.Millisecond
			h.Step(w.now, Input{})
		})
	}
	before := step()
	for from := range uint16(2 * frame.MaxEarly) {
		f := frames.Frame{From: 1000 + from, To: h.frames().Index(ids[0]), Flags: frames.CMD | frames.STA | frames.EOM, MessageID: 1, Sequence: 1, Data: []byte("x")}
		b, err := f.Append(nil)
		require.NoError(t, err)
		at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 9, byte(from % 16)}), 2350)
		w.step(h, Input{Kind: Datagram, From: at, Data: b})
	}
	require.Equal(t, frame.MaxEarly, h.framing.links.Early())
	assert.Equal(t, before, step())
	w.run(w.now + frame.EarlyLife + time.Second)
	assert.Zero(t, h.framing.links.Early())
}

// What begins with 'play' comes once to each member of a group, with ids.
func TestPlayToGroup(t *testing.T) {
	w, n, ids := session(t, framed, 1, Config{})
	second := w.must(n[1], CreatePlayer{ShortName: "second"})
	g := w.must(n[0], CreateGroup{ShortName: "g"})
	for _, id := range []wire.PlayerID{ids[1], second} {
		w.must(n[1], AddToGroup{Player: id, Group: g})
	}
	n[1].events = nil
	w.must(n[0], Send{From: ids[0], To: g, Guaranteed: true, Payload: []byte("play with me")})
	assert.Equal(t, []string{"play with me", "play with me"}, payloads(n[1]))
}

// A player is gone for the others as soon as what it said has arrived, not after a while, and each Leave is answered.
func TestLastWords(t *testing.T) {
	for _, legacy := range []bool{false, true} {
		w, n, ids := session(t, framed, 1, Config{Legacy: legacy})
		w.run(w.now + 3*time.Second)
		n[0].events = nil
		lost := false
		letGo := w.hold(func(from, _ *node, out Outgoing) bool {
			first := from == n[1] && out.Transport == UDP && !lost
			lost = lost || first
			return first
		})
		at := w.now
		w.must(n[1], Send{From: ids[1], To: ids[0], Guaranteed: true, Payload: []byte("last words")})
		w.must(n[1], DeletePlayer{ID: ids[1]})
		assert.Empty(t, eventsOf[PlayerDeleted](n[0].events), "it waits for what was said before")
		letGo()
		w.run(w.now + 500*time.Millisecond)
		assert.Equal(t, []string{"last words"}, payloads(n[0]))
		assert.Len(t, eventsOf[PlayerDeleted](n[0].events), 1, "legacy %v, after %v", legacy, w.now-at)

		id := w.must(n[1], CreatePlayer{ShortName: "again"})
		w.cut = func(from, _ *node, out Outgoing) bool { return out.Transport == UDP }
		w.must(n[1], Send{From: id, To: ids[0], Guaranteed: true, Payload: []byte("unheard")})
		n[1].events = nil
		w.step(n[1], Input{Kind: Request, Command: Leave{}, Token: 5})
		w.step(n[1], Input{Kind: Request, Command: Host{Application: gameGUID, Flags: framed}, Token: 6})
		w.step(n[1], Input{Kind: Request, Command: Leave{}, Token: 7})
		w.run(w.now + 3*time.Second)
		tokens := map[uint64]int{}
		for _, d := range eventsOf[Done](n[1].events) {
			tokens[d.Token]++
		}
		assert.Equal(t, map[uint64]int{5: 1, 6: 1, 7: 1}, tokens, "legacy %v", legacy)
	}
}

// What a link wants sent or told goes before what the engine sends or tells after it.
func TestLinksKeepOrder(t *testing.T) {
	_, n, ids := session(t, framed, 1, Config{})
	e := n[0]
	p := e.peerByID(n[1].self)
	fr := e.frames()
	l := fr.Between(&p.frameLinks, ids[0], ids[1])
	for range reliable.MaxQueue {
		fr.Queue(l, wire.CmdPlayerMessage, reliable.Message{Data: []byte("x"), Reliable: true})
	}
	e.out.Sends, e.out.Events = nil, nil
	fr.Queue(l, wire.CmdPlayerMessage, reliable.Message{Data: []byte("too many"), Reliable: true})
	e.event(SessionClosed{})
	require.Len(t, e.out.Events, 2)
	assert.Equal(t, LimitReached, e.out.Events[0].(Dropped).Reason)
	ran, _ := fr.Next()
	require.Same(t, l, ran)
	e.putRaw(Outgoing{Transport: TCP, To: p.stream, Data: []byte("after")})
	require.Greater(t, len(e.out.Sends), 1)
	assert.Equal(t, UDP, e.out.Sends[0].Transport)
	assert.Equal(t, "after", string(e.out.Sends[len(e.out.Sends)-1].Data))
}

// A machine of which the leader tells that it has a player gets frames, before its own announcement comes.
func TestFramedByTheLog(t *testing.T) {
	w, n, _ := session(t, migrating|wire.SessionDirectPlayProtocol, 1, Config{})
	p := w.add("late", Config{})
	letGo := w.hold(func(from, to *node, out Outgoing) bool { return from == p && to == n[1] })
	w.join(p, n[0], "")
	player := w.must(p, CreatePlayer{})
	there, _ := n[1].list.Kind(player)
	require.True(t, there, "the leader told of it")
	assert.True(t, n[1].peerByID(p.self).frameLinks.Framed)
	letGo()
	agree(t, append(n, p), 3)
}
