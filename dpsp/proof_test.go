package dpsp

import (
	"bytes"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// A host that was never told the secret learns it from who comes over, and believes a third part then, of which it knows nobody.
func TestSecretOfWhoComesOver(t *testing.T) {
	over := 0
	for players := range 6 {
		cfg := Config{Period: time.Second, Probes: 3}
		w, n, _ := session(t, migrating, 2, cfg)
		first, cutOff, comes := n[0], n[1], n[2]
		for range players {
			w.must(first, CreatePlayer{}) // so that the host's id is another one
		}
		w.parts([]*node{cutOff}, []*node{first, comes})
		require.True(t, cutOff.hosting())
		host := w.add("host", cfg)
		w.cut = func(from, to *node, out Outgoing) bool {
			return to == cutOff || from == cutOff || to == host && bytes.Contains(out.Data, []byte("play\x44\x34"))
		}
		w.join(host, first, "")
		first.closed = true
		w.parts([]*node{cutOff}, []*node{host}, []*node{comes})
		w.step(host, Input{Kind: StreamClosed, From: first.stream()})
		w.step(comes, Input{Kind: StreamClosed, From: first.stream()})
		w.settle()
		w.run(w.now + 10*time.Second)
		require.True(t, host.hosting())
		require.True(t, comes.hosting())
		require.False(t, host.partition.secrets.knows(cutOff.partition.secrets.current))
		w.cut = func(from, to *node, out Outgoing) bool { // it is the other one that claims the session first, by a datagram
			return from == cutOff || to == cutOff || from == host && out.Transport == UDP && host.peerByID(comes.self) == nil
		}
		w.run(w.now + time.Minute)
		if host.hosting() {
			over++
		}
		w.whole(2 * time.Minute)
		agree(t, []*node{cutOff, host, comes}, 2)
	}
	assert.NotZero(t, over)
}
