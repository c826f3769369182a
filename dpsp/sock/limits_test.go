package sock

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/network"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// host opens a session with limits of the test's own.
func host(t *testing.T, n Network, change func(*limits)) *Session {
	t.Helper()
	return hostWith(t, on(n), change)
}

// dial connects to a session as a stranger.
func dial(t *testing.T, s *Session) network.Stream {
	t.Helper()
	return dialFrom(t, s, loopback)
}

func dialFrom(t *testing.T, s *Session, from netip.Addr) network.Stream {
	t.Helper()
	c, err := s.loop.opt.Network.DialStream(context.Background(), from, s.StreamAddr())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// closes waits until the other side closes a connection.
func closes(t *testing.T, c net.Conn) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(time.Hour))
	_, err := c.Read(make([]byte, 1))
	if err == nil || isTimeout(err) {
		t.Errorf("the connection stays open: %v", err)
	}
}

// stays checks that the other side leaves a connection open for a while, and says nothing.
func stays(t *testing.T, c net.Conn, while time.Duration) {
	t.Helper()
	c.SetReadDeadline(time.Now().Add(while))
	_, err := c.Read(make([]byte, 1))
	assert.True(t, isTimeout(err), "it ended, or something came: %v", err)
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

func TestSilentConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		s, began := host(t, n, func(*limits) {}), time.Now()
		closes(t, dial(t, s))
		assert.Equal(t, defaults.silence, time.Since(began))
	})
}

func TestDribblingConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		s, began := host(t, n, func(l *limits) { l.dribble = time.Second }), time.Now()
		c := dial(t, s)
		c.Write([]byte{0x20, 0, 0xB0, 0xFA, 2, 0})
		closes(t, c)
		assert.Equal(t, time.Second, time.Since(began))
	})
}

func TestConnectionWithoutMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		s := host(t, n, func(*limits) {})
		c := dial(t, s)
		c.Write(make([]byte, wire.SPHeaderSize)) // a size of 0
		closes(t, c)
	})
}

func TestTooManyConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		s := host(t, n, func(l *limits) { l.guests[dpsp.Stranger].each = 2 })
		open := []net.Conn{dial(t, s), dial(t, s), dial(t, s)}
		closes(t, open[0]) // the oldest makes room
		for _, c := range open[1:] {
			stays(t, c, time.Second)
		}
		for {
			if d, ok := (<-s.Events()).(dpsp.Dropped); ok {
				assert.Equal(t, dpsp.LimitReached, d.Reason)
				assert.Contains(t, d.Text, "1 connections were closed: too many are open to us")
				return
			}
		}
	})
}

// TestSizeIsNoPromise sends a header that announces the largest message, and nothing else: it is no request, and who
// reads requests does not wait for the rest.
func TestSizeIsNoPromise(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go w.Write([]byte{0xFF, 0xFF, 0xBF, 0xFA, 2, 0, 8, 0xFC, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	assert.Nil(t, readRequest(r))
}

// TestSlowPeer has a member that takes nothing: the others must not notice until it is given up.
func TestSlowPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := context.Background()
		h := host(t, n, func(l *limits) { l.octets = 1 << 20 })
		hp, err := h.CreatePlayer(ctx, "Host", nil)
		require.NoError(t, err)
		j, err := joined(ctx, on(n), find(t, ctx, n), "")
		require.NoError(t, err)
		defer j.Close()
		jp, err := j.CreatePlayer(ctx, "Quick", nil)
		require.NoError(t, err)
		slow := stubborn(t, h)

		payload := make([]byte, 64<<10)
		lost := false
		for i := 0; i < 4096 && !lost; i++ {
			require.NoError(t, h.Send(ctx, hp, wire.IDAll, payload, true))
			m := next[dpsp.Message](t, j)
			require.Equal(t, jp, m.To)
			require.Len(t, m.Payload, len(payload))
			lost = len(h.machines()) == 1
		}
		assert.True(t, lost, "%v is never given up", slow)
	})
}

// machines gives the listeners of the other machines in the session.
func (s *Session) machines() []netip.AddrPort {
	var all []netip.AddrPort
	s.loop.do(func(e *dpsp.Engine) { all = e.Machines() })
	return all
}

// stubborn joins a session by hand with a listener that never reads, and gives its address.
func stubborn(t *testing.T, h *Session) netip.AddrPort {
	t.Helper()
	return byHand(t, h).at
}

// A hand is a machine that is moved by a test.
type hand struct {
	t  *testing.T
	ln net.Listener
	at netip.AddrPort // of ln
	to network.Stream // to the host
	in network.Stream // from the host
}

// say sends a message to the host, over one connection or another.
func (x *hand) say(c net.Conn, m wire.Message) {
	x.t.Helper()
	_, err := c.Write(x.octets(m))
	require.NoError(x.t, err)
}

// octets returns a message as it goes over a connection.
func (x *hand) octets(m wire.Message) []byte {
	x.t.Helper()
	sp := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: x.at.Port()}}
	e := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9, Message: m}
	b, err := e.Append(nil)
	require.NoError(x.t, err)
	return b
}

// listens opens a listener at a port that is free.
func listens(t *testing.T, n Network, at netip.Addr) net.Listener {
	t.Helper()
	ln, err := n.ListenStream(netip.AddrPortFrom(at, 0))
	require.NoError(t, err)
	t.Cleanup(func() { ln.Close() })
	return ln
}

// accepts takes a listener's next connection.
func accepts(t *testing.T, ln net.Listener) network.Stream {
	t.Helper()
	c, err := ln.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c.(network.Stream)
}

// byHand joins a session. What the host says on in once it has let us in is not read.
func byHand(t *testing.T, h *Session) *hand {
	t.Helper()
	ln := listens(t, h.loop.opt.Network, loopback)
	x := &hand{t: t, ln: ln, at: addrPort(ln.Addr()), to: dial(t, h)}
	x.say(x.to, &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal})
	x.in = accepts(t, ln)
	b := make([]byte, 68)
	_, err := io.ReadFull(x.in, b)
	require.NoError(t, err)
	var d wire.Decoder
	e, err := d.DecodeStream(b)
	require.NoError(t, err)
	id := e.Message.(*wire.RequestPlayerReply).ID
	own := wire.SockAddr{Family: wire.FamilyINet, Port: x.at.Port()}
	x.say(x.to, &wire.AddForwardRequest{Player: id, Password: wire.NewText(""), Info: wire.PackedPlayer{
		Flags: wire.PlayerSystem | wire.PlayerLocal, ID: id, System: id, Version: 14,
		SPData: wire.SPData{Stream: own, Datagram: own}.Append(nil),
	}})
	_, err = io.ReadFull(x.in, make([]byte, 100)) // the beginning of the list: we are in
	require.NoError(t, err)
	return x
}

func TestPortTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		occupy(t, n, loopback)
		_, err := hosted(context.Background(), on(n), dpsp.Host{Application: testGame, Name: "x"})
		require.ErrorContains(t, err, "UDP port 47624 is taken")
	})
}
