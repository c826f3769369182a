package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

// start is the time of the first packet.
var start = time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)

// The machines of these tests.
var (
	ours  = netip.MustParseAddrPort("192.0.2.1:2300")
	peer  = netip.MustParseAddrPort("192.0.2.2:2300")
	from  = netip.MustParseAddrPort("192.0.2.2:40000") // where the peer's connection to us comes from
	udp   = netip.MustParseAddrPort("192.0.2.1:2350")
	udp2  = netip.MustParseAddrPort("192.0.2.2:2350")
	every = netip.MustParseAddrPort("255.255.255.255:47624")
)

// message encodes a message with the header of a machine that listens on TCP 2300.
func message(t *testing.T, m wire.Message) []byte {
	t.Helper()
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
		Version: wire.DX9, Message: m}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}

// bigMessage is the longest that the size field allows.
func bigMessage(t *testing.T) []byte {
	return message(t, &wire.PlayerMessage{From: 5, To: 6, Payload: bytes.Repeat([]byte{7}, dpsp.MaxPayload)})
}

// A packet is one call of Packet.
type packet struct {
	transport dpsp.Transport
	from, to  netip.AddrPort
	data      []byte
}

// write records packets, a millisecond apart, and closes the recording.
func write(t *testing.T, all []packet) *bytes.Buffer {
	t.Helper()
	var file bytes.Buffer
	w, err := New(&file)
	require.NoError(t, err)
	for i, p := range all {
		w.Packet(start.Add(time.Duration(i)*time.Millisecond), p.transport, p.from, p.to, p.data)
	}
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "closing twice is no error")
	return &file
}

// readBack reads a recording with the project's own reader and compares: the same messages, in order, with their
// times and sockets, and nothing odd.
func readBack(t *testing.T, file *bytes.Buffer, all []packet) {
	t.Helper()
	n := 0
	sum, err := captures.Read(context.Background(), file, captures.Options{Name: "recording"}, func(r *captures.Record) error {
		require.Less(t, n, len(all))
		want := all[n]
		assert.Equal(t, start.Add(time.Duration(n)*time.Millisecond), r.Time.UTC())
		assert.Equal(t, want.from, r.Src)
		assert.Equal(t, want.to, r.Dst)
		assert.Equal(t, want.transport == dpsp.TCP, r.Transport == captures.TCP)
		assert.True(t, bytes.Equal(want.data, r.Raw), "message %d differs", n+1)
		assert.NoError(t, r.Err)
		assert.Empty(t, r.Findings)
		n++
		return nil
	}, func(f *captures.Finding) { t.Errorf("finding: %+v", *f) })
	require.NoError(t, err)
	assert.Equal(t, len(all), n)
	octets := 0
	for _, p := range all {
		octets += len(p.data)
	}
	assert.EqualValues(t, octets, sum.TCP.Decoded+sum.UDP.Decoded)
}

// TestReadBack records one of everything: an enumeration by broadcast, answers, both directions, a message of many
// segments, the longest datagram.
func TestReadBack(t *testing.T) {
	game := func(n int) []byte {
		b, err := wire.AppendPlayerMessage(nil, &wire.PlayerMessage{From: 0x21, To: 0x22, Payload: bytes.Repeat([]byte{byte(n)}, n)})
		require.NoError(t, err)
		return b
	}
	all := []packet{
		{dpsp.Ask, udp, every, message(t, &wire.EnumSessions{Flags: wire.EnumAll})},
		{dpsp.TCP, from, ours, message(t, &wire.EnumSessionsReply{Name: wire.NewText("Game")})},
		{dpsp.TCP, ours, peer, message(t, &wire.RequestPlayerID{Flags: wire.PlayerSystem})},
		{dpsp.TCP, from, ours, message(t, &wire.RequestPlayerReply{ID: 0x20})},
		{dpsp.TCP, ours, peer, bigMessage(t)},
		{dpsp.TCP, ours, peer, bigMessage(t)},
		{dpsp.UDP, udp, udp2, message(t, &wire.Ping{From: 0x20, Tick: 9})},
		{dpsp.UDP, udp2, udp, message(t, &wire.PingReply{From: 0x10, Tick: 9})},
		{dpsp.UDP, udp, udp2, game(maxDatagram - 8)},
		{dpsp.TCP, ours, peer, message(t, &wire.Chat{From: 0x21, Text: wire.NewText("bye")})},
	}
	file := write(t, all)
	again := write(t, all)
	assert.True(t, bytes.Equal(file.Bytes(), again.Bytes()), "equal calls give equal files")
	readBack(t, file, all)
}

// TestManyConnections has more connections than are remembered, and lets the forgotten ones go on.
func TestManyConnections(t *testing.T) {
	var all []packet
	for round := range 2 {
		for i := range maxConnections + 10 {
			at := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 40000)
			all = append(all, packet{dpsp.TCP, at, ours, message(t, &wire.Ping{From: wire.PlayerID(i + 1), Tick: uint32(round)})})
		}
	}
	readBack(t, write(t, all), all)
}

// TestSoFar reads a recording that was never closed: it is whole up to its last message.
func TestSoFar(t *testing.T) {
	var file bytes.Buffer
	w, err := New(&file)
	require.NoError(t, err)
	all := []packet{{dpsp.TCP, from, ours, message(t, &wire.Ping{From: 1})}}
	w.Packet(start, dpsp.TCP, from, ours, all[0].data)
	assert.Equal(t, 4, w.Packets(), "the handshake and the message")
	readBack(t, &file, all)
}

// TestSeveralWriters records two sessions into one file at the same time. It is for the race detector, too.
func TestSeveralWriters(t *testing.T) {
	var file bytes.Buffer
	w, err := New(&file)
	require.NoError(t, err)
	ping := message(t, &wire.Ping{From: 1})
	var group sync.WaitGroup
	for i := range 2 {
		group.Go(func() {
			at := netip.AddrPortFrom(from.Addr(), uint16(40000+i))
			for range 100 {
				w.Packet(start, dpsp.TCP, at, ours, ping)
			}
		})
	}
	group.Wait()
	require.NoError(t, w.Close())
	n := 0
	_, err = captures.Read(context.Background(), &file, captures.Options{}, func(*captures.Record) error { n++; return nil }, nil)
	require.NoError(t, err)
	assert.Equal(t, 200, n)
}

// A fullDisk takes some octets and fails then.
type fullDisk struct{ left int }

var errFull = errors.New("no space left")

func (d *fullDisk) Write(b []byte) (int, error) {
	if d.left -= len(b); d.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestErrors checks what cannot be recorded: the first error stays.
func TestErrors(t *testing.T) {
	six := netip.MustParseAddrPort("[2001:db8::1]:2300")
	for _, c := range []struct {
		name string
		p    packet
		want string
	}{
		{"IPv6 sender", packet{dpsp.UDP, six, udp, nil},
			"packet 1: from [2001:db8::1]:2300 to 192.0.2.1:2350: only IPv4 can be recorded"},
		{"IPv6 receiver", packet{dpsp.TCP, ours, six, nil}, "only IPv4"},
		{"no address", packet{dpsp.TCP, ours, netip.AddrPort{}, nil}, "only IPv4"},
		{"long datagram", packet{dpsp.UDP, udp, udp2, make([]byte, maxDatagram+1)},
			"packet 1: a datagram of 65508 octets: at most 65507 are possible"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var file bytes.Buffer
			w, err := New(&file)
			require.NoError(t, err)
			w.Packet(start, c.p.transport, c.p.from, c.p.to, c.p.data)
			size := file.Len()
			w.Packet(start, dpsp.UDP, udp, udp2, []byte("more"))
			assert.Equal(t, size, file.Len(), "nothing is written after an error")
			assert.ErrorContains(t, w.Close(), c.want)
		})
	}
	mapped := netip.AddrPortFrom(netip.AddrFrom16(ours.Addr().As16()), 2300)
	all := []packet{{dpsp.TCP, from, mapped, message(t, &wire.Ping{From: 1})}}
	file := write(t, all)
	all[0].to = ours // an IPv4 address as Go's sockets give it sometimes
	readBack(t, file, all)
}

func TestClosed(t *testing.T) {
	var file bytes.Buffer
	w, err := New(&file)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	w.Packet(start, dpsp.UDP, udp, udp2, nil)
	assert.ErrorIs(t, w.Close(), ErrClosed)
}

// TestDiskFull lets the file end at any place.
func TestDiskFull(t *testing.T) {
	var file bytes.Buffer
	w, err := New(&file)
	require.NoError(t, err)
	header := file.Len()
	_, err = New(&fullDisk{left: header - 1})
	require.ErrorIs(t, err, errFull)
	w.Packet(start, dpsp.TCP, from, ours, []byte("x"))
	require.NoError(t, w.Close())
	for left := header; left < file.Len(); left += 7 {
		w, err := New(&fullDisk{left: left})
		require.NoError(t, err)
		w.Packet(start, dpsp.TCP, from, ours, []byte("x"))
		assert.ErrorIs(t, w.Close(), errFull, fmt.Sprint(left))
	}
}
