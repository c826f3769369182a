package dpsp

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// lobbied makes a session of a host and a member, which n more machines join within one round trip: the member is slow to
// acknowledge them. It gives them all, the host first, the member next.
func lobbied(t *testing.T, n int, cfg Config) (*world, []*node) {
	t.Helper()
	w, all, _ := session(t, migrating, 1, cfg)
	letGo := w.late(all[1], all[0])
	host := all[0]
	for i := range n {
		p := w.add(fmt.Sprintf("newcomer%d", i+1), cfg)
		w.must(p, Enumerate{Application: gameGUID, Flags: wire.EnumAll})
		f := take[SessionFound](p)[0]
		w.step(p, Input{Kind: Request, Token: 1, Command: Join{Host: f.Host, Desc: f.Desc, Name: f.Name}})
		w.settle()
		assert.Empty(t, eventsOf[SessionOpened](p.events), "the member did not acknowledge it")
		all = append(all, p)
	}
	assert.Len(t, host.admission.Newcomers, n, "all are being let in at the same time")
	letGo()
	for _, p := range all[2:] {
		assert.Len(t, eventsOf[SessionOpened](p.events), 1, p.name)
	}
	return w, all
}

// The machine that joined first is the first in the log, which is the same everywhere. Machines that were let in at
// the same time do not have each other in one order in the lists that they were sent. The member and the host go, in
// either order; those who are left agree at once, whichever of them has the lower id.
func TestLobbyHostDies(t *testing.T) {
	for seed := range 8 {
		for _, hostFirst := range []bool{false, true} {
			cfg := Config{Period: 2 * time.Second, Probes: 3}
			cfg.Seed[1] = byte(seed)
			w, n := lobbied(t, 2+seed%3, cfg)
			left, first := n[2:], n[2].self
			for _, p := range left {
				assert.Equal(t, first, p.views.core.List().AppendSystems(nil)[2], "%s: the log says who joined first", p.name)
				p.events = nil
			}
			if hostFirst {
				w.kill(n[0])
				assert.Equal(t, n[1].self, left[0].host)
				w.kill(n[1])
			} else {
				w.kill(n[1])
				w.kill(n[0])
			}
			agree(t, left, 0)
			assert.Equal(t, first, left[0].host, "the one that joined first")
			for _, p := range left {
				assert.Empty(t, eventsOf[Dropped](p.events), p.name)
				assert.Empty(t, eventsOf[SessionSplit](p.events), p.name)
				assert.LessOrEqual(t, len(eventsOf[PeerLost](p.events)), 2, "nobody throws out who is there")
			}
			w.run(w.now + time.Minute)
			agree(t, left, 0)
		}
	}
}

// A newcomer whose host dies before it sent INSTALL has no view. It does not know who joined first, and
// follows who does; and newcomers that all have none agree as well.
func TestLobbyWithoutViews(t *testing.T) {
	for seed := range 8 {
		for _, alone := range []bool{false, true} { // without the member, who has a replica
			cfg := Config{Period: 2 * time.Second, Probes: 3}
			cfg.Seed[1] = byte(seed)
			w, n, _ := session(t, migrating, 1, cfg)
			host, left := n[0], n[1:]
			tables := 0
			w.cut = func(from, to *node, out Outgoing) bool { // what the host says after the list does not come
				var d wire.Decoder
				env, err := d.DecodeStream(out.Data)
				x, ok := env.Message.(*wire.Extension)
				if from == host && err == nil && ok && x.Kind == wire.KindView && to != n[1] {
					tables++
					return true
				}
				return false
			}
			for i := range 2 {
				p := w.add(fmt.Sprintf("newcomer%d", i+1), cfg)
				w.join(p, host, "")
				left = append(left, p)
				assert.True(t, p.views.newcomer())
			}
			assert.NotZero(t, tables)
			players := 1
			if alone {
				w.kill(n[1])
				left, players = left[1:], 0
			}
			w.kill(host)
			w.run(w.now + 20*time.Second)
			agree(t, left, players)
			if !alone {
				assert.Equal(t, n[1].self, left[0].host, "it alone has a view")
			}
			for _, p := range left {
				assert.Empty(t, eventsOf[SessionSplit](p.events), p.name)
				assert.False(t, p.views.newcomer(), p.name)
			}
			w.run(w.now + time.Minute)
			agree(t, left, players)
		}
	}
}

// A newcomer's hello may come after the host is gone. Until then it counts as a legacy machine, which is next if its id
// is the lowest one: nobody waits for it longer than that.
func TestLobbyLateHello(t *testing.T) {
	lowest := 0
	for seed := range 16 {
		cfg := Config{Period: 2 * time.Second, Probes: 3}
		cfg.Seed[1] = byte(seed)
		w, n, _ := session(t, migrating, 2, cfg)
		q := w.add("newcomer", cfg)
		letGo := w.hold(func(from, to *node, _ Outgoing) bool { return from == q && (to == n[1] || to == n[2]) })
		w.join(q, n[0], "")
		if q.self < n[1].self && q.self < n[2].self {
			lowest++
		}
		left := []*node{n[1], n[2], q}
		w.kill(n[0])
		letGo()
		agree(t, left, 2)
		for _, p := range left {
			assert.Empty(t, eventsOf[SessionSplit](p.events), p.name)
		}
		w.run(w.now + time.Minute)
		agree(t, left, 2)
	}
	assert.NotZero(t, lowest, "in some session the newcomer's id was the lowest one")
}
