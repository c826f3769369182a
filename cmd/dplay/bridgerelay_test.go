package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/code"
	"dplay4/dpsp/bridge/relay"
	"dplay4/dpsp/bridge/relay/relaytest"
	"dplay4/dpsp/sock"
)

// relayTrials has what is shown of relays.
func relayTrials(t *testing.T, at stage) map[string]trial {
	secret, cert, key := at.file("secret.txt"), at.file("tls.crt"), at.file("tls.key")
	require.NoError(t, os.WriteFile(secret, []byte("0123456789abcdef\n"), 0o600))
	made, err := relay.SelfMade([]netip.Addr{netip.MustParseAddr("127.0.0.1")})
	require.NoError(t, err)
	c, err := made(nil)
	require.NoError(t, err)
	require.NoError(t, relaytest.WriteCertificate(c, cert, key))
	here := []string{"203.0.113.5", at.address}
	const run = "dplay bridge relay --public 203.0.113.5"
	const make = "dplay bridge credential --auth-secret-file secret.txt --for 24h"
	const open = "^open to everybody. Players type: dplay bridge share --relay 127"
	files := func(more ...string) []string { return append(append([]string{"secret.txt", secret}, here...), more...) }
	return map[string]trial{
		run: {swap: here, until: open, out: "^relay at 127.*: UDP 3478-3479, TCP 3478, TCP 5349\n"},
		run + " --public 2001:db8::5 --metrics 127.0.0.1:9478": {alone: true, // ::1 is no address of the test's own
			swap:  append(here, "2001:db8::5", "::1", "127.0.0.1:9478", at.address+":9478"),
			until: "^metrics at http://127.*/metrics"},
		run + " --metrics 127.0.0.1:9478": {same: true, swap: append(here, "127.0.0.1:9478", at.address+":9478"),
			until: "^metrics at http://127.*/metrics"},
		run + " --auth-secret-file secret.txt --tls-cert tls.crt --tls-key tls.key": {swap: files("tls.crt", cert, "tls.key", key),
			until: "^for players with a credential"},
		run + " --tls-cert tls.crt --tls-key tls.key":   {same: true, swap: append(here, "tls.crt", cert, "tls.key", key), until: open},
		run + " --auth-secret-file secret.txt":          {same: true, swap: files(), until: "^for players with a credential"},
		make:                                            {swap: files()[:2], out: "^user +[0-9]+:player\npassword +[^ ]+=\nexpires +[-0-9]+T[:0-9]+Z: "},
		"dplay bridge relay --help":                     {out: "--max-per-address N"},
		make + " --name anna --relay relay.example.org": {swap: files()[:2], out: ":anna:.*@relay.example.org\n"},
	}
}

// TestBridgeRelayRefuses says what is wrong with the command line.
func TestBridgeRelayRefuses(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"no --public given: at which address do players reach this machine?": {},
		`--public relay.example.org: want an address`:                        {"--public", "relay.example.org"},
		`--listen "x\x1b": want an address`:                                  {"--public", "127.0.0.1", "--listen", "x\x1b"},
		"want an address without a port; --port says which that is":          {"--public", "[2001:db8::5]:3478"},
		"--for 1w: it takes a time with its unit, such as 90s, 24h or 7d":    {"--public", "127.0.0.1", "--for", "1w"},
		"--port 65535: from 1 to 65534":                                      {"--public", "127.0.0.1", "--port", "65535"},
		"--tls-port 3478 is the port of TCP already":                         {"--public", "127.0.0.1", "--tls-port", "3478"},
		"--tls-cert and --tls-key go together":                               {"--public", "127.0.0.1", "--tls-cert", "x"},
		"--max-allocations 0: from 1 to 40000":                               {"--public", "127.0.0.1", "--max-allocations", "0"},
		"--max-rate and --max-address-rate: from 1 to":                       {"--public", "127.0.0.1", "--max-rate", "0"},
		"--lifetime 2h0m0s: from 1m to 1h":                                   {"--public", "127.0.0.1", "--lifetime", "2h"},
		"--metrics 9478: want an address and a port":                         {"--public", "127.0.0.1", "--metrics", "9478"},
		"must not be negative":                                               {"--public", "127.0.0.1", "--grace", "-1s"},
	} {
		got := dplay(t, append([]string{"bridge", "relay"}, args...)...)
		assert.Equal(t, exitUsage, got.status, want)
		assert.Contains(t, got.err, want)
	}
	short := filepath.Join(t.TempDir(), "short")
	require.NoError(t, os.WriteFile(short, []byte("abc\n"), 0o600))
	for want, args := range map[string][]string{
		"--auth-secret-file: " + short + ": a secret has 8 octets or more, not 3": {"--auth-secret-file", short},
		"the certificate for TLS: ":                                        {"--tls-cert", short, "--tls-key", short},
		"a relay has one public IPv4 address and one IPv6 address at most": {"--public", "127.0.0.2"},
	} {
		got := dplay(t, append([]string{"bridge", "relay", "--public", "127.0.0.1"}, args...)...)
		assert.Equal(t, exitInput, got.status, want)
		assert.Contains(t, got.err, want)
	}
}

// TestBridgeRelayPortTaken names who has the port.
func TestBridgeRelayPortTaken(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	s, err := sock.OpenDatagrams(netip.AddrPortFrom(netip.MustParseAddr(at.address), 3478))
	require.NoError(t, err)
	defer s.Close()
	got := dplay(t, "bridge", "relay", "--public", at.address)
	assert.Equal(t, exitInput, got.status)
	assert.Regexp(t, `UDP port 3478 of 127[0-9.]+ is held by [^ ]+ \(process \d+\): end it, or choose another port`, got.err)
}

// TestBridgeRelayRuns says what it is and what is odd about it, as lines and as objects, and ends as told.
func TestBridgeRelayRuns(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	got := dplay(t, "bridge", "relay", "--public", at.address, "--until", "relay_opened", "--grace", "0s")
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Contains(t, got.out, "it has made its certificate for TLS itself")
	assert.Contains(t, got.out, "note: "+at.address+" is this machine alone")
	assert.True(t, strings.HasSuffix(got.out, "\nended\n"), got.out)

	got = dplay(t, "bridge", "relay", "--public", "192.168.77.5", "--listen", at.address, "--tls-port", "0", "--until", "relay_opened",
		"--port", "3500")
	assert.Contains(t, got.out, "relay at 192.168.77.5, listening at "+at.address+": UDP 3500-3501, TCP 3500\n")
	assert.Contains(t, got.out, "192.168.77.5 is a private address")
	assert.Contains(t, got.out, "--relay 192.168.77.5:3500\n")

	at = newPlace(t) // with the same port again
	got = dplay(t, "bridge", "relay", "--public", "203.0.113.5", "--listen", at.address, "--until", "relay_opened", "--events", "ndjson")
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Regexp(t, `^\{"time":"[^"]+","event":"relay_opened","public":\["203.0.113.5"\],"listen":\["127[0-9.]+"\],"open":true\}
\{"time":"[^"]+","event":"relay_ending","allocations":0\}
\{"time":"[^"]+","event":"relay_closed","allocations":0\}
$`, got.out)
	assert.Contains(t, got.err, "no card of this machine has 203.0.113.5")
}

// TestBridgeCredential makes one that a relay with the secret takes, and a code carries.
func TestBridgeCredential(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("0123456789abcdef\n"), 0o600))
	got := dplay(t, "bridge", "credential", "--auth-secret-file", secret, "--for", "24h", "--name", "anna", "--relay", "203.0.113.5")
	require.Equal(t, exitOK, got.status, got.err)
	r, err := code.ParseRelay(regexp.MustCompile(`--relay (\S+)\n`).FindStringSubmatch(got.out)[1])
	require.NoError(t, err)
	assert.Equal(t, code.Password("0123456789abcdef", r.User), r.Password)
	assert.Equal(t, "203.0.113.5", r.Host)
	u, err := code.ParseUser(r.User)
	require.NoError(t, err)
	assert.Equal(t, "anna", u.Name)

	o := parse(t, dplay(t, "bridge", "credential", "--auth-secret-file", secret, "--for", "24h", "--format", "ndjson").out)
	assert.Equal(t, code.Password("0123456789abcdef", o["user"].(string)), o["password"])

	for want, args := range map[string][]string{
		"no --auth-secret-file given":   {"--for", "24h"},
		"no --for given":                {"--auth-secret-file", secret},
		"--for 1s: from 1m":             {"--auth-secret-file", secret, "--for", "1s"},
		"--for -1h: from 1m":            {"--auth-secret-file", secret, "--for", "-1h"},
		"--for 3661d: from 1m":          {"--auth-secret-file", secret, "--for", "3661d"},
		"--name a:b: letters and digit": {"--auth-secret-file", secret, "--for", "24h", "--name", "a:b"},
		"--relay a@b: want the address": {"--auth-secret-file", secret, "--for", "24h", "--relay", "a@b"},
	} {
		got := dplay(t, append([]string{"bridge", "credential"}, args...)...)
		assert.Equal(t, exitUsage, got.status, want)
		assert.Contains(t, got.err, want)
	}
	assert.Equal(t, exitInput, dplay(t, "bridge", "credential", "--auth-secret-file", secret+"x", "--for", "24h").status)
}
