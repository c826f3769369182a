package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/cmd/dplay/internal/browse"
)

// TestSessionsUsage holds what does not go together against its message.
func TestSessionsUsage(t *testing.T) {
	many := strings.Fields("sessions" + strings.Repeat(" 127.0.10.1", browse.MaxHosts+1))
	for _, c := range []struct {
		args []string
		err  string
	}{
		{[]string{"sessions", "--timeout", "0s"}, "--timeout 0s: must be more than nothing"},
		{many, "65 HOSTs are more than the 64"},
		{[]string{"sessions", "--host", ""}, "a HOST is empty"},
		{[]string{"sessions", "--all-interfaces", "127.0.10.1"}, "--all-interfaces is for asking everybody"},
		{[]string{"sessions", "--all-interfaces", "--host", "127.0.10.1"}, "--all-interfaces is for asking everybody"},
		{[]string{"sessions", "--all-interfaces", "--bind", "127.0.10.1"}, "exclude each other"},
		{[]string{"sessions", "--serve", ":8080", "--watch"}, "--serve and --watch exclude each other"},
		{[]string{"sessions", "--serve", ":8080", "--format", "ndjson"}, "--format is for what is printed"},
		{[]string{"sessions", "--serve", ""}, "must be ADDRESS:PORT, such as 127.0.0.1:8080"},
		{[]string{"sessions", "--serve", "8080"}, "must be ADDRESS:PORT, such as 127.0.0.1:8080"},
		{[]string{"sessions", "--serve", ":65536"}, "ports are numbers up to 65535"},
		{[]string{"sessions", "--serve", ":http"}, "ports are numbers up to 65535"},
		{[]string{"sessions", "--serve", "example.invalid:80"}, "example.invalid is no address of this machine"},
	} {
		got := dplay(t, c.args...)
		assert.Equal(t, exitUsage, got.status, "%v", c.args)
		assert.Contains(t, got.err, c.err, "%v", c.args)
		assert.Empty(t, got.out)
	}
	help := dplay(t, "sessions", "--help").out
	for _, want := range []string{"--host HOST", "--serve [ADDRESS]:PORT", "--all-interfaces ", "/sessions.json",
		"s sorts\n  by the next column"} {
		assert.Contains(t, help, want)
	}
}

// TestSeveralHosts asks two hosts at once, one of them twice: each is listed once. What is told of those that do not answer is held in
// package browse.
func TestSeveralHosts(t *testing.T) {
	t.Parallel()
	at, other := newPlace(t), newPlace(t)
	h, o := startHost(t, at), startHost(t, other)
	s := start(t, []string{"sessions", at.address, "--host", at.address, "--host", other.address, "--host", "fe80::1", "--bind", at.address,
		"--timeout", anHour, "--format", "ndjson"})
	s.inAnyOrder(
		func() { s.event("session_found", "addr", h.opened["stream"]) },
		func() { s.event("session_found", "addr", o.opened["stream"]) })
	assert.Equal(t, exitInput, s.interrupt(), "one has no address")
	assert.Len(t, s.output(), 2)
	assert.Equal(t, "dplay: fe80::1: DirectPlay 4 knows IPv4 addresses only\n", s.stderr())
	got := once(t, "sessions", "--host", "fe80::1", "fe80::2")
	assert.Equal(t, exitInput, got.status)
	assert.Equal(t, 2, strings.Count(got.err, "dplay: fe80::"), got.err)
}
