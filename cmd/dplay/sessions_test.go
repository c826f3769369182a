package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestSessions finds a hosted session as an object, as a table and as a line, and sees it change. That what is gone is told is held in
// package browse.
func TestSessions(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	w := start(t, at.sessions("--watch", "--format", "ndjson", "--timeout", anHour, "--all"))
	text := start(t, at.sessions("--watch", "--timeout", anHour))
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
	assert.NotContains(t, found, "via")
	assert.Equal(t, instance, finds(t, at.sessions("--app", at.app)...)["session"].(map[string]any)["instance_guid"])
	line := text.expectWith(`"Test"`)
	assert.True(t, strings.HasPrefix(line, `+ "Test", 0 of 2 players, `+at.app+", keepalive, at "+h.opened["stream"].(string)+
		", session "+instance), line)

	startJoin(t, at)
	w.find("session with a player", func(l string) bool { return strings.Contains(l, `"current_player_count":1`) })
	for _, line := range w.output() {
		assert.NotContains(t, line, "session_gone", "it answers all the time")
	}
	assert.Equal(t, exitOK, w.interrupt(), w.stderr())
	assert.Equal(t, exitOK, text.interrupt(), text.stderr())
}

// TestNullGame hosts a session under GUID_NULL, as Blitz3D's games do.
func TestNullGame(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	at.app = "blitz3d"
	h := startHost(t, at)
	session := h.opened["session"].(map[string]any)
	assert.Equal(t, wire.GUID{}.String(), session["application_guid"])
	assert.Contains(t, session["flags"].(map[string]any)["names"], "NOMESSAGEID", "its game's")
	at.app = wire.GUID{}.String()
	assert.Equal(t, session["instance_guid"], finds(t, at.sessions("--app", at.app)...)["session"].(map[string]any)["instance_guid"])
	startJoin(t, at)
}
