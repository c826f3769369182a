package sock

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// outsider is where strangers of these tests are.
var outsider = netip.MustParseAddr("127.0.0.9")

// stranger connects to a session from outside.
func stranger(t *testing.T, s *Session) net.Conn {
	t.Helper()
	return dialFrom(t, s, outsider)
}

// said is a message of a machine that listens at a port.
func said(t *testing.T, port uint16, m wire.Message) []byte {
	t.Helper()
	sp := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: port}}
	e := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9, Message: m}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}

// held returns how many octets are held for connections to a session.
func (g *gate) held() (octets int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, x := range g.guests {
		octets += x.octets
	}
	return octets
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.guests)
}

// TestIdleStrangers has a stranger take as many connections as it can, with a PING on each: others get in, the host
// holds no more than the stranger's share, and a newcomer and a member keep what they have.
func TestIdleStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := context.Background()
		h := host(t, n, func(*limits) {})
		hp, err := h.CreatePlayer(ctx, "Host", nil)
		require.NoError(t, err)
		early, err := joined(ctx, on(n), find(t, ctx, n), "")
		require.NoError(t, err)
		defer early.Close()
		_, err = early.CreatePlayer(ctx, "Early", nil)
		require.NoError(t, err)
		ping := said(t, 2300, &wire.Ping{From: 1, Tick: 2})
		for range 200 {
			stranger(t, h).Write(ping)
		}
		assert.LessOrEqual(t, h.loop.guests.count(), 30)
		late, err := joined(ctx, on(n), find(t, ctx, n), "")
		require.NoError(t, err)
		defer late.Close()
		require.NoError(t, h.Send(ctx, hp, wire.IDAll, []byte("still here"), true))
		assert.Equal(t, "still here", string(next[dpsp.Message](t, early).Payload))
	})
}

// TestPingsKeepNobody has a stranger send a PING all the time: its connection ends all the same. A member's, over which
// nothing comes, stays.
func TestPingsKeepNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		h := host(t, n, func(*limits) {})
		member := byHand(t, h)
		c := stranger(t, h)
		ping := said(t, 2300, &wire.Ping{From: 1, Tick: 2})
		began := time.Now()
		for ended := false; !ended; {
			if _, err := c.Write(ping); err != nil {
				break
			}
			c.SetReadDeadline(time.Now().Add(time.Second))
			_, err := c.Read(make([]byte, 1))
			ended = !isTimeout(err)
		}
		assert.Equal(t, defaults.silence, time.Since(began).Truncate(time.Second))
		stays(t, member.to, time.Hour)
	})
}

// TestUnfinishedStrangers has strangers begin large messages and never end them: what is kept of them is little, and
// what is larger than a stranger has any use for ends the connection.
func TestUnfinishedStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		h := host(t, n, func(*limits) {})
		message := append(said(t, 2300, &wire.Ping{From: 1, Tick: 2}), make([]byte, 60000)...)
		binary.LittleEndian.PutUint32(message, 0xFAB00000|uint32(len(message)))
		for range 16 {
			stranger(t, h).Write(message[:100])
		}
		synctest.Wait()
		require.Equal(t, 16*readLeast, h.loop.guests.held())
		for range 100 {
			stranger(t, h).Write(message[:len(message)-1])
		}
		assert.LessOrEqual(t, h.loop.guests.held(), defaults.guests[dpsp.Stranger].octetsEach)
		binary.LittleEndian.PutUint32(message, 0xFAB00000|uint32(defaults.strange+1))
		c := stranger(t, h)
		c.Write(message[:100])
		closes(t, c)
	})
}

// TestDialsOfStrangers has a stranger name thousands of ports, none of which anybody listens at, and then some hundreds
// that take connections: what is opened for it is bounded, and a machine elsewhere joins.
func TestDialsOfStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		ctx := context.Background()
		h := host(t, n, func(*limits) {})
		c := stranger(t, h)
		for port := range uint16(2000) {
			c.Write(said(t, 10000+port, &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal}))
		}
		for refused := false; !refused; {
			d := next[dpsp.Dropped](t, h)
			refused = d.Reason == dpsp.LimitReached && d.From.Addr() == outsider
		}
		most := defaults.dials[dpsp.Newcomer].each
		assert.LessOrEqual(t, h.loop.dials.count(), most)
		calls := make(chan net.Conn, 1000)
		for range 200 {
			ln := listens(t, n, outsider)
			go func() {
				for {
					c, err := ln.Accept()
					if err != nil {
						return
					}
					calls <- c
				}
			}()
			c.Write(said(t, addrPort(ln.Addr()).Port(), &wire.RequestPlayerID{Flags: wire.PlayerSystem | wire.PlayerLocal}))
		}
		j, err := joined(ctx, on(n), find(t, ctx, n), "")
		require.NoError(t, err)
		j.Close()
		assert.LessOrEqual(t, h.loop.dials.count(), defaults.dials[dpsp.Member].each+most)
		for len(calls) > 0 {
			(<-calls).Close()
		}
	})
}

// TestIntake reads messages that come octet by octet, in bursts, and larger than what is read at once.
func TestIntake(t *testing.T) {
	r, w := io.Pipe()
	held := 0
	in := intake{conn: r, appetite: appetites[dpsp.Member], room: func(n int) bool { held = n; return true }}
	sizes := []int{1, 20, readLeast, readLeast + 1, readAhead - 1, readAhead, readAhead + 1, readKeep + 1, 300000, 20}
	go func() {
		defer w.Close()
		for i, n := range sizes {
			b := make([]byte, n)
			for at := range b {
				b[at] = byte(i + at)
			}
			for len(b) > 0 {
				k := min(len(b), 1+i*700)
				w.Write(b[:k])
				b = b[k:]
			}
		}
	}()
	for i, n := range sizes {
		require.NoError(t, in.fill(n))
		for at, c := range in.waiting()[:n] {
			require.Equal(t, byte(i+at), c)
		}
		assert.LessOrEqual(t, held, 2*max(n, readAhead))
		in.handled(n)
		in.rest()
		assert.LessOrEqual(t, len(in.buf), max(readKeep, readAhead))
	}
	assert.ErrorIs(t, in.fill(1), io.EOF)
	in = intake{conn: r, appetite: appetites[dpsp.Stranger], room: func(n int) bool { return n <= 1024 }}
	assert.ErrorIs(t, in.fill(2000), io.EOF)
	in.end = len(in.buf)
	assert.ErrorIs(t, in.fill(2000), io.EOF)
	in.end = len(in.buf)
	assert.ErrorIs(t, in.fill(2000), errRoom{})
}
