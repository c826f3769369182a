package sock

import (
	"context"
	"fmt"
	"net"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// TestRejoin has a machine leave and join again at once, on the same ports, time after time, in a session with room
// for no more than it and the two others. No join may fail, and nobody may take the new machine for the old one.
func TestRejoin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := context.Background()
		h, err := hosted(ctx, on(n), dpsp.Host{Application: testGame, Name: "Rejoin", MaxPlayers: 3})
		require.NoError(t, err)
		defer h.Close()
		hp, err := h.CreatePlayer(ctx, "Host", nil)
		require.NoError(t, err)
		at := find(t, ctx, n)
		third, err := joined(ctx, on(n), at, "")
		require.NoError(t, err)
		defer third.Close()
		tp, err := third.CreatePlayer(ctx, "Third", nil)
		require.NoError(t, err)
		opt := on(n)
		opt.StreamPorts, opt.DatagramPorts = wire.Ports{First: 2345, Last: 2345}, wire.Ports{First: 2395, Last: 2395}
		for i := range 50 {
			j, err := joined(ctx, opt, at, "")
			require.NoError(t, err, "join %d", i)
			id, err := j.CreatePlayer(ctx, dpsp.Text(fmt.Sprint(i)), nil)
			require.NoError(t, err, "join %d", i)
			for to, s := range map[wire.PlayerID]*Session{hp: h, tp: third} {
				require.NoError(t, j.Send(ctx, id, to, []byte(fmt.Sprint(i)), true))
				require.Equal(t, fmt.Sprint(i), string(next[dpsp.Message](t, s).Payload))
				require.NoError(t, s.Send(ctx, to, id, []byte("back"), true))
				require.Equal(t, to, next[dpsp.Message](t, j).From)
			}
			require.NoError(t, j.Close())
		}
	})
}

// TestClosedPeerIsCalledAgain has a peer end and begin anew on its port: what is sent then goes over a new
// connection, even before anybody noticed that the old one was closed.
func TestClosedPeerIsCalledAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		h := host(t, n, func(*limits) {})
		ln := listens(t, n, loopback)
		to := addrPort(ln.Addr())
		for i := range 50 {
			said := []byte(fmt.Sprintf("%03d", i))
			h.loop.do(func(*dpsp.Engine) { h.loop.sendStream(to, said, dpsp.NoList) })
			c, err := ln.Accept()
			require.NoError(t, err)
			got := make([]byte, len(said))
			_, err = c.Read(got)
			require.NoError(t, err)
			assert.Equal(t, said, got)
			ln.Close()
			c.Close()
			ln, err = n.ListenStream(to)
			require.NoError(t, err)
		}
		ln.Close()
	})
}

// TestGoodbyeFirst has a connection end, with a message on it that is still to be handled, and a new one from the
// same listener begin: the old one is read to its end first.
func TestGoodbyeFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		rec := &traffic{}
		opt := on(n)
		opt.Record = rec
		s, err := hosted(context.Background(), opt, dpsp.Host{Application: testGame, Name: "Order"})
		require.NoError(t, err)
		defer s.Close()
		sp := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2399}}
		say := func(c net.Conn, m wire.Message) {
			e := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9, Message: m}
			b, err := e.Append(nil)
			require.NoError(t, err)
			_, err = c.Write(b)
			require.NoError(t, err)
		}
		for i := range 50 {
			old := dial(t, s)
			say(old, &wire.YouAreDead{})
			eventually(t, "the first message is handled", func() bool { return rec.count(wire.CmdYouAreDead) == i+1 })
			s.loop.stepping.Lock() // both wait, as on a busy machine
			for range 20 {
				say(old, &wire.AddForwardAck{ID: 1})
			}
			old.Close()
			again := dial(t, s)
			say(again, &wire.PingReply{From: 1})
			s.loop.stepping.Unlock()
			eventually(t, "the new one is heard", func() bool { return rec.count(wire.CmdPingReply) == i+1 })
			require.Equal(t, 20*(i+1), rec.count(wire.CmdAddForwardAck), "round %d", i)
			again.Close()
		}
	})
}
