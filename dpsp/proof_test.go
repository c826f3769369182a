package dpsp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestSecrets learns and takes more secrets than are kept.
func TestSecrets(t *testing.T) {
	var s secrets
	g := func(i int) wire.GUID { return wire.GUID{byte(i)} }
	assert.False(t, s.knows(wire.GUID{}), "nothing is no secret")
	s.learn(wire.GUID{})
	s.take(wire.GUID{})
	assert.Equal(t, secrets{}, s)
	s.learn(g(1))
	assert.Equal(t, g(1), s.current, "the first one")
	s.learn(g(2))
	s.learn(g(2))
	assert.Equal(t, secrets{g(1), []wire.GUID{g(2)}}, s)
	s.take(g(2))
	assert.Equal(t, secrets{g(2), []wire.GUID{g(1)}}, s, "the host has the other one")
	for i := range maxSecrets {
		s.learn(g(3 + i))
	}
	assert.Len(t, s.others, maxSecrets)
	assert.True(t, s.knows(g(2)), "the current one stays")
	assert.False(t, s.knows(g(1)), "the oldest one is forgotten")
	for i := range maxSecrets {
		assert.True(t, s.knows(g(3+i)))
	}
}

// TestChallenge answers a challenge wrongly, late, rightly, and twice.
func TestChallenge(t *testing.T) {
	at := netip.MustParseAddrPort("10.0.0.1:2300")
	other := netip.MustParseAddrPort("10.0.0.2:2300")
	c := challenge{at, 7, time.Second}
	assert.False(t, c.answered(other, 7, 0), "from elsewhere")
	assert.False(t, c.answered(at, 8, 0), "as another host")
	assert.False(t, c.answered(at, 7, time.Second), "late")
	assert.True(t, c.answered(at, 7, time.Second-1))
	assert.False(t, c.answered(at, 7, time.Second-1), "there is one answer")
	assert.False(t, new(challenge).answered(netip.AddrPort{}, 0, 0), "nobody was asked")
}

// TestVoucher holds claims against what somebody vouched for.
func TestVoucher(t *testing.T) {
	at := netip.MustParseAddrPort("10.0.0.1:2300")
	v := voucher{7, at, time.Second}
	assert.True(t, v.covers(7, at, time.Second-1))
	assert.True(t, v.covers(7, at, time.Second-1), "as often as it is said")
	assert.False(t, v.covers(7, at, time.Second), "late")
	assert.False(t, v.covers(8, at, 0), "another host")
	assert.False(t, v.covers(7, netip.MustParseAddrPort("10.0.0.1:2301"), 0), "elsewhere")
	assert.False(t, new(voucher).covers(0, netip.AddrPort{}, 0), "nobody vouched")
}
