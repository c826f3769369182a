package dpsp

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// A program begins anew at its address and joins again, and one member is not told. The host dies, and the
// next view says so: that member has one machine there, not two, and what it sends comes once (seed 103114).
func TestAnewUnnoticed(t *testing.T) {
	w, n, _ := session(t, migrating, 3, Config{})
	for i := 0; w.must(n[0], CreatePlayer{}) < n[1].self; i++ { // or the new program is to be host by the lowest id
		require.Less(t, i, 64)
	}
	old := n[3].self
	n[3].closed = true
	anew := w.add("anew", Config{})
	anew.addr = n[3].addr
	w.cut = func(from, to *node, _ Outgoing) bool { return from == n[0] && to == n[2] }
	w.step(anew, Input{Kind: Request, Command: Enumerate{Application: gameGUID, Flags: wire.EnumAll}, Token: 1})
	w.settle()
	found := take[SessionFound](anew)
	require.Len(t, found, 1)
	w.step(anew, Input{Kind: Request, Command: Join{Host: found[0].Host, Desc: found[0].Desc, Name: found[0].Name}, Token: 2})
	w.settle()
	w.run(w.now + 16*time.Second) // the host waits so long for the one that does not acknowledge
	require.Equal(t, member, anew.state)
	require.NotNil(t, n[2].peerByID(old))
	require.Nil(t, n[2].peerByID(anew.self), "it was not told")
	w.cut = nil
	w.kill(n[0])
	require.True(t, n[1].hosting())
	assert.Nil(t, n[2].peerByID(old))
	require.NotNil(t, n[2].peerByID(anew.self))
	player := w.must(anew, CreatePlayer{})
	anew.events = nil
	w.must(n[2], Send{From: playerOf(t, n[2]), Guaranteed: true, Payload: []byte("once")})
	assert.Len(t, eventsOf[Message](anew.events), 1)
	assert.Equal(t, player, eventsOf[Message](anew.events)[0].To)
}

// A program begins anew at its address, in a session of its own. Who still has it in the old one has greeted it before, and
// does not do so again: it hears of that when it tells it anything (seeds 4168941223 and 904906337).
func TestAnewElsewhere(t *testing.T) {
	for _, flags := range []wire.SessionFlags{0, migrating} {
		for name, tell := range map[string]func(*world, []*node){
			"an object of the host": func(w *world, n []*node) { w.must(n[0], CreateObject{State: []byte("x")}) },
			"a player":              func(w *world, n []*node) { w.must(n[1], CreatePlayer{}) },
			"an object of the member": func(w *world, n []*node) {
				w.must(n[1], CreateObject{State: []byte("x")})
				w.must(n[0], CreatePlayer{})
			},
		} {
			t.Run(flags.String()+" "+name, func(t *testing.T) {
				w, n, _ := session(t, flags, 2, Config{})
				old := n[2].self
				n[2].closed = true
				anew := w.add("anew", Config{})
				anew.addr = n[2].addr
				w.must(anew, Host{Application: gameGUID, Name: "another", Flags: flags})
				require.NotNil(t, n[0].peerByID(old))
				tell(w, n)
				assert.Nil(t, n[0].peerByID(old))
				assert.Nil(t, n[1].peerByID(old))
				assert.True(t, anew.hosting())
				assert.NotNil(t, n[0].peerByID(n[1].self))
			})
		}
	}
}

// The same of the host: a session that does not outlive it is over, and nothing is said against the message that told so.
func TestHostAnewElsewhere(t *testing.T) {
	w, n, _ := session(t, 0, 2, Config{})
	n[0].closed = true
	anew := w.add("anew", Config{})
	anew.addr = n[0].addr
	w.must(anew, Host{Application: gameGUID, Name: "another"})
	n[1].events = nil
	w.must(n[1], CreateObject{State: []byte("x")})
	assert.Len(t, eventsOf[SessionLost](n[1].events), 1)
	assert.Empty(t, eventsOf[Dropped](n[1].events))
	assert.True(t, anew.hosting())
}

// playerOf returns a player of a machine's own.
func playerOf(t *testing.T, n *node) wire.PlayerID {
	t.Helper()
	for _, p := range n.Players() {
		if p.Local {
			return p.ID
		}
	}
	t.Fatalf("%s has no player", n.name)
	return 0
}

// A new host that names another listener than others say is known there from then on. And a legacy one below dialect 10
// does not say that it is host, so its newcomers are taken.
func TestHostElsewhere(t *testing.T) {
	w, n, _ := session(t, migrating, 3, Config{Compatible: true})
	w.cut = func(from, to *node, _ Outgoing) bool { return from == n[3] }
	w.kill(n[0])
	sp := n[3].cfg.header()
	sp.SockAddr.Port = 2345
	for i, p := range []*node{n[1], n[2]} {
		w.raw(n[3], p, sp, &wire.IAmNameServer{To: p.self, Host: n[3].self}, false)
		require.Equal(t, n[3].self, p.host)
		id := wire.PlayerID(0x7700 + i)
		w.raw(n[3], p, sp, &wire.AddForward{Player: id, Info: wire.PackedPlayer{ID: id, System: id, Flags: wire.PlayerSystem}}, false)
		assert.NotNil(t, p.peerByID(id))
	}
	w, n, _ = mixed(t, 3, 2)
	n[1].cfg.Compatible = true
	w.say(n[2], n[1], &wire.AddForward{Player: 0x7700, Info: wire.PackedPlayer{ID: 0x7700, System: 0x7700, Flags: wire.PlayerSystem}})
	assert.NotNil(t, n[1].peerByID(0x7700))
}

// In a session that migrates only the host tells of newcomers and changes the description, even where we are not
// strict: what the host of another part wrote while the network was cut comes later (seed 103356). Windows takes both
// from anybody.
func TestStaleHost(t *testing.T) {
	for _, c := range []struct {
		cfg   Config
		flags wire.SessionFlags
		takes bool
	}{
		{Config{Compatible: true}, migrating, false}, {Config{}, migrating, false},
		{Config{Legacy: true, Compatible: true}, migrating, true}, {Config{Compatible: true}, 0, true}, {Config{}, 0, false},
	} {
		w, n, _ := session(t, c.flags, 2, c.cfg)
		info := wire.PackedPlayer{ID: 0x7700, System: 0x7700, Flags: wire.PlayerSystem, Version: uint32(wire.DX9)}
		n[1].events = nil
		w.say(n[2], n[1], &wire.AddForward{Player: 0x7700, Info: info})
		_, there := n[1].list.System(0x7700)
		assert.Equal(t, c.takes, there, "%+v", c)
		w.say(n[2], n[1], &wire.SessionDescChanged{Desc: wire.SessionDesc{Flags: c.flags, MaxPlayers: 7}})
		assert.Equal(t, c.takes, n[1].list.Desc().MaxPlayers == 7, "%+v", c)
		want := []Reason{NotAllowed, NotAllowed}
		if c.takes {
			want = nil
		}
		assert.Equal(t, want, dropped(n[1]), "%+v", c)
	}
}
