package trainhost

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/network"
	"dplay4/dpsp/sock/socktest"
	"dplay4/internal/testkit"
)

// recorded is the port of the captures.
const recorded = 31415

// A script plays the joiner of captures.
type script struct {
	t      *testing.T
	host   *Host
	net    network.Network
	at     netip.Addr
	tcp    net.Conn // to the host
	ear    net.Listener
	in     net.Conn // from the host
	frames network.Datagrams
}

// inBubble returns a test that runs in a bubble, on a network of its own that o has.
func inBubble(test func(t *testing.T, o Options)) func(*testing.T) {
	return func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, Options{Network: socktest.New()}) })
	}
}

// newScript opens a host, and a joiner at an address of its own.
func newScript(t *testing.T, o Options) *script {
	t.Helper()
	at := []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")}
	if o.Network == (network.System{}) {
		at = testkit.Addrs(t, 2)
	}
	h, err := Open(at[0], o)
	require.NoError(t, err)
	t.Cleanup(h.Close)
	s := &script{t: t, host: h, at: at[1], net: o.Network}
	s.ear, err = s.net.ListenStream(netip.AddrPortFrom(s.at, recorded))
	require.NoError(t, err)
	t.Cleanup(func() { s.ear.Close() })
	s.frames, err = s.net.ListenDatagrams(netip.AddrPortFrom(s.at, recorded))
	require.NoError(t, err)
	t.Cleanup(func() { s.frames.Close() })
	s.tcp = s.dial()
	return s
}

// dial opens one more connection to the host.
func (s *script) dial() net.Conn {
	s.t.Helper()
	c, err := s.net.DialStream(context.Background(), s.at, netip.AddrPortFrom(s.host.at, recorded))
	require.NoError(s.t, err)
	s.t.Cleanup(func() { c.Close() })
	return c
}

// joined is newScript that has joined.
func joined(t *testing.T, o Options) *script {
	t.Helper()
	s := newScript(t, o)
	s.play("join")
	return s
}

// play plays a file: says what the joiner said, and holds what the host answers against what it answered.
func (s *script) play(name string) { s.playBut(name, 0) }

// playBut is play without the last lines.
func (s *script) playBut(name string, lines int) {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	require.NoError(s.t, err)
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range all[:len(all)-lines] {
		if !strings.HasPrefix(line, "#") {
			f := strings.Fields(line)
			s.line(f[0], f[1], f[2])
		}
	}
}

func (s *script) line(how, way, octets string) {
	s.t.Helper()
	switch how + way {
	case "search>":
		c, err := s.net.ListenDatagrams(netip.AddrPortFrom(s.at, 0))
		require.NoError(s.t, err)
		_, err = c.WriteToUDPAddrPort(unhex(s.t, octets), netip.AddrPortFrom(s.host.at, 47624))
		require.NoError(s.t, err)
		c.Close()
	case "tcp>":
		_, err := s.tcp.Write(unhex(s.t, octets))
		require.NoError(s.t, err)
	case "tcp<":
		assert.Equal(s.t, octets, hex.EncodeToString(s.heard(len(octets)/2)))
	case "udp>":
		s.say(octets)
	case "udp<":
		s.expect(octets)
	default:
		s.t.Fatal(how, way)
	}
}

// heard reads octets that the host says over TCP.
func (s *script) heard(n int) []byte {
	s.t.Helper()
	if s.in == nil {
		c, err := s.ear.Accept()
		require.NoError(s.t, err)
		s.in = c
		s.t.Cleanup(func() { c.Close() })
	}
	b := make([]byte, n)
	_, err := io.ReadFull(s.in, b)
	require.NoError(s.t, err)
	return b
}

// say sends a frame.
func (s *script) say(octets string) { s.send(s.frames, unhex(s.t, octets)) }

func (s *script) send(c network.Datagrams, b []byte) {
	s.t.Helper()
	_, err := c.WriteToUDPAddrPort(b, netip.AddrPortFrom(s.host.at, recorded))
	require.NoError(s.t, err)
}

// expect waits for the host's next frame, and compares it but for the tick.
func (s *script) expect(octets string) {
	s.t.Helper()
	b := make([]byte, maxMessage)
	n, _, _, from, err := s.frames.ReadMsgUDPAddrPort(b, nil)
	require.NoError(s.t, err, "no %s", octets)
	assert.Equal(s.t, netip.AddrPortFrom(s.host.at, recorded), netip.AddrPortFrom(from.Addr().Unmap(), from.Port()))
	want := unhex(s.t, octets)
	tick := tickOf(want)
	require.Equal(s.t, len(want), n, "want %s, got %x", octets, b[:n])
	assert.Equal(s.t, hex.EncodeToString(want[:tick]), hex.EncodeToString(b[:tick]))
}

// tickOf returns where the tick of an ACK begins, or the end of another frame.
func tickOf(b []byte) int {
	n := 1 // an index of one octet, the host's
	for b[n]&0x80 != 0 {
		n++
	}
	if n++; b[n]&2 == 0 {
		return len(b)
	}
	return n + 8
}

// quiet checks that the host has said nothing that was not expected, by one more frame: received is what it counts then.
func (s *script) quiet(received string) {
	s.t.Helper()
	s.say("01003deeee06")
	s.expect("000103eeee06" + received + "00000000")
}

// delivered returns the data of the messages that the host took for whole, n of them.
func (s *script) delivered(n int) (all []string) {
	s.t.Helper()
	list, err := s.host.Delivered(context.Background(), n)
	require.NoError(s.t, err)
	require.Len(s.t, list, n)
	for _, m := range list {
		// The game's header has 12 octets.
		all = append(all, string(bytes.Replace(m.Data, unhex(s.t, "0000010001000100f0032c01"), nil, 1)))
	}
	return all
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}
