package local

import (
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// listens has a program of the machine listen on a TCP port.
func (m *machine) listens(port uint16) *net.TCPListener {
	m.t.Helper()
	var l *net.TCPListener
	var err error
	m.within(func() { l, err = net.ListenTCP("tcp4", &net.TCPAddr{Port: int(port)}) })
	require.NoError(m.t, err)
	m.t.Cleanup(func() { l.Close() })
	require.NoError(m.t, l.SetDeadline(testkit.Deadline()))
	return l
}

// plays has a program of the machine have the ports of a game.
func (m *machine) plays(at filter.Ports) (*net.TCPListener, *net.UDPConn) {
	m.t.Helper()
	tcp, udp := m.listens(at.TCP), m.binds(at.UDP)
	m.looks()
	return tcp, udp
}

// looks has the machine's bridge, if there is one, look who is there now: what it saw between two ports that were opened holds for
// lookAgain.
func (m *machine) looks() {
	if l := m.local; l != nil {
		l.mu.RLock()
		game := l.at.Game
		l.mu.RUnlock()
		l.tenant.look(game, 0)
	}
}

// hangs has a program of the machine listen on a TCP port, and take no connections.
func (m *machine) hangs(port uint16) {
	m.t.Helper()
	var fd int
	var err error
	m.within(func() {
		if fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); err != nil {
			return
		}
		if err = unix.Bind(fd, &unix.SockaddrInet4{Port: int(port)}); err == nil {
			err = unix.Listen(fd, 1)
		}
	})
	require.NoError(m.t, err)
	m.t.Cleanup(func() { unix.Close(fd) }) //nolint:errcheck // it is the end
}

// dials has a program of the machine connect to a port of it.
func (m *machine) dials(port uint16) *net.TCPConn {
	m.t.Helper()
	c, err := m.tries(port)
	require.NoError(m.t, err)
	return c
}

// tries has a program of the machine try to connect to a port of it.
func (m *machine) tries(port uint16) (c *net.TCPConn, err error) {
	m.t.Helper()
	m.within(func() { c, err = net.DialTCP("tcp4", nil, net.TCPAddrFromAddrPort(here(port))) })
	if err != nil {
		return nil, err
	}
	return soon(m.t, c), nil
}

// refused has a program of the machine connect to a port where nobody wants it: that fails, or it is reset at once.
func (m *machine) refused(port uint16) {
	m.t.Helper()
	if c, err := m.tries(port); err == nil {
		isReset(m.t, c)
	}
}

// soon has a connection fail that waits too long.
func soon(t testing.TB, c *net.TCPConn) *net.TCPConn {
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(testkit.Deadline()))
	return c
}

// accepts returns the next connection.
func accepts(t testing.TB, l *net.TCPListener) *net.TCPConn {
	t.Helper()
	require.NoError(t, l.SetDeadline(testkit.Deadline()))
	c, err := l.AcceptTCP()
	require.NoError(t, err)
	return soon(t, c)
}

// binds opens a UDP socket of the machine.
func (m *machine) binds(port uint16) *net.UDPConn {
	m.t.Helper()
	var c *net.UDPConn
	var err error
	m.within(func() { c, err = net.ListenUDP("udp4", &net.UDPAddr{Port: int(port)}) })
	require.NoError(m.t, err)
	m.t.Cleanup(func() { c.Close() })
	require.NoError(m.t, c.SetDeadline(testkit.Deadline()))
	return c
}

// two are two linked machines with a connection of the second one's game to the first one's.
func two(t *testing.T) (m []*machine, first, second *net.TCPConn) {
	t.Helper()
	m = session(t, linktest.New(), 2)
	l, _ := m[0].plays(At(0))
	second = m[1].dials(At(0).TCP)
	return m, accepts(t, l), second
}

// message is a message of the game in a slot.
func message(slot int, text string) []byte {
	b := make([]byte, wire.SPHeaderSize, wire.SPHeaderSize+len(text))
	binary.LittleEndian.PutUint32(b, uint32(wire.SPHeaderSize+len(text))|uint32(wire.TokenRemote)<<20)
	b[4] = wire.FamilyINet
	binary.BigEndian.PutUint16(b[6:], At(slot).TCP)
	return append(b, text...)
}

// passes has one end of a connection say something, and the other one hear it.
func passes(t testing.TB, from, to net.Conn, b []byte) {
	t.Helper()
	_, err := from.Write(b)
	require.NoError(t, err)
	got := make([]byte, len(b))
	_, err = io.ReadFull(to, got)
	require.NoError(t, err)
	assert.Equal(t, b, got)
}

// isReset checks that a connection is reset, whatever is still to be read of it.
func isReset(t testing.TB, c net.Conn) {
	t.Helper()
	_, err := io.Copy(io.Discard, c)
	require.Error(t, err, "it ends in good order")
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
}

// isEnded checks that a connection ends in good order, and that nothing is left on it.
func isEnded(t testing.TB, c net.Conn) {
	t.Helper()
	b, err := io.ReadAll(c)
	require.NoError(t, err)
	assert.Empty(t, b)
}

// datagramFrom reads a datagram and checks where it is from.
func datagramFrom(t testing.TB, c *net.UDPConn, from uint16) []byte {
	t.Helper()
	b := make([]byte, 65536)
	require.NoError(t, c.SetReadDeadline(testkit.Deadline()))
	n, at, err := c.ReadFromUDPAddrPort(b)
	require.NoError(t, err)
	assert.Equal(t, here(from), netip.AddrPortFrom(at.Addr().Unmap(), at.Port()))
	return b[:n]
}
