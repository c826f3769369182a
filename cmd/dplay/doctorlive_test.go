package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// live returns the command line of a doctor beside the place.
func (p place) live(more ...string) []string {
	return append([]string{"doctor", "--live", "--bind", p.beside(), "--timeout", anHour, "--until", "session_found"}, more...)
}

// TestDoctorLive asks a host of our own from another address: it is healthy, also by name of the game, and in the
// session nothing has changed.
func TestDoctorLive(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--player", "")
	got := once(t, at.live(at.address)...)
	assert.Equal(t, exitOK, got.status, "%s%s", got.out, got.err)
	for _, want := range []string{
		"healthy: nothing was found that stands in the way of a game\n\nTried:\n   asked udp " + at.address + ":47624, answer wanted at TCP ",
		"\n   asked tcp " + at.address + ":47624, answer wanted at TCP ", ": 1 session\n   connected to tcp " + at.address + ":2300 without a word: connected\n",
		"\nNot tried:\n   joining: only then the host says whether it lets this machine in\n",
	} {
		assert.Contains(t, got.out, want)
	}
	got = once(t, at.live("--app", at.app, "--format", "ndjson", at.address)...)
	assert.Equal(t, exitOK, got.status, got.err)
	verdict := parse(t, got.out)
	assert.Equal(t, true, verdict["healthy"])
	assert.Equal(t, "1 session", verdict["tried"].([]any)[0].(map[string]any)["seen"])
	assert.NotEmpty(t, verdict["not_tried"])
	assert.Equal(t, exitOK, h.interrupt())
	for _, line := range h.output() {
		assert.NotContains(t, line, `"event":"player`, "nobody joined")
	}
}

// TestDoctorLiveNobody asks where nobody is.
func TestDoctorLiveNobody(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	got := once(t, at.live("--timeout", "30ms", at.address)...) // nothing can come
	assert.Equal(t, exitFindings, got.status, got.err)
	assert.Contains(t, got.out, at.address+" was asked for sessions, and nobody answered within 0.030 s [enum-unanswered]\n")
	assert.Contains(t, got.out, "ENUMSESSIONS udp "+at.address+":47624: ")
	assert.Contains(t, got.out, "ENUMSESSIONS tcp "+at.address+":47624: ")
	assert.Contains(t, got.out, "Why: ")

	got = once(t, at.live("[::1]")...)
	assert.Equal(t, exitInput, got.status)
	assert.NotEmpty(t, got.err)
}

// TestDoctorLiveBarred asks hosts of our own that nobody can join, and one that wants a password.
func TestDoctorLiveBarred(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		host   []string
		status int
		want   string
	}{
		{"full", []string{"--max", "1"}, exitFindings,
			"failure: the session \"Test\" of HERE is full: 1 of 1 players [session-full]\n   ENUMSESSIONSREPLY CurrentPlayerCount: 1 " +
				"of 1\n"},
		{"closed", []string{"--flags", "joindisabled"}, exitFindings,
			"failure: the session \"Test\" of HERE is closed: the host lets nobody join any more [join-disabled]"},
		{"no new players", []string{"--flags", "newplayersdisabled"}, exitFindings,
			"failure: the session \"Test\" of HERE takes no new players [new-players-disabled]"},
		{"password", []string{"--password", "sesame"}, exitOK,
			"healthy: nothing was found that stands in the way of a game; the session \"Test\" of HERE wants a password\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at := newPlace(t)
			startHost(t, at, c.host...)
			got := once(t, at.live(at.address)...)
			assert.Equal(t, c.status, got.status, "%s%s", got.out, got.err)
			assert.Contains(t, got.out, strings.ReplaceAll(c.want, "HERE", at.address))
			assert.NotContains(t, got.out, "\n2. ")
		})
	}
}
