package local

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// us is how the system calls this process.
var us = fmt.Sprintf("%s (process %d)", program, os.Getpid())

// withFar opens a bridge on slot 1 whose neighbour in slot 0 is the test.
func withFar(t *testing.T, m *machine, hub *linktest.Hub) link.Link {
	t.Helper()
	m.open(Options{})
	near, far := linkWith(t, m, hub.Machine())
	require.NoError(t, m.local.Stand(0, At(0), near))
	return far
}

// calls has the other machine's game connect to ours, and say its message.
func calls(t *testing.T, far link.Link, say []byte) link.Stream {
	t.Helper()
	s, err := far.OpenStream(testkit.Context(t))
	require.NoError(t, err)
	_, err = s.Write(append([]byte{toGame}, say...))
	require.NoError(t, err)
	return s
}

// TestInTheWay: a program that has one port of our slot, and not the other one, is told of, and gets nothing that is the game's.
func TestInTheWay(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := newMachine(t, hub, 1)
	tcp := m.listens(2301)
	far := withFar(t, m, hub)
	m.reports(event(Waiting{For: "TCP port 2301 is held by " + us + ": if that is not the game, quit it before you start the game"}))
	s := calls(t, far, message(0, "hello"))
	_, err := s.Read(make([]byte, 1))
	assert.ErrorIs(t, err, link.ErrReset)
	direct := m.dials(2301)
	assert.Equal(t, direct.LocalAddr(), accepts(t, tcp).RemoteAddr(), "the call did not come to it before")
	tcp.Close()
	m.reports(event(Waiting{}))

	udp := m.binds(2351)
	require.Equal(t, stranger, m.local.tenant.look(At(1), 0))
	require.NoError(t, far.SendDatagram([]byte("Uit is not")))
	require.NoError(t, far.SendDatagram([]byte{datagramHost, 1}))
	testkit.Until(t, func() bool { return len(m.local.hosts()) == 1 }, "the datagram after it")
	s = calls(t, far, message(0, "hello"))
	_, err = s.Read(make([]byte, 1))
	assert.ErrorIs(t, err, link.ErrReset)
	tcp = m.listens(2301)
	require.Equal(t, ourGame, m.local.tenant.look(At(1), 0))
	require.NoError(t, far.SendDatagram([]byte("Uit is the game")))
	assert.Equal(t, "it is the game", string(datagramFrom(t, udp, 2350)))
	calls(t, far, message(0, "hello"))
	b := make([]byte, len(message(0, "hello")))
	_, err = io.ReadFull(accepts(t, tcp), b)
	require.NoError(t, err)
	assert.Equal(t, message(0, "hello"), b)
}

// watched returns the tenant of a machine without a bridge. One port of two counts as a program's after an hour: no machine is so slow.
func (m *machine) watched() *tenant {
	opt := Options{within: m.within}.withDefaults()
	opt.times.settled *= 3600
	return &tenant{l: &Local{opt: opt}}
}

// TestOpens: a game that has one of its ports for a moment, as each that opens them one after the other, is not told of.
func TestOpens(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, 1)
	m.listens(2301)
	x := m.watched()
	assert.Empty(t, x.waits(At(1)))
	assert.Equal(t, stranger, x.is.Load())
	x.since = x.since.Add(-x.l.opt.times.settled)
	assert.NotEmpty(t, x.waits(At(1)))
}

// TestBothInTheWay: two programs have one port of our slot each.
func TestBothInTheWay(t *testing.T) {
	t.Parallel()
	m := newMachine(t, nil, 0)
	ann := m.game("ours")
	m.binds(2351)
	x, at := m.watched(), filter.Ports{TCP: ann.ports.TCP, UDP: 2351}
	x.waits(at)
	x.since = x.since.Add(-x.l.opt.times.settled)
	assert.Equal(t, fmt.Sprintf("TCP port 2300 is held by %s (process %d), and UDP port 2351 is held by %s: %s", program,
		ann.cmd.Process.Pid, us, "if that is not the game, quit it before you start the game"), x.waits(at))
}

// TestAsksFirst: what looks for sessions from the TCP port of our slot is the game, although it has no UDP port yet.
func TestAsksFirst(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := newMachine(t, hub, 1)
	far := withFar(t, m, hub)
	require.NoError(t, far.SendDatagram([]byte{datagramHost, 1}))
	m.listensForGames()
	tcp := m.listens(2301)
	require.Equal(t, stranger, m.local.tenant.look(At(1), 0))
	_, err := m.binds(0).WriteToUDPAddrPort(asks(t, 2301), here(wire.EnumPort))
	require.NoError(t, err)
	m.reports(event(Searching{}))
	calls(t, far, message(0, "hello"))
	accepts(t, tcp)
	tcp.Close()
	m.listens(2301) // another one
	require.Equal(t, stranger, m.local.tenant.look(At(1), 0))
}
