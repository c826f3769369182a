package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/wire"
)

// encodeMessage gives a system message of a machine that listens on TCP port 2300.
func encodeMessage(t testing.TB, port uint16, m wire.Message) []byte {
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: port}}, System: true, Version: wire.DX9, Message: m}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}

func enumSessions(t testing.TB, app wire.GUID) []byte {
	return encodeMessage(t, 2300, &wire.EnumSessions{Application: app})
}

func enumReply(t testing.TB) []byte {
	return encodeMessage(t, 2300, &wire.EnumSessionsReply{
		Desc: wire.SessionDesc{Application: wire.GUID{15: 9}, Instance: wire.GUID{1}}, Name: wire.NewText("other")})
}

// beside gives another address of this machine than the place's, for the one that asks.
func (p place) beside() string {
	a := netip.MustParseAddr(p.address).As4()
	a[3]++
	return netip.AddrFrom4(a).String()
}

// live gives the command line of a doctor beside the place.
func (p place) live(more ...string) []string {
	return append([]string{"doctor", "--live", "--bind", p.beside(), "--timeout", "2s"}, more...)
}

// TestDoctorLive asks a host of our own from another address: it is healthy, also by name of the game, and in the
// session nothing has changed.
func TestDoctorLive(t *testing.T) {
	at := newPlace(t)
	h := startHost(t, at, "--player", "")
	got := once(t, at.live(at.address)...)
	assert.Equal(t, exitOK, got.status, "%s%s", got.out, got.err)
	assert.Equal(t, "healthy: nothing was found that stands in the way of a game\n", got.out)
	got = once(t, at.live("--app", at.app, "--format", "ndjson", at.address)...)
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Equal(t, true, parse(t, got.out)["healthy"])
	assert.Equal(t, exitOK, h.interrupt())
	for _, line := range h.output() {
		assert.NotContains(t, line, `"event":"player`, "nobody joined")
	}
}

// TestDoctorLiveNobody asks where nobody is, and finds what the system says.
func TestDoctorLiveNobody(t *testing.T) {
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
	for _, c := range []struct {
		host   []string
		status int
		want   string
	}{
		{[]string{"--max", "1"}, exitFindings, "failure: the session \"Test\" of HERE is full: 1 of 1 players [session-full]\n   ENUMSESSIONSREPLY CurrentPlayerCount: 1 of 1\n"},
		{[]string{"--flags", "joindisabled"}, exitFindings, "failure: the session \"Test\" of HERE is closed: the host lets nobody join any more [join-disabled]"},
		{[]string{"--flags", "newplayersdisabled"}, exitFindings, "failure: the session \"Test\" of HERE takes no new players [new-players-disabled]"},
		{[]string{"--password", "sesame"}, exitOK, "healthy: nothing was found that stands in the way of a game; the session \"Test\" of HERE wants a password\n"},
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

// TestFault checks what errors of systems mean; the numbers of Windows are in its winerror.h.
func TestFault(t *testing.T) {
	for want, list := range map[doctor.Fault][]error{
		doctor.Refused:     {syscall.ECONNREFUSED, syscall.Errno(10061), syscall.Errno(10054), &net.OpError{Err: syscall.ECONNREFUSED}},
		doctor.Unreachable: {syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.Errno(10051), syscall.Errno(10065)},
		doctor.NoFault:     {syscall.EADDRINUSE, context.DeadlineExceeded},
	} {
		for _, err := range list {
			assert.Equal(t, want, fault(err), "%v", err)
		}
	}
}

// TestDoctorLivePorts examines a machine on which a host has 47624: it is named, with its session.
func TestDoctorLivePorts(t *testing.T) {
	at := newPlace(t)
	startHost(t, at, "--player", "")
	got := once(t, "doctor", "--live", "--bind", at.address, "--timeout", "2s", at.address)
	assert.Equal(t, exitOK, got.status, "%s%s", got.out, got.err)
	assert.Equal(t, "healthy: nothing was found that stands in the way of a game; this machine hosts \"Test\"\n", got.out)

	other, err := net.ListenPacket("udp4", at.beside()+":47624") // it says nothing
	require.NoError(t, err)
	defer other.Close()
	got = once(t, at.live(at.address)...)
	assert.Equal(t, exitFindings, got.status, got.err)
	assert.Contains(t, got.out, "failure: a session hosted on this machine could not be found: port 47624 is not to be had [enum-port-taken]")
	assert.Contains(t, got.out, "bind udp 47624: ")
}

// A fakeHost answers questions in ways of its own.
type fakeHost struct {
	t   *testing.T
	at  string
	udp func(ask *wire.EnumSessions, answers, from netip.AddrPort, c *net.UDPConn) // nil: it drops them
	tcp func(ask *wire.EnumSessions, answers netip.AddrPort)                       // nil: it drops them
}

// start serves until the test ends.
func (h fakeHost) start() {
	at := netip.MustParseAddrPort(h.at + ":47624")
	u, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	require.NoError(h.t, err)
	l, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
	require.NoError(h.t, err)
	h.t.Cleanup(func() { u.Close(); l.Close() })
	go func() {
		b := make([]byte, 4096)
		for {
			n, from, err := u.ReadFromUDPAddrPort(b)
			if err != nil {
				return
			}
			if m, back, ok := question4(b[:n], from.Addr()); ok && h.udp != nil {
				h.udp(m, back, from, u)
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
				h.tcp(m, back)
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
func answerTo(t *testing.T, b []byte, to netip.AddrPort) {
	c, err := net.DialTimeout("tcp4", to.String(), longEnough)
	if assert.NoError(t, err) {
		_, err = c.Write(b)
		assert.NoError(t, err)
		c.Close()
	}
}

// TestDoctorLiveWays asks hosts that answer one way only, or another question.
func TestDoctorLiveWays(t *testing.T) {
	answer := enumReply(t)
	byUDP := func(_ *wire.EnumSessions, _, from netip.AddrPort, c *net.UDPConn) {
		c.WriteToUDPAddrPort(answer, from) //nolint:errcheck // the test misses it then
	}
	for _, c := range []struct {
		name string
		host fakeHost
		args []string
		want []string
	}{
		{"TCP only", fakeHost{tcp: func(_ *wire.EnumSessions, to netip.AddrPort) { answerTo(t, answer, to) }}, nil,
			[]string{"answers questions over TCP, but not those by UDP [udp-blocked]", "ENUMSESSIONS tcp HERE:47624: 1 session"}},
		{"another game", fakeHost{udp: func(m *wire.EnumSessions, to, _ netip.AddrPort, _ *net.UDPConn) {
			if m.Application.IsZero() {
				answerTo(t, answer, to)
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
		fakeHost{t: t, at: at.address, udp: byUDP}.start()
		got := once(t, at.live("--timeout", "1500ms", at.address)...)
		assert.Equal(t, exitFindings, got.status, got.err)
		assert.Contains(t, got.out, at.address+":2300 answers by UDP only; games wait for TCP [reply-by-udp]")
		assert.Contains(t, got.out, "ENUMSESSIONS udp "+at.address+":47624: answered by UDP")
	})
}

// TestQuestionHostile checks that a question takes no answer that is none, and ends in time whoever connects.
func TestQuestionHostile(t *testing.T) {
	at := newPlace(t)
	sink, err := net.ListenPacket("udp4", at.address+":0") // what is asked, and says nothing
	require.NoError(t, err)
	defer sink.Close()
	q, err := newQuestion(netip.MustParseAddr(at.address), gameTCPFirst)
	require.NoError(t, err)
	to := netip.AddrPortFrom(netip.MustParseAddr(at.address), q.port())
	idle, err := net.Dial("tcp4", to.String()) // it never says anything
	require.NoError(t, err)
	defer idle.Close()
	for _, b := range [][]byte{{1, 2, 3}, bytes.Repeat([]byte{0xff}, 4000), encodeMessage(t, 2300, &wire.YouAreDead{}), enumReply(t), enumReply(t)} {
		answerTo(t, b, to)
	}
	began := time.Now()
	offers, err := q.ask(context.Background(), captures.UDP, sink.LocalAddr().(*net.UDPAddr).AddrPort(), longEnough)
	q.close()
	require.NoError(t, err)
	assert.Equal(t, []doctor.LiveOffer{{Host: netip.MustParseAddrPort("127.0.0.1:2300"), App: wire.GUID{15: 9}, Instance: wire.GUID{1}, Name: "other", Version: wire.DX9}}, offers)
	assert.Less(t, time.Since(began), longEnough)
}

// TestReason checks that errors are told in the system's words.
func TestReason(t *testing.T) {
	_, err := net.DialTimeout("tcp4", newPlace(t).address+":1", longEnough)
	require.Error(t, err)
	assert.NotContains(t, reason(err), "dial")
	assert.Equal(t, "no answer within the time", reason(context.DeadlineExceeded))
}
