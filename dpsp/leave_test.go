package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// goingBack returns a session whose first member asks the host to take it back, and does not get the answer.
func goingBack(t *testing.T) (w *world, host, x *node) {
	w, n, _ := session(t, migrating, 2, Config{})
	host, x = n[0], n[1]
	w.cut = func(from, to *node, _ Outgoing) bool { return from == host && to == x }
	w.extend(host, x, host.self, &wire.ExtensionRejoinAt{Host: host.self, Stream: sockAddr(host.stream())}, false)
	require.True(t, x.join.goesBack())
	return w, host, x
}

// Who leaves on the way back is not in the host's list, though the host took it back, and keeps no connection to it.
func TestLeaveOnTheWayBack(t *testing.T) {
	w, host, x := goingBack(t)
	self := x.self
	require.NotNil(t, host.peerByID(self))
	require.NoError(t, w.do(x, Leave{}).Err)
	assert.Equal(t, idle, x.state)
	assert.Contains(t, x.out.Close, host.stream())
	assert.Nil(t, host.peerByID(self))
}

// A host asks for us more than once, for we say more than one thing to it: it is enough to come once.
func TestAskedBackTwice(t *testing.T) {
	w, n, _ := session(t, migrating, 2, Config{})
	host, x := n[0], n[1]
	letGo := w.late(host, x)
	x.events = nil
	for range 3 {
		w.extend(host, x, host.self, &wire.ExtensionRejoinAt{Host: host.self, Stream: sockAddr(host.stream())}, false)
	}
	require.True(t, x.join.goesBack())
	letGo()
	agree(t, n, 3)
	assert.Len(t, eventsOf[SessionHealed](x.events), 1)
}

// Who is not taken back keeps no connection to the host.
func TestNotTakenBack(t *testing.T) {
	w, host, x := goingBack(t)
	now := w.now
	for i := 0; x.state != idle; i++ {
		require.Less(t, i, 100)
		now = x.Step(now, Input{}).Wake
	}
	assert.Len(t, eventsOf[SessionLost](x.out.Events), 1)
	assert.Contains(t, x.out.Close, host.stream())
}

// What a host said before we came back can be late: another connection brought it, one for each thing that we had said. We stay, with
// what we have received; those who know no greetings say it again if they lost our acknowledgement. A host that did lose us says
// so again.
func TestAskedBackBefore(t *testing.T) {
	for _, lost := range []bool{false, true} {
		w := newWorld(t)
		h, x, c := w.add("host", Config{}), w.add("back", Config{}), w.add("legacy", Config{Legacy: true})
		w.must(h, Host{Application: gameGUID, Flags: framed | wire.SessionMigrateHost})
		w.join(x, h, "")
		w.join(c, h, "")
		ofX, ofC := w.must(x, CreatePlayer{ShortName: "x"}), w.must(c, CreatePlayer{ShortName: "c"})
		w.must(c, Send{From: ofC, To: ofX, Guaranteed: true, Payload: []byte("before")})
		w.run(w.now + time.Second)
		w.step(h, Input{Kind: StreamClosed, From: x.stream()})
		w.settle()
		require.Len(t, eventsOf[PeerLost](h.events), 1)

		hello := wire.ExtensionHello{Abilities: wire.HelloTable}
		letGo := w.hold(func(_, to *node, out Outgoing) bool { return to == x && isRejoinAt(h, out) })
		w.extend(x, h, x.self, &hello, false)
		w.cut = nil // what is held is not let go yet
		w.extend(x, h, x.self, &hello, false)
		require.Len(t, eventsOf[SessionHealed](x.events), 1)

		w.cut = func(from, to *node, out Outgoing) bool { return from == x && to == c && out.Transport == UDP }
		w.must(c, Send{From: ofC, To: ofX, Guaranteed: true, Payload: []byte("after")})
		w.cut = nil
		if lost {
			w.step(h, Input{Kind: StreamClosed, From: x.stream()})
			w.settle()
		}
		letGo()
		w.run(w.now + 20*time.Second)
		agree(t, []*node{h, x, c}, 2)
		if lost {
			assert.Len(t, eventsOf[SessionHealed](x.events), 2)
			continue
		}
		assert.Equal(t, []string{"before", "after"}, payloads(x))
		assert.Len(t, eventsOf[SessionHealed](x.events), 1)
		assert.Len(t, eventsOf[PeerLost](h.events), 1)
	}
}

// isRejoinAt reports whether a machine sends REJOINAT.
func isRejoinAt(by *node, out Outgoing) bool {
	env, err := by.dec.DecodeStream(out.Data)
	x, is := env.Message.(*wire.Extension)
	return out.Transport == TCP && err == nil && is && x.Kind == wire.KindRejoinAt
}
