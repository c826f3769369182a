package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// TestSessions finds a hosted session in both formats, and sees it come, change and go.
func TestSessions(t *testing.T) {
	t.Parallel()
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
	assert.Equal(t, []string{"Test", "0", "of", "2", at.app, "keepalive", h.opened["stream"].(string), instance},
		strings.Fields(lines[1]))
	got = once(t, at.sessions("--timeout", "700ms", "--format", "ndjson", "--app", at.app)...)
	assert.Equal(t, 1, strings.Count(got.out, "\n"), got.out)
	assert.Equal(t, instance, parse(t, got.out)["session"].(map[string]any)["instance_guid"])
	got = once(t, at.sessions("--timeout", "700ms", "--app", wire.GUID{1}.String())...)
	assert.Equal(t, exitInput, got.status)
	assert.Empty(t, got.out)
	assert.Contains(t, got.err, "dplay: "+h.opened["stream"].(string)+" hosts "+at.app+", which is not "+wire.GUID{1}.String())

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
	t.Parallel()
	at := newPlace(t)
	w := start(t, at.sessions("--watch", "--timeout", "100ms"))
	h := startHost(t, at, "--player", "")
	line := w.expectWith(`"Test"`)
	assert.True(t, strings.HasPrefix(line, `+ "Test", 0 players, `+at.app+", no flags, at "+h.opened["stream"].(string)+
		", session {"), line)
	assert.Equal(t, exitOK, h.interrupt())
	w.expectWith(`- "Test"`)
	assert.Equal(t, exitOK, w.interrupt())
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
		{wrong: []sock.Found{one, two},
			err: `there is no session "X", but "One" {00000001-0000-0000-0000-000000000000} at invalid AddrPort, "Two" {`},
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
