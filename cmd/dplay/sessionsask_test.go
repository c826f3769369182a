package main

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSessionsUsage holds what does not go together against its message.
func TestSessionsUsage(t *testing.T) {
	many := strings.Fields("sessions" + strings.Repeat(" 127.0.10.1", maxHosts+1))
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

// TestSeveralHosts asks several hosts at once. One that does not answer, or has no address, is told and makes the exit
// status; the others are listed all the same.
func TestSeveralHosts(t *testing.T) {
	t.Parallel()
	at, other := newPlace(t), newPlace(t)
	startHost(t, at)
	ip := netip.MustParseAddr(at.address)
	args := []string{"sessions", at.address, "--host", at.address, "--timeout", "600ms", "--app", at.app, "--bind", ip.String()}
	got := once(t, args...)
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Equal(t, 1, strings.Count(got.out, "Test"), got.out)
	got = once(t, append(args, "--host", other.address)...)
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, other.address+" does not answer")
	assert.NotContains(t, got.err, at.address+" does")
	assert.Contains(t, got.out, "Test")
	got = once(t, append(args, "--host", "fe80::1")...)
	assert.Equal(t, exitInput, got.status)
	assert.Equal(t, "dplay: fe80::1: DirectPlay 4 knows IPv4 addresses only\n", got.err)
	assert.Contains(t, got.out, "Test")
	got = once(t, "sessions", "--host", "fe80::1", "fe80::2")
	assert.Equal(t, exitInput, got.status)
	assert.Equal(t, 2, strings.Count(got.err, "dplay: fe80::"), got.err)
}
