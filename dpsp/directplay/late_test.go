package directplay

import (
	"context"
	"encoding/binary"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// TestLateHost: a search whose length is left to us waits longer for a host that is slow, one of the game's choice does not.
func TestLateHost(t *testing.T) {
	bubble(t, func(t *world) {
		const late = defaultSearch + 300*time.Millisecond
		for _, c := range []struct {
			timeout uint32
			found   int
			took    time.Duration
		}{{0, 1, late}, {900, 0, 900 * time.Millisecond}} {
			at := t.lane(2)
			answersLate(t, at[0], late)
			g := initialized(t, at[1], at[0].String())
			began := time.Now()
			assert.Len(t, g.search(c.timeout, 0), c.found)
			assert.Equal(t, c.took, time.Since(began))
			<-time.After(2 * longer) // the answer comes while somebody is there
		}
	})
}

// asked opens the UDP socket to which searches come.
func asked(t *world, at netip.Addr) network.Datagrams {
	conn, err := t.network.ListenDatagrams(netip.AddrPortFrom(at, wire.EnumPort))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// answersLate answers a search at an address, some time after it was asked.
func answersLate(t *world, at netip.Addr, late time.Duration) {
	conn := asked(t, at)
	sp := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2349}}
	reply := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9,
		Message: &wire.EnumSessionsReply{
			Desc: wire.SessionDesc{Application: testGame, Instance: wire.GUID{1}}, Name: wire.NewText("late")}}
	b, err := reply.Append(nil)
	require.NoError(t, err)
	go func() {
		question := make([]byte, 512)
		n, _, _, from, err := conn.ReadMsgUDPAddrPort(question, nil)
		if err != nil || n < wire.SPHeaderSize {
			return
		}
		<-time.After(late)
		back, err := t.network.DialStream(context.Background(), at, netip.AddrPortFrom(from.Addr(), binary.BigEndian.Uint16(question[6:])))
		if assert.NoError(t, err) {
			back.Write(b)
			back.Close()
		}
	}()
}

// TestSearchesSeldom: a search in the background asks no more often than is good for the network, whatever the game says.
func TestSearchesSeldom(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		conn := asked(t, at[0])
		g := initialized(t, at[1], at[0].String())
		began := time.Now()
		assert.Empty(t, g.search(1, wire.EnumAsync))
		for question := range 4 {
			_, _, _, _, err := conn.ReadMsgUDPAddrPort(make([]byte, 512), nil)
			require.NoError(t, err)
			synctest.Wait()
			assert.Equal(t, time.Duration(question)*seldom, time.Since(began))
		}
	})
}
