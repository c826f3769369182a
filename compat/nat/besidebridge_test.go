//go:build linux

package nat_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/compat/nat"
)

// tells runs "dplay" in a machine, and checks what it says and its exit status. It never takes a bridge for a firewall.
func (f *field) tells(ctx context.Context, t *testing.T, m *nat.Machine, args string, status int, words ...string) {
	t.Helper()
	out, got := run(ctx, t, m, strings.Fields(args)...)
	assert.Equal(t, status, got, "%s: %s", args, out)
	for _, w := range words {
		assert.Contains(t, out, w, args)
	}
	assert.NotContains(t, out, "open UDP and TCP 47624", args)
}

// TestBesideBridge: who looks for a session beside a bridge, or in it, is told how it is with that session.
func TestBesideBridge(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, _ := f.machine(ctx, t, nat.PortRestricted, "bob")
	cid, _ := f.machine(ctx, t, nat.FullCone, "cid")
	with := start(ctx, t, ann, "bridge", "share", "--relay", f.relay.Addr().String(), "--events", "ndjson").named(ctx, t, "bridge_opened").Code
	start(ctx, t, bob, "bridge", "join", with, "--events", "ndjson").named(ctx, t, "bridge_opened")

	const nobody, otherGame = "nobody in the session hosts a game yet", `the session is "Lords of the Realm II", not "Age of Empires"`
	f.tells(ctx, t, bob, "sessions 127.0.0.1", 1, "127.0.0.1 is the bridge on this machine, dplay (process ", nobody)
	f.tells(ctx, t, bob, "sessions --timeout 5s", 0, "neither on the network nor in the session of the bridge on this machine")
	f.tells(ctx, t, bob, "join --timeout 5s", 1, "neither on the network nor in the session of the bridge on this machine")
	f.tells(ctx, t, bob, "doctor --live --timeout 5s 127.0.0.1", 3, "is the bridge of this machine, dplay (process ", "Have somebody in the session host")
	f.tells(ctx, t, cid, "join "+with+" --timeout 5s", 1, "dplay: "+nobody)
	f.tells(ctx, t, bob, "bridge doctor", 0, "ports: the bridge has its ports, and those that it leaves for the game are free")

	start(ctx, t, ann, "host", "--app", "lotr2", "--name", "Castle", "--events", "ndjson").named(ctx, t, "session_opened")
	f.tells(ctx, t, bob, "join 127.0.0.1 --app aoe --timeout 5s", 1, otherGame)
	f.tells(ctx, t, cid, "join "+with+" --app aoe --timeout 5s", 1, otherGame)
	f.tells(ctx, t, bob, "doctor --live 127.0.0.1", 0, `the session "Castle" is hosted behind it`)
	f.tells(ctx, t, bob, "host --app aoe --name Town", 1, "That is the bridge, and the game of another machine in its session hosts")
	f.tells(ctx, t, ann, "bridge doctor", 0, "that is the place which the bridge leaves for the game")
}

// TestBesideOthers: programs that have what a bridge leaves for the game are found, by the doctor and by who needs it.
func TestBesideOthers(t *testing.T) {
	t.Parallel()
	ctx, f := newField(t)
	ann, _ := f.machine(ctx, t, nat.PortRestricted, "ann")
	bob, _ := f.machine(ctx, t, nat.PortRestricted, "bob")
	with := start(ctx, t, ann, "bridge", "share", "--relay", f.relay.Addr().String(), "--events", "ndjson").named(ctx, t, "bridge_opened").Code
	start(ctx, t, bob, "bridge", "join", with, "--events", "ndjson").named(ctx, t, "bridge_opened")
	// Relays are programs that have ports; that of TCP is what ann's bridge leaves for her game.
	relay := []string{"bridge", "relay", "--public", "127.0.0.1", "--listen", "0.0.0.0", "--tls-port", "0", "--events", "ndjson", "--port"}
	start(ctx, t, ann, append(relay, "2300")...).named(ctx, t, "relay_opened")
	start(ctx, t, bob, append(relay, "47624")...).named(ctx, t, "relay_opened")
	f.tells(ctx, t, ann, "bridge doctor", 3, "TCP 2300 is held by dplay (process ", "! the bridge leaves ports for one program, the game, but some of them are held by dplay (process ")
	f.tells(ctx, t, ann, "sessions", 1, " is the bridge: it leaves ports to one program at a time, to play or to search, and dplay (process ")
	f.tells(ctx, t, bob, "bridge doctor", 3, "UDP 47624 is held by dplay (process ", " has port 47624, and no ports of a game")
}
