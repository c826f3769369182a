package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// lab returns the path of one of the project's captures by the beginning of its name.
func lab(t testing.TB, prefix string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "captures", "lab", prefix+"*"))
	require.NoError(t, err)
	names = slices.DeleteFunc(names, func(n string) bool { return filepath.Ext(n) != ".pcap" })
	require.Len(t, names, 1, "captures that begin with %q", prefix)
	return names[0]
}

// A result is what a command line gave.
type result struct {
	status   int
	out, err string
}

// dplay runs a command line.
func dplay(t testing.TB, args ...string) result {
	t.Helper()
	return dplayFrom(t, strings.NewReader(""), args...)
}

// dplayFrom runs a command line with standard input.
func dplayFrom(t testing.TB, stdin io.Reader, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	status := run(context.Background(), args, stdin, &out, &errs)
	return result{status, out.String(), errs.String()}
}

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "differs from %s; -rewrite writes it anew", path)
}

// A capture is a pcap file in the making: IP packets without a link layer.
type capture struct {
	b   []byte
	now time.Time                    // of the next packet
	seq map[[2]netip.AddrPort]uint32 // next sequence number of a stream
}

// newCapture begins a file at 2026-01-02 03:04:05 UTC.
func newCapture() *capture {
	c := &capture{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), seq: map[[2]netip.AddrPort]uint32{}}
	const linkRaw = 101
	for _, v := range []uint32{0xa1b2c3d4, 2 | 4<<16, 0, 0, 65535, linkRaw} {
		c.b = binary.LittleEndian.AppendUint32(c.b, v)
	}
	return c
}

// wait lets milliseconds pass.
func (c *capture) wait(ms int) *capture {
	c.now = time.UnixMilli(c.now.UnixMilli() + int64(ms)).UTC()
	return c
}

// packet adds an IPv4 packet.
func (c *capture) packet(proto byte, src, dst netip.AddrPort, segment []byte) {
	ip := make([]byte, 20, 20+len(segment))
	ip[0], ip[8], ip[9] = 0x45, 64, proto
	binary.BigEndian.PutUint16(ip[2:], uint16(20+len(segment)))
	from, to := src.Addr().As4(), dst.Addr().As4()
	copy(ip[12:], from[:])
	copy(ip[16:], to[:])
	ip = append(ip, segment...)
	for _, v := range []uint32{uint32(c.now.Unix()), uint32(c.now.Nanosecond() / 1000), uint32(len(ip)), uint32(len(ip))} {
		c.b = binary.LittleEndian.AppendUint32(c.b, v)
	}
	c.b = append(c.b, ip...)
}

// udp adds a datagram.
func (c *capture) udp(src, dst string, payload []byte) *capture {
	from, to := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	h := make([]byte, 8, 8+len(payload))
	binary.BigEndian.PutUint16(h, from.Port())
	binary.BigEndian.PutUint16(h[2:], to.Port())
	binary.BigEndian.PutUint16(h[4:], uint16(8+len(payload)))
	c.packet(17, from, to, append(h, payload...))
	return c
}

// tcp adds a segment that follows the one before; the first is preceded by a SYN.
func (c *capture) tcp(src, dst string, payload []byte) *capture {
	from, to := netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)
	k := [2]netip.AddrPort{from, to}
	if _, ok := c.seq[k]; !ok {
		const syn = 2
		c.segment(from, to, 1000, syn, nil)
		c.seq[k] = 1001
	}
	const pushACK = 0x18
	c.segment(from, to, c.seq[k], pushACK, payload)
	c.seq[k] += uint32(len(payload))
	return c
}

// lose skips octets of a stream, as if their segment had not been captured.
func (c *capture) lose(src, dst string, n uint32) *capture {
	c.seq[[2]netip.AddrPort{netip.MustParseAddrPort(src), netip.MustParseAddrPort(dst)}] += n
	return c
}

func (c *capture) segment(from, to netip.AddrPort, seq uint32, flags byte, payload []byte) {
	h := make([]byte, 20, 20+len(payload))
	binary.BigEndian.PutUint16(h, from.Port())
	binary.BigEndian.PutUint16(h[2:], to.Port())
	binary.BigEndian.PutUint32(h[4:], seq)
	h[12], h[13], h[14] = 5<<4, flags, 0xff
	c.packet(6, from, to, append(h, payload...))
}

// file writes the capture to a file of the test.
func (c *capture) file(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, c.b, 0o644))
	return path
}

// message encodes a message with an SP header that names the sender's TCP port 2300.
func message(t testing.TB, m wire.Message) []byte {
	t.Helper()
	e := wire.Envelope{
		HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
		Version: wire.DX9, Message: m,
	}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}

// The machines of the captures made here.
const (
	hostUDP = "10.0.0.1:2350"
	peerUDP = "10.0.0.2:2350"
	hostTCP = "10.0.0.1:2300"
	peerTCP = "10.0.0.2:40000"
)

// sample is a capture with a ping and its reply, a game message, a gap, and another message.
func sample(t testing.TB) *capture {
	c := newCapture()
	c.udp(hostUDP, peerUDP, message(t, &wire.Ping{From: 0x10, Tick: 77})).wait(5)
	c.udp(peerUDP, hostUDP, message(t, &wire.PingReply{From: 0x20, Tick: 77})).wait(1000)
	c.tcp(peerTCP, hostTCP, message(t, &wire.PlayerMessage{From: 0x21, To: 0, Payload: []byte("hello")})).wait(1000)
	c.lose(peerTCP, hostTCP, 40)
	c.tcp(peerTCP, hostTCP, message(t, &wire.Chat{From: 0x21, To: 0, Text: wire.NewText("good game")}))
	return c
}
