package dpsp

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// withDeaf opens a session whose next host by the rule of DirectPlay 4 is a machine that knows nothing of migration, as
// with Wine 10: it answers pings, takes its first host for alive, and so acknowledges nothing that another one says
// (compat/wine, TestOurHostGone).
func withDeaf(t *testing.T) (w *world, n, deaf []*node) {
	w, n, _ = session(t, migrating, 2, Config{Period: time.Second, Probes: 3})
	for len(deaf) < 8 {
		d := w.add("deaf", Config{Legacy: true, Period: 24 * time.Hour})
		w.join(d, n[0], "")
		deaf = append(deaf, d)
		if byID(append(slices.Clone(n[1:]), deaf...))[0] == d {
			return w, n, deaf
		}
	}
	t.Fatal("no id is lower than ours")
	return nil, nil, nil
}

// A candidate that answers pings, but is no machine of ours and does not become host, is passed over.
func TestDeafCandidate(t *testing.T) {
	w, n, deaf := withDeaf(t)
	n[0].closed = true
	w.cut = func(from, to *node, out Outgoing) bool { // what it says on streams goes to the host that it had
		return slices.Contains(deaf, from) && out.Transport == TCP
	}
	for _, p := range n[1:] {
		p.events = nil
		w.step(p, Input{Kind: StreamClosed, From: n[0].stream()})
	}
	w.settle()
	start := w.now
	w.run(start + 5*time.Second - 1)
	want := byID(n[1:])[0]
	for _, p := range n[1:] {
		require.True(t, p.migration.running, "it is waited for as long as one that is silent")
	}
	w.run(start + 5*time.Second*time.Duration(len(deaf)) + time.Second)
	for _, p := range n[1:] {
		assert.Equal(t, want.self, p.host, p.name)
		changed := eventsOf[HostChanged](p.events)
		require.Len(t, changed, 1)
		assert.Equal(t, want.self, changed[0].New)
		assert.Len(t, eventsOf[PeerLost](p.events), 1, "those that were passed over stay")
		for _, d := range deaf {
			assert.NotNil(t, p.peerByID(d.self))
		}
	}

	// They acknowledge no newcomer to the new host. The first one has to wait for them, and is not pinged meanwhile.
	want.events = nil
	first := w.add("first", Config{Period: time.Second, Probes: 3})
	assert.InDelta(t, want.cfg.laterAck(), w.slowJoin(first, want), float64(100*time.Millisecond), "the machine of ours acknowledges at once")
	second := w.add("second", Config{Period: time.Second, Probes: 3})
	assert.Zero(t, w.slowJoin(second, want), "nobody waits for them again")
	for _, p := range []*node{want, first, second} {
		assert.Empty(t, eventsOf[PeerLost](p.events))
		for _, q := range []*node{want, first, second} {
			player, _ := p.list.Kind(q.self)
			assert.True(t, player, "%s knows %s", p.name, q.name)
		}
	}
}

// slowJoin joins a session, and gives how long it took.
func (w *world) slowJoin(p, h *node) time.Duration {
	w.t.Helper()
	w.must(p, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
	f := take[SessionFound](p)
	require.NotEmpty(w.t, f)
	f = slices.DeleteFunc(f, func(f SessionFound) bool { return f.Host.Addr() != h.addr })
	require.Len(w.t, f, 1)
	start := w.now
	w.step(p, Input{Kind: Request, Token: 5, Command: Join{Host: f[0].Host, Desc: f[0].Desc, Name: f[0].Name}})
	w.settle()
	for w.now < start+time.Minute {
		if d := eventsOf[Done](p.events); len(d) > 0 && d[len(d)-1].Token == 5 {
			require.NoError(w.t, d[len(d)-1].Err)
			return w.now - start
		}
		w.run(w.now + 100*time.Millisecond)
	}
	w.t.Fatalf("%s cannot join", p.name)
	return 0
}
