package main

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
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
	for _, want := range []string{"--host HOST", "--serve [ADDRESS]:PORT", "--all-interfaces ", "/sessions.json", "s sorts by the next column"} {
		assert.Contains(t, help, want)
	}
}

// TestSeveralHosts asks several hosts at once. One that does not answer, or has no address, is told and makes the exit
// status; the others are listed all the same.
func TestSeveralHosts(t *testing.T) {
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

// reply is a host's answer as it comes over TCP.
func reply(t *testing.T, instance byte, dialect wire.Dialect) []byte {
	t.Helper()
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
		System: true, Version: dialect, Message: &wire.EnumSessionsReply{Desc: wire.SessionDesc{Instance: wire.GUID{instance}}, Name: wire.NewText("x")}}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}

// TestStopwatch checks from which request an answer is counted.
func TestStopwatch(t *testing.T) {
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	one, two, us := netip.MustParseAddrPort("192.0.2.1:47624"), netip.MustParseAddrPort("192.0.2.2:47624"), netip.MustParseAddrPort("192.0.2.9:2300")
	trip := func(s *stopwatch, instance byte) time.Duration {
		return s.of(sock.Found{Desc: wire.SessionDesc{Instance: wire.GUID{instance}}}, began).trip
	}
	from := func(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr(), 50000) }

	s := newStopwatch(true)
	assert.Equal(t, noTrip, trip(s, 1))
	s.Packet(at(0), dpsp.TCP, from(one), us, reply(t, 9, wire.DX9))
	assert.Equal(t, noTrip, trip(s, 9), "nobody was asked")
	s.Packet(at(0), dpsp.Ask, us, one, nil)
	s.Packet(at(100), dpsp.Ask, us, two, nil)
	s.Packet(at(150), dpsp.TCP, from(one), us, reply(t, 1, wire.DX61A))
	s.Packet(at(155), dpsp.TCP, from(two), us, reply(t, 2, wire.DX9))
	s.Packet(at(190), dpsp.TCP, from(one), us, reply(t, 1, wire.DX61A)) // to the request by TCP
	s.Packet(at(195), dpsp.TCP, netip.MustParseAddrPort("203.0.113.1:9"), us, reply(t, 3, wire.DX9))
	s.Packet(at(195), dpsp.TCP, from(one), us, []byte("no message"))
	s.Packet(at(195), dpsp.TCP, from(one), us, message(t, &wire.Ping{}))
	assert.Equal(t, 150*time.Millisecond, trip(s, 1))
	assert.Equal(t, 55*time.Millisecond, trip(s, 2))
	assert.Equal(t, 95*time.Millisecond, trip(s, 3), "who was not asked there is counted from the last request")
	a := s.of(sock.Found{Name: "x", Desc: wire.SessionDesc{Instance: wire.GUID{1}}}, at(200))
	assert.Equal(t, answer{Found: a.Found, at: at(200), trip: 150 * time.Millisecond, dialect: wire.DX61A, from: one.Addr()}, a)
	s.Packet(at(1000), dpsp.Ask, us, one, nil)
	s.Packet(at(1007), dpsp.TCP, from(one), us, reply(t, 1, wire.DX61A))
	assert.Equal(t, 7*time.Millisecond, trip(s, 1), "the next round")
	for i := range maxFound + 10 {
		s.answered(at(1008), one.Addr(), wire.DX9, wire.GUID{5, byte(i), byte(i >> 8)})
	}
	assert.Len(t, s.answers, maxFound)

	s = newStopwatch(false)
	s.Packet(at(0), dpsp.Ask, us, one, nil)
	s.Packet(at(3), dpsp.TCP, from(one), us, reply(t, 1, wire.DX9))
	s.Packet(at(500), dpsp.Ask, us, one, nil)
	s.Packet(at(600), dpsp.TCP, from(one), us, reply(t, 2, wire.DX9))
	assert.Equal(t, 3*time.Millisecond, trip(s, 1))
	assert.Equal(t, noTrip, trip(s, 2), "it may answer the first request or the second one")
}

// TestSessionWords checks that each flag that has a name has a word, and the words of some sessions.
func TestSessionWords(t *testing.T) {
	var all wire.SessionFlags
	seen := map[string]bool{}
	for _, w := range sessionWords {
		all |= w.flag
		assert.False(t, seen[w.word], w.word)
		seen[w.word] = true
	}
	for bit, name := range sessionFlagNames() {
		assert.Equal(t, name != "", all&(1<<bit) != 0, "bit %d %s", bit, name)
	}
	for want, d := range map[string]wire.SessionDesc{
		"":                          {},
		"full":                      {MaxPlayers: 2, CurrentPlayers: 2, Flags: wire.SessionPasswordRequired},
		"closed, outlives its host": {MaxPlayers: 2, CurrentPlayers: 1, Flags: wire.SessionMigrateHost | wire.SessionJoinDisabled},
		"any order, 0x80000002":     {Flags: wire.SessionNoPreserveOrder | 1<<31 | 2, CurrentPlayers: 9},
	} {
		assert.Equal(t, want, flagsInWords(&d))
	}
}

// TestCardAddresses checks that each is one of this machine, once.
func TestCardAddresses(t *testing.T) {
	all, err := cardAddresses()
	require.NoError(t, err)
	assert.Contains(t, fmt.Sprint(all), "127.0.0.1")
	seen := map[netip.Addr]bool{}
	for _, a := range all {
		assert.True(t, a.Is4() && !a.IsUnspecified() && !seen[a], "%s", a)
		seen[a] = true
	}
}
