package local

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// sees puts another machine on the other end of a machine's card, as 192.0.2.8.
func (m *machine) sees(other *machine) {
	m.t.Helper()
	m.card()
	m.ip("link", "set", "drac", "netns", fmt.Sprint(other.thread))
	other.ip("addr", "add", "192.0.2.8/24", "dev", "drac")
	other.ip("link", "set", "drac", "up")
}

// TestStrangers: what stands for others, and 47624, are for this machine alone, although they are at all addresses, as what stands
// for others is everywhere but on Linux. It is not parallel for it has them there.
func TestStrangers(t *testing.T) {
	bindTo = netip.IPv4Unspecified()
	t.Cleanup(func() { bindTo = loopback })
	hub := linktest.New()
	m, stranger := newMachine(t, hub, 1), newMachine(t, nil, 0)
	m.sees(stranger)
	far := withFar(t, m, hub)
	require.NoError(t, far.SendDatagram([]byte{datagramHost, 1}))
	m.listensForGames()
	ours := m.binds(0)
	var theirs net.PacketConn
	var err error
	stranger.within(func() { theirs, err = net.ListenPacket("udp4", "192.0.2.8:0") })
	require.NoError(t, err)
	defer theirs.Close()

	for _, x := range []struct {
		tcp, udp uint16
		says     []byte
		kinds    [2]byte
	}{
		{wire.EnumPort, wire.EnumPort, asks(t, 2301), [2]byte{toList, datagramList}},
		{2300, 2350, []byte("play"), [2]byte{toGame, datagramGame}}, // last: once our game has a connection, the bridge lets go of 47624
	} {
		_, err = theirs.WriteTo(x.says, net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr("192.0.2.7"), x.udp)))
		require.NoError(t, err)
		var c net.Conn
		stranger.within(func() { c, err = net.Dial("tcp4", fmt.Sprintf("192.0.2.7:%d", x.tcp)) })
		if err == nil {
			defer c.Close()
			_, err = c.Write(x.says)
		}
		if err == nil {
			require.NoError(t, c.SetDeadline(testkit.Deadline()))
			isReset(t, c)
		} else { // it was faster
			require.ErrorIs(t, err, syscall.ECONNRESET)
		}

		said := append([]byte{}, x.says...)
		said[len(said)-1]++
		_, err = ours.WriteToUDPAddrPort(said, here(x.udp))
		require.NoError(t, err)
		assert.Equal(t, append([]byte{x.kinds[1]}, said...), nextDatagram(t, far))
		_, err = m.dials(x.tcp).Write(said)
		require.NoError(t, err)
		assert.Equal(t, append([]byte{x.kinds[0]}, said...), nextStream(t, far, len(said)))
	}
}

// nextDatagram returns the next one that is not about who hosts.
func nextDatagram(t *testing.T, far link.Link) []byte {
	t.Helper()
	ctx := testkit.Context(t)
	for {
		b, err := far.ReceiveDatagram(ctx)
		require.NoError(t, err)
		if b[0] != datagramHost {
			return b
		}
	}
}

// nextStream returns what the next one begins with: its kind, and so many octets.
func nextStream(t *testing.T, far link.Link, size int) []byte {
	t.Helper()
	ctx := testkit.Context(t)
	s, err := far.AcceptStream(ctx)
	require.NoError(t, err)
	b := make([]byte, 1+size)
	_, err = io.ReadFull(s, b)
	require.NoError(t, err)
	return b
}
