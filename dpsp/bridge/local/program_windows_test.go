package local

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// TestWindows has a game of ours on the machine, and a bridge whose neighbour is the test: the game lands on its slot and is
// found, its search is heard, and connections and datagrams go both ways.
func TestWindows(t *testing.T) {
	ctx := testkit.Context(t)
	hub := linktest.New()
	ours, theirs := hub.Machine(), hub.Machine()
	l, err := Open(Options{Slot: 1})
	require.NoError(t, err)
	defer l.Close()
	way, err := ours.Dial(ctx, theirs.ID(), theirs.Addresses())
	require.NoError(t, err)
	far, err := theirs.Accept(ctx)
	require.NoError(t, err)
	require.NoError(t, l.Stand(0, filter.Ports{}, way))

	us := fmt.Sprintf("(process %d)", os.Getpid())
	_, err = Open(Options{Slot: 2})
	assert.ErrorContains(t, err, us, "this bridge has the ports")
	game, err := sock.Open(sock.Options{})
	require.NoError(t, err)
	defer game.Close()
	assert.Equal(t, At(1), filter.Ports{TCP: game.StreamAddr().Port(), UDP: game.DatagramAddr().Port()})
	require.NotEmpty(t, Find())
	assert.Contains(t, Find()[0].Program, us)

	require.NoError(t, far.SendDatagram([]byte{datagramHost, 1}))
	go func() {
		for range game.Enumerate(ctx, sock.Ask{Hosts: []netip.Addr{loopback}}) {
		}
	}()
	asked := receive(ctx, t, far, datagramList)
	assert.NoError(t, filter.NewRequests(filter.Rule{From: At(1), Plan: l.planNow}).Check(0, asked))

	s, err := far.OpenStream(ctx) // what it hosts: the game answers by a connection of its own
	require.NoError(t, err)
	_, err = s.Write([]byte{toGame})
	require.NoError(t, err)
	require.NoError(t, s.CloseWrite())
	b, err := io.ReadAll(s)
	assert.NoError(t, err)
	assert.Empty(t, b)
	require.NoError(t, game.Close())

	out, err := net.DialTCP("tcp4", nil, net.TCPAddrFromAddrPort(here(At(0).TCP)))
	require.NoError(t, err)
	s = stream(ctx, t, far)
	_, err = out.Write([]byte("from here"))
	require.NoError(t, err)
	require.NoError(t, out.CloseWrite())
	b, err = io.ReadAll(s)
	require.NoError(t, err)
	assert.Equal(t, "from here", string(b))
	said := append([]byte{24, 0, 0xb0, 0xfa, 2, 0, 8, 0xfc, 15: 0, 19: 0}, "game"...)
	_, err = s.Write(said)
	require.NoError(t, err)
	require.NoError(t, s.CloseWrite())
	b, err = io.ReadAll(out)
	require.NoError(t, err)
	assert.Equal(t, said, b)
	out.Close()

	out, err = net.DialTCP("tcp4", nil, net.TCPAddrFromAddrPort(here(At(0).TCP)))
	require.NoError(t, err)
	stream(ctx, t, far).Reset()
	_, err = out.Read(make([]byte, 1))
	require.Error(t, err)
	assert.NotErrorIs(t, err, io.EOF)

	tcp, err := listenTCP(netip.AddrPortFrom(netip.IPv4Unspecified(), At(1).TCP)) // what has one of the two is no game
	require.NoError(t, err)
	defer tcp.Close()
	udp, err := sock.OpenDatagrams(netip.AddrPortFrom(netip.IPv4Unspecified(), At(1).UDP))
	require.NoError(t, err)
	defer udp.Close()
	_, err = udp.WriteToUDPAddrPort([]byte("a datagram"), here(At(0).UDP))
	require.NoError(t, err)
	assert.Equal(t, "a datagram", string(receive(ctx, t, far, datagramGame)))
	require.NoError(t, far.SendDatagram([]byte("Uan answer")))
	b = make([]byte, 100)
	n, _, _, from, err := udp.ReadMsgUDPAddrPort(b, nil)
	require.NoError(t, err)
	assert.Equal(t, "an answer", string(b[:n]))
	assert.Equal(t, here(At(0).UDP), from)

	require.NoError(t, l.Close())
	tcp.Close()
	again, err := sock.Open(sock.Options{})
	require.NoError(t, err)
	assert.Equal(t, At(0).UDP, again.DatagramAddr().Port(), "its ports are free")
	require.NoError(t, again.Host(ctx, dpsp.Host{Application: wire.GUID{1}, Name: "free"}))
	require.NoError(t, again.Close())
}

// receive returns the next datagram of a kind.
func receive(ctx context.Context, t *testing.T, l link.Link, kind byte) []byte {
	t.Helper()
	for {
		b, err := l.ReceiveDatagram(ctx)
		require.NoError(t, err)
		if b[0] == kind {
			return b[1:]
		}
	}
}

// stream returns the next stream of the game.
func stream(ctx context.Context, t *testing.T, l link.Link) link.Stream {
	t.Helper()
	for {
		s, err := l.AcceptStream(ctx)
		require.NoError(t, err)
		var kind [1]byte
		_, err = io.ReadFull(s, kind[:])
		require.NoError(t, err)
		if kind[0] == toGame {
			return s
		}
		s.Reset() // a request for sessions
	}
}
