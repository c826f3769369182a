package main

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/trainhost"
)

// TestOtherPorts hosts, finds, joins and examines at one number for TCP and UDP, and with ranges.
func TestOtherPorts(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--tcp", "31415", "--udp", "31415", "--player", "Ann")
	beside := []string{"--bind", at.beside(), "--tcp", "31415"}
	search := []string{"sessions", at.address, "--bind", newPlace(t).address, "--tcp", "31415"} // see newPlace
	assert.Equal(t, at.address+":31415", finds(t, search...)["addr"])

	j := start(t, append([]string{"join", at.address, "--app", at.app, "--udp", "31415", "--player", "Bob", "--say", "hello"},
		beside...))
	assert.Contains(t, j.expectWith(`* joined "Test"`), "; TCP "+at.beside()+":31415, UDP "+at.beside()+":31415")
	h.event("chat", "text", "hello")

	next := start(t, at.join("--tcp", "31415-31416", "--udp", "31400-31499", "--player", "Eve", "--unreliable"))
	assert.Contains(t, next.expectWith(`* joined "Test"`), "; TCP "+at.address+":31416, UDP "+at.address+":31400")
	h.event("player_created", "name", "Eve")
	j.expectWith("* Eve ")
	next.say("me, too")
	h.event("chat", "text", "me, too")
	j.expect("Eve: me, too")

	got := once(t, at.live("--tcp", "31416", "--udp", "31416", at.address)...)
	assert.Equal(t, exitOK, got.status, "%s%s", got.out, got.err)
	got = once(t, at.live("--tcp", "31415", at.address)...)
	assert.Equal(t, exitFindings, got.status)
	assert.Regexp(t, `no tcp port is free for a game on this machine[^\[]*\[ports-taken\]\n   bind tcp 31415: `, got.out)
	assert.NotContains(t, got.out, "bind tcp 2300")
}

// TestGamePorts has a game's own ports without a word of the user, and says who has them.
func TestGamePorts(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	at.app = "loco"
	h := start(t, at.host("--player", "Ann"))
	assert.Contains(t, h.expectWith(`* hosting "Test"`), " of Lego Loco")
	loco := finds(t, "sessions", at.address, "--app", "loco", "--bind", at.beside())
	assert.Equal(t, at.address+":31415", loco["addr"])
	for _, c := range []struct{ args, want string }{{"", "TCP port 31415 is taken by "}, {"31416", "UDP port 31415 is taken by "}} {
		args := at.join()
		if c.args != "" {
			args = at.join("--tcp", c.args)
		}
		got := once(t, args...)
		assert.Equal(t, exitInput, got.status)
		require.Contains(t, got.err, "dplay: "+c.want)
	}
	// Who is not asked for by name of the game listens elsewhere, and plays all the same.
	j := start(t, []string{"join", at.address, "--bind", at.beside(), "--player", "Bob", "--say", "hello"})
	assert.Contains(t, j.expectWith(`* joined "Test"`), "; TCP "+at.beside()+":2300, UDP "+at.beside()+":2350")
	h.expect("Bob: hello")
}

// A host that answers to its own port number, and reads SockAddr of nobody, is found by who names the game.
func TestTrainHost(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h, err := trainhost.Open(netip.MustParseAddr(at.address), trainhost.Options{})
	require.NoError(t, err)
	defer h.Close()
	assert.Equal(t, at.address+":31415", finds(t, "sessions", at.address, "--app", "loco", "--bind", at.beside())["addr"])
	asker := newPlace(t).address // who hung up once is not answered again
	got := once(t, "doctor", "--live", "--bind", asker, "--app", "loco", "--timeout", anHour, at.address)
	assert.Contains(t, got.out, "healthy: nothing was found that stands in the way of a game")
}

// Of who does not answer it is found out why: package probe does that. Here nobody hosts.
func TestSilentHost(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	for want, args := range map[string][]string{
		"--app " + at.app + " " + at.address: at.join("--timeout", "20ms"),
		"--app loco " + at.address:           {"join", at.address, "--app", "loco", "--bind", at.beside(), "--timeout", "20ms"},
		at.address:                           at.sessions("--timeout", "20ms", "--tcp", "5000-5010"),
	} {
		assert.Regexp(t, "^dplay: "+at.address+" does not answer: .*;? \"dplay doctor --live "+want+"\" says more\n$", once(t, args...).err)
	}
}
