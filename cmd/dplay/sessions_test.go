package main

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// TestSessions finds a hosted session in both formats, and sees it come, change and go.
func TestSessions(t *testing.T) {
	at := newPlace(t)
	w := start(t, at.sessions("--watch", "--format", "ndjson", "--timeout", "400ms", "--all"))
	h := startHost(t, at, "--max", "2", "--flags", "keepalive", "--player", "")
	found := w.event("session_found")
	session := found["session"].(map[string]any)
	assert.Equal(t, h.opened["stream"], found["addr"])
	assert.Equal(t, "Test", session["session_name"])
	assert.Equal(t, at.app, session["application_guid"])
	assert.Equal(t, 2.0, session["max_players"])
	assert.Equal(t, map[string]any{"value": 64.0, "names": []any{"KEEPALIVE"}}, session["flags"])
	assert.Equal(t, []any{0.0, 0.0, 0.0, 0.0}, session["application_defined"])
	instance := session["instance_guid"].(string)
	assert.NotContains(t, session, "game")
	assert.Equal(t, 14.0, found["dialect"])
	assert.Greater(t, found["round_trip"], 0.0)
	assert.Less(t, found["round_trip"], 1.0)
	assert.NotContains(t, found, "via")

	got := once(t, at.sessions("--timeout", "700ms")...)
	require.Equal(t, exitOK, got.status, got.err)
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	require.Len(t, lines, 2, "several answers of one session are one line:\n%s", got.out)
	assert.Equal(t, []string{"NAME", "PLAYERS", "GAME", "FLAGS", "HOST", "SESSION"}, strings.Fields(lines[0]))
	assert.Equal(t, []string{"Test", "0", "of", "2", at.app, "keepalive", h.opened["stream"].(string), instance}, strings.Fields(lines[1]))
	got = once(t, at.sessions("--timeout", "700ms", "--format", "ndjson", "--app", at.app)...)
	assert.Equal(t, 1, strings.Count(got.out, "\n"), got.out)
	assert.Equal(t, instance, parse(t, got.out)["session"].(map[string]any)["instance_guid"])
	got = once(t, at.sessions("--timeout", "700ms", "--app", wire.GUID{1}.String())...)
	assert.Equal(t, exitInput, got.status)
	assert.Empty(t, got.out)
	assert.Contains(t, got.err, at.address+" does not answer")

	startJoin(t, at)
	w.find("session with a player", func(l string) bool { return strings.Contains(l, `"current_player_count":1`) })
	for _, line := range w.output() {
		assert.NotContains(t, line, "session_gone", "it answers all the time")
	}
	assert.Equal(t, exitOK, h.interrupt())
	gone := w.event("session_gone")
	assert.Equal(t, instance, gone["session"].(map[string]any)["instance_guid"])
	assert.NotContains(t, gone, "round_trip")
	assert.Equal(t, exitOK, w.interrupt(), w.stderr())
}

// TestWatchText checks the lines for people.
func TestWatchText(t *testing.T) {
	at := newPlace(t)
	w := start(t, at.sessions("--watch", "--timeout", "100ms"))
	h := startHost(t, at, "--player", "")
	line := w.expectWith(`"Test"`)
	assert.True(t, strings.HasPrefix(line, `+ "Test", 0 players, `+at.app+", no flags, at "+h.opened["stream"].(string)+", session {"), line)
	assert.Equal(t, exitOK, h.interrupt())
	w.expectWith(`- "Test"`)
	assert.Equal(t, exitOK, w.interrupt())
}

// TestSessionList checks what counts as a new session and what as a change.
func TestSessionList(t *testing.T) {
	one, two := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	hosts := []asked{{"one", one}, {"two", two}}
	l := newSessionList(&sessionsFlags{}, nil, hosts)
	began := time.Now()
	f := answer{Found: sock.Found{Name: "One", Desc: wire.SessionDesc{Instance: wire.GUID{1}, NamePointer: 1}}, at: began, trip: 5, from: one}
	check := func(wantNew, wantChanged bool) {
		t.Helper()
		isNew, changed := l.add(f)
		assert.Equal(t, wantNew, isNew)
		assert.Equal(t, wantChanged, changed)
	}
	check(true, false)
	check(false, false)
	f.Desc.NamePointer = 2 // garbage that Windows sends
	check(false, false)
	f.at, f.trip = began.Add(time.Second), 6
	check(false, false)
	assert.Equal(t, time.Duration(6), l.found[f.Desc.Instance].trip)
	f.trip = noTrip
	check(false, false)
	assert.Equal(t, time.Duration(6), l.found[f.Desc.Instance].trip, "what is known stays")
	f.Desc.CurrentPlayers = 1
	check(false, true)
	assert.Equal(t, []string{"two"}, l.silent(hosts, time.Time{}))
	assert.Equal(t, []string{"two"}, l.silent(hosts, began))
	assert.Equal(t, []string{"one", "two"}, l.silent(hosts, f.at))
	f.from = netip.MustParseAddr("192.0.2.3")
	f.Desc.Instance[0] = 2
	check(true, false)
	assert.Empty(t, l.silent(hosts, time.Time{}), "it may be any of them, behind a router")
	for i := range maxFound {
		f.Desc.Instance = wire.GUID{3, byte(i), byte(i >> 8)}
		l.add(f)
	}
	assert.Len(t, l.found, maxFound)
	f.Desc.Instance = wire.GUID{4}
	check(false, false)
}

// TestChoose checks which session is joined where there are several.
func TestChoose(t *testing.T) {
	one := sock.Found{Name: "One", Desc: wire.SessionDesc{Instance: wire.GUID{1}}}
	full := sock.Found{Name: "Full", Desc: wire.SessionDesc{Instance: wire.GUID{2}, MaxPlayers: 1, CurrentPlayers: 1}}
	shut := sock.Found{Name: "Shut", Desc: wire.SessionDesc{Instance: wire.GUID{3}, Flags: wire.SessionJoinDisabled}}
	two := sock.Found{Name: "Two", Desc: wire.SessionDesc{Instance: wire.GUID{4}}}
	f := &joinFlags{session: "X"}
	for _, c := range []struct {
		found, wrong []sock.Found
		want, err    string
	}{
		{found: []sock.Found{one}, want: "One"},
		{found: []sock.Found{full}, want: "Full"}, // its host may say why not
		{found: []sock.Found{full, one, shut}, want: "One"},
		{found: []sock.Found{one, full, two}, err: "which session? --session GUID tells: \"One\" {00000001-"},
		{found: []sock.Found{full, shut}, err: "which session?"},
		{wrong: []sock.Found{one, two}, err: `there is no session "X", but "One" {00000001-0000-0000-0000-000000000000} at invalid AddrPort, "Two" {`},
		{err: "nobody on the network hosts such a session"},
	} {
		got, err := f.choose(c.found, c.wrong)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got.Name)
	}
	f.session = one.Desc.Instance.String()
	assert.True(t, f.matches(&one))
	assert.False(t, f.matches(&two))
}

// TestApps checks the table of games, and the ways to write a name.
func TestApps(t *testing.T) {
	lotr := "{1c8248c0-9772-11cf-b74f-00c0df413ed1}" // facts: a capture of two Windows machines
	for _, s := range []string{lotr, strings.ToUpper(lotr[1:37]), "Lords of the Realm II", "lords-of-the-realm-ii", "LOTR2"} {
		g, err := parseApp(s)
		require.NoError(t, err, s)
		assert.Equal(t, lotr, g.String())
	}
	assert.Equal(t, "Lords of the Realm II", gameTitle(mustApp(t, lotr)))
	assert.Empty(t, gameTitle(wire.GUID{}))
	help := dplay(t, "sessions", "--help").out
	for _, g := range games {
		assert.Contains(t, help, g.title)
		_, err := parseApp(g.title)
		if g.guid == "" {
			assert.ErrorContains(t, err, "the GUID of "+g.title+" is needed")
			assert.Empty(t, g.source)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, g.guid, mustApp(t, g.guid).String(), "written as everywhere")
		assert.Contains(t, help, g.guid)
		assert.NotEmpty(t, g.source, "every GUID has its source")
		assert.Contains(t, help, g.source)
	}
}

func mustApp(t *testing.T, s string) wire.GUID {
	t.Helper()
	g, err := parseApp(s)
	require.NoError(t, err)
	return g
}
