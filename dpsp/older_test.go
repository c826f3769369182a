package dpsp

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/hostmigrate"
	"dplay4/wire"
)

// A legacy engine with the mark of releases before views stands for one of these: to modern machines they are alike. TestOlder of
// cmd/dplay has a real one.

// marksOlder gives a machine's own service provider data, where they are in octets that it sends, the mark of an older release.
func marksOlder(n *node, octets []byte) {
	d := wire.SPData{Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: n.cfg.Datagram.Port()}}
	plain := d.Append(nil)[wire.SockAddrSize:]
	d.MarkOlder()
	copy(octets, bytes.ReplaceAll(octets, plain, d.Append(nil)[wire.SockAddrSize:]))
}

// newOlder makes a session of modern machines, of which those at some places have an older release, each with a player. Nothing of the
// extension may go between the two releases.
func newOlder(t *testing.T, machines int, flags wire.SessionFlags, older ...int) (*world, []*node) {
	t.Helper()
	w := newWorld(t)
	w.cut = func(from, to *node, out Outgoing) bool {
		if from.cfg.Legacy {
			marksOlder(from, out.Data)
		}
		if to != nil && from.cfg.Legacy != to.cfg.Legacy && bytes.Contains(out.Data, []byte("play\x44\x34")) {
			t.Errorf("the extension, from %s to %s", from.name, to.name)
		}
		return false
	}
	var n []*node
	for i := range machines {
		n = append(n, addOlder(w, n, flags, slices.Contains(older, i)))
	}
	return w, n
}

// addOlder adds a machine to such a session, of whose members the first one is host; if there are none, it opens the session.
func addOlder(w *world, n []*node, flags wire.SessionFlags, older bool) *node {
	p := w.add(string(rune('a'+len(w.nodes))), Config{Legacy: older, Period: time.Second, Probes: 3})
	if len(n) == 0 {
		w.must(p, Host{Application: gameGUID, Name: "Game", Flags: flags})
	} else {
		w.join(p, n[0], "")
	}
	w.must(p, CreatePlayer{ShortName: Text(p.name)})
	w.run(w.now + time.Second)
	return p
}

// An older release hosts, is a member from the start, or comes later. The two releases are in one session as legacy machines to each
// other: nobody waits for a HELLO, neither asks the other what only its own release knows, and DirectPlay 4's rule makes the next host.
func TestOlderReleases(t *testing.T) {
	for _, older := range [][]int{{1}, {3}, {0}, {0, 2}, {1, 2}, {0, 1, 2}, {1, 2, 3, 4}, {0, 1, 2, 3}} {
		for _, flags := range []wire.SessionFlags{migrating, migrating | wire.SessionDirectPlayProtocol} {
			w, n := newOlder(t, 5, flags, older...)
			g := w.must(n[2], CreateGroup{ShortName: "group"})
			w.must(n[4], AddToGroup{Player: playerOf(t, n[4]), Group: g})
			w.run(w.now + 5*time.Second)
			agree(t, n, 5)
			for len(n) > 2 { // both releases follow as often as there are any
				releases := map[bool]int{}
				for _, p := range n {
					releases[p.cfg.Legacy]++
				}
				for _, p := range n {
					if !p.cfg.Legacy {
						assert.Len(t, p.views.core.Members(), releases[false], "%v: %s", older, p.name)
					}
				}
				k := slices.IndexFunc(n, (*node).hosting)
				gone, killed := n[k], w.now
				n = slices.Delete(n, k, k+1)
				gone.closed = true
				for _, p := range n {
					p.events = nil
				}
				for _, p := range n {
					w.breaks(p, gone, false)
				}
				for !slices.ContainsFunc(n, (*node).hosting) && w.now < killed+time.Minute {
					w.run(w.now + 100*time.Millisecond)
				}
				assert.Less(t, w.now-killed, 2*time.Second, "%v: until there is a host", older)
				w.run(w.now + 10*time.Second)
				agree(t, n, len(n))
				for _, p := range n { // an older one waits for the lowest id, and takes the leader of the others for host
					all := eventsOf[MigrationStarted](p.events)
					if !p.cfg.Legacy && len(all) > 0 {
						assert.Equal(t, p.host, all[len(all)-1].Candidate, "%v: %s was told of the host that came", older, p.name)
						assert.Equal(t, 1, len(slices.CompactFunc(all, func(a, b MigrationStarted) bool { return a == b })), "%v: %s", older, p.name)
					}
				}
			}
			h := slices.IndexFunc(n, (*node).hosting)
			n[0], n[h] = n[h], n[0]
			n = append(n, addOlder(w, n, flags, true))
			n = append(n, addOlder(w, n, flags, false))
			agree(t, n, 4)
		}
	}
}

// A newcomer asks the leader for its view at once, because an older host gives none. If it did so a period later, and the host died before,
// it would lose the host, get it back from the leader's list, and lose it again.
func TestOlderHostDiesSoon(t *testing.T) {
	for _, older := range [][]int{{0}, {0, 2, 4}} {
		w := newWorld(t)
		w.cut = func(from, _ *node, out Outgoing) bool {
			if from.cfg.Legacy {
				marksOlder(from, out.Data)
			}
			return false
		}
		var n []*node
		for i := range 6 {
			p := w.add(string(rune('a'+i)), Config{Legacy: slices.Contains(older, i)})
			if i == 0 {
				w.must(p, Host{Application: gameGUID, Name: "Game", Flags: migrating})
			} else {
				w.join(p, n[0], "")
			}
			w.must(p, CreatePlayer{ShortName: Text(p.name)})
			w.run(w.now + 100*time.Millisecond)
			n = append(n, p)
		}
		modern := slices.DeleteFunc(slices.Clone(n), func(p *node) bool { return p.cfg.Legacy })
		for _, p := range modern {
			assert.Len(t, p.views.core.Members(), len(modern), p.name)
		}
		n[0].closed = true
		for _, p := range n[1:] {
			w.breaks(p, n[0], false)
		}
		w.run(w.now + time.Minute)
		agree(t, n[1:], len(n)-1)
		for _, p := range modern {
			changed := eventsOf[HostChanged](p.events)
			if assert.Len(t, changed, 1, p.name) {
				assert.Equal(t, [2]wire.PlayerID{n[0].self, p.host}, [2]wire.PlayerID{changed[0].Old, changed[0].New})
			}
			assert.Len(t, eventsOf[HostLost](p.events), 1, p.name)
		}
	}
}

// The list of players can hide the mark of an older release as well: then the first player that it makes shows it.
func TestOlderMarkThatTheHostHides(t *testing.T) {
	w := newWorld(t)
	h := w.add("host", Config{Legacy: true})
	w.must(h, Host{Application: gameGUID, Name: "Game", Flags: migrating})
	w.cut = func(from, _ *node, o Outgoing) bool {
		switch from.name {
		case "host":
			copy(o.Data, bytes.ReplaceAll(o.Data, []byte("dplay4"), make([]byte, 6)))
		case "older":
			marksOlder(from, o.Data)
		}
		return false
	}
	a, b := w.add("older", Config{Legacy: true}), w.add("newer", Config{})
	w.join(a, h, "")
	w.join(b, h, "")
	require.False(t, b.peerByID(a.self).older)
	w.must(a, CreatePlayer{})
	assert.True(t, b.peerByID(a.self).older)
	assert.False(t, b.peerByID(a.self).marked)
	assert.False(t, b.peerByID(h.self).older)
}

// A connection to an older release that breaks is made once more: the end of a connection is the goodbye of legacy machines, and not of
// that release. The older one is asked with PING. It takes who called again within the grace for still there.
func TestOlderBreak(t *testing.T) {
	for _, c := range []struct{ older, from int }{{1, 2}, {1, 0}, {0, 1}} {
		w, n := newOlder(t, 3, migrating, c.older)
		sent := w.breaks(n[c.from], n[c.older], true)
		require.NotEmpty(t, sent)
		assert.Equal(t, TCP, sent[0].Transport, "the connection is made anew: %v", c)
		w.run(w.now + 2*hostmigrate.DefaultTimeout)
		nobodyLost(t, n)
		assert.Equal(t, []ConnectionRenewed{{System: n[c.older].self}}, eventsOf[ConnectionRenewed](n[c.from].events), c)
		agree(t, n, 3)
		w.must(n[c.from], Send{From: playerOf(t, n[c.from]), To: wire.IDAll, Guaranteed: true, Payload: []byte("after")})
		assert.Len(t, eventsOf[Message](n[c.older].events), 1, c)

		n[c.older].closed = true // and one that is refused is an answer
		w.breaks(n[c.from], n[c.older], false)
		w.run(w.now + 2*hostmigrate.DefaultTimeout)
		assert.Nil(t, n[c.from].peerByID(n[c.older].self), c)
	}
}
