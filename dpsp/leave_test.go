package dpsp

import (
	"testing"

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
