package main

import (
	"flag"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/directplay"
	"dplay4/dpsp/directplay/local"
	sockets "dplay4/dpsp/sock/network"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestLobbiedGame is a game that "dplay launch" starts, at the address that its argument is: it reads its settings and goes into
// the session. Nobody else starts it.
func TestLobbiedGame(t *testing.T) {
	if os.Getenv(directplay.EnvironmentSettings) == "" || flag.NArg() == 0 {
		return
	}
	lobby := directplay.NewLobby(local.Machine())
	if flag.Arg(0) == "aside" {
		return
	}
	b := directplay.Buffer{Size: 4096}
	require.Equal(t, wire.OK, lobby.GetConnectionSettings(0, &b, directplay.Face{}))
	bind := netip.MustParseAddr(flag.Arg(0))
	o, result := lobby.Connect(0, func() *directplay.Object {
		return directplay.New(directplay.Options{Config: directplay.Config{Bind: bind, Legacy: true}})
	})
	if o != nil {
		defer o.Release()
	}
	if result != wire.OK {
		return
	}
	var d directplay.Buffer
	d.Size = 4096
	assert.Equal(t, wire.OK, o.GetSessionDesc(&d, directplay.Face{}))
}

// lobbied returns the command line that starts TestLobbiedGame.
func lobbied(t *testing.T, at string) []string {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	return []string{"--", program, "-test.run=^TestLobbiedGame$", at}
}

// TestLaunch starts a game that hosts, and one that joins a session that is there.
func TestLaunch(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	got := once(t, append([]string{"launch", "--app", "lotr2", "--host", "--name", "Castle"}, lobbied(t, at.address)...)...)
	assert.Zero(t, got.status, "%s%s", got.out, got.err)
	assert.Regexp(t, `(?s)^started .* to host "Castle"\nthe game has read what it was given\nthe game is in the session\n.*the game has ended\n$`, got.out)

	h := start(t, append([]string{"host", "--app", "lotr2", "--name", "Castle"}, "--bind", at.address))
	h.expectWith("* you are")
	got = once(t, append([]string{"launch", "--app", "lotr2", "--join", at.address, "--bind", at.beside(), "--timeout", anHour,
		"--events", "ndjson"},
		lobbied(t, at.beside())...)...)
	assert.Zero(t, got.status, "%s%s", got.out, got.err)
	assert.Regexp(t, `(?s)"event":"launched".*"hosting":false,"address":"`+at.address+`","session":"\{.*"name":"Castle".*"event":"settings_read".*`+
		`"event":"connected".*"event":"terminated"`, got.out)

	testkit.Until(t, func() bool { // a busy host may answer too late
		got = once(t, append([]string{"launch", "--app", "lotr2", "--join", at.address, "--session", "Tower", "--bind", at.beside(),
			"--timeout", "300ms"}, lobbied(t, at.beside())...)...)
		assert.Equal(t, exitInput, got.status)
		return strings.Contains(got.err, `there is no session "Tower", but "Castle"`)
	}, "a search that says which session there is")
}

// TestLaunchHeldPort names the program that has the port of hosts, as "dplay host" does, where a game cannot host.
func TestLaunchHeldPort(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	// A host opens UDP first. With TCP alone held, the UDP port that it gives back stays open in a child that is being started.
	holder, err := sockets.System{}.ListenDatagrams(netip.AddrPortFrom(netip.MustParseAddr(at.address), wire.EnumPort))
	require.NoError(t, err)
	defer holder.Close()
	got := once(t, at.host()...)
	why := strings.TrimPrefix(strings.TrimSuffix(got.err, "\n"), "dplay: ")
	require.Contains(t, why, "UDP port 47624 is taken by ")
	require.Contains(t, why, fmt.Sprintf("process %d)", os.Getpid()))

	args := []string{"launch", "--app", "lotr2", "--host", "--bind", at.address}
	got = once(t, append(args, lobbied(t, at.address)...)...)
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.out, "\nthe game could not get into the session: "+why+"\n")
	assert.Contains(t, got.err, "the game ended without having been in the session: "+why+"\n")
	got = once(t, append(append(args, "--events", "ndjson"), lobbied(t, at.address)...)...)
	assert.Contains(t, got.out, `"event":"connect_failed","reason":"`+why+`"}`)

	holder.Close() // the port is free, as soon as no child is being started, and the game is refused for another reason
	testkit.Until(t, func() bool {
		got = once(t, append([]string{"launch", "--app", "lotr2", "--host", "--bind", at.address, "--flags", "migratehost,clientserver"},
			lobbied(t, at.address)...)...)
		return strings.Contains(got.out, "\nthe game could not get into the session; the log of its dplayx.dll says why (dplay help dll)\n")
	}, "a game that is refused for another reason")
}

// TestLaunchAside starts a program that is no game of a lobby, and says so when it has ended.
func TestLaunchAside(t *testing.T) {
	t.Parallel()
	got := once(t, append([]string{"launch", "--app", "lotr2", "--host"}, lobbied(t, "aside")...)...)
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "the game ended without having asked what to join")
}

// TestLaunchRefuses names what is wrong with the command line, before anything is started.
func TestLaunchRefuses(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"no --app given":                        {"--host", "--", "sh"},
		"either --host or --join":               {"--app", "lotr2", "--", "sh"},
		"is the game to host":                   {"--app", "lotr2", "--host", "--join", "192.0.2.7", "--", "sh"},
		"--session is for --join":               {"--app", "lotr2", "--host", "--session", "x", "--", "sh"},
		"--name and --max are for --host":       {"--app", "lotr2", "--join", "192.0.2.7", "--name", "x", "--", "sh"},
		"which program?":                        {"--app", "lotr2", "--host"},
		"there is no such program":              {"--app", "lotr2", "--host", "--", "no-such-program"},
		"--timeout 0s: must be more than":       {"--app", "lotr2", "--join", "192.0.2.7", "--timeout", "0", "--", "sh"},
		"secure sessions are not supported":     {"--app", "lotr2", "--host", "--flags", "secureserver", "--", "sh"},
		"unknown flag: --nmae: did you mean \"": {"--app", "lotr2", "--nmae", "x", "--host", "--", "sh"},
	} {
		got := once(t, append([]string{"launch"}, args...)...)
		assert.Equal(t, exitUsage, got.status, want)
		assert.Contains(t, got.err, want)
	}
}
