package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/wire"
)

// startHost runs a host that prints events and waits until it is there.
func startHost(t *testing.T, at place, more ...string) *program {
	t.Helper()
	h := start(t, at.host(append([]string{"--events", "ndjson"}, more...)...))
	h.opened = h.event("session_opened", "hosting", true)
	return h
}

// startJoin runs a joiner that prints events and waits until it is there.
func startJoin(t *testing.T, at place, more ...string) *program {
	t.Helper()
	j := start(t, at.join(append([]string{"--events", "ndjson"}, more...)...))
	j.opened = j.event("session_opened", "hosting", false)
	return j
}

// TestChat lets two people talk, and the one who joined leave.
func TestChat(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := start(t, at.host("--player", "Ann", "--flags", "migratehost,keepalive"))
	h.expectWith(`* hosting "Test"`)
	h.expectWith("* you are Ann (")
	j := start(t, at.join("--player", "Bob\x1b[2J", "--say", "hello"))
	j.expectWith("* Ann is here (")
	assert.Contains(t, j.expectWith(`* joined "Test"`), " of "+at.app+", migratehost,keepalive; TCP "+at.address+":2301, UDP "+at.address+":2351")
	j.expectWith("* you are Bob")
	h.expectWith("* Bob\uFFFD[2J is here (") // what could command a terminal does not
	h.expect("Bob\uFFFD[2J: hello")
	h.say("hi there\r")
	j.expect("Ann: hi there")
	j.say("")
	j.say("bye\a")
	h.expect("Bob\uFFFD[2J: bye\uFFFD")
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())
	j.expect("* you left the session")
	h.expectWith("* Bob\uFFFD[2J is gone (")
	h.in.Close()
	assert.Equal(t, exitOK, h.interrupt(), h.stderr())
	assert.NotContains(t, h.output(), ": \n", "an empty line is not sent")
}

// TestEcho sends messages with and without guarantee, and gets them back in the same way.
func TestEcho(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--echo", "--player", "Mirror")
	mirror := h.event("player_created", "name", "Mirror", "local", true)["id"]
	for _, args := range [][]string{{"--send-hex", "DE ad 00", "--send-hex", ""}, {"--unreliable", "--commands", "ndjson"}} {
		j := startJoin(t, at, args...)
		guest := j.event("player_created", "local", true)["id"]
		guaranteed := args[0] != "--unreliable"
		if !guaranteed { // the host drops datagrams of a player that it does not have yet
			h.event("player_created", "id", guest)
			j.say(`{"command":"send","payload":"dead00"}`)
			j.say(`{"command":"send","payload":""}`)
		}
		for _, payload := range []string{"dead00", ""} {
			want := []any{"payload", payload, "guaranteed", guaranteed, "size", float64(len(payload) / 2)}
			h.event("message", append(want, "from", guest, "to", mirror, "sent", "0x00000000", "from_name", "guest")...)
			j.event("message", append(want, "from", mirror, "to", guest, "sent", guest, "from_name", "Mirror")...)
		}
		assert.Equal(t, exitOK, j.interrupt(), j.stderr())
		h.event("player_deleted", "id", guest, "name", "guest")
	}
}

// TestGroup has two joiners meet in a group that the first one makes.
func TestGroup(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at)
	a := startJoin(t, at, "--player", "A", "--group", "Team")
	group := h.event("group_created", "name", "Team", "local", false)["id"]
	h.event("member_added", "group", group)
	b := startJoin(t, at, "--player", "B", "--group", "Team", "--say", "team only", "--send-hex", "01")
	a.event("member_added", "group", group)
	a.event("chat", "from_name", "B", "sent", group, "text", "team only")
	a.event("message", "from_name", "B", "sent", group, "payload", "01", "guaranteed", true)
	assert.Equal(t, exitOK, b.interrupt(), b.stderr())
	assert.Equal(t, exitOK, a.interrupt(), a.stderr())
	h.event("group_deleted", "id", group)
	for _, line := range h.output() {
		assert.NotContains(t, line, "team only", "the host is not in the group")
	}
}

// TestRefused checks what people are told who cannot join, or cannot host.
func TestRefused(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--password", "sesame", "--max", "2", "--flags", "private,keepalive")
	for _, c := range []struct {
		name string
		args []string
		err  string
	}{
		{"private", at.join("--timeout", "50ms"), at.address + " does not answer"},
		{"private, wrong password", at.join("--timeout", "50ms", "--password", "x"), at.address + " does not answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := once(t, c.args...)
			assert.Equal(t, exitInput, got.status)
			assert.Contains(t, got.err, "dplay: ")
			assert.Contains(t, got.err, c.err)
		})
	}
	j := startJoin(t, at, "--password", "sesame", "--session", "test") // names are compared without case
	h.event("player_created", "name", "guest")
	got := once(t, at.join("--password", "sesame")...)
	assert.Equal(t, exitInput, got.status)
	assert.Equal(t, "dplay: the session is full or takes nobody in: the host answers DPERR_NONEWPLAYERS (0x8877014a)\n", got.err)
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())
}

// TestPassword checks wrong passwords and none against a session that everybody sees.
func TestPassword(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	startHost(t, at, "--password", "sesame")
	for password, want := range map[string]string{"": "the session wants a password, --password", "Sesame": "wrong password"} {
		got := once(t, at.join("--password", password)...)
		assert.Equal(t, exitInput, got.status)
		assert.Equal(t, "dplay: "+want+": the host answers DPERR_INVALIDPASSWORD (0x88770154)\n", got.err)
	}
	j := startJoin(t, at, "--password", "sesame")
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())
}

// TestPortTaken checks that the error names the program that has the port, where the system tells.
func TestPortTaken(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	other, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(at.address), Port: wire.EnumPort})
	require.NoError(t, err)
	defer other.Close()
	got := once(t, at.host()...)
	assert.Equal(t, exitInput, got.status)
	assert.Empty(t, got.out)
	require.Contains(t, got.err, "dplay: UDP port 47624 is taken by ")
	if runtime.GOOS == "linux" {
		name, err := os.ReadFile("/proc/self/comm")
		require.NoError(t, err)
		assert.Contains(t, got.err, strings.TrimSpace(string(name))+" (process "+strconv.Itoa(os.Getpid())+")")
	}
}

// TestFor lets the clock end sessions.
func TestFor(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := start(t, at.host("--for", "1ms", "--player", "", "--events", "ndjson"))
	h.event("session_closed")
	h.endWell()
	assert.Empty(t, h.stderr())
	at = newPlace(t) // see newPlace
	startHost(t, at)
	j := start(t, at.join("--for", "1ms"))
	j.endWell()
	j.expect("* you left the session")
}

// TestHostLeaves checks that a joiner ends when the host does.
func TestHostLeaves(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at)
	j := startJoin(t, at)
	h.event("player_created", "local", false)
	assert.Equal(t, exitOK, h.interrupt(), h.stderr())
	h.event("session_closed")
	j.event("session_lost")
	assert.Equal(t, exitInput, j.end())
	assert.Contains(t, j.stderr(), "dplay: the session is lost: ")
}

// TestHostFlags checks what flags of a session mean for our own player.
func TestHostFlags(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--flags", "ClientServer", "--flags", "keepalive")
	h.event("player_created", "id", "0x00000001")
	assert.Equal(t, exitOK, h.interrupt(), h.stderr())
	at = newPlace(t) // see newPlace
	h = startHost(t, at, "--flags", "newplayersdisabled")
	h.say("who hears me?")
	assert.Equal(t, exitOK, h.interrupt())
	for flag, value := range map[string]string{"--player": "Ann", "--long-name": "Ann B", "--echo": ""} {
		got := once(t, at.host("--flags", "newplayersdisabled", strings.TrimSuffix(flag+"="+value, "="))...)
		assert.Equal(t, exitUsage, got.status)
		assert.Contains(t, got.err, "dplay: "+flag+" does not go with --flags newplayersdisabled: such a session takes no players")
		assert.Empty(t, got.out, "it was not opened")
	}
	got := once(t, at.host("--flags", "migratehost,clientserver")...)
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "MIGRATEHOST excludes CLIENTSERVER")
}

// TestAddresses: a host says where others can join it, and a joiner where its host is.
func TestAddresses(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at)
	assert.Equal(t, []any{at.address}, h.opened["addresses"])
	j := startJoin(t, at)
	assert.Equal(t, []any{at.address}, j.opened["addresses"])
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())
	assert.Equal(t, exitOK, h.interrupt(), h.stderr())
	at = newPlace(t) // see newPlace
	h = startHost(t, at, "--advertise", "192.0.2.77")
	assert.Equal(t, []any{"192.0.2.77"}, h.opened["addresses"])
	at, home := newPlace(t), newPlace(t)
	startHost(t, at, "--advertise", home.address)
	j = start(t, at.join())
	assert.Equal(t, exitInput, j.end())
	assert.Contains(t, j.stderr(), "dplay: "+at.address+`: the session "Test" tells joiners to connect to `+home.address)
	assert.Contains(t, j.stderr(), at.address+`" says more`)
}

// TestCompatible checks that neither host nor joiner believes members about others unless told to, and that the flag
// which was once needed for that is still taken.
func TestCompatible(t *testing.T) {
	var stderr strings.Builder
	std := cli.Streams{Err: &stderr}
	for _, cmd := range []*cobra.Command{newHost(std), newJoin(std), newReplay(std)} {
		assert.Equal(t, "false", cmd.Flags().Lookup("compatible").DefValue, cmd.Name())
	}
	for _, cmd := range []*cobra.Command{newJoin(std), newReplay(std)} {
		cmd.SetErr(&stderr)
		cmd.Flags().SetOutput(&stderr)
		require.NoError(t, cmd.ParseFlags([]string{"--strict"}), cmd.Name())
		assert.NoError(t, cmd.ValidateFlagGroups())
		require.NoError(t, cmd.ParseFlags([]string{"--compatible"}), cmd.Name())
		assert.ErrorContains(t, cmd.ValidateFlagGroups(), "strict", cmd.Name())
	}
	assert.Equal(t, 2, strings.Count(stderr.String(), "--strict has been deprecated, it is the default"), stderr.String())
}

// TestNoPlayer types without being anybody.
func TestNoPlayer(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--player", "")
	h.say("who hears me?")
	h.say("")
	h.say("") // taken in once the first line was
	assert.Equal(t, exitOK, h.interrupt())
	assert.Equal(t, "dplay: not said: you are no player: --player NAME\n", h.stderr())
}

// TestOutputGone checks that a session is left, without noise, when nobody reads its events any more; and with an
// error when they cannot be written.
func TestOutputGone(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at)
	for err, want := range map[error]int{syscall.EPIPE: exitOK, errors.New("disk full"): exitInput} {
		var errs strings.Builder
		status := run(context.Background(), at.join("--events", "ndjson"), strings.NewReader(""), &brokenWriter{err: err}, &errs)
		assert.Equal(t, want, status, errs.String())
		if want == exitInput {
			assert.Equal(t, "dplay: writing the output: disk full\n", errs.String())
		}
	}
	assert.Equal(t, exitOK, h.interrupt())
}

// A heard message is one of a recording.
type heard struct {
	transport captures.Transport
	command   string
	raw       string
	between   string // its two sockets
}

// readRecording reads a recording as "dplay decode" does. Nothing in it may be odd.
func readRecording(t *testing.T, name string) (all []heard) {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	sum, err := captures.Read(context.Background(), f, captures.Options{Name: name}, func(r *captures.Record) error {
		assert.Empty(t, r.Findings, r.Command())
		all = append(all, heard{r.Transport, r.Command(), string(r.Raw), r.Src.String() + " " + r.Dst.String()})
		return nil
	}, func(f *captures.Finding) { t.Errorf("%+v", *f) })
	require.NoError(t, err)
	assert.Equal(t, sum.TCP.Octets, sum.TCP.Decoded)
	assert.Equal(t, sum.UDP.Octets, sum.UDP.Decoded)
	return all
}

// TestRecord records the same session on both sides: what one sent the other one received, octet for octet.
func TestRecord(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	folder := t.TempDir()
	hostFile, joinFile := filepath.Join(folder, "host.pcapng"), filepath.Join(folder, "join.pcapng")
	h := startHost(t, at, "--record", hostFile, "--echo")
	j := startJoin(t, at, "--record", joinFile, "--unreliable", "--commands", "ndjson")
	h.event("player_created", "name", "guest") // before that the host drops the player's datagrams
	j.say(`{"command":"say","text":"recorded"}`)
	j.say(`{"command":"send","payload":"cafe"}`)
	j.event("message", "payload", "cafe")
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())
	h.event("player_deleted", "name", "guest")
	assert.Equal(t, exitOK, h.interrupt(), h.stderr())

	host, join := readRecording(t, hostFile), readRecording(t, joinFile)
	var commands []string
	for _, m := range join {
		commands = append(commands, m.command)
		if m.command == "DELETEPLAYER" {
			continue // we had left when it arrived, perhaps
		}
		// Only the port that a connection comes from differs: one side does not know it, and shows its listener's.
		same := func(o heard) bool { return o.transport == m.transport && o.command == m.command && o.raw == m.raw }
		assert.True(t, slices.ContainsFunc(host, same), m.command)
	}
	for _, want := range []string{"ENUMSESSIONS", "ENUMSESSIONSREPLY", "REQUESTPLAYERID", "REQUESTPLAYERREPLY", "ADDFORWARDREQUEST",
		"SUPERENUMPLAYERSREPLY", "CREATEPLAYER", "CHAT", "PLAYERMESSAGE", "DELETEPLAYER"} {
		assert.Contains(t, commands, want)
	}
	messages := slices.DeleteFunc(slices.Clone(join), func(m heard) bool { return m.command != "PLAYERMESSAGE" })
	require.Len(t, messages, 2, "one there, one back")
	for _, m := range messages {
		assert.Equal(t, captures.UDP, m.transport)
		assert.Equal(t, "\xca\xfe", m.raw[8:])
	}
}

// TestRecordFails checks that a file that cannot be written is told at once.
func TestRecordFails(t *testing.T) {
	got := once(t, newPlace(t).host("--record", filepath.Join(t.TempDir(), "no", "file"))...)
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "dplay: --record: open ")
}

// TestRecordKeeps checks that a recording does not replace a file that has something in it, unless it is told to.
func TestRecordKeeps(t *testing.T) {
	t.Parallel()
	at, name := newPlace(t), filepath.Join(t.TempDir(), "x.pcapng")
	require.NoError(t, os.WriteFile(name, []byte("the only copy"), 0o600))
	got := once(t, at.host("--record", name)...)
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "x.pcapng: file already exists and is not empty: name another one, or --force to replace it")
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "the only copy", string(b))
	got = once(t, at.host("--record", name, "--force", "--for", "1ms", "--events", "text")...)
	assert.Equal(t, exitOK, got.status, got.err)
	assert.True(t, strings.HasPrefix(got.out, "* recording to "+name+", with names, chat and passwords in it\n"), got.out)
	readRecording(t, name)
	got = once(t, at.host("--force", "--for", "1ms")...)
	assert.Equal(t, exitUsage, got.status, got.err)
}

// TestRecordSearch holds that a search in vain is recorded, but not in the place of a recording of a session.
func TestRecordSearch(t *testing.T) {
	t.Parallel()
	at, folder := newPlace(t), t.TempDir()
	old, other := filepath.Join(folder, "old.pcapng"), filepath.Join(folder, "new.pcapng")
	require.NoError(t, os.WriteFile(old, []byte("the only copy"), 0o600))
	for _, name := range []string{old, other} {
		got := once(t, at.join("--timeout", "300ms", "--record", name, "--force")...)
		assert.NotEqual(t, exitOK, got.status, got.out)
	}
	b, err := os.ReadFile(old)
	require.NoError(t, err)
	assert.Equal(t, "the only copy", string(b))
	assert.NotEmpty(t, readRecording(t, other))
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, files, 2)
}

// TestPlayUsage holds the ways to get the command lines wrong against their messages.
func TestPlayUsage(t *testing.T) {
	app := wire.GUID{1}.String()
	for _, c := range []struct {
		args string
		err  string
	}{
		{"host --name x", "no --app given"},
		{"host --app " + app, "no --name given"},
		{"host --name x --app 42", `--app 42: no game is known by this name; "dplay games" lists them. Any other is taken by its GUID`},
		{"host --name x --app crusader", "did you mean shc for Stronghold Crusader, shce for Stronghold Crusader Extreme?"},
		{"join --app lotr", `did you mean "lotr2"?`},
		{"host --name x --app " + app + " --flags magic", `"magic" is no session flag; they are none, newplayersdisabled, migratehost,`},
		{"host --name x --app " + app + " --flags keepalive,", `"" is no session flag`},
		{"host --name x --app " + app + " --for -1s", "--for -1s: must not be negative"},
		{"host --name x --app " + app + " --bind ::1", "must be an IPv4 address"},
		{"host --name x --app " + app + " --echo --player ", "--echo answers as a player"},
		{"host --name x --app " + app + " --echo --flags nomessageid", "--echo does not go with nomessageid"},
		{"host --name x --app " + app + " --max -1", "--max -1: must not be negative"},
		{"host --name x --app " + app + " extra", "unknown command"},
		{"host --name x --app " + app + " --period 9ms", "--period 9ms: must be 10ms at least"},
		{"join --period -1s", "--period -1s: must be 10ms at least"},
		{"join --probes 0", "--probes 0: must be 1 at least"},
		{"join --probes x", "--probes x: it takes a whole number"},
		{"join --tcp ", `--tcp "": is empty: want a port or FROM-TO`},
		{"join --tcp x", `--tcp x: "x" is no number`},
		{"join --udp 0", "0 is no port: they go from 1 to 65535"},
		{"host --udp 65536", "65536 is no port: they go from 1 to 65535"},
		{"host --tcp 2349-2300", `--tcp 2349-2300: goes backwards: want 2300-2349`},
		{"sessions --tcp 5-0", "0 is no port"},
		{"doctor --tcp 5 x", "--tcp is for --live"},
		{"doctor --udp 5 x", "--udp is for --live"},
		{"join a b", "one HOST at most, not 2"},
		{"join --send-hex xyz", "--send-hex xyz: it takes pairs of hexadecimal digits"},
		{"join --timeout 0s", "--timeout 0s: must be more than nothing"},
		{"join --player  --say x", "need a player"},
		{"join --events xml", "must be text or ndjson"},
		{"sessions --timeout -1s", "must be more than nothing"},
		{"sessions --format json", "must be text or ndjson"},
	} {
		t.Run(c.args, func(t *testing.T) {
			got := once(t, strings.Split(c.args, " ")...)
			assert.Equal(t, exitUsage, got.status)
			assert.Contains(t, got.err, c.err)
			assert.Empty(t, got.out)
		})
	}
	got := once(t, "sessions", "::1")
	assert.Equal(t, exitInput, got.status)
	assert.Equal(t, "dplay: ::1: DirectPlay 4 knows IPv4 addresses only\n", got.err)
	got = once(t, "join", "no-such-name.invalid.")
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "dplay: no-such-name.invalid.: ")
}
