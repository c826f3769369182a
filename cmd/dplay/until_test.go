package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/browse"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/relaying"
	"dplay4/internal/testkit"
)

// anHour is a time that a program under test may wait, and no test does.
const anHour = "1h"

// lastEvent returns the last event that a program printed.
func lastEvent(t *testing.T, out string) object {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return parse(t, lines[len(lines)-1])
}

// TestUntil ends host and join by events, in both formats: the others are told, and a recording is whole.
func TestUntil(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := start(t, at.host("--player", "Ann", "--events", "ndjson", "--until", "peer_lost", "--for", anHour))
	h.event("player_created", "name", "Ann") // not what it waits for
	file := t.TempDir() + "/join.pcapng"
	j := once(t, at.join("--timeout", anHour, "--until", "player_created", "--events", "ndjson", "--record", file)...)
	assert.Equal(t, exitOK, j.status, j.err)
	assert.Contains(t, j.out, `"name":"guest"`, "the host's player was there before and ends nothing")
	assert.Equal(t, "session_closed", lastEvent(t, j.out)["event"])
	h.event("player_deleted", "name", "guest")
	whole := slices.ContainsFunc(readRecording(t, file), func(m heard) bool { return m.command == "DELETEPLAYER" })
	assert.True(t, whole, "it took leave")

	text := once(t, at.join("--timeout", anHour, "--until", "session_opened", "--player", "Bob")...)
	assert.Equal(t, exitOK, text.status, text.err)
	assert.NotContains(t, text.out, "you are Bob", "it left before it had a player")
	assert.Contains(t, text.out, "* you left the session")
	found := once(t, at.join("--timeout", anHour, "--until", "session_found")...)
	assert.Equal(t, exitOK, found.status, found.err)
	assert.NotContains(t, found.out, "joined")

	commanded := start(t, at.join("--timeout", anHour, "--commands", "ndjson", "--until", "chat", "--player", "Bob"))
	commanded.event("player_created", "name", "Bob")
	commanded.in.Close() // which ends nothing
	h.say("hello")
	commanded.event("chat", "text", "hello")
	commanded.endWell()
	assert.Equal(t, exitInput, h.interrupt())
	assert.Equal(t, "dplay: ended before peer_lost\n", h.stderr())
}

// TestUntilBadNews: the event that ends a command may be one that fails it otherwise.
func TestUntilBadNews(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--password", "sesame", "--flags", "none")
	got := once(t, at.join("--timeout", anHour, "--until", "join_failed")...)
	assert.Equal(t, result{status: exitOK}, got)
	for _, until := range []string{"session_lost", "chat"} {
		j := startJoin(t, at, "--timeout", anHour, "--password", "sesame", "--until", until)
		j.event("player_created", "local", true)
		defer func() {
			if until == "session_lost" {
				j.endWell()
				return
			}
			assert.Equal(t, exitInput, j.end())
			assert.Contains(t, j.stderr(), "dplay: the session is lost: ")
		}()
	}
	assert.Equal(t, exitOK, h.interrupt())
}

// TestUntilSessions ends searches by events, in each format.
func TestUntilSessions(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at)
	for _, more := range [][]string{{}, {"--format", "ndjson"}, {"--watch"}, {"--watch", "--format", "ndjson"}} {
		got := once(t, at.sessions(append([]string{"--timeout", anHour, "--until", "session_found"}, more...)...)...)
		assert.Equal(t, exitOK, got.status, got.err)
		assert.Contains(t, got.out, h.opened["stream"], more)
		assert.Equal(t, slices.Contains(more, "ndjson"), strings.HasPrefix(got.out, "{"))
	}
	other := testkit.Addr(t).String() // nobody is there
	got := once(t, "sessions", other, "--bind", other, "--timeout", "1ms", "--until", "session_found")
	assert.Equal(t, exitInput, got.status)
	assert.Empty(t, got.out)
	got = once(t, "doctor", "--live", at.address, "--bind", at.beside(), "--timeout", anHour, "--until", "session_found")
	assert.Equal(t, exitOK, got.status, "%s%s", got.out, got.err)
}

// TestUntilRelay ends a relay by its events, also by one that is printed for programs alone.
func TestUntilRelay(t *testing.T) {
	t.Parallel()
	relay := func(more ...string) []string { // each has ports of its own, for the reason at newPlace
		return append([]string{"bridge", "relay", "--public", newPlace(t).address, "--until"}, more...)
	}
	got := once(t, relay("relay_opened")...)
	assert.Equal(t, exitOK, got.status, got.err)
	assert.True(t, strings.HasSuffix(got.out, "\nended\n"), got.out)
	got = once(t, relay("relay_closed", "--for", "1ms", "--events", "ndjson")...)
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Equal(t, "relay_closed", lastEvent(t, got.out)["event"])
	got = once(t, relay("allocation_refused", "--for", "1ms")...)
	assert.Equal(t, exitInput, got.status)
	assert.Equal(t, "dplay: ended before allocation_refused\n", got.err)
}

// TestUntilRefuses refuses events that do not happen.
func TestUntilRefuses(t *testing.T) {
	testkit.User(t)
	const host = "host --app lotr2 --name Castle --until "
	for line, want := range map[string]string{
		host + "player-created":                                  `: this command prints no such event: did you mean "player_created"? "dplay help events" lists them`,
		host + "bridge_opened":                                   ": that happens only in a session over the internet",
		"join 192.0.2.7 --until machine_joined":                  ": that happens only in a session over the internet",
		"sessions --until session_gone":                          ": that happens only with --watch",
		"sessions --until session_opened":                        ": this command prints no such event",
		"sessions --until host_moved --serve :8080":              "happens only with --watch",
		"sessions --until session_found --serve :8080":           "--serve prints no events",
		"doctor x.pcap --until session_found":                    "--until is for --live",
		"doctor --live --until chat":                             ": this command prints no such event",
		"bridge share --relay 192.0.2.7 --until chat":            ": this command prints no such event",
		"bridge relay --public 192.0.2.7 --until bridge_opened ": ": this command prints no such event",
	} {
		got := dplay(t, strings.Fields(line)...)
		assert.Equal(t, exitUsage, got.status, line)
		assert.Contains(t, got.err, want, line)
	}
	assert.Contains(t, dplay(t, "__complete", "join", "--until", "").out, "\nplayer_created\n")
	assert.Contains(t, dplay(t, "__complete", "bridge", "join", "--until", "").out, "\nbridge_opened\n")
}

// TestUntilNames: the events that --until takes are those that EVENTS.md describes.
func TestUntilNames(t *testing.T) {
	text, err := os.ReadFile("EVENTS.md")
	require.NoError(t, err)
	var documented []string
	table := false
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		table = len(cells) > 1 && (table || cells[1] == " event ")
		if table {
			for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[1], -1) {
				documented = append(documented, m[1])
			}
		}
	}
	known := slices.Concat(events.Names(), bridging.Names(), browse.WatchedNames(), relaying.Names())
	assert.ElementsMatch(t, documented, known)
}
