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
