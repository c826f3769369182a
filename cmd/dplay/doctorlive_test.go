package main

import (
	"bytes"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

func enumSessions(t testing.TB, app wire.GUID) []byte {
	return message(t, &wire.EnumSessions{Application: app})
}

func enumReply(t testing.TB) []byte {
	return message(t, &wire.EnumSessionsReply{
		Desc: wire.SessionDesc{Application: wire.GUID{15: 9}, Instance: wire.GUID{1}}, Name: wire.NewText("other")})
}

// beside returns another address of this machine than the place's, for the one that asks.
func (p place) beside() string {
	a := netip.MustParseAddr(p.address).As4()
	a[3]++
	return netip.AddrFrom4(a).String()
}

// live returns the command line of a doctor beside the place.
func (p place) live(more ...string) []string {
	return append([]string{"doctor", "--live", "--bind", p.beside(), "--timeout", "2s"}, more...)
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

// TestDoctorLiveNobody asks where nobody is, and finds what the system says.
func TestDoctorLiveNobody(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	got := once(t, at.live("--timeout", "300ms", at.address)...)
	assert.Equal(t, exitFindings, got.status, got.err)
	assert.Contains(t, got.out, at.address+" was asked for sessions, and nobody answered within 0.300 s [enum-unanswered]\n")
	assert.Contains(t, got.out, "ENUMSESSIONS udp "+at.address+":47624: ")
	assert.Contains(t, got.out, "ENUMSESSIONS tcp "+at.address+":47624: ")
	assert.Contains(t, got.out, "Why: the machine is there, and refuses: ")

	got = once(t, at.live("[::1]")...)
	assert.Equal(t, exitInput, got.status)
	assert.NotEmpty(t, got.err)
}

// TestDoctorLiveBarred asks hosts of our own that nobody can join, and one that wants a password.
func TestDoctorLiveBarred(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host   []string
		status int
		want   string
	}{
		{[]string{"--max", "1"}, exitFindings,
			"failure: the session \"Test\" of HERE is full: 1 of 1 players [session-full]\n   ENUMSESSIONSREPLY CurrentPlayerCount: 1 " +
				"of 1\n"},
		{[]string{"--flags", "joindisabled"}, exitFindings,
			"failure: the session \"Test\" of HERE is closed: the host lets nobody join any more [join-disabled]"},
		{[]string{"--flags", "newplayersdisabled"}, exitFindings,
			"failure: the session \"Test\" of HERE takes no new players [new-players-disabled]"},
		{[]string{"--password", "sesame"}, exitOK,
			"healthy: nothing was found that stands in the way of a game; the session \"Test\" of HERE wants a password\n"},
	} {
		t.Run(c.want, func(t *testing.T) {
			at := newPlace(t)
			startHost(t, at, c.host...)
			got := once(t, at.live(at.address)...)
			assert.Equal(t, c.status, got.status, "%s%s", got.out, got.err)
			assert.Contains(t, got.out, strings.ReplaceAll(c.want, "HERE", at.address))
			assert.NotContains(t, got.out, "\n2. ")
		})
	}
}

// TestDoctorLivePorts examines a machine on which a host has 47624: it is named, with its session.
func TestDoctorLivePorts(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	startHost(t, at, "--player", "")
	got := once(t, "doctor", "--live", "--bind", at.address, "--timeout", "2s", at.address)
	assert.Equal(t, exitOK, got.status, "%s%s", got.out, got.err)
	assert.Contains(t, got.out, "healthy: nothing was found that stands in the way of a game; this machine hosts \"Test\"\n")

	other, err := net.ListenPacket("udp4", at.beside()+":47624") // it says nothing
	require.NoError(t, err)
	defer other.Close()
	got = once(t, at.live(at.address)...)
	assert.Equal(t, exitFindings, got.status, got.err)
	assert.Contains(t, got.out,
		"failure: a session hosted on this machine could not be found: port 47624 is not to be had [enum-port-taken]")
	assert.Contains(t, got.out, "bind udp 47624: ")
}

// A fakeHost answers questions in ways of its own.
type fakeHost struct {
	t   *testing.T
	at  string
	udp func(h *fakeHost, ask *wire.EnumSessions, answers, from netip.AddrPort, c *net.UDPConn) // nil: it drops them
	tcp func(h *fakeHost, ask *wire.EnumSessions, answers netip.AddrPort)                       // nil: it drops them
}

// start serves until the test ends.
func (h *fakeHost) start() {
	at := netip.MustParseAddrPort(h.at + ":47624")
	u, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	require.NoError(h.t, err)
	l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
	require.NoError(h.t, err)
	session, err := net.Listen("tcp4", h.at+":2300") // where joiners would come
	require.NoError(h.t, err)
	h.t.Cleanup(func() { u.Close(); l.Close(); session.Close() })
	go func() {
		b := make([]byte, 4096)
		for {
			n, from, err := u.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			if m, back, ok := question4(b[:n], from.Addr()); ok && h.udp != nil {
				h.udp(h, m, back, from, u)
			}
		}
	}()
	go func() {
		for {
			c, err := l.AcceptTCP()
			if err != nil {
				return
			}
			b := make([]byte, 52)
			_, err = io.ReadFull(c, b)
			from := c.RemoteAddr().(*net.TCPAddr).AddrPort()
			if m, back, ok := question4(b, from.Addr()); err == nil && ok && h.tcp != nil {
				h.tcp(h, m, back)
			}
			c.Close()
		}
	}()
}

// question4 reads a question, and where its answers are wanted.
func question4(b []byte, from netip.Addr) (*wire.EnumSessions, netip.AddrPort, bool) {
	var d wire.Decoder
	e, err := d.DecodeStream(bytes.Clone(b))
	m, ok := e.Message.(*wire.EnumSessions)
	return m, netip.AddrPortFrom(from.Unmap(), e.SP.SockAddr.Port), err == nil && ok
}

// answerTo sends an answer over TCP.
func (h *fakeHost) answerTo(b []byte, to netip.AddrPort) {
	d := net.Dialer{Timeout: longEnough, LocalAddr: &net.TCPAddr{IP: net.ParseIP(h.at)}}
	c, err := d.Dial("tcp4", to.String())
	if t := h.t; assert.NoError(t, err) {
		_, err = c.Write(b)
		assert.NoError(t, err)
		c.Close()
	}
}

// TestDoctorLiveWays asks hosts that answer one way only, or another question.
func TestDoctorLiveWays(t *testing.T) {
	t.Parallel()
	answer := enumReply(t)
	byUDP := func(_ *fakeHost, _ *wire.EnumSessions, _, from netip.AddrPort, c *net.UDPConn) {
		c.WriteToUDPAddrPort(answer, from) //nolint:errcheck // the test misses it then
	}
	for _, c := range []struct {
		name string
		host fakeHost
		args []string
		want []string
	}{
		{"TCP only", fakeHost{tcp: func(h *fakeHost, _ *wire.EnumSessions, to netip.AddrPort) { h.answerTo(answer, to) }}, nil,
			[]string{"answers questions over TCP, but not those by UDP [udp-blocked]", "ENUMSESSIONS tcp HERE:47624: 1 session"}},
		{"another game", fakeHost{udp: func(h *fakeHost, m *wire.EnumSessions, to, _ netip.AddrPort, _ *net.UDPConn) {
			if m.Application.IsZero() {
				h.answerTo(answer, to)
			}
		}}, []string{"--app", "{00000000-0000-0000-0000-000000000007}"},
			[]string{"hosts {00000000-0000-0000-0000-000000000009}, which is not {00000000-0000-0000-0000-000000000007} [app-mismatch]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := newPlace(t)
			c.host.t, c.host.at = t, at.address
			c.host.start()
			got := once(t, append(at.live("--timeout", "1500ms"), append(c.args, at.address)...)...)
			assert.Equal(t, exitFindings, got.status, "%s%s", got.out, got.err)
			for _, want := range c.want {
				assert.Contains(t, got.out, strings.ReplaceAll(want, "HERE", at.address))
			}
			assert.Equal(t, 1, strings.Count(got.out, "   Why: "), "%s", got.out)
		})
	}
	t.Run("answers by UDP", func(t *testing.T) {
		at := newPlace(t)
		(&fakeHost{t: t, at: at.address, udp: byUDP}).start()
		got := once(t, at.live("--timeout", "1500ms", at.address)...)
		assert.Equal(t, exitFindings, got.status, got.err)
		assert.Contains(t, got.out, at.address+":2300 answers by UDP only; games wait for TCP [reply-by-udp]")
		assert.Contains(t, got.out, "ENUMSESSIONS udp "+at.address+":47624: answered by UDP")
	})
}
