package local

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// asks is a request for sessions of a game that listens on a TCP port.
func asks(t testing.TB, port uint16) []byte {
	b, err := (&wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: port}}, Version: wire.DX9,
		Message: &wire.EnumSessions{}}).Append(nil)
	require.NoError(t, err)
	return b
}

// hostsHere has the test itself be the host on a machine.
func (m *machine) hostsHere() (udp *net.UDPConn, tcp *net.TCPListener) {
	m.t.Helper()
	m.plays(At(m.slot))
	udp, tcp = m.binds(wire.EnumPort), m.listens(wire.EnumPort)
	m.reports(func(e Event) bool { h, ok := e.(Hosting); return ok && h.On })
	return udp, tcp
}

// TestSearch: requests for sessions, by UDP and by TCP, reach the machine whose game is host, from 127.0.0.1 or from an
// adapter. Others than requests do not, nor those of which the answer would go elsewhere.
func TestSearch(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 3)
	m[1].card()
	udp, tcp := m[0].hostsHere()
	request := asks(t, At(1).TCP)
	m[1].listensForGames()
	game := m[1].binds(0)
	for _, to := range []string{"127.0.0.1:47624", "192.0.2.7:47624", "192.0.2.255:47624"} {
		at, err := net.ResolveUDPAddr("udp4", to)
		require.NoError(t, err)
		_, err = game.WriteToUDP(request, at)
		require.NoError(t, err)
		assert.Equal(t, request, datagramFrom(t, udp, At(1).UDP), to)
	}
	for _, b := range [][]byte{asks(t, At(2).TCP), asks(t, 80), []byte("hello"), message(1, "play\x16\x00\x0e\x00"), append(request, 0)} {
		_, err := game.WriteToUDPAddrPort(b, here(wire.EnumPort))
		require.NoError(t, err)
	}
	last := append([]byte{}, request...)
	binary.LittleEndian.PutUint32(last[32:], 7) // of another game
	_, err := game.WriteToUDPAddrPort(last, here(wire.EnumPort))
	require.NoError(t, err)
	assert.Equal(t, last, datagramFrom(t, udp, At(1).UDP))

	c := m[1].dials(wire.EnumPort)
	_, err = c.Write(last)
	require.NoError(t, err)
	require.NoError(t, c.CloseWrite())
	b, err := io.ReadAll(accepts(t, tcp))
	require.NoError(t, err)
	assert.Equal(t, last, b)
	isEnded(t, c)
	tcp.Close()
	c = m[1].dials(wire.EnumPort)
	_, err = c.Write(last)
	require.NoError(t, err)
	assert.Equal(t, last, datagramFrom(t, udp, At(1).UDP), "a host that hears UDP alone")
	assert.Equal(t, At(1), m[1].local.at.Game, "what stands for others is no game")
}

// listensForGames waits until the bridge has port 47624.
func (m *machine) listensForGames() {
	m.t.Helper()
	testkit.Until(m.t, m.hasList, "the bridge to have port 47624")
}

// hasList reports whether the bridge has port 47624.
func (m *machine) hasList() bool {
	m.local.list.mu.Lock()
	defer m.local.list.mu.Unlock()
	return m.local.list.udp != nil
}

// TestSideBySide: a machine that says that its game is host, and does not answer, does not hold up the search of the others'.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := newMachine(t, hub, 1).open(Options{})
	var far [2]link.Link
	for i, slot := range []int{0, 2} {
		near, way := linkWith(t, m, hub.Machine())
		require.NoError(t, m.local.Stand(slot, At(slot), near))
		require.NoError(t, way.SendDatagram([]byte{datagramHost, 1}))
		far[i] = way
	}
	testkit.Until(t, func() bool { return len(m.local.hosts()) == 2 }, "two hosts")
	m.listensForGames()
	c := m.dials(wire.EnumPort)
	request := asks(t, At(1).TCP)
	_, err := c.Write(request)
	require.NoError(t, err)
	for _, way := range far { // neither answers
		s, err := way.AcceptStream(testkit.Context(t))
		require.NoError(t, err)
		b := make([]byte, 1+len(request))
		_, err = io.ReadFull(s, b)
		require.NoError(t, err)
		assert.Equal(t, request, b[1:])
	}
	isEnded(t, c)
	require.NoError(t, m.local.Close(), "nobody has answered yet")
}

// TestNoHost: a program that has 47624, and is not the game, is asked nothing.
func TestNoHost(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := newMachine(t, hub, 1)
	far := withFar(t, m, hub)
	udp, tcp := m.binds(wire.EnumPort), m.listens(wire.EnumPort)
	asked := func(password string) []byte {
		b, err := (&wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
			Version: wire.DX9, Message: &wire.EnumSessions{Password: wire.NewText(password)}}).Append(nil)
		require.NoError(t, err)
		return b
	}
	ask := func(b []byte) link.Stream {
		require.NoError(t, far.SendDatagram(append([]byte{datagramList}, b...)))
		s, err := far.OpenStream(t.Context())
		require.NoError(t, err)
		_, err = s.Write(append([]byte{toList}, b...))
		require.NoError(t, err)
		require.NoError(t, s.CloseWrite())
		return s
	}
	_, err := ask(asked("early")).Read(make([]byte, 1))
	assert.ErrorIs(t, err, link.ErrReset)
	m.plays(At(1))
	m.reports(func(e Event) bool { h, ok := e.(Hosting); return ok && h.On })
	s := ask(asked("late"))
	got := datagramFrom(t, udp, 2350)
	if bytes.Equal(got, asked("early")) { // it is no stream: it may have been on its way until the game was there
		got = datagramFrom(t, udp, 2350)
	}
	assert.Equal(t, asked("late"), got)
	b, err := io.ReadAll(accepts(t, tcp))
	require.NoError(t, err)
	assert.Equal(t, asked("late"), b)
	_, err = s.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
}

// TestManyRequests: a member that asks all the time is heard now and then.
func TestManyRequests(t *testing.T) {
	t.Parallel()
	hub := linktest.New()
	m := newMachine(t, hub, 0).open(Options{})
	udp, _ := m.hostsHere()
	far := hub.Machine()
	near, way := linkWith(t, m, far)
	require.NoError(t, m.local.Stand(1, At(1), near))
	request := append([]byte{datagramList}, asks(t, At(1).TCP)...)
	for range 200 {
		require.NoError(t, way.SendDatagram(request))
	}
	m.reports(func(e Event) bool { d, ok := e.(Dropped); return ok && d.Slot == 1 })
	require.NoError(t, way.SendDatagram(append([]byte{datagramGame}, "no request"...)))
	assert.Equal(t, request[1:], datagramFrom(t, udp, At(1).UDP))
}
