package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

func lostAt(system wire.PlayerID, last byte, now time.Duration) lostPeer {
	ip := netip.AddrFrom4([4]byte{10, 0, 0, last})
	return newLostPeer(system, netip.AddrPortFrom(ip, 2300), netip.AddrPortFrom(ip, 2350), now, time.Second, false)
}

// TestClaimDue tells a lost peer after one period, two, four, and then every claimPeriods.
func TestClaimDue(t *testing.T) {
	f := lostAt(1, 1, 10*time.Second)
	var told []time.Duration
	for now := 10 * time.Second; now < 45*time.Second; now += time.Second {
		if f.claimDue(now, time.Second) {
			told = append(told, now/time.Second)
		}
	}
	assert.Equal(t, []time.Duration{11, 12, 14, 18, 26, 34, 42}, told)
}

// TestLostPeers remembers, finds and forgets.
func TestLostPeers(t *testing.T) {
	var l lostPeers
	assert.Equal(t, Never, l.next())
	l.remember(lostAt(1, 1, 5*time.Second))
	l.remember(lostAt(2, 2, 3*time.Second))
	assert.Equal(t, 4*time.Second, l.next(), "the first that is due, not the first that was lost")
	one, two := l[0], l[1]

	assert.True(t, l.listensAt(two.stream))
	assert.False(t, l.listensAt(two.datagram))
	assert.True(t, l.was(1, two.datagram, one.stream.Addr()), "by its id")
	assert.True(t, l.was(9, one.stream, one.stream.Addr()), "by its listener, under another id")
	assert.False(t, l.was(1, one.stream, two.stream.Addr()), "it is not at that address")
	assert.False(t, l.was(9, two.datagram, one.stream.Addr()))
	assert.False(t, l.silent(1))

	again := lostAt(1, 3, 8*time.Second)
	again.doubt = true
	l.remember(again)
	assert.Equal(t, lostPeers{two, again}, l, "once, with what is known now, last in order")
	assert.True(t, l.silent(1))
	assert.False(t, l.silent(2))

	l.found(2, again.stream)
	assert.Empty(t, l, "the one that is back, and the one whose listener it has")
	l.remember(one)
	l.remember(two)
	l.forget(1)
	assert.Equal(t, lostPeers{two}, l)
}

// TestLostPeersAreBounded loses more than are remembered.
func TestLostPeersAreBounded(t *testing.T) {
	var l lostPeers
	for i := range maxLostPeers + 2 {
		l.remember(lostAt(wire.PlayerID(i), 1, 0))
	}
	require.Len(t, l, maxLostPeers)
	assert.Equal(t, wire.PlayerID(2), l[0].system, "the oldest made room")
}
