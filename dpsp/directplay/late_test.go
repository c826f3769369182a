package directplay

import (
	"encoding/binary"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestLateHost: a search whose length is left to us waits longer for a host that is slow, one of the game's choice does not.
func TestLateHost(t *testing.T) {
	t.Parallel()
	for _, timeout := range []uint32{0, 900} {
		at := lane(2)
		answersLate(t, at[0], defaultSearch+300*time.Millisecond)
		g := initialized(t, at[1], at[0].String())
		assert.Len(t, g.search(timeout, 0), map[uint32]int{0: 1, 900: 0}[timeout])
	}
}

// answersLate answers a search at an address, some time after it was asked.
func answersLate(t *testing.T, at netip.Addr, late time.Duration) {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at, 47624)))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	sp := wire.SPHeader{Token: wire.TokenRemote, SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2349}}
	reply := wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9,
		Message: &wire.EnumSessionsReply{
			Desc: wire.SessionDesc{Application: testGame, Instance: wire.GUID{1}}, Name: wire.NewText("late")}}
	b, err := reply.Append(nil)
	require.NoError(t, err)
	go func() {
		question := make([]byte, 512)
		n, from, err := conn.ReadFromUDPAddrPort(question)
		if err != nil || n < wire.SPHeaderSize {
			return
		}
		timer := time.AfterFunc(late, func() {
			back, err := net.Dial("tcp4", netip.AddrPortFrom(from.Addr(), binary.BigEndian.Uint16(question[6:])).String())
			if err == nil {
				back.Write(b)
				back.Close()
			}
		})
		t.Cleanup(func() { timer.Stop() })
	}()
}

// TestSearchesSeldom: a search in the background asks no more often than is good for the network, whatever the game says.
func TestSearchesSeldom(t *testing.T) {
	t.Parallel()
	at := lane(2)
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at[0], wire.EnumPort)))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	g := initialized(t, at[1], at[0].String())
	began := time.Now()
	assert.Empty(t, g.search(1, wire.EnumAsync))
	const questions = 4
	for range questions {
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(patience)))
		_, _, err := conn.ReadFromUDPAddrPort(make([]byte, 512))
		require.NoError(t, err)
	}
	assert.GreaterOrEqual(t, time.Since(began), (questions-1)*seldom)
}
