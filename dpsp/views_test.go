package dpsp

import (
	"testing"
	"time"

	"dplay4/wire"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// viewed is a session with views whose members are all in the first one.
func viewed(t *testing.T, n int) (*world, []*node, []wire.PlayerID) {
	t.Helper()
	w, all, ids := session(t, migrating, n, Config{Views: true, Period: time.Second, Probes: 3})
	w.run(w.now + 5*time.Second)
	for _, p := range all {
		require.Len(t, p.views.core.Members(), n+1, p.name)
	}
	return w, all, ids
}

// Two members whose connections stand still for longer than they greet each other have the same objects afterwards.
func TestViewsObjectsWithoutHello(t *testing.T) {
	w, n, _ := viewed(t, 1)
	c := w.add("newcomer", Config{Views: true, Period: time.Second, Probes: 3})
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
	again := w.add("again", Config{Views: true, Period: time.Second, Probes: 3})
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
